"""Steps of optimizers in one call of the compiled form: the bits of the steps in Python, and what is left to these."""

import copy
import random

import numpy as np
import proa as paddle
import pytest
from proa.backend.kernels import optim
from proa.core.flags import flags_guard
from proa.ops.core import native
from proa.ops.optim.merged import merged_adam_op
from proa.optimizer import SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, Lamb, Momentum, RMSProp
from proa.optimizer.optimizer import Optimizer

needed = pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")
pytestmark = [needed, pytest.mark.filterwarnings("error")]

SHAPES = [(3,), (100, 30), (1,), (7, 5, 3), (2049,), (2, 2), ()]


def decays(name):
    return name[-1] in "02468"


RULES = {
    "sgd": lambda **more: SGD(0.1, **more),
    "sgd, decay": lambda **more: SGD(0.1, weight_decay=0.03, **more),
    "momentum": lambda **more: Momentum(0.1, 0.7, **more),
    "momentum, all": lambda **more: Momentum(0.1, 0.9, use_nesterov=True, weight_decay=0.2, rescale_grad=0.3, **more),
    "adam": lambda **more: Adam(0.01, **more),
    "adam, all": lambda **more: Adam(0.01, 0.7, 0.9, 1e-3, weight_decay=0.1, multi_precision=True, **more),
    "adamw": lambda **more: AdamW(0.01, weight_decay=0.2, **more),
    "adamw, functions": lambda **more: AdamW(
        0.01, weight_decay=0.2, lr_ratio=lambda p: 0.3 if p.ndim < 2 else 1.0, apply_decay_param_fun=decays, **more),
    "adagrad": lambda **more: Adagrad(0.1, 1e-3, initial_accumulator_value=0.1, **more),
    "adagrad, decay": lambda **more: Adagrad(0.1, weight_decay=0.1, **more),
    "adadelta": lambda **more: Adadelta(0.5, 1e-3, 0.7, **more),
    "adamax": lambda **more: Adamax(0.01, 0.7, 0.9, 1e-3, **more),
    "rmsprop": lambda **more: RMSProp(0.01, **more),
    "rmsprop, all": lambda **more: RMSProp(0.01, 0.9, 1e-3, 0.8, True, weight_decay=0.1, **more),
    "lamb": lambda **more: Lamb(0.01, **more),
    "lamb, all": lambda **more: Lamb(
        0.01, 0.3, 0.7, 0.9, exclude_from_weight_decay_fn=lambda p: p.ndim < 2, **more),
    "lamb without decay": lambda **more: Lamb(0.01, 0.0, **more),
    "lamb, always by lengths": lambda **more: Lamb(0.01, 0.0, always_adapt=True, **more),
    "by a schedule": lambda **more: Adam(paddle.optimizer.lr.ExponentialDecay(0.1, 0.5), **more),
}
L1 = paddle.regularizer.L1Decay
WITH_PENALTY = [name for name in RULES if "lamb" not in name and "adamw" not in name]
AdamAgain = type("AdamAgain", (Adam,), {})


def parameters_of(shapes=SHAPES, dtype="float32"):
    draw = np.random.default_rng(1)
    found = []
    for shape in shapes:
        parameter = paddle.create_parameter(shape, dtype)
        parameter.set_value(np.asarray(draw.normal(size=shape), dtype))
        found.append(parameter)
    return found


def give_gradients(parameters, seed):
    draw = np.random.default_rng(seed)
    for parameter in parameters:
        parameter.grad = paddle.to_tensor(np.asarray(draw.normal(size=parameter.shape), "float32").astype(
            parameter._array.dtype))


def values_of(optimizer, parameters):
    held = [[optimizer._accumulators[kind][p.name] for p in parameters if p.name in optimizer._accumulators[kind]]
            for kind in optimizer._kinds]
    return [value.numpy().copy() for value in [*parameters, *[one for each in held for one in each]]]


def trained(make, monkeypatch, in_python, change=lambda parameters, optimizer: None, steps=4, given=parameters_of):
    """The values and states after some steps, and whether each was taken by the compiled form."""
    taken, parameters = [], given()
    with monkeypatch.context() as patched:
        of_optimizer = Optimizer._taken_together
        patched.setattr(Optimizer, "_taken_together",
                        lambda self: not taken.append(not in_python and of_optimizer(self)) and taken[-1])
        optimizer = make(parameters=parameters)
        for seed in range(steps):
            give_gradients(parameters, seed)
            if seed == 1:
                change(parameters, optimizer)
            optimizer.step()
    return values_of(optimizer, parameters), taken


