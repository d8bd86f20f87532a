"""Matrices packed for products inside generated loops."""

import numpy as np
import pytest
from proa.backend import loops
from proa.backend.recurrent.blocks import pack

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason="there are no generated loops")


@pytest.mark.parametrize("columns", [16, 21, 48])
def test_packed_in_panels(columns):
    x = np.random.default_rng(columns).normal(size=(7, columns)).astype("float32")
    panels = -(-columns // 16)
    wanted = np.pad(x, [(0, 0), (0, 16 * panels - columns)]).reshape(7, panels, 16).swapaxes(0, 1)
    for given in (x, np.asfortranarray(x)):
        found = pack(given)
        assert found.flags.c_contiguous and found.shape == (panels, 7, 16)
        np.testing.assert_array_equal(found, wanted)
