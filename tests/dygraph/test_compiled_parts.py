"""The forms that put values into copies, by ranges, rows and masks: what their kernels give, or left to these."""

import numpy as np
import proa as paddle
import pytest
from proa.ops.array.gather import index_add_op, put_at_op, scatter_nd_add_op
from proa.ops.array.slices import set_value_op
from proa.ops.array.triangles import tril_triu_op
from proa.ops.array.where import index_put_op
from proa.ops.core import native

pytestmark = [pytest.mark.filterwarnings("error"),
              pytest.mark.skipif(native.module is None, reason=f"the compiled form is not in use: {native.obstacle}")]

DTYPES = ["float32", "float64", "int64", "int32", "bool", "uint8", "int16", "float16", "complex64", "complex128"]


class Declined(Exception):
    """Raised where a form leaves the work to the kernel."""


def _decline(*_, **__):
    raise Declined


def _same(op, *inputs, exact=True, **attrs):
    """Whether the form computes; then it gives what the kernel gives, and leaves its inputs as they are."""
    before = [np.copy(x) for x in inputs if isinstance(x, np.ndarray)]
    try:
        found = native.module.form(op.compiled, _decline, False, np)(np, *inputs, **attrs)
    except Declined:
        return False
    wanted = op.kernel(np, *inputs, **attrs)
    assert type(found) is np.ndarray and found.dtype is wanted.dtype and found.shape == wanted.shape
    assert found.flags.c_contiguous and found.flags.owndata
    assert found.tobytes() == wanted.tobytes() if exact else np.allclose(found, wanted, rtol=1e-5, atol=1e-5)
    after = [x for x in inputs if isinstance(x, np.ndarray)]
    assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))
    return True