def alike(make, monkeypatch, **more):
    """Trains in both ways, which have to give the same bits: whether each step was taken by the compiled form."""
    found, taken = trained(make, monkeypatch, False, **more)
    wanted, _ = trained(make, monkeypatch, True, **more)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == other.dtype and bits_of(one) == bits_of(other)
    return taken


def bits_of(array):
    """Those of an array, where it holds no number always the same."""
    return np.where(np.isnan(array), np.nan, array).astype(array.dtype).tobytes()


@pytest.mark.parametrize("rule", RULES)
def test_bits(rule, monkeypatch):
    taken = alike(RULES[rule], monkeypatch)
    assert taken[1:] == [True] * 3  # the first step makes what a rule keeps
    assert taken[0] == rule.startswith("sgd")


@pytest.mark.parametrize("rule", RULES)
def test_states_that_kernels_of_numpy_left(rule, monkeypatch):
    """Before loops are made, which small networks never come to, a first step gives powers as arrays of their own."""
    with flags_guard({"FLAGS_kernel_after_elements": 1 << 40}):
        assert alike(RULES[rule], monkeypatch)[1:] == [True] * 3


def test_who_looks_at_a_power_sees_it_change_in_both_ways(monkeypatch):
    seen = []

    def look(parameters, optimizer):
        seen.extend(power.detach() for power in optimizer._accumulators["beta1_pow_acc"].values())

    with flags_guard({"FLAGS_kernel_after_elements": 1 << 40}):
        alike(RULES["adam"], monkeypatch, change=look, given=lambda: parameters_of([(9,)]))
    assert seen[0].tolist() == seen[1].tolist()


@pytest.mark.parametrize("rule", RULES)
def test_bits_of_what_threads_share(rule, monkeypatch):
    """Threads meet within a parameter, or between two; the first step finds them."""
    taken = alike(RULES[rule], monkeypatch, given=lambda: parameters_of([(3,), (300, 517), (70001,), (1,)]))
    assert taken[1:] == [True] * 3


@pytest.mark.parametrize("sizes", [[(5, 4), (3,)], [(300, 500), (3,)]])
@pytest.mark.parametrize("rule", ["sgd", "adam", "adamax"])
def test_a_parameter_given_twice_is_left_to_python(sizes, rule, monkeypatch):
    """Threads may not share it: each would change all of it."""
    def twice():
        first, second = parameters_of(sizes)
        return [first, second, first]

    with monkeypatch.context() as patched:
        patched.setattr(optim, "get_num_threads", lambda: 1)
        assert not any(alike(RULES[rule], monkeypatch, given=twice))


def test_two_parameters_of_one_name_are_left_to_python(monkeypatch):
    """They share what a rule keeps."""
    def rename(parameters, optimizer):
        parameters[1].name = parameters[0].name

    with monkeypatch.context() as patched:
        patched.setattr(optim, "get_num_threads", lambda: 1)
        assert alike(RULES["momentum"], monkeypatch, given=lambda: parameters_of([(4, 5), (4, 5)]),
                     change=rename) == [False] * 4


def test_parameters_without_gradients_stay(monkeypatch):
    def forget(parameters, optimizer):
        parameters[1].clear_gradient(False)
        parameters[3].stop_gradient = True

    assert alike(RULES["adam"], monkeypatch, change=forget)[1:] == [True] * 3


def no_gradient_seen_yet(parameters, optimizer):
    parameters[1].clear_gradient()


def turned_gradient(parameters, optimizer):
    parameters[1].grad = paddle.to_tensor(np.ones((30, 100), "float32")).t()


def users_penalty(parameters, optimizer):
    parameters[1].regularizer = type("Own", (L1,), {})(0.1)


@pytest.mark.parametrize("change", [no_gradient_seen_yet, turned_gradient, users_penalty])
def test_what_is_left_to_python(change, monkeypatch):
    assert alike(RULES["adam"], monkeypatch, change=change)[:2] == [False, False]


class OwnClip(paddle.nn.ClipGradByNorm):
    """That of a user, who may count its calls."""


