"""GradScaler and the operators behind it, against the oracle's answers."""

import inspect
import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa.ops.amp.loss_scaling import check_finite_and_unscale, update_loss_scaling

FACTS = json.loads((Path(__file__).parents[1] / "fixtures/amp/answers.json").read_text())


def test_the_operators_do_what_paddles_do():
    scale, good, bad = paddle.to_tensor([8.0]), paddle.zeros([1], "int32"), paddle.zeros([1], "int32")
    for step in FACTS["scaling"]:
        gradient = paddle.to_tensor(np.array([16.0, np.inf if step["broken"] else -4.0], "float32"))
        found = check_finite_and_unscale([gradient], scale)
        update_loss_scaling([gradient], found, scale, good, bad, incr_every_n_steps=3, decr_every_n_nan_or_inf=2,
                            incr_ratio=2.0, decr_ratio=0.5)
        assert (bool(found), gradient.tolist()) == (step["found"], step["gradient"])
        assert (float(scale), int(good), int(bad)) == (step["scale"], step["good"], step["bad"])


def test_small_gradients_of_16_bits_survive():
    for dtype in ("float16", "bfloat16"):
        gradient = paddle.to_tensor([1.0, 6e4]).astype(dtype)
        assert not check_finite_and_unscale([gradient], paddle.to_tensor([65536.0]))
        np.testing.assert_allclose(gradient.astype("float32").numpy(), np.array([1, 6e4]) / 65536, rtol=0.01)
        infinite = paddle.to_tensor([np.inf]).astype(dtype)
        assert check_finite_and_unscale([infinite, gradient], paddle.to_tensor([2.0]))


def test_names_and_defaults_are_paddles():
    def names(text):
        return [p.name for p in inspect.signature(text).parameters.values()]

    for name, text in FACTS["signatures"].items():
        found = paddle.amp.GradScaler.__init__ if name == "GradScaler" else getattr(paddle.amp, name)
        wanted = eval(f"lambda {text.strip('()')}: 0")  # noqa: S307 - a signature that our own script wrote
        assert names(found) == names(wanted)
        assert [p.default for p in inspect.signature(found).parameters.values()] == [
            p.default for p in inspect.signature(wanted).parameters.values()]
    assert set(FACTS["scaler"]) <= set(dir(paddle.amp.GradScaler))


