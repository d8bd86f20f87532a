"""Where the pieces of a function meet, its slope is what PaddlePaddle takes (fixtures/operators/make_ties.py)."""

import pathlib
import runpy

import numpy as np
import proa as paddle
import pytest

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "operators"
CASES = runpy.run_path(str(FIXTURES / "tie_cases.py"))
MADE = np.load(FIXTURES / "ties.npz")
ANSWERS = dict(zip(MADE["names"].tolist(), np.split(MADE["values"], np.cumsum(MADE["lengths"])[:-1]), strict=True))
ANSWERS["one/pow 0"] = np.nan_to_num(ANSWERS["one/pow 0"], nan=0.0)  # a constant's slope at 0: PaddlePaddle has NaN


def test_each_has_an_answer():
    assert set(ANSWERS) == {f"{family}/{name}" for family, (functions, _) in CASES["FAMILIES"].items()
                            for name in functions(paddle)}


@pytest.mark.parametrize("label", ANSWERS)
def test_values_and_slopes(label):
    with np.errstate(all="ignore"):
        found = CASES["run"](paddle, *label.split("/"))
    np.testing.assert_allclose(found, ANSWERS[label], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("label", [label for label in ANSWERS if label.startswith(("one", "two"))])
def test_values_and_slopes_of_a_program(label):
    family, name = label.split("/")
    functions, inputs = CASES["FAMILIES"][family]
    converted = paddle.jit.to_static(lambda *tensors: functions(paddle)[name](*tensors))
    tensors = [paddle.to_tensor(each, stop_gradient=False) for each in inputs]
    with np.errstate(all="ignore"):
        value = converted(*tensors)
        weights = np.arange(1, 1 + int(np.prod(value.shape)), dtype="float32").reshape(value.shape)
        (value * paddle.to_tensor(weights)).sum().backward()
    slopes = [np.zeros(t.shape, "float32") if t.grad is None else t.grad.numpy() for t in tensors]
    found = np.concatenate([each.ravel() for each in (value.numpy(), *slopes)])
    np.testing.assert_allclose(found, ANSWERS[label], rtol=1e-5, atol=1e-6)