def test_a_clip_of_the_users_is_left_to_python(monkeypatch):
    assert not any(alike(lambda **given: Adam(0.01, grad_clip=OwnClip(0.1), **given), monkeypatch))


@pytest.mark.parametrize("rule", RULES)
def test_parameters_with_a_rate_and_a_penalty_of_their_own(rule, monkeypatch):
    def change(parameters, optimizer):
        parameters[1].optimize_attr["learning_rate"] = 0.37
        parameters[2].regularizer = paddle.regularizer.L2Decay(0.3)
        parameters[3].regularizer = L1(0.03)
        parameters[4].optimize_attr["learning_rate"] = 2
        parameters[5].regularizer = L1(0.0)

    assert alike(RULES[rule], monkeypatch, change=change)[1:] == [True] * 3


@pytest.mark.parametrize("rule", WITH_PENALTY)
def test_signs_of_parameters_as_a_penalty(rule, monkeypatch):
    """Signs of zeros are zeros, and of what is no number none."""
    def change(parameters, optimizer):
        optimizer.regularization = L1(0.07)
        parameters[1].set_value(paddle.to_tensor(np.resize(np.array([0.0, -0.0, 3, np.nan, -2], "float32"), (100, 30))))

    assert alike(RULES[rule], monkeypatch, change=change)[1:] == [True] * 3


@pytest.mark.parametrize("clip", [paddle.nn.ClipGradByGlobalNorm(0.1), paddle.nn.ClipGradByNorm(0.2),
                                  paddle.nn.ClipGradByValue(0.1, -0.3), paddle.nn.ClipGradByGlobalNorm(1e9)])
@pytest.mark.parametrize("rule", ["sgd, decay", "momentum", "adamw"])
def test_clipped_gradients(rule, clip, monkeypatch):
    def one_alone(parameters, optimizer):
        parameters[2].need_clip = False
        parameters[4].stop_gradient = True

    for more in ({}, {"change": one_alone}):
        taken = alike(lambda **given: RULES[rule](grad_clip=clip, **given), monkeypatch, **more)
        assert taken[1:] == [True] * 3


def test_a_clip_that_changes_what_is_updated_is_asked_again(monkeypatch):
    """Nothing is taken from what was read before a clip ran code of Python."""
    clip = paddle.nn.ClipGradByNorm(0.1)

    def make(parameters):
        optimizer = Adam(0.01, parameters=parameters, grad_clip=clip)
        monkeypatch.setattr(clip, "clipped", lambda g: grow(optimizer, g), raising=False)
        return optimizer

    def grow(optimizer, gradient):
        if len(optimizer._groups.parameters) < 40:
            optimizer._groups.parameters.extend(parameters_of([(3,)]))
        return type(clip).clipped(clip, gradient)

    _, taken = trained(make, monkeypatch, False)
    assert taken[:2] == [False, False]


def test_an_error_in_a_clip_changes_nothing():
    clip, [parameter] = paddle.nn.ClipGradByNorm(0.1), parameters_of([(4,)])
    optimizer = Adam(0.01, parameters=[parameter], grad_clip=clip)
    for _ in range(2):
        give_gradients([parameter], 1)
        optimizer.step()
    before = values_of(optimizer, [parameter])

    def fails(gradient):
        raise ArithmeticError("on its way")

    clip.clipped = fails
    with pytest.raises(ArithmeticError):
        optimizer.step()
    assert [x.tobytes() for x in before] == [x.tobytes() for x in values_of(optimizer, [parameter])]


@pytest.mark.parametrize("rule", RULES)
def test_groups(rule, monkeypatch):
    def make(parameters):
        more = {"weight_decay": L1(0.2)} if rule in WITH_PENALTY else {"beta1": 0.5}
        if "adamw" in rule:
            more["weight_decay"] = 0.3
        parameters[4].optimize_attr["learning_rate"] = 0.3
        return RULES[rule](parameters=[
            parameters[0], {"params": parameters[1:3], "learning_rate": 0.1, **more},
            {"params": parameters[3:6], "grad_clip": paddle.nn.ClipGradByNorm(0.2)}, parameters[6]])

    def change(parameters, optimizer):
        parameters[2].optimize_attr["learning_rate"] = 0.7  # later than its group
        parameters[0].regularizer = paddle.regularizer.L2Decay(0.2)
        parameters[5].clear_gradient(False)

    assert alike(make, monkeypatch)[1:] == [True] * 3
    assert alike(make, monkeypatch, change=change)[1:] == [True] * 3


