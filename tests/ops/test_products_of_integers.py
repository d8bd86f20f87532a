"""Products of integers are exact, whichever way they are computed; products of depth 1 are those of elements."""

import numpy as np
import pytest
from proa.backend import onednn
from proa.ops.linalg.matrix_product import matmul_op


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
@pytest.mark.parametrize("largest", [3, 200, 1 << 30])
def test_integers(dtype, largest):
    random = np.random.default_rng(0)
    largest = min(largest, int(np.iinfo(dtype).max))
    low = 0 if dtype == "uint8" else -largest
    x, y = (random.integers(low, largest, shape).astype(dtype) for shape in ((3, 20, 40), (40, 30)))
    found = matmul_op.kernel(np, x, y)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.matmul(x, y))  # beyond the dtype's range both go round


def test_the_least_integer():
    x = np.full((40, 40), np.iinfo("int64").min)
    np.testing.assert_array_equal(matmul_op.kernel(np, x, x), np.matmul(x, x))
    np.testing.assert_array_equal(matmul_op.kernel(np, x[:, :0], x[:0]), np.zeros((40, 40), "int64"))


@pytest.mark.parametrize("shapes", [((300, 1), (1, 400)), ((5, 30, 1), (1, 20)), ((5, 1, 30, 1), (3, 1, 20))])
def test_a_depth_of_one(shapes):
    x, y = (np.random.default_rng(0).normal(size=shape).astype("float32") for shape in shapes)
    np.testing.assert_array_equal(matmul_op.kernel(np, x, y), np.matmul(x, y))
    if onednn.is_ready():
        assert matmul_op.kernels.declared[0].kernel(x, y) is NotImplemented