def setup(**settings):
    w = paddle.create_parameter([2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    return w, paddle.optimizer.SGD(0.5, parameters=[w]), paddle.amp.GradScaler(**settings)


def test_a_step_is_that_without_scaling_and_bad_ones_are_left_out():
    w, sgd, scaler = setup(init_loss_scaling=4.0, incr_every_n_steps=2)
    scales = []
    for factor in (1.0, 1.0, np.inf, 1.0, 1.0):
        with np.errstate(invalid="ignore"):
            scaler.scale((w * w).sum() * factor).backward()
        scaler.step(sgd)
        scaler.update()
        sgd.clear_grad()
        scales.append(float(scaler._scale))
    assert w.tolist() == [0.0, 0.0] and scales == [4.0, 8.0, 4.0, 4.0, 8.0]
    w, sgd, scaler = setup(init_loss_scaling=4.0, use_dynamic_loss_scaling=False)
    loss = scaler.scale((w * 3.0).sum())
    loss.backward()
    scaler.minimize(sgd, loss)
    assert w.tolist() == [-0.5, -0.5] and float(loss) == 24.0 and float(scaler._scale) == 4.0


def test_unscaled_gradients_can_be_clipped_and_the_order_is_checked():
    w, sgd, scaler = setup()
    scaler.scale((w * 3.0).sum()).backward()
    scaler.unscale_(sgd)
    assert w.grad.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(sgd)
    scaler.step(sgd)
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.step(sgd)
    with pytest.raises(RuntimeError, match="after step"):
        scaler.unscale_(sgd)
    scaler.update()
    scaler.step(sgd)


def test_sparse_gradients():
    table = paddle.nn.Embedding(5, 2, sparse=True)
    before = table.weight.numpy().copy()
    sgd, scaler = paddle.optimizer.SGD(1.0, parameters=table.parameters()), paddle.amp.GradScaler()
    scaler.scale(table(paddle.to_tensor([1, 1, 3])).sum()).backward()
    scaler.step(sgd)
    np.testing.assert_allclose(before - table.weight.numpy(), [[0] * 2, [2] * 2, [0] * 2, [1] * 2, [0] * 2], rtol=1e-6)


def test_disabled():
    w, sgd, scaler = setup(enable=False)
    loss = (w * 3.0).sum()
    assert scaler.scale(loss) is loss and scaler.state_dict() == {} and not scaler.is_enable()
    loss.backward()
    scaler.unscale_(sgd)
    scaler.step(sgd)
    scaler.update()
    assert w.tolist() == [-0.5, -0.5]


def test_settings_and_state():
    scaler = paddle.amp.GradScaler()
    for name, value in (("init_loss_scaling", 8.0), ("incr_ratio", 3.0), ("decr_ratio", 0.25),
                        ("incr_every_n_steps", 7), ("decr_every_n_nan_or_inf", 5)):
        getattr(scaler, f"set_{name}")(value)
        assert getattr(scaler, f"get_{name}")() == value
    state = scaler.state_dict()
    assert set(state) == {"scale", "incr_ratio", "decr_ratio", "incr_every_n_steps", "decr_every_n_nan_or_inf",
                          "incr_count", "decr_count", "use_dynamic_loss_scaling"}
    again = paddle.amp.GradScaler()
    again.load_state_dict(state)
    assert again.state_dict() == state and again.is_use_dynamic_loss_scaling()
    with pytest.raises(RuntimeError, match="empty"):
        again.load_state_dict({})
    with pytest.raises(ValueError, match=r"has the key 'scale'. Received the keys \['weight'\]"):
        again.load_state_dict({"weight": 1.0})
    for settings in ({"incr_ratio": 1.0}, {"decr_ratio": 1.0}):
        with pytest.raises(ValueError, match="ratio"):
            paddle.amp.GradScaler(**settings)


@pytest.mark.parametrize("broken", [0, 1])
@pytest.mark.parametrize("unscaled_first", [False, True])
def test_of_two_optimizers_the_one_whose_gradients_are_infinite_rests(broken, unscaled_first):
    """And the factor shrinks, whichever of them was asked about last."""
    ones = paddle.nn.initializer.Constant(1.0)
    parameters = [paddle.create_parameter([2], "float32", default_initializer=ones) for _ in range(2)]
    before = [p.numpy().copy() for p in parameters]
    optimizers = [paddle.optimizer.SGD(0.5, parameters=[p]) for p in parameters]
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    loss = sum((p * (np.inf if i == broken else 1.0)).sum() for i, p in enumerate(parameters))
    scaler.scale(loss).backward()
    if unscaled_first:
        for optimizer in optimizers:
            scaler.unscale_(optimizer)
    for optimizer in optimizers:
        scaler.step(optimizer)
    scaler.update()
    np.testing.assert_array_equal(parameters[broken].numpy(), before[broken])
    np.testing.assert_allclose(parameters[1 - broken].numpy(), before[1 - broken] - 0.5, rtol=1e-6)
    assert scaler.state_dict()["scale"].tolist() == [4.0]
    for optimizer in optimizers:
        optimizer.clear_grad()
    scaler.scale(parameters[broken].sum()).backward()
    scaler.step(optimizers[broken])
    np.testing.assert_allclose(parameters[broken].numpy(), before[broken] - 0.5, rtol=1e-6)


def test_loss_scaling_as_functions():
    from proa.static.amp.amp_nn import check_finite_and_unscale, update_loss_scaling

    def state(*values):
        return [paddle.to_tensor([value], dtype) for value, dtype in zip(values, ("float32", "int32", "int32"))]

    gradients = [paddle.to_tensor([2.0, 4.0]), paddle.to_tensor([float("inf")])]
    found, overflow = check_finite_and_unscale(gradients, paddle.to_tensor([2.0]))
    assert found[0].tolist() == [1.0, 2.0] and overflow.tolist() == [True]
    scale, good, bad = state(1024.0, 5, 0)
    update_loss_scaling(gradients, overflow, scale, good, bad, 1000, 1, 2.0, 0.5)
    assert (scale.item(), good.item(), bad.item()) == (512.0, 0, 0) and gradients[0].tolist() == [0.0, 0.0]
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        try:
            with pytest.raises(TypeError, match="check_finite_and_unscale"):
                check_finite_and_unscale(paddle.ones([1]), paddle.ones([1]))
        finally:
            paddle.disable_static()