def test_groups_that_come_and_change_between_steps(monkeypatch):
    def make(parameters):
        return AdamW(0.01, parameters=[{"params": parameters[:2]}, {"params": parameters[2:4], "weight_decay": 0.3}])

    def change(parameters, optimizer):
        optimizer._add_param_group({"params": parameters[4:6], "learning_rate": 0.1})
        optimizer._param_groups[1]["weight_decay"] = 0.05
        optimizer._param_groups[0]["learning_rate"] = 3.0
        optimizer._parameter_list.append(parameters[6])

    assert alike(make, monkeypatch, change=change) == [False, False, True, True]  # new ones have no state yet


def test_a_penalty_that_came_into_a_group_with_its_parameter_is_left_to_python(monkeypatch):
    def make(parameters):
        parameters[0].regularizer = L1(0.2)
        return Adam(0.01, parameters=[{"params": parameters, "weight_decay": 0.1}])

    assert not any(alike(make, monkeypatch))


@pytest.mark.parametrize("factor", [paddle.to_tensor(0.5), np.float64(0.5), "0.5"], ids=["tensor", "NumPy's", "text"])
def test_factors_that_are_no_plain_numbers_are_left_to_python(factor, monkeypatch):
    def change(parameters, optimizer):
        parameters[1].optimize_attr["learning_rate"] = factor

    assert alike(RULES["sgd"], monkeypatch, change=change) == [True, False, False, False]


@pytest.mark.parametrize("rule, option", [
    (AdamW, "apply_decay_param_fun"), (AdamW, "lr_ratio"), (Lamb, "exclude_from_weight_decay_fn")])
def test_functions_of_parameters_are_asked_once_a_step(rule, option, monkeypatch):
    calls = []

    def asked(parameter):
        assert not paddle.is_grad_enabled()
        calls.append(parameter)
        return 0.5

    parameters = parameters_of()
    optimizer = rule(0.01, parameters=parameters, **{option: asked})
    for seed, without in enumerate((None, None, 2, None)):
        give_gradients(parameters, seed)
        if without is not None:
            parameters[without].clear_gradient(False)
        optimizer.step()
    assert len(calls) == 4 * len(parameters) - 1

    def fails(parameter):
        raise ArithmeticError("on its way")

    before = values_of(optimizer, parameters)
    optimizer._options[option] = fails
    with pytest.raises(ArithmeticError):
        optimizer.step()
    assert [x.tobytes() for x in before] == [x.tobytes() for x in values_of(optimizer, parameters)]


def test_functions_that_change_what_is_updated(monkeypatch):
    """Nothing is taken from what was read before a function ran code of Python."""
    def make(parameters):
        def fun(name):
            parameters[1].set_value(parameters[1] + 1.0)
            parameters[2].optimize_attr["learning_rate"] = 0.3
            return True

        return AdamW(0.01, parameters=parameters, apply_decay_param_fun=fun)

    assert trained(make, monkeypatch, False)[1] == [False, True, True, True]


def test_subclasses_and_other_dtypes_are_left_to_python(monkeypatch):
    assert not any(alike(lambda **given: AdamAgain(0.01, **given), monkeypatch))
    for rule in RULES:
        assert not any(alike(RULES[rule], monkeypatch, given=lambda: parameters_of([(3,), (4, 5)], "float64")))
    with flags_guard({"FLAGS_check_nan_inf": True}):
        assert not any(alike(RULES["adam"], monkeypatch))


@pytest.mark.parametrize("rule", ["rmsprop, all", "lamb", "adam", "momentum, all", "sgd"])
def test_large_parameters(rule, monkeypatch):
    """Threads share them; the bits are those of generated loops."""
    def large():
        return parameters_of([(1100, 1000), (7,)])

    assert alike(RULES[rule], monkeypatch, given=large)[1:] == [True] * 3


def test_memory_that_others_see_is_not_written(monkeypatch):
    """A reshaped parameter, one that was detached, and an array that somebody took keep or follow as in Python."""
    for see in (lambda p: p.reshape([3000]), lambda p: p.detach(), lambda p: p._array[1:], lambda p: p.numpy()):
        seen = []
        taken = alike(RULES["adam"], monkeypatch, steps=2, change=lambda parameters, _, see=see: seen.append(
            see(parameters[1])))
        first, second = [np.asarray(one).copy() for one in seen]
        assert first.tobytes() == second.tobytes() and len(taken) == 2


