"""minimize_lbfgs goes where PaddlePaddle's goes (fixtures/optimizer/make_minimize.py), and minimize_bfgs too.

PaddlePaddle's minimize_bfgs takes the transpose of the matrix that it ought to take, and goes astray.
"""

import pathlib
import runpy

import numpy as np
import proa as paddle
import pytest
from proa.incubate.optimizer.functional import minimize_bfgs, minimize_lbfgs

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "optimizer"
CASES = runpy.run_path(str(FIXTURES / "minimize_cases.py"))
MADE = np.load(FIXTURES / "minimize.npz")
ANSWERS = np.split(MADE["values"], np.cumsum(MADE["lengths"])[:-1])


@pytest.mark.parametrize(("case", "expected"), list(zip(CASES["CASES"], ANSWERS, strict=True)),
                         ids=map(CASES["label"], CASES["CASES"]))
@pytest.mark.parametrize("method", ["minimize_lbfgs", "minimize_bfgs"])
def test_it_goes_where_paddle_goes(case, expected, method):
    with np.errstate(over="ignore"):
        found = CASES["run"](paddle, case, method)
    settled = case[-1] == "float32" and method == "minimize_bfgs"
    asked = 1 if settled else 2  # how often it looks again at a loss that only rounds is the library's of products
    assert found[:asked].tolist() == expected[:asked].tolist()
    close = 2e-3 if case[-1] == "float32" else 1e-6
    np.testing.assert_allclose(found[2:], expected[2:], rtol=close, atol=close)


def valley(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


@pytest.mark.parametrize("history_size", [1, 3, 100])
def test_a_memory_of_any_size(history_size):
    converged, _, position, *_ = minimize_lbfgs(valley, paddle.to_tensor([-1.2, 1.0], dtype="float64"), history_size,
                                                max_iters=200, dtype="float64", tolerance_grad=1e-6)
    assert bool(converged)
    np.testing.assert_allclose(position, [1.0, 1.0], atol=1e-5)


def test_the_inverse_hessian():
    curvatures = paddle.to_tensor([1.0, 4.0, 10.0], dtype="float64")
    found = minimize_bfgs(lambda x: (x * x * curvatures).sum() / 2, paddle.to_tensor([3.0, -2.0, 1.0], dtype="float64"),
                          dtype="float64")
    assert bool(found[0])
    np.testing.assert_allclose(found[5], np.diag([1.0, 0.25, 0.1]), atol=1e-4)


def test_what_it_is_given_stays():
    begin = paddle.to_tensor([3.0, 4.0], stop_gradient=False)
    minimize_bfgs(lambda x: (x * x).sum(), begin)
    assert begin.tolist() == [3.0, 4.0]
    assert begin.grad is None


@pytest.mark.parametrize(("options", "error", "says"), [
    ({"dtype": "int32"}, ValueError, "dtype"), ({"dtype": "float64"}, ValueError, "float64.*Received.*float32"),
    ({"line_search_fn": "armijo"}, NotImplementedError, "strong_wolfe"),
    ({"initial_inverse_hessian_estimate": paddle.to_tensor([[1.0, 2.0], [2.0, 1.0]])}, ValueError, "not positive"),
    ({"initial_inverse_hessian_estimate": paddle.to_tensor([[1.0, 0.5], [0.0, 1.0]])}, ValueError, "not symmetric"),
    ({"initial_inverse_hessian_estimate": paddle.ones([2])}, ValueError, r"shape \[2\]"),
])
@pytest.mark.parametrize("minimize", [minimize_bfgs, minimize_lbfgs])
def test_what_it_refuses(minimize, options, error, says):
    with pytest.raises(error, match=says):
        minimize(lambda x: (x * x).sum(), paddle.ones([2]), **options)
    with pytest.raises(ValueError, match="initial_position"):
        minimize(lambda x: (x * x).sum(), [1.0, 2.0])
