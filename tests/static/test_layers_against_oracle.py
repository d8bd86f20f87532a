"""The layers of `static.nn` give what PaddlePaddle gave: outputs and gradients, for equal parameters."""

from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = Path(__file__).parent.parent / "fixtures" / "static"
cases = module_at(FIXTURES / "cases.py")
EXPECTED = np.load(FIXTURES / "layers.npz")


@pytest.mark.parametrize("name", cases.LAYERS)
def test_layer(name):
    expected = {key.partition(" ")[2]: EXPECTED[key] for key in EXPECTED if key.partition(" ")[0] == name}
    found = cases.run(paddle, name)
    assert set(found) == set(expected)
    for key, array in expected.items():
        assert found[key].shape == array.shape, key
        np.testing.assert_allclose(found[key], array, rtol=2e-5, atol=2e-5 * max(1.0, np.abs(array).max()), err_msg=key)
