"""The product of one or two rows with a matrix, by loops: against NumPy's in float64, and what it leaves to others."""

import numpy as np
import pytest
from proa import get_num_threads, set_num_threads
from proa.backend import loops
from proa.backend.kernels.row_product import MOST_ROWS, row_product

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason="needs llvmlite")
RANDOM = np.random.default_rng(5)


def values(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


@pytest.fixture(params=[1, 2, 3, 8])
def threads(request):
    before = get_num_threads()
    set_num_threads(request.param)
    yield
    set_num_threads(before)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("shape, n", [((1, 960), 1280), ((2, 129), 200), ((1, 2, 8), 8193), ((768,), 65), ((1, 3), 1)])
@pytest.mark.parametrize("has_bias", [False, True])
def test_it_is_the_product(shape, n, has_bias):
    x, w, bias = values(*shape), values(shape[-1], n), values(n) if has_bias else None
    found = row_product(x, w, bias)
    expected = x.astype("float64") @ w + (0 if bias is None else bias)
    scale = np.abs(x.astype("float64")) @ np.abs(w) + 1
    assert found.shape == expected.shape and found.dtype == np.float32
    assert (np.abs(found - expected) <= 1e-6 * scale).all()


def test_it_leaves_the_rest():
    w = values(16, 32)
    for x, y, bias in ((values(MOST_ROWS + 1, 16), w, None), (values(1, 16)[:, ::-1], w, None),
                       (values(1, 32), w.T, None), (values(1, 16).astype("float64"), w, None),
                       (values(1, 16), w.astype("float64"), None), (values(1, 15), w, None),
                       (values(1, 16), w, values(31)), (values(1, 16), w, values(32).astype("float64"))):
        assert row_product(x, y, bias) is NotImplemented


def test_nan_and_infinity_reach_their_columns_alone():
    x, w = np.ones((1, 20), "float32"), np.ones((20, 70), "float32")
    w[3, 5], w[19, 69] = np.nan, -np.inf
    found = row_product(x, w, None)[0]
    assert np.isnan(found[5]) and found[69] == -np.inf and (np.delete(found, [5, 69]) == 20).all()