def test_a_backward_pass_behind_a_step_is_told(monkeypatch):
    parameters = parameters_of([(4, 4)])
    adam = RULES["adam"](parameters=parameters)
    give_gradients(parameters, 1)
    adam.step()
    loss = (parameters[0] * parameters[0]).sum()
    give_gradients(parameters, 2)
    adam.step()
    with pytest.raises(RuntimeError, match=r"call backward\(\) before the step"):
        loss.backward()


def test_states_that_are_set_and_copies(monkeypatch):
    parameters = parameters_of()
    adam = RULES["adam"](parameters=parameters)
    give_gradients(parameters, 1)
    adam.step()
    state = {name: copy.deepcopy(value) for name, value in adam.state_dict().items()}
    before = [p.numpy().copy() for p in parameters]
    found = []
    for _ in range(2):
        adam.set_state_dict(state)
        for p, value in zip(parameters, before, strict=True):
            p.set_value(value)
        for seed in (3, 4):
            give_gradients(parameters, seed)
            adam.step()
        found.append(b"".join(value.tobytes() for value in values_of(adam, parameters)))
    assert found[0] == found[1]


def test_a_kernel_that_somebody_registered_is_asked(monkeypatch):
    parameters = parameters_of()
    adam = RULES["adam"](parameters=parameters)
    for seed in (1, 2):
        give_gradients(parameters, seed)
        adam.step()
    assert adam._taken_together()
    monkeypatch.setattr(merged_adam_op.kernels, "registered", ("one",))
    assert not adam._taken_together()


def test_errors_of_a_schedule_pass_through():
    class Broken(paddle.optimizer.lr.LRScheduler):
        def get_lr(self):
            return 0.1

        def __call__(self):
            raise LookupError("no rate today")

    parameters = parameters_of()
    adam = Adam(Broken(), parameters=parameters)
    give_gradients(parameters, 1)
    before = [p.numpy().copy() for p in parameters]
    with pytest.raises(LookupError, match="no rate today"):
        adam.step()
    assert all(np.array_equal(p.numpy(), value) for p, value in zip(parameters, before, strict=True))


def drawn(seed):
    """What makes an optimizer, and what happens behind its second step, with parameters of any kind."""
    draw = random.Random(seed)
    clips = [None, paddle.nn.ClipGradByGlobalNorm(1.0), paddle.nn.ClipGradByNorm(0.5), paddle.nn.ClipGradByValue(0.1)]
    rule = draw.choice(list(RULES))
    sizes = [(), (1,), (8,), (9,), (130,), (4, 5), (33, 65), (2, 3, 4)]
    shapes = [draw.choice(sizes) for _ in range(draw.randrange(1, 7))]
    odd = draw.choice([np.nan, np.inf, -np.inf, 1e-42, 1e38, 0.0])

    def given():
        parameters = parameters_of(shapes)
        for number, parameter in enumerate(parameters):
            kind = random.Random(seed + number)
            parameter.optimize_attr["learning_rate"] = kind.choice([1.0, 1.0, 0.3])
            parameter.regularizer = kind.choice([None, None, L1(0.1), paddle.regularizer.L2Decay(0.2)])
            parameter.need_clip = kind.random() < 0.8
            parameter.set_value(parameter * kind.choice([1.0, 1e-20, 1e10, 0.0]))
        return parameters

    def make(parameters):
        chosen = random.Random(seed)
        if chosen.random() < 0.5:
            parts = parameters[::2], parameters[1::2]
            parameters = [{"params": part, "learning_rate": factor, "grad_clip": chosen.choice(clips)}
                          for part, factor in zip(parts, (0.1, 3.0), strict=True)]
        return RULES[rule](parameters=parameters, grad_clip=chosen.choice(clips))

    def change(parameters, optimizer):
        chosen = random.Random(seed)
        for parameter in parameters:
            if chosen.random() < 0.2:
                parameter.clear_gradient(False)
            elif chosen.random() < 0.2:
                parameter.grad = paddle.full(parameter.shape, odd)

    return {"make": make, "given": given, "change": change}


@pytest.mark.parametrize("seed", range(60))
def test_drawn_steps(seed, monkeypatch):
    alike(monkeypatch=monkeypatch, **drawn(seed))
