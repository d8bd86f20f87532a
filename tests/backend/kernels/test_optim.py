"""Updates of many parameters in one loop: to the last bit those of each, and those of NumPy."""

import numpy as np
import proa as paddle
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import optim, reduce_many
from proa.core.flags import flags_guard
from proa.ops.core.operator import find

pytestmark = needs_loops
EXACT = {"rtol": 0, "atol": 0}
SHAPES = [(3,), (100, 300), (1,), (7, 5, 3), (20_000,), (16_384,), (2, 2)]
COUNT = len(SHAPES)


def tensors(seed):
    return [normal(*shape, seed=seed + k) for k, shape in enumerate(SHAPES)]


def scalars(start):
    return [np.array([start + 0.01 * k], "float32") for k in range(COUNT)]


PARAMS, GRADS, MOMENTS = tensors(0), tensors(10), tensors(20)
SQUARES = [np.abs(x) for x in tensors(30)]
RATES, POWS1, POWS2 = scalars(0.1), scalars(0.5), scalars(0.9)
DECAY = [0.0, 0.1, 0.2, 0.0, 0.3, 0.0, 0.4]
STATE = PARAMS, GRADS, RATES, MOMENTS, SQUARES, POWS1, POWS2


@pytest.mark.parametrize("decay", [[], DECAY])
def test_sgd(decay):
    agree("merged_sgd", optim.merged_sgd, PARAMS, RATES, GRADS, decay=decay, **EXACT)
    agree("merged_sgd", optim.merged_sgd, PARAMS, RATES[:1] * COUNT, GRADS, **EXACT)


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("decay", [[], DECAY])
@pytest.mark.parametrize("rescale", [1.0, 0.3])
def test_momentum(nesterov, decay, rescale):
    agree("merged_momentum", optim.merged_momentum, PARAMS, GRADS, MOMENTS, RATES, None, mu=0.9, use_nesterov=nesterov,
          rescale_grad=rescale, regularization_method=["l2_decay" if d else "" for d in decay],
          regularization_coeff=decay, **EXACT)


@pytest.mark.parametrize("decay", [[], DECAY])
def test_adam(decay):
    agree("merged_adam", optim.merged_adam, *STATE, None, beta1=0.8, beta2=0.99, epsilon=1e-6, decay=decay, **EXACT)


@pytest.mark.parametrize("attrs", [{}, {"coeff": 0.3, "with_decay": [1, 0] * 3 + [1]},
                                   {"lr_ratio": [0.5, 1.0, 0.1] * 2 + [2.0]}])
def test_adamw(attrs):
    agree("merged_adamw", optim.merged_adamw, *STATE, **attrs, **EXACT)


@pytest.mark.parametrize("index", [1, 4])
def test_one_parameter_alone(index, monkeypatch):
    monkeypatch.setattr(optim, "_LEAST", 1)
    param, grad, rate, moment, square, pow1, pow2 = (values[index] for values in STATE)
    agree("sgd", optim.sgd, param, rate, grad, **EXACT)
    agree("momentum", optim.momentum, param, grad, moment, rate, mu=0.9, use_nesterov=True, rescale_grad=0.5,
          regularization_method="l2_decay", regularization_coeff=0.1, **EXACT)
    agree("adam", optim.adam, param, grad, rate, moment, square, pow1, pow2, **EXACT)
    agree("adamw", optim.adamw, param, grad, rate, moment, square, pow1, pow2, coeff=0.1, lr_ratio=0.5, **EXACT)
    agree("adamw", optim.adamw, param, grad, rate, moment, square, pow1, pow2, with_decay=False, **EXACT)


def test_values_that_are_not_finite():
    grads = [g.copy() for g in GRADS]
    grads[1][0, 0], grads[1][0, 1], grads[4][7] = np.nan, np.inf, -np.inf
    agree("merged_adam", optim.merged_adam, PARAMS, grads, *STATE[2:], None, **EXACT)
    agree("merged_sgd", optim.merged_sgd, PARAMS, RATES, grads, **EXACT)


def test_memory_is_kept_and_the_change_told():
    param, velocity = normal(5).view(), normal(5).view()
    [new], [state], _ = optim.merged_momentum([param], [normal(5)], [velocity], RATES[:1], mu=0.9)
    assert new is not param and np.shares_memory(new, param)
    assert state is velocity


def test_memory_that_others_see_is_left_alone():
    param, velocity = normal(5), normal(5).view()
    seen = velocity[1:], param.copy(), velocity.copy()
    [new], [state], _ = optim.merged_momentum([param], [normal(5)], [velocity], RATES[:1], mu=0.9)
    assert not np.shares_memory(new, param) and not np.shares_memory(state, velocity)
    np.testing.assert_array_equal(param, seen[1])
    np.testing.assert_array_equal(velocity, seen[2])
    again, _, _ = optim.merged_momentum([new], [normal(5)], [state], RATES[:1], mu=0.9)
    assert np.shares_memory(again[0], new)


def test_gradients_of_any_order():
    grad = normal(300, 100).T
    agree("merged_sgd", optim.merged_sgd, [PARAMS[1]], RATES[:1], [grad], **EXACT)
    agree("merged_sgd", optim.merged_sgd, [PARAMS[1]], RATES[:1], [np.broadcast_to(np.float32(2), (100, 300))], **EXACT)


@pytest.mark.parametrize("param,grad", [
    (normal(5, dtype="float64"), normal(5, dtype="float64")), (normal(5), normal(5, dtype="float16")),
    (normal(4, 6).T, normal(6, 4)), (np.broadcast_to(np.float32(1), (5,)), normal(5)), (normal(5), normal(1))])
