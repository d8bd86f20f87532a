"""The functions of nn.functional give what PaddlePaddle gives, and the same gradients (fixtures/nn/make.py)."""

import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "nn"
cases = module_at(FIXTURES / "cases.py")
answers = dict(np.load(FIXTURES / "functional.npz"))

# Where the oracle is wrong; docs/differences.md tells how.
DIFFERENT = {
    "bce_logits_mean", "bce_logits_sum", "bce_logits_none",  # pos_weight on the wrong part of the loss
}


@pytest.mark.parametrize("name", sorted(set(cases.CASES) - DIFFERENT))
def test_same_as_oracle(name):
    found = cases.run(paddle, name)
    expected = {key: value for key, value in answers.items() if key.startswith(name + "/")}
    assert expected
    for key, value in expected.items():
        assert key in found, key
        assert found[key].dtype == value.dtype and found[key].shape == value.shape, (key, found[key].shape, value.shape)
        np.testing.assert_allclose(found[key], value, rtol=2e-5, atol=2e-5, err_msg=key)
