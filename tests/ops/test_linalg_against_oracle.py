"""`linalg`, `fft` and `signal` give what PaddlePaddle gives (fixtures/linalg/make.py), gradients included."""

import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "linalg"
cases = module_at(FIXTURES / "cases.py")
answers = dict(np.load(FIXTURES / "answers.npz"))

# Where the oracle is wrong; docs/differences.md tells how.
DIFFERENT = {
    "eigh/gradient 0",  # is not the slope for the second matrix of a batch
    "eigvalsh/gradient 0",  # nor is this
    "triangular_solve False True True/gradient 0",  # the diagonal, which does not count, and what is above it
    "triangular_solve False False True/gradient 0",
    "frequencies/1",  # float32 where float64 is asked for
}


@pytest.mark.parametrize("name", cases.CASES)
def test_case(name):
    found = cases.run(paddle, name)
    expected = {key: value for key, value in answers.items() if key.startswith(name + "/") and key not in DIFFERENT}
    assert expected
    for key, value in expected.items():
        assert found[key].dtype == value.dtype and found[key].shape == value.shape, (key, found[key].shape, value.shape)
        np.testing.assert_allclose(found[key], value, rtol=1e-7, atol=1e-7, err_msg=key)
