"""Elements taken from places along a dimension and added to them, as loops."""

import numpy as np
import proa as paddle
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import places
from proa.ops.core.operator import find
from proa.ops.graph import messages, segments

pytestmark = needs_loops
X = normal(7, 33, 70)


def index(size, *shape, dtype="int64", low=0):
    return np.random.default_rng(3).integers(low, size, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "bool"])
@pytest.mark.parametrize("axis", [0, 1, 2, -2])
def test_slices_at_positions_along_any_dimension(axis, dtype):
    at = index(X.shape[axis], 50, dtype="int32" if axis else "int64", low=-X.shape[axis])
    agree("index_select", lambda x, at, *, dim: places.taken(x, at, dim), X.astype(dtype), at, dim=axis)
    agree("index_select", lambda x, at, *, dim: places.taken(x, at, dim), X.astype(dtype)[:, ::-1], at, dim=axis)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_slices_are_added_up_at_positions(axis, dtype):
    at = index(X.shape[axis], 50, low=-X.shape[axis])
    updates = normal(*X.shape[:axis], 50, *X.shape[axis + 1:], seed=1, dtype=dtype)
    x = X.astype(dtype)
    agree("index_add_along", lambda x, at, updates, *, axis: places.added(x, at, updates, axis), x, at, updates,
          axis=axis, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(x, X.astype(dtype))  # what the operator is given stays as it is


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
def test_rows_that_are_scattered_twice_are_sums(dtype):
    x, at, updates = normal(40, 16).astype(dtype), index(40, 500), (normal(500, 16, seed=1) * 9).astype(dtype)
    wanted = x.copy()
    wanted[at] = 0
    np.add.at(wanted, at, updates)
    kernel = find("scatter").kernel
    np.testing.assert_allclose(kernel(np, x, at, updates, overwrite=False), wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(x, normal(40, 16).astype(dtype))


@pytest.mark.parametrize("pooltype", ["SUM", "MEAN", "MAX", "MIN"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_segments_and_messages_are_reduced(dtype, pooltype):
    x, at = normal(500, 5, 9).astype(dtype), index(40, 500)
    x[3, 1, 2], x[4, 1, 2], x[5, 0] = np.nan, -np.inf, np.inf
    at[at == 7] = 8
    places_of = {"rtol": 1e-5, "atol": 2e-5}
    agree("segment_pool", segments._segment_pool_by_loops, x, np.sort(at), pooltype=pooltype, **places_of)
    for kind in ("int32", "int64"):
        source, target = index(500, 300, dtype=kind), index(60, 300, dtype=kind)
        agree("graph_send_recv", messages._send_recv_by_loops, x, source, target, None, reduce_op=pooltype,
              out_size=[60], **places_of)
        agree("graph_send_ue_recv", messages._send_ue_by_loops, x, normal(300, 1, 9, seed=2).astype(dtype), source,
              target, None, message_op="MUL", reduce_op=pooltype, out_size=[60], **places_of)


def test_numbers_of_rows_that_are_not_there_are_left_to_the_kernels():
    x, source = normal(500, 9), index(500, 300)
    for wrong in (-1, 500):
        target = index(500, 300)
        target[7] = wrong
        assert messages._send_recv_by_loops(x, source, target) is NotImplemented
        assert messages._send_recv_by_loops(x, target, source) is NotImplemented
    assert segments._segment_pool_by_loops(x, -np.ones(500, "int64")) is NotImplemented
    assert segments._segment_pool_by_loops(x, np.arange(500)[::-1]) is NotImplemented
    assert places.added_by_coordinates(x, target[:, None], normal(300, 9)) is NotImplemented
    assert places.extremes_of_rows(x[:300], target, 500, True) is NotImplemented


@pytest.mark.parametrize("shape", [(40, 30), (40, 5, 8), (4, 10, 30)])
def test_updates_are_added_at_coordinates(shape):
    x, depth = normal(*shape), 2 if shape[0] == 4 else 1
    at = np.stack([index(shape[n], 9, 100, low=-shape[n]) for n in range(depth)], -1)
    agree("scatter_nd_add", places.added_by_coordinates, x, at, normal(9, 100, *shape[depth:], seed=2),
          rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_each_element_at_its_own_place(axis):
    shape = [*X.shape]
    shape[axis] = 9
    at = index(X.shape[axis], *shape, low=-X.shape[axis])
    agree("take_along_axis", places.taken_along, X, at, Axis=axis)
    agree("put_along_axis", places.put_along, X, at, normal(*shape, seed=1), Axis=axis, Reduce="add",
          rtol=1e-5, atol=1e-5)
    for dtype in ("float32", "int64", "bool"):  # the last of several for one place stays
        agree("put_along_axis", places.put_along, X.astype(dtype), at, normal(*shape, seed=1).astype(dtype), Axis=axis)


@pytest.mark.parametrize("channels", [1, 5])
def test_positions_in_channels(channels):
    x, at = normal(3, 5, 8, 9), index(72, 3, channels, 20, 10)
    agree("take_positions", places.taken_in_channels, x, at)
    agree("put_positions", places.added_in_channels, normal(3, 5, 20, 10), at, size=[8, 9], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("wrong", [33, -34])
def test_a_place_outside_is_left_to_the_kernel_that_tells(wrong):
    at = np.zeros(100, "int64")
    at[60] = wrong
    assert places.taken(X, at, 1) is NotImplemented
    assert places.added(X, at, normal(7, 100, 70), 1) is NotImplemented
    assert places.taken_along(X, np.broadcast_to(at[:, None], (7, 100, 70)), Axis=1) is NotImplemented
    assert places.added_by_coordinates(X[0], at[:, None], normal(100, 70)) is NotImplemented
    with pytest.raises(IndexError):
        paddle.index_select(paddle.to_tensor(X), paddle.to_tensor(at), 1)


def test_what_loops_are_not_for():
    at = index(7, 500)
    assert places.taken(X.astype("float16"), at, 0) is NotImplemented
    assert places.added(X.astype("int64"), at, normal(500, 33, 70).astype("int64"), 0) is NotImplemented
    assert places.added(X, at, normal(500, 33, 70, dtype="float64"), 0) is NotImplemented
    assert places.put_along(X, index(7, 9, 33, 70), normal(9, 33, 70), Axis=0, Reduce="amax") is NotImplemented
    assert places.put_along(X, index(7, 9, 33, 70), normal(9, 33, 70).astype("f8"), Axis=0) is NotImplemented
    assert places.taken_along(X, index(7, 9, 33, 8), Axis=0) is NotImplemented
