"""The forms that take and put elements along a dimension: what their kernels give, or left to these."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.array.take_along_axis import index_sample_op, put_along_op, take_along_op
from proa.ops.core import native

from .test_compiled_parts import DTYPES, _array, _same

pytestmark = [pytest.mark.filterwarnings("error"),
              pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")]


@pytest.mark.parametrize("dtype", DTYPES)
def test_taken_and_put(dtype):
    draw, computed = np.random.default_rng(1), 0
    for _ in range(150):
        shape = draw.integers(1, 5, draw.integers(1, 5))
        axis = int(draw.integers(len(shape)))
        sizes = [draw.integers(0, 6) if n == axis else draw.integers(0, size + 1) for n, size in enumerate(shape)]
        x, index = _array(draw, shape, dtype), draw.integers(-shape[axis], shape[axis], sizes)
        assert _same(take_along_op, x, index, Axis=axis - len(shape) * int(draw.integers(2)))
        for value in (_array(draw, sizes, dtype), _array(draw, (1,) * int(draw.integers(0, 3)), dtype)):
            computed += _same(put_along_op, x, index, value, Axis=axis)
        if len(shape) == 2:
            rows = draw.integers(0, shape[1], (shape[0], 3))
            assert _same(index_sample_op, x, rows)
    assert computed > 250


def test_what_is_left_to_the_kernel():
    x, index = np.zeros((3, 4), "float32"), np.zeros((3, 2), "int64")
    one = np.ones((1, 1), "float32")
    assert not _same(put_along_op, x, index, one, Axis=1, Reduce="add")
    assert not _same(put_along_op, x, index, one.astype("float64"), Axis=1)
    assert not _same(put_along_op, x, index, np.ones((1, 2), "float32"), Axis=1)
    assert not _same(take_along_op, x, index.astype("int32"), Axis=1)
    assert not _same(take_along_op, x.T, index[:2], Axis=1)


@pytest.mark.parametrize("place", [4, -5])
def test_places_out_of_range_are_told(place):
    x, index = paddle.zeros([3, 4]), paddle.full([3, 1], place, "int64")
    with pytest.raises((IndexError, ValueError), match="index|range"):
        paddle.take_along_axis(x, index, 1)
    with pytest.raises((IndexError, ValueError), match="index|range"):
        paddle.put_along_axis(x, index, 1.0, 1)