def _array(draw, shape, dtype):
    return np.asarray(draw.integers(-9, 9, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_ranges(dtype):
    draw, computed = np.random.default_rng(0), 0
    for _ in range(150):
        shape = tuple(draw.integers(0, 5, draw.integers(0, 4)).tolist())
        x, ranges, part = _array(draw, shape, dtype), [], list(shape)
        for axis in draw.permutation(len(shape))[:draw.integers(0, 4)].tolist():
            start, end = draw.integers(-7, 7, 2).tolist()
            if drops := bool(draw.random() < 0.3 and shape[axis]):
                start %= shape[axis]
            step = int(draw.integers(1, 4))
            part[axis] = None if drops else len(range(shape[axis])[start:end:step])
            ranges.append((axis, start, start + 1 if drops else end, 1 if drops else step, drops))
        left = [size for size in part if size is not None]
        sizes = [1 if draw.random() < 0.3 else size for size in left][draw.integers(0, len(left) + 1):]
        columns = [list(column) for column in zip(*ranges, strict=True)] or [[]] * 5
        attrs = dict(zip(("axes", "starts", "ends", "steps"), columns, strict=False), dtype=None,
                     decrease_axes=[axis for axis, *_, drops in ranges if drops])
        assert _same(set_value_op, x, _array(draw, sizes, dtype), None, None, None, **attrs)
        computed += x.size > 0
    assert computed > 50


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_and_masks(dtype):
    draw = np.random.default_rng(0)
    for shape in ((5,), (4, 3), (4, 1, 3), (4, 2, 0), (3, 2, 2, 2)):
        x = _array(draw, shape, dtype)
        for places in ((3,), (0,), (2, 3), (1,)):
            index = np.asarray(draw.integers(-shape[0], shape[0], places))
            for sizes in ((), shape[1:], (*places, *shape[1:])):
                assert _same(index_put_op, x, [index], _array(draw, sizes, dtype)) or not x.size
        for depth in range(1, len(shape) + 1):
            mask = np.asarray(draw.random(shape[:depth]) < 0.5)
            assert _same(index_put_op, x, [mask], _array(draw, (), dtype), accumulate=False)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32"])
def test_rows_added(dtype):
    draw = np.random.default_rng(0)
    for shape, places in (((5,), 7), ((4, 3), 30), ((2, 3, 5), 4), ((3, 4), 0), ((3, 0), 2), ((30, 40), 200)):
        x, index = _array(draw, shape, dtype), draw.integers(-shape[0], shape[0], places)
        rows = _array(draw, (places, *shape[1:]), dtype)
        for factor in (1, 7) if dtype.startswith("float") else (1,):
            x, rows, exact = (x / factor).astype(dtype), (rows / factor).astype(dtype), factor == 1
            for axis in (0, -len(shape)):
                assert _same(put_at_op, x, index, rows, None, axis=axis, exact=exact)
                assert _same(index_add_op, x, index, rows, axis=axis, exact=exact)
            assert _same(scatter_nd_add_op, x, index[:, None], rows, exact=exact)


@pytest.mark.parametrize("dtype", DTYPES)
def test_triangles(dtype):
    draw = np.random.default_rng(0)
    for shape in ((4, 4), (3, 5), (5, 2), (2, 3, 3), (1, 1)):
        for diagonal in range(-6, 7):
            for lower in (True, False):
                assert _same(tril_triu_op, _array(draw, shape, dtype), diagonal=diagonal, lower=lower)
    assert not _same(tril_triu_op, np.ones((3, 3), dtype).T[::-1], diagonal=0, lower=True)
    assert not _same(tril_triu_op, np.ones((3, 0), dtype), diagonal=0, lower=True)


def test_what_of_sums_is_left_to_the_kernels():
    x, index, rows = np.zeros((4, 3), "float32"), np.array([1, 3]), np.ones((2, 3), "float32")
    for inputs in ((x.T.copy().T, index, rows), (x, index[None], rows), (x, index.astype("int32"), rows),
                   (x, index, rows[:1]), (x, index, rows.astype("d")), (x, index + 1, rows), (x, index - 6, rows),
                   (x.astype("float16"), index, rows.astype("float16")), (x, index, rows[:, :1].copy())):
        assert not _same(index_add_op, *inputs, axis=0)
    assert not _same(index_add_op, x, index, np.ones((4, 2), "float32"), axis=1)
    assert not _same(put_at_op, x, index, rows, np.array(0), axis=0)
    assert not _same(scatter_nd_add_op, x, np.array([[1, 0]]), np.ones(1, "float32"))


def test_what_is_left_to_the_kernels():
    x, one = np.zeros((4, 3), "float32"), np.ones((), "float32")
    ranges = {"axes": [0], "starts": [1], "ends": [3], "steps": [1]}
    for value, changed in ((np.ones((3, 2), "float32"), {}), (np.ones((1, 2, 3), "float32"), {}), (one.astype("d"), {}),
                           (one, {"steps": [-1]}), (one, {"axes": [2]}), (one, {"none_axes": [0]}),
                           (one, {"starts": [4], "decrease_axes": [0]}), (np.ones((2, 6), "float32")[:, ::2], {})):
        assert not _same(set_value_op, x, value, **{**ranges, **changed})
    assert not _same(set_value_op, x.T, one, **ranges) and not _same(set_value_op, x, one, [one], **ranges)
    rows, mask = np.array([1, 2]), np.array([True, False, True, False])
    for indices, value in (([np.array([4])], one), ([np.array([-5])], one), ([rows, rows], one), ([rows[::-1]], one),
                           ([rows.astype("int32")], one), ([rows], one.astype("d")),
                           ([rows], np.ones((2, 1), "float32")), ([mask[:3]], one),
                           ([mask], np.ones((2, 3), "float32")), ([mask], np.ones(1, "float32")),
                           ([np.array(True)], one), ([np.array(1)], one), ([], one)):
        assert not _same(index_put_op, x, indices, value)
    assert not _same(index_put_op, x, [rows], one, accumulate=True)


def test_values_are_set_by_the_forms_and_gradients_pass():
    for op in (set_value_op, index_put_op):
        choice = op.kernels.of_dtype[np.dtype("float32")]
        assert type(choice.kernel) is native.module.Form
    x, part = paddle.ones([4, 3]), paddle.full([3], 5.0)
    x.stop_gradient = part.stop_gradient = False
    y = x * 2.0
    y[1:3] = part
    y[paddle.to_tensor([0])] = 7.0
    (y * y).sum().backward()
    assert x.grad.tolist() == [[0] * 3, [0] * 3, [0] * 3, [8] * 3] and part.grad.tolist() == [20] * 3
    with pytest.raises(IndexError):
        y[paddle.to_tensor([4])] = 1.0