def test_what_is_left_to_numpy(param, grad):
    assert optim.merged_sgd([param], RATES[:1], [grad]) is NotImplemented


def test_totals_and_factors_of_many():
    agree("total_square", reduce_many.total_square, GRADS, rtol=1e-6)
    for scale in 0.3, 1.0, np.nan:
        agree("scale_all", reduce_many.scale_all, GRADS, np.array(scale, "float32"), **EXACT)
    large = [np.full(3_000_000, 0.1, "float32")]
    exact = (large[0].astype("float64") ** 2).sum()
    assert abs(float(reduce_many.total_square(large)) / exact - 1) < 1e-6


# Optimizers

RULES = {
    "sgd": lambda p, **more: paddle.optimizer.SGD(0.1, parameters=p, **more),
    "momentum": lambda p, **more: paddle.optimizer.Momentum(0.1, 0.9, parameters=p, **more),
    "nesterov": lambda p, **more: paddle.optimizer.Momentum(
        0.1, 0.9, parameters=p, use_nesterov=True, rescale_grad=0.5, use_multi_tensor=True, **more),
    "adam": lambda p, **more: paddle.optimizer.Adam(0.1, parameters=p, use_multi_tensor=True, **more),
    "lazy": lambda p, **more: paddle.optimizer.Adam(0.1, parameters=p, lazy_mode=True, **more),
    "adamw": lambda p, **more: paddle.optimizer.AdamW(
        0.1, parameters=p, weight_decay=0.2, lr_ratio=lambda q: 0.5 if q.ndim == 1 else 1.0,
        apply_decay_param_fun=lambda name: "b" not in name, **more),
}
OPTIONS = {
    "plain": {}, "decay": {"weight_decay": 0.3}, "l1": {"weight_decay": paddle.regularizer.L1Decay(0.1)},
    "norm": {"grad_clip": paddle.nn.ClipGradByGlobalNorm(0.5)}, "each": {"grad_clip": paddle.nn.ClipGradByNorm(0.5)},
    "value": {"grad_clip": paddle.nn.ClipGradByValue(0.01)},
}


def parameters():
    """Parameters of two dtypes, with factors, a penalty and an exemption of their own."""
    attrs = [None, paddle.ParamAttr(learning_rate=0.3), paddle.ParamAttr(regularizer=paddle.regularizer.L2Decay(0.7)),
             paddle.ParamAttr(need_clip=False), None]
    found = [paddle.create_parameter([4, 500 + k], "float64" if k == 4 else "float32", attr=attr)
             for k, attr in enumerate(attrs)]
    for k, parameter in enumerate(found):
        parameter.set_value(normal(*parameter.shape, seed=k, dtype=parameter.dtype.name))
    return found


def trained(make, options, engines, together):
    """The parameters and the state after some steps: of all of them by one operator, or one after the other."""
    with flags_guard({"FLAGS_cpu_engines": engines}), paddle.utils.unique_name.guard():
        held = parameters()
        optimizer = make(held, **options)
        for _ in range(3):
            sum((p.astype("float32") ** 3).sum() * 0.01 for p in held).backward()
            if together:
                optimizer.step()
            else:
                with paddle.no_grad():
                    pairs = [(p, p.grad) for p in held]
                    for pair in (options["grad_clip"](pairs) if "grad_clip" in options else pairs):
                        one_by_one(optimizer, pair)
            optimizer.clear_grad(False)
        state = [value.numpy().copy() for value in optimizer.state_dict().values()]
    return [p.numpy().copy() for p in held], state


def one_by_one(optimizer, pair):
    clip, optimizer._grad_clip = optimizer._grad_clip, None
    optimizer.apply_gradients([pair])
    optimizer._grad_clip = clip


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("rule", RULES)
def test_optimizers(rule, option):
    options = dict(OPTIONS[option])
    if rule == "adamw":
        options.pop("weight_decay", None)
    wanted = trained(RULES[rule], options, "", True)
    for engines, together in (("loops", True), ("loops", False), ("", False)):
        found = trained(RULES[rule], options, engines, together)
        rounding = 2e-6 if option in ("norm", "each") else 0  # of the sum of squares
        for a, b in zip(found, wanted, strict=True):
            for one, other in zip(a, b, strict=True):
                np.testing.assert_allclose(one, other, rtol=rounding * 5, atol=rounding)


def test_programs_hold_an_operator_a_parameter():
    program, startup = paddle.static.Program(), paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program, startup):
            x = paddle.static.data("x", [None, 3])
            loss = paddle.nn.Linear(3, 2)(x).sum()
            paddle.optimizer.Momentum(0.1, weight_decay=0.2, use_multi_tensor=True,
                                      grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)).minimize(loss)
    finally:
        paddle.disable_static()
    types = [op.type for op in program.global_block().ops]
    assert types.count("momentum") == 2
    assert not {"merged_momentum", "total_square", "scale_all"} & set(types)
    assert all(op.attrs["regularization_method"] == "l2_decay" for op in program.global_block().ops
               if op.type == "momentum")


def test_merged_operators_of_a_file_run():
    """PaddlePaddle writes merged_momentum where use_multi_tensor is given."""
    param, grad, moment, rate = PARAMS[0], GRADS[0], MOMENTS[0], RATES[0]
    many, _, _ = find("merged_momentum").kernel(np, [param.copy()], [grad], [moment.copy()], [rate], None, mu=0.9)
    one, _ = find("momentum").kernel(np, param.copy(), grad, moment.copy(), rate, mu=0.9)
    np.testing.assert_array_equal(many[0], one)
