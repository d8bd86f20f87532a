"""Update rules and schedules give what PaddlePaddle gives (fixtures/optimizer/make.py)."""

import pathlib
import runpy

import numpy as np
import proa as paddle
import pytest

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "optimizer"
CASES = runpy.run_path(str(FIXTURES / "cases.py"))
ANSWERS = dict(np.load(FIXTURES / "answers.npz"))


def close(value, expected):
    np.testing.assert_allclose(np.asarray(value), expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", CASES["RULES"])
def test_rule(name):
    with paddle.utils.unique_name.guard():
        layer, rule = CASES["trained"](paddle, CASES["RULES"][name])
    close(layer.weight, ANSWERS[f"{name}/weight"])
    close(layer.bias, ANSWERS[f"{name}/bias"])
    prefix = f"{name}/state/"
    expected = {key.removeprefix(prefix): value for key, value in ANSWERS.items() if key.startswith(prefix)}
    state = rule.state_dict()
    assert sorted(state) == sorted(expected)
    for key, value in expected.items():
        close(state[key], value)


@pytest.mark.parametrize("name", CASES["RULES"])
def test_rule_in_a_program(name):
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard():
            x = paddle.static.data("x", [4, 2])
            assign = paddle.nn.initializer.Assign
            layer = paddle.nn.Linear(2, 3, paddle.ParamAttr(initializer=assign(CASES["W0"])),
                                     paddle.ParamAttr(initializer=assign(CASES["B0"])))
            loss = paddle.tanh(layer(x)).square().mean()
            CASES["RULES"][name](paddle, None).minimize(loss)
        executor = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            executor.run(startup)
            for _ in range(CASES["STEPS"]):
                executor.run(main, feed={"x": CASES["X"]}, fetch_list=[loss])
            weight, = executor.run(main.clone(for_test=True), feed={"x": CASES["X"]}, fetch_list=[layer.weight])
    finally:
        paddle.disable_static()
    close(weight, ANSWERS[f"{name}/weight"])


@pytest.mark.parametrize("name", CASES["SCHEDULES"])
def test_schedule(name):
    schedule = CASES["SCHEDULES"][name](paddle.optimizer.lr)
    np.testing.assert_allclose(CASES["rates"](schedule), ANSWERS[f"schedule/{name}"], rtol=1e-9)


@pytest.mark.parametrize("name", CASES["SCHEDULES"])
def test_schedule_goes_on_where_it_was(name):
    first, second = (CASES["SCHEDULES"][name](paddle.optimizer.lr) for _ in range(2))
    CASES["rates"](first, 5)
    second.set_state_dict(first.state_dict())
    assert CASES["rates"](second, 6) == CASES["rates"](first, 6)


def test_one_cycle_ends():
    schedule = paddle.optimizer.lr.OneCycleLR(1.0, 3)
    with pytest.raises(ValueError, match="total_steps=3"):
        CASES["rates"](schedule, 9)
