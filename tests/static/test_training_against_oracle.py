"""Programs are trained as PaddlePaddle trained them: several optimizers, control flow, assignments, names."""

from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = Path(__file__).parent.parent / "fixtures" / "static_training"
cases = module_at(FIXTURES / "cases.py")
EXPECTED = np.load(FIXTURES / "answers.npz")


@pytest.mark.parametrize("name", cases.CASES)
def test_training(name):
    expected = {key.partition(" ")[2]: EXPECTED[key] for key in EXPECTED if key.partition(" ")[0] == name}
    found = cases.answer(paddle, name)
    assert set(found) == set(expected)
    for key, array in expected.items():
        assert found[key].shape == array.shape, key
        np.testing.assert_allclose(found[key], array, rtol=2e-5, atol=1e-6, err_msg=key)
