"""Rows of sequences pooled by loops against the NumPy kernel: empty sequences, rows of several dimensions, NaN."""

import numpy as np
import pytest
from comparing import agree, needs_loops
from proa.backend.kernels import sequences
from proa.ops.core.operator import find
from proa.ops.sequence.pooling import KINDS, _pool_by_loops

pytestmark = needs_loops
LENGTHS = [0, 7, 1, 0, 0, 30, 12, 0]


def rows(*width, dtype="float32"):
    """Rows with many equal elements, two of them NaN, and the offsets of their sequences."""
    x = np.random.default_rng(0).integers(-4, 4, (sum(LENGTHS), *width)).astype(dtype) / 7
    x[9:11, 0] = np.nan
    return x, [np.array([0, len(x)]), np.cumsum([0, *LENGTHS])]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("LAST", "FIRST")])
@pytest.mark.parametrize("width", [(32,), (7, 5)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("pad_value", [0.0, 0.5])
def test_equals_the_plain_kernel(kind, width, dtype, pad_value):
    x, lod = rows(*width, dtype=dtype)
    for is_test in (False, True):
        agree("sequence_pool", _pool_by_loops, x, lod, pooltype=kind,
              is_test=is_test, pad_value=pad_value)


def test_what_is_left_to_the_plain_kernel():
    x, lod = rows(32)
    assert sequences.sums(np.ones_like(x, "int64"), lod[1], np.ones(8)) is NotImplemented
    assert sequences.maxima(x[:0], lod[1][:1]) is NotImplemented
    assert _pool_by_loops(x, lod, pooltype="LAST") is NotImplemented


def test_rows_that_do_not_lie_one_behind_the_other():
    x, lod = rows(64)
    for kind in ("SUM", "MAX"):
        found, wanted = (function(x[:, ::2], lod, pooltype=kind)[0] for function in (
            _pool_by_loops, lambda *a, **k: find("sequence_pool").kernel(np, *a, **k)))
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_a_gradient_through_a_maximum_that_is_not_a_number_goes_to_its_row():
    x, lod = rows(32)
    for kernel in (_pool_by_loops, lambda *a, **k: find("sequence_pool").kernel(np, *a, **k)):
        out, places = kernel(x, lod, pooltype="MAX")
        assert np.isnan(out[5, 0]) and places[5, 0] == 9
        g = find("rows_of_pooled").kernel(np, np.ones_like(out), places, lod, pooltype="MAX")
        assert g.sum() == 4 * 32 and g[9, 0] == 1
