"""Sparse tensors answer what PaddlePaddle's answer: `tests/fixtures/sparse/make.py` asked them."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = Path(__file__).parents[1] / "fixtures" / "sparse"
cases = module_at(FIXTURES / "cases.py")
ANSWERS = json.loads((FIXTURES / "answers.json").read_text())


def _compare(ours, theirs):
    assert ours.keys() == theirs.keys()
    assert ours["shape"] == theirs["shape"]
    for name in set(theirs) - {"shape"}:
        mine, other = ours[name], theirs[name]
        assert (mine["dtype"], mine["shape"]) == (other["dtype"], other["shape"]), name
        exact = other["dtype"].startswith(("int", "bool"))
        rtol, atol = (0, 0) if exact else (1e-5, 1e-6)
        np.testing.assert_allclose(mine["values"], other["values"], rtol, atol)


@pytest.mark.parametrize("expression", cases.VALUES)
def test_values(expression):
    with np.errstate(all="ignore"):
        _compare(cases.value_of(paddle, expression), ANSWERS["values"][expression])




@pytest.mark.parametrize("expression", cases.GRADIENTS)
def test_gradients(expression):
    with np.errstate(all="ignore"):
        ours = cases.gradients_of(paddle, expression, cases.GRADIENTS[expression])
    for mine, other in zip(ours, ANSWERS["gradients"][expression], strict=True):
        _compare(mine, other)
