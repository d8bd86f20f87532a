"""Update rules against their formulas, clipping, decay, state."""

import pickle

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.core.flags import flags_guard
from proa.optimizer import SGD, Adam, AdamW, Momentum

W0 = np.array([1.0, -2.0, 3.0])


def trained(make, steps=4, attr=None, dtype="float64"):
    """The parameter after some steps on the gradient w**2 + 1."""
    w = paddle.create_parameter([3], dtype, attr=attr, default_initializer=nn.initializer.Assign(W0))
    optimizer = make([w])
    for _ in range(steps):
        (w * w * w / 3.0 + w).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return w.numpy()


def gradient(w):
    return w * w + 1


def test_sgd():
    w = W0.copy()
    for _ in range(4):
        w -= 0.1 * gradient(w)
    np.testing.assert_allclose(trained(lambda p: SGD(0.1, parameters=p)), w, rtol=1e-6)


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum(nesterov):
    w, v = W0.copy(), 0
    for _ in range(4):
        g = gradient(w)
        v = 0.9 * v + g
        w = w - 0.01 * (g + 0.9 * v if nesterov else v)
    result = trained(lambda p: Momentum(0.01, 0.9, parameters=p, use_nesterov=nesterov))
    np.testing.assert_allclose(result, w, rtol=1e-6)


def adam(decay=0.0, coupled=True, steps=4):
    w, m, v = W0.copy(), 0, 0
    for t in range(1, steps + 1):
        g = gradient(w)
        if coupled:
            g = g + decay * w
        else:
            w = w * (1 - 0.1 * decay)
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w


@pytest.mark.parametrize(("make", "expected"), [
    (lambda p: Adam(0.1, parameters=p), adam()),
    (lambda p: Adam(0.1, parameters=p, weight_decay=0.5), adam(0.5)),
    (lambda p: Adam(0.1, parameters=p, weight_decay=paddle.regularizer.L2Decay(0.5)), adam(0.5)),
    (lambda p: AdamW(0.1, parameters=p, weight_decay=0.5), adam(0.5, coupled=False)),
    (lambda p: AdamW(0.1, parameters=p, weight_decay=0.5, apply_decay_param_fun=lambda name: False), adam()),
])
def test_adam_and_adamw(make, expected):
    np.testing.assert_allclose(trained(make), expected, rtol=1e-5)


def test_l1_decay_and_what_a_parameter_brings_itself():
    w = W0 - 0.1 * (gradient(W0) + 0.5 * np.sign(W0))
    decay = paddle.regularizer.L1Decay(0.5)
    np.testing.assert_allclose(trained(lambda p: SGD(0.1, parameters=p, weight_decay=decay), 1), w)
    attr = paddle.ParamAttr(learning_rate=0.5, regularizer=paddle.regularizer.L2Decay(1.0))
    w = W0 - 0.05 * (gradient(W0) + W0)
    np.testing.assert_allclose(trained(lambda p: SGD(0.1, parameters=p, weight_decay=9.0), 1, attr), w, rtol=1e-6)


@pytest.mark.parametrize(("clip", "expected"), [
    (nn.ClipGradByValue(4.0), np.clip(gradient(W0), -4, 4)),
    (nn.ClipGradByNorm(2.0), gradient(W0) * 2 / np.linalg.norm(gradient(W0))),
    (nn.ClipGradByGlobalNorm(2.0), gradient(W0) * 2 / np.linalg.norm(gradient(W0))),
    (nn.ClipGradByGlobalNorm(2000.0), gradient(W0)),
])
def test_clipping(clip, expected):
    def clipped(*attr):
        return trained(lambda p: SGD(0.1, parameters=p, grad_clip=clip), 1, *attr)

    np.testing.assert_allclose(clipped(), W0 - 0.1 * expected, rtol=1e-6)
    np.testing.assert_allclose(clipped(paddle.ParamAttr(need_clip=False)), W0 - 0.1 * gradient(W0))


def test_global_norm_is_that_of_all():
    a = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(0.0))
    b = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(0.0))
    (a * 3.0 + b * 4.0).backward()
    SGD(1.0, parameters=[a, b], grad_clip=nn.ClipGradByGlobalNorm(1.0)).step()
    np.testing.assert_allclose([a.item(), b.item()], [-0.6, -0.8], rtol=1e-6)


def test_groups():
    a = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(1.0))
    b = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(1.0))
    (a + b).backward()
    SGD(0.1, parameters=[{"params": [a]}, {"params": [b], "learning_rate": 0.5, "weight_decay": 1.0}]).step()
    np.testing.assert_allclose([a.item(), b.item()], [0.9, 1 - 0.05 * 2], rtol=1e-6)


