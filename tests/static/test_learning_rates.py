"""The learning rate of a Program, where users look for it: in the startup Program, in the scope, in files."""

import numpy as np
import proa as paddle
import pytest
from proa import static

FEED = {"x": np.ones((2, 3), "float32")}


def _trained(rate):
    """A Program that is trained, its startup Program having run; and its optimizer."""
    optimizer = paddle.optimizer.SGD(rate)
    optimizer.minimize(static.nn.fc(static.data("x", [None, 3]), 1, bias_attr=False).mean())
    static.Executor().run(static.default_startup_program())
    return optimizer


@pytest.fixture
def scope():
    with static.scope_guard(static.Scope()), static.program_guard(static.Program(), static.Program()), \
            paddle.utils.unique_name.guard():
        yield static.global_scope()


def _in(scope):
    return scope.find_var("learning_rate_0").get_tensor()


def _step(scope):
    """How far a run moves the weight, whose gradient is 1."""
    before = np.array(scope.find_var("fc_0.w_0").get_tensor())
    static.Executor().run(feed=FEED)
    return float((before - np.array(scope.find_var("fc_0.w_0").get_tensor()))[0, 0])


def test_the_startup_program_begins_it(scope):
    optimizer = _trained(0.25)
    assert np.array(_in(scope)).shape == () and np.array(_in(scope)) == 0.25
    assert optimizer._global_learning_rate().name == "learning_rate_0"
    assert static.Executor().run(feed=FEED, fetch_list=["learning_rate_0"])[0] == 0.25


def test_what_is_put_into_the_scope_counts(scope):
    optimizer = _trained(0.25)
    assert _step(scope) == pytest.approx(0.25)
    _in(scope).set(np.array(0.5, "float32"), paddle.CPUPlace())
    assert _step(scope) == pytest.approx(0.5) == pytest.approx(_step(scope))
    optimizer.set_lr(0.125)
    assert _step(scope) == pytest.approx(0.125)
    static.Executor().run(static.default_startup_program())
    assert np.array(_in(scope)) == 0.25


def test_a_schedule_decides_each_run(scope):
    schedule = paddle.optimizer.lr.StepDecay(0.5, 1, 0.5)
    _trained(schedule)
    _in(scope).set(np.array(9, "float32"), paddle.CPUPlace())
    assert _step(scope) == pytest.approx(0.5)
    schedule.step()
    assert _step(scope) == pytest.approx(0.25)


@pytest.mark.parametrize("by_state", [False, True])
def test_it_is_loaded(scope, by_state, tmp_path):
    _trained(0.25)
    main = static.default_main_program()
    static.save(main, str(tmp_path / "model"))
    _in(scope).set(np.array(0, "float32"), paddle.CPUPlace())
    if by_state:
        main.set_state_dict(paddle.load(tmp_path / "model.pdopt"))
    else:
        static.load(main, str(tmp_path / "model"))
    assert _step(scope) == pytest.approx(0.25)


def test_a_program_has_one_for_several_losses(scope):
    weight = static.create_parameter([1], "float32")
    optimizer = paddle.optimizer.SGD(0.25)
    for factor in (1.0, 2.0):
        optimizer.minimize((weight * factor).sum())
    assert list(static.default_main_program().host_values) == ["learning_rate_0"]
