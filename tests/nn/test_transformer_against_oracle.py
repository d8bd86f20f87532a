"""Transformers hold the parameters and give the outputs, caches and gradients of PaddlePaddle's.

The answers are in fixtures/transformer, made by its make.py.
"""

import json
import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "transformer"
cases = module_at(FIXTURES / "cases.py")
answers = dict(np.load(FIXTURES / "answers.npz"))
made = json.loads((FIXTURES / "made.json").read_text())


@pytest.mark.parametrize("name", sorted(cases.CASES))
def test_same_as_oracle(name):
    found = cases.CASES[name](paddle)
    expected = {key.partition("/")[2]: value for key, value in answers.items() if key.partition("/")[0] == name}
    assert set(found) == set(expected)
    for key, value in expected.items():
        assert found[key].dtype == value.dtype and found[key].shape == value.shape, key
        # a small gradient is a sum of large ones, and rounds as these do, by the library of products in its own way
        close = 1e-5 * max(1.0, np.abs(value[np.isfinite(value)]).max(initial=0.0) / 5)
        np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=close, err_msg=key)


@pytest.mark.parametrize("name", sorted(cases.MADE))
def test_parameters_are_those_of_the_oracle(name):
    assert cases.made(paddle, name) == made[name]