def test_frozen_and_unused_parameters_stay():
    a, b = (paddle.create_parameter([1], "float32") for _ in range(2))
    before = b.item()
    a.stop_gradient = True
    kept = a.item()
    c = paddle.create_parameter([1], "float32")
    (a * c).backward()
    Adam(0.1, parameters=[a, b, c]).step()
    assert (a.item(), b.item()) == (kept, before)


def test_learning_rate():
    sgd = SGD(0.5, parameters=[paddle.create_parameter([1], "float32")])
    assert sgd.get_lr() == 0.5
    sgd.set_lr(0.25)
    assert sgd.get_lr() == 0.25
    schedule = paddle.optimizer.lr.StepDecay(1.0, 1)
    scheduled = SGD(schedule, parameters=[])
    assert scheduled.get_lr() == 1.0
    with pytest.raises(RuntimeError, match="LRScheduler"):
        scheduled.set_lr(1.0)
    with pytest.raises(TypeError, match="learning_rate"):
        SGD("fast")


def test_state_names_are_paddles_and_misfits_are_told():
    with paddle.utils.unique_name.guard():
        layer = nn.Linear(2, 2)
        optimizer = Adam(parameters=layer.parameters())
        layer(paddle.ones([1, 2])).sum().backward()
        optimizer.step()
    state = optimizer.state_dict()
    assert set(state) == {f"linear_0.{p}_0_{k}_0" for p in "wb" for k in
                          ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")}
    assert state["linear_0.w_0_beta1_pow_acc_0"].shape == [1]
    with pytest.raises(ValueError, match="shape"):
        optimizer.set_state_dict({"linear_0.w_0_moment1_0": np.zeros(7)})
    with pytest.raises(KeyError, match="belongs to no parameter"):
        optimizer.set_state_dict({"linear_9.w_0_moment1_0": np.zeros((2, 2))})


def _trained(layer, optimizer):
    for _ in range(2):
        layer(paddle.ones([1, 2])).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return optimizer


def test_the_state_of_more_parameters_than_are_trained_now():
    layer = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    state = _trained(layer, Adam(parameters=layer.parameters())).state_dict()
    fewer = Adam(parameters=layer[0].parameters())
    with pytest.warns(UserWarning, match="left out"):
        fewer.set_state_dict(state)
    _trained(layer, fewer)
    name = layer[0].weight.name + "_beta1_pow_acc_"  # of the second optimizer over it: 1
    np.testing.assert_allclose(fewer.state_dict()[name + "1"], state[name + "0"] * 0.9 ** 2, rtol=1e-6)


def test_a_rule_that_keeps_nothing_takes_the_state_of_one_that_does():
    layer = nn.Linear(2, 2)
    state = _trained(layer, Adam(parameters=layer.parameters())).state_dict()
    plain = SGD(0.1, parameters=layer.parameters())
    with pytest.warns(UserWarning, match=r"belongs to no parameter of this SGD, nor do 7 more of the state: left out"):
        plain.set_state_dict(state)
    assert plain.state_dict() == {}


def test_a_state_that_leaves_a_parameter_without_is_refused_and_changes_nothing():
    layer, other = nn.Linear(2, 2), nn.Linear(2, 2)
    state = _trained(other, Adam(parameters=other.parameters())).state_dict()
    optimizer = _trained(layer, Adam(parameters=layer.parameters()))
    before = {name: value.numpy().copy() for name, value in optimizer.state_dict().items()}
    with pytest.raises(KeyError, match="built again"):
        optimizer.set_state_dict(state)
    for name, value in optimizer.state_dict().items():
        np.testing.assert_array_equal(value, before[name])


RULES_WITH_COPIES = [SGD, Momentum, Adam, AdamW, paddle.optimizer.Lamb]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("kind", RULES_WITH_COPIES)
def test_full_precision_copies_of_16_bit_parameters(kind, dtype):
    def make(p):
        return kind(1e-4, parameters=p, multi_precision=True)

    wide = trained(lambda p: kind(1e-4, parameters=p), 40, dtype="float32")
    assert np.abs(wide - W0).min() > 0
    narrow = trained(make, 40, dtype=dtype)
    np.testing.assert_allclose(narrow.astype("float32"), wide, rtol=2**-8 if dtype == "bfloat16" else 2**-11)
    lost = trained(lambda p: kind(1e-4, parameters=p), 40, dtype="bfloat16").astype("float32")
    assert np.abs(lost - wide).max() > np.abs(wide - W0).max() / 4  # each step alone is less than can be told apart


def test_full_precision_copies_in_a_program_and_in_files(tmp_path):
    with paddle.utils.unique_name.guard():
        w = paddle.create_parameter([3], "float16", name="w", default_initializer=nn.initializer.Assign(W0))
        adam = Adam(1e-3, parameters=[w], multi_precision=True)
        for _ in range(3):
            (w * w).sum().backward()
            adam.step()
            adam.clear_grad()
    state = adam.state_dict()
    assert set(state) == {"master_weights", *(f"w_fp32_master_0_{kind}_0" for kind in Adam._kinds)}
    paddle.save(state, str(tmp_path / "adam.pdopt"))
    held = pickle.loads((tmp_path / "adam.pdopt").read_bytes())["master_weights"]["w"]  # as PaddlePaddle writes it
    assert held[0] == "w_fp32_master_0" and held[1].dtype == "float32"
    with paddle.utils.unique_name.guard():
        v = paddle.create_parameter([3], "float16", name="w", default_initializer=nn.initializer.Assign(w.numpy()))
        again = Adam(1e-3, parameters=[v], multi_precision=True)
        again.set_state_dict(paddle.load(str(tmp_path / "adam.pdopt")))
    for p, optimizer in ((w, adam), (v, again)):
        (p * p).sum().backward()
        optimizer.step()
    np.testing.assert_array_equal(v.numpy(), w.numpy())
    np.testing.assert_array_equal(again._master_weights["w"].numpy(), adam._master_weights["w"].numpy())

    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
        p = paddle.create_parameter([3], "float16", name="w", default_initializer=nn.initializer.Assign(W0))
        Adam(1e-3, multi_precision=True).minimize((p * p).sum())
    executor = paddle.static.Executor()
    executor.run(startup)
    for _ in range(4):
        found, = executor.run(main, fetch_list=["w_fp32_master_0"])
    np.testing.assert_allclose(found, adam._master_weights["w"].numpy(), rtol=1e-6)


def test_parameters_are_needed_in_eager_mode():
    with pytest.raises(AttributeError, match=r"SGD\(parameters\): give the parameters"):
        SGD(0.1)
    with paddle.static.program_guard(paddle.static.Program()):
        of_a_program = SGD(0.1)
    with pytest.raises(ValueError, match="parameters"):
        of_a_program.step()
    with pytest.raises(TypeError, match="list of parameters"):
        SGD(0.1, parameters=paddle.ones([1]))


@pytest.mark.parametrize("engines", ["", "onednn,loops"])
@pytest.mark.parametrize("name", "SGD Momentum Adam AdamW RMSProp Adagrad Adadelta Adamax Lamb".split())
def test_a_parameter_without_dimensions(name, engines):
    with flags_guard({"FLAGS_cpu_engines": engines}):
        found = []
        for shape in ([], [1]):
            w = paddle.create_parameter(shape, "float32", default_initializer=nn.initializer.Constant(0.5))
            optimizer = getattr(paddle.optimizer, name)(0.1, parameters=[w])
            for _ in range(3):
                (w * w + w).sum().backward()
                optimizer.step()
                optimizer.clear_grad()
            assert w.shape == shape
            found.append(w.numpy().reshape(()))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)


