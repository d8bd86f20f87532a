"""L-BFGS finds minima, step by step where PaddlePaddle's goes (fixtures/optimizer/make_lbfgs.py); state, limits."""

import pathlib
import runpy

import numpy as np
import proa as paddle
import pytest

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "optimizer"
CASES = runpy.run_path(str(FIXTURES / "lbfgs_cases.py"))
ANSWERS = dict(np.load(FIXTURES / "lbfgs.npz"))
ROSENBROCK = [1.0, 1.0]


def parameter(values):
    values = np.array(values, "float64")
    return paddle.create_parameter(list(values.shape), "float64",
                                   default_initializer=paddle.nn.initializer.Assign(values))


def rosenbrock(w):
    return (1 - w[0]) ** 2 + 100 * (w[1] - w[0] ** 2) ** 2


def closure_of(rule, function):
    def closure():
        rule.clear_grad()
        loss = function()
        loss.backward()
        return loss
    return closure


@pytest.mark.parametrize("case", CASES["CASES"], ids=CASES["label"])
def test_it_evaluates_what_paddle_evaluates_and_ends_there(case):
    found, expected = CASES["run"](paddle, case), ANSWERS[CASES["label"](case)]
    assert found.size == expected.size
    counts = CASES["STEPS"] + 2
    assert found[:counts].tolist() == expected[:counts].tolist()
    close = 2e-2 if case[0] == "network" else 1e-6  # a network's steps, up to 1e21, spread what products round
    np.testing.assert_allclose(found[counts:], expected[counts:], rtol=close, atol=close)


def test_a_curved_valley_with_a_line_search():
    w = parameter([-1.2, 1.0])
    rule = paddle.optimizer.LBFGS(parameters=[w], line_search_fn="strong_wolfe", max_iter=60)
    first = rule.step(closure_of(rule, lambda: rosenbrock(w)))
    assert float(first) == pytest.approx(24.2)
    np.testing.assert_allclose(w.numpy(), ROSENBROCK, atol=1e-4)


def test_a_bowl_with_fixed_steps_and_several_parameters():
    a, b = parameter([[3.0, -2.0]]), parameter([5.0])
    rule = paddle.optimizer.LBFGS(1.0, parameters=[a, b], max_iter=30)
    weights = paddle.to_tensor([1.0, 7.0], "float64")
    for _ in range(3):
        rule.step(closure_of(rule, lambda: (a * a * weights).sum() + (b - a[0, 0]) ** 2))
    np.testing.assert_allclose(np.concatenate([a.numpy().ravel(), b.numpy()]), np.zeros(3), atol=1e-6)


def test_a_penalty_and_a_parameter_without_gradient():
    a, unused = parameter([4.0]), parameter([9.0])
    rule = paddle.optimizer.LBFGS(parameters=[a, unused], line_search_fn="strong_wolfe", weight_decay=1.0)
    rule.step(closure_of(rule, lambda: ((a - 2.0) ** 2).sum() / 2))
    np.testing.assert_allclose(a.numpy(), [1.0], atol=1e-6)
    assert unused.numpy() == [9.0]


def test_groups():
    """PaddlePaddle moves the last group only."""
    a, b = parameter([4.0]), parameter([4.0])
    rule = paddle.optimizer.LBFGS(line_search_fn="strong_wolfe", parameters=[
        {"params": [a], "weight_decay": 1.0}, {"params": [b]}])
    rule.step(closure_of(rule, lambda: ((a - 2.0) ** 2).sum() / 2 + ((b - 2.0) ** 2).sum() / 2))
    np.testing.assert_allclose([*a.numpy(), *b.numpy()], [1.0, 2.0], atol=1e-6)


