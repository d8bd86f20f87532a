"""LookAhead and ModelAverage give PaddlePaddle's numbers, on Tensors and in a Program."""

import numpy as np
import proa as paddle
import pytest
from proa.incubate import LookAhead, ModelAverage

# What PaddlePaddle 2.6.2 gives for the weight 1 with the loss weight ** 2 and SGD(0.1).
AHEAD = [0.8, 0.64, 0.656, 0.5248, 0.41984, 0.495936, 0.3967488, 0.31739905]
AVERAGES = [0.8, 0.72, 0.6506667, 0.46079996, 0.4164266, 0.37785596, 0.26651305, 0.24182782, 0.2203058, 0.20148386,
            0.12381583, 0.11279656]


def _layer():
    layer = paddle.nn.Linear(1, 1, bias_attr=False)
    layer.weight.set_value(np.ones((1, 1), "float32"))
    return layer


def _descend(layer):
    (layer(paddle.ones([1, 1])) ** 2).sum().backward()


def test_lookahead():
    layer = _layer()
    rule = LookAhead(paddle.optimizer.SGD(0.1, parameters=layer.parameters()), 0.5, 3)
    found = []
    for _ in AHEAD:
        _descend(layer)
        rule.step()
        rule.clear_grad()
        found.append(layer.weight.item())
    np.testing.assert_allclose(found, AHEAD, rtol=1e-6)
    slow = rule.state_dict()
    assert list(slow) == [f"{layer.weight.name}_slow_0", "lookahead_steps"]
    np.testing.assert_allclose(slow[f"{layer.weight.name}_slow_0"].numpy(), [[AHEAD[5]]], rtol=1e-6)


@pytest.mark.parametrize("inner", [paddle.optimizer.SGD, paddle.optimizer.Adam])
def test_lookahead_leaves_parameters_their_shapes(inner):
    found = []
    for shape in ([], [1]):
        p = paddle.create_parameter(shape, "float32", default_initializer=paddle.nn.initializer.Constant(1.5))
        rule = LookAhead(inner(0.1, parameters=[p]), 0.5, 2)
        for _ in range(4):
            (p * p).sum().backward()
            rule.step()
            rule.clear_grad()
        assert p.shape == shape
        found.append(p.item())
    assert found[0] == pytest.approx(found[1])


@pytest.mark.parametrize("taken", range(6))
def test_lookahead_goes_on_with_the_inner_optimizers_state(taken, tmp_path):
    def made():
        with paddle.utils.unique_name.guard():
            layer = _layer()
            rate = paddle.optimizer.lr.ExponentialDecay(0.1, 0.9)
            return layer, LookAhead(paddle.optimizer.Momentum(rate, 0.9, parameters=layer.parameters()), 0.5, 3)

    results = []
    for stops_at in (None, taken):
        layer, rule = made()
        for step in range(8):
            if step == stops_at:
                paddle.save({"layer": layer.state_dict(), "rule": rule.state_dict()}, str(tmp_path / "state"))
                held = paddle.load(str(tmp_path / "state"))
                layer, rule = made()
                layer.set_state_dict(held["layer"])
                rule.set_state_dict(held["rule"])
            _descend(layer)
            rule.step()
            rule.clear_grad()
            rule.inner_optimizer._learning_rate.step()
        results.append(layer.weight.item())
    assert results[0] == results[1]


def test_lookahead_in_a_program():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [1, 1])
            y = paddle.static.nn.fc(x, 1, weight_attr=paddle.ParamAttr(
                initializer=paddle.nn.initializer.Constant(1.0)), bias_attr=False)
            LookAhead(paddle.optimizer.SGD(0.1), 0.5, 3).minimize((y * y).sum())
        executor = paddle.static.Executor()
        executor.run(startup)
        found = [executor.run(main, {"x": np.ones((1, 1), "float32")}, [y])[0].item() for _ in range(len(AHEAD) + 1)]
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found[1:], AHEAD, rtol=1e-6)


def test_model_average():
    layer = _layer()
    sgd = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    average = ModelAverage(0.5, layer.parameters(), 2, 4)
    for expected in AVERAGES:
        _descend(layer)
        sgd.step()
        average.step()
        sgd.clear_grad()
        own = layer.weight.item()
        with average.apply():
            np.testing.assert_allclose(layer.weight.item(), expected, rtol=1e-5)
        assert layer.weight.item() == own


def test_an_average_may_stay():
    layer = _layer()
    average = ModelAverage(0.5, layer.parameters(), 2, 4)
    average.step()
    layer.weight.set_value(np.full((1, 1), 3.0, "float32"))
    average.step()
    with average.apply(need_restore=False):
        pass
    assert layer.weight.item() == 2
    average.restore()
    assert layer.weight.item() == 3
    with average.apply():
        with pytest.raises(RuntimeError, match="restore"), average.apply():
            pass
        assert layer.weight.item() == 2
    assert layer.weight.item() == 3


def test_states_go_on():
    def trained(steps, state=None):
        with paddle.utils.unique_name.guard():
            layer = _layer()
            rule = LookAhead(paddle.optimizer.SGD(0.1, parameters=layer.parameters()), 0.5, 3)
        if state is not None:
            layer.set_state_dict(state[0])
            rule.set_state_dict(state[1])
        for _ in range(steps):
            _descend(layer)
            rule.step()
            rule.clear_grad()
        return layer, rule

    layer, rule = trained(3)
    held = [{k: v.numpy().copy() for k, v in part.state_dict().items() if k != "lookahead_steps"}  # as Paddle's has it
            for part in (layer, rule)]
    assert trained(3, held)[0].weight.item() == pytest.approx(AHEAD[5])


def test_wrong_settings_are_refused():
    parameters = _layer().parameters()
    with pytest.raises(TypeError, match="optimizer"):
        LookAhead(3)
    for alpha, k in ((2.0, 5), (0.5, 0)):
        with pytest.raises(ValueError, match="Received"):
            LookAhead(paddle.optimizer.SGD(0.1, parameters=parameters), alpha, k)
    with pytest.raises(AttributeError, match="parameters"):
        ModelAverage(0.1)


def test_averages_of_a_program_that_has_not_run():
    from proa import static

    with static.scope_guard(static.Scope()), static.program_guard(static.Program(), static.Program()):
        out = static.nn.fc(static.data("x", [2, 3]), 1)
        paddle.optimizer.SGD(0.1).minimize(out.mean())
        average = ModelAverage(0.1)
        with pytest.raises(RuntimeError, match="Run the startup Program and the main Program first"):
            with average.apply(static.Executor()):
                pass


@pytest.mark.parametrize("settings", [{"alpha": 2.0}, {"k": 0}, {"k": 2.5}])
def test_settings_that_paddle_asserts(settings):
    rule = paddle.optimizer.SGD(0.1, parameters=paddle.nn.Linear(1, 1).parameters())
    for error in (AssertionError, ValueError):
        with pytest.raises(error, match=f"LookAhead.{next(iter(settings))}"):
            LookAhead(rule, **settings)