@pytest.mark.parametrize(("excluded", "bias"), [(None, [0.09635, 0.18941, 0.28246]),
                                                (["b_0"], [-0.82732, -2.49007, -4.15283])])
def test_lars_of_incubate(excluded, bias):
    """Three steps of PaddlePaddle 2.6.2."""
    net = paddle.nn.Linear(4, 3)
    net.weight.set_value(np.linspace(-1, 1, 12).reshape(4, 3).astype("float32"))
    net.bias.set_value(np.array([0.1, 0.2, 0.3], "float32"))
    lars = paddle.incubate.optimizer.LarsMomentumOptimizer(
        0.1, 0.9, lars_coeff=0.1, lars_weight_decay=0.01, parameter_list=net.parameters(),
        exclude_from_weight_decay=excluded, epsilon=1e-3)
    for _ in range(3):
        net(paddle.to_tensor([[1.0, 2.0, 3.0, 4.0]])).square().sum().backward()
        lars.step()
        lars.clear_grad()
    np.testing.assert_allclose(net.weight.numpy()[0], [-1.00387, -0.82946, -0.65504], atol=3e-5)
    np.testing.assert_allclose(net.bias.numpy(), bias, atol=2e-5)
    assert lars.get_opti_var_name_list() == [f"{p.name}_velocity_0" for p in net.parameters()]


def test_a_global_norm_of_no_gradients_gives_the_pairs_back():
    plain, apart = nn.Linear(1, 1).weight, nn.Linear(1, 1, weight_attr=paddle.ParamAttr(need_clip=False)).weight
    pairs = [(plain, None), (apart, paddle.ones([1, 1]))]
    clip = nn.ClipGradByGlobalNorm(1.0)
    assert clip(pairs[:1]) == pairs[:1] and clip(pairs) == pairs
    assert [p for p, _ in clip([*pairs, (plain, paddle.ones([1, 1]))])] == [apart, plain]