@pytest.mark.parametrize("line_search_fn", [None, "strong_wolfe"])
def test_parameters_that_are_frozen_and_thawed(line_search_fn):
    a, b = parameter([4.0]), parameter([4.0, 5.0])
    rule = paddle.optimizer.LBFGS(parameters=[a, b], line_search_fn=line_search_fn)
    closure = closure_of(rule, lambda: ((a * b - 2.0) ** 2).sum() / 2 + ((b - 2.0) ** 2).sum())
    rule.step(closure)
    for frozen, trained in ((a, b), (b, a)):
        frozen.stop_gradient, trained.stop_gradient = True, False
        before, start = frozen.numpy(), float(closure())
        rule.step(closure)
        assert float(closure()) <= start
        np.testing.assert_array_equal(frozen.numpy(), before)
    a.stop_gradient, before = True, a.numpy()
    with pytest.warns(UserWarning, match="backward"):
        rule.step(closure)  # nothing is left to train
    np.testing.assert_array_equal(a.numpy(), before)
    a.stop_gradient = b.stop_gradient = False
    rule.step(closure)
    assert float(closure()) < 1.0


def test_state_goes_on_where_it_was():
    results = []
    for breaks in (False, True):
        w = parameter([-1.2, 1.0])

        def make(w=w):
            return paddle.optimizer.LBFGS(parameters=[w], line_search_fn="strong_wolfe", max_iter=5)

        rule = make()
        rule.step(closure_of(rule, lambda w=w: rosenbrock(w)))
        if breaks:
            state = rule.state_dict()
            rule = make()
            rule.set_state_dict(state)
        rule.step(closure_of(rule, lambda w=w: rosenbrock(w)))
        results.append(w.numpy())
    np.testing.assert_array_equal(*results)


def test_state_goes_through_a_file(tmp_path):
    results = []
    for breaks in (False, True):
        w = parameter([-1.2, 1.0])
        rule = paddle.optimizer.LBFGS(parameters=[w], max_iter=5)
        rule.step(closure_of(rule, lambda w=w: rosenbrock(w)))
        if breaks:
            paddle.save(rule.state_dict(), str(tmp_path / "state.pdopt"))
            rule = paddle.optimizer.LBFGS(parameters=[w], max_iter=5)
            rule.set_state_dict(paddle.load(str(tmp_path / "state.pdopt")))
            assert rule.state_dict()["state"]["n_iter"] == 5
        rule.step(closure_of(rule, lambda w=w: rosenbrock(w)))
        results.append(w.numpy())
        assert rule.state_dict()["state"]["func_evals"] == 10
    np.testing.assert_array_equal(*results)


def test_the_state_is_named_as_in_paddle():
    w = parameter([3.0])
    rule = paddle.optimizer.LBFGS(parameters=[w], max_iter=2)
    rule.step(closure_of(rule, lambda: (w * w).sum()))
    assert set(rule.state_dict()["state"]) == {"func_evals", "n_iter", "d", "alpha", "old_yk", "old_sk", "ro", "H_diag",
                                               "prev_flat_grad", "prev_loss"}


def test_a_search_that_meets_no_number_shortens_its_step():
    w = parameter([3.7])
    rule = paddle.optimizer.LBFGS(8.0, parameters=[w], line_search_fn="strong_wolfe", max_iter=10)
    with np.errstate(invalid="ignore"):
        rule.step(closure_of(rule, lambda: (w - 1.0 - paddle.log(w)).sum() * 40.0))
    np.testing.assert_allclose(w.numpy(), [1.0], atol=1e-3)


def test_what_it_refuses():
    w = parameter([1.0])
    with pytest.raises(ValueError, match="line_search_fn"):
        paddle.optimizer.LBFGS(parameters=[w], line_search_fn="wolf")
    with pytest.raises(TypeError, match="parameters"):
        paddle.optimizer.LBFGS()
    with pytest.raises(TypeError, match="closure"):
        paddle.optimizer.LBFGS(parameters=[w]).step()
    with pytest.raises(NotImplementedError, match=r"step\(closure\)"):
        paddle.optimizer.LBFGS(parameters=[w]).minimize(w)
