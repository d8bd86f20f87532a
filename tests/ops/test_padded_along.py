"""Padding by the array's own elements, of any widths, against NumPy's; and its transpose."""

import numpy as np
import pytest
from proa.ops.array.pad import MODES, _padded, _unpadded


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_any_widths(mode):
    random = np.random.default_rng(0)
    for _ in range(100):
        shape = random.integers(2, 6, 3)
        most = {"reflect": shape, "replicate": shape * 0 + 8, "circular": shape + 1}[mode]
        widths = [tuple(map(int, random.integers(0, limit, 2))) for limit in most]
        x = random.normal(size=shape)
        out = _padded(np, x, widths, mode, 0.0)
        np.testing.assert_array_equal(out, np.pad(x, widths, MODES[mode]))
        g = random.normal(size=out.shape)
        np.testing.assert_allclose((out * g).sum(), (x * _unpadded(np, g, widths, mode)).sum(), rtol=1e-9)