@pytest.mark.parametrize("clip", [nn.ClipGradByValue(0.5), nn.ClipGradByNorm(2.0), nn.ClipGradByGlobalNorm(2.0)])
def test_clipping_leaves_out_parameters_without_a_gradient(clip):
    w = paddle.nn.Linear(1, 1).weight
    [(parameter, gradient)] = clip([(w, None), (w, paddle.full([1, 1], 0.25))])
    assert parameter is w and gradient.tolist() == [[0.25]]
    if not isinstance(clip, nn.ClipGradByGlobalNorm):
        assert clip([(w, None)]) == []


@pytest.mark.parametrize("set_to_zero", [True, False])
def test_clear_grad_leaves_frozen_parameters_alone(set_to_zero):
    layer = paddle.nn.Linear(2, 2)
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    layer.weight.stop_gradient = True
    sgd.clear_grad(set_to_zero)
    assert layer.weight.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert layer.bias.grad is None if not set_to_zero else layer.bias.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("loss", [3, None, np.ones(1)], ids=["int", "None", "NumPy's"])
def test_a_loss_that_is_none(loss):
    sgd = paddle.optimizer.SGD(0.1, parameters=[paddle.create_parameter([2], "float32")])
    for error in (AssertionError, TypeError):  # the first as in PaddlePaddle
        with pytest.raises(error, match=r"SGD.minimize\(loss\): must be the loss, a Tensor"):
            sgd.minimize(loss)


@pytest.mark.parametrize("kind", [AssertionError, ValueError])  # the first as in PaddlePaddle
@pytest.mark.parametrize(("call", "words"), [
    (lambda weights: paddle.optimizer.Adam(None, parameters=weights), "Adam.learning_rate."),
    (lambda weights: paddle.optimizer.Adagrad(0.1, epsilon=None, parameters=weights), "Adagrad.epsilon."),
    (lambda weights: paddle.optimizer.Adam(0.1, beta1=None, parameters=weights), "Adam.beta1."),
    (lambda weights: paddle.nn.ClipGradByValue(-1.0), "ClipGradByValue.max, min."),
    (lambda weights: paddle.optimizer.lr.ReduceOnPlateau(0.1).step(np.ones([2, 2])), "step.metrics."),
], ids=["rate", "epsilon", "beta", "clip", "plateau"])
def test_what_paddle_asserts_of_options(call, words, kind):
    with pytest.raises(kind, match=words):
        call(paddle.nn.Linear(3, 2).parameters())


def test_a_regularizer_is_no_clipping():
    """It may be called, with a parameter and its gradient."""
    with pytest.raises(TypeError, match=r"SGD\(grad_clip\): must be one of nn.ClipGradBy"):
        paddle.optimizer.SGD(0.1, parameters=paddle.nn.Linear(3, 2).parameters(),
                             grad_clip=paddle.regularizer.L2Decay(0.1))


def test_a_truth_is_no_learning_rate():
    with pytest.raises(TypeError, match="must be a number or an LRScheduler. Received bool"):
        paddle.optimizer.SGD(True, parameters=[paddle.create_parameter([2], "float32")])


@pytest.mark.parametrize("coefficient", [None, "0.1"])
def test_a_regularizer_without_a_coefficient(coefficient):
    with pytest.raises(AssertionError, match=r"L2Decay\(coeff\): must be a number"):
        paddle.regularizer.L2Decay(coefficient)


def test_what_is_no_loss_is_not_scaled():
    with pytest.raises(TypeError, match="scale: must be given a Tensor. Received int 3"):
        paddle.amp.GradScaler().scale(3)


@pytest.mark.parametrize("clip", [lambda pairs: pairs, paddle.nn.ClipGradByNorm, 3])
def test_what_clips_nothing_is_refused(clip):
    with pytest.raises(TypeError, match=r"SGD\(grad_clip\): must be one of nn.ClipGradBy"):
        paddle.optimizer.SGD(0.1, parameters=paddle.nn.Linear(2, 2).parameters(), grad_clip=clip)


def test_minimize_asks_for_parameters():
    layer = paddle.nn.Linear(2, 2)
    loss = layer(paddle.ones([1, 2])).sum()
    for wrong in (3, "w", [3], ["w"]):  # a name alone was the list of its letters, and nothing was trained
        with pytest.raises(TypeError, match=r"SGD.minimize\(parameters\): must hold the parameters to update"):
            paddle.optimizer.SGD(0.1, parameters=layer.parameters()).minimize(loss, parameters=wrong)
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        weight = paddle.static.create_parameter([2], "float32", name="w")
        sgd, loss = paddle.optimizer.SGD(0.1), weight.sum()
        assert [each for each, _ in sgd.minimize(loss, parameters=["w"])[1]] == [weight]
        with pytest.raises(TypeError, match=r"SGD.minimize\(parameters\): must hold the parameters to update"):
            sgd.minimize(loss, parameters="w")
