"""The functions on arrays at OneFlow's top level against NumPy's, at once and in a global function."""

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.typing as tp
import pytest
from job_runs import run_in_job
from test_math_functions import check, check_slope

A = np.array([[1.5, -2.5, 0.25], [4.0, 0.5, -6.5]], "float32")
B = np.array([[2.0, 0.5, -0.75], [-1.5, 3.0, 6.5]], "float32")
CUBE = np.arange(24, dtype="float32").reshape(2, 3, 4)
IMAGE = np.arange(24, dtype="float32").reshape(1, 2, 3, 4)
PLACES = np.array([[0, 2], [1, 1]], "int32")
FLAGS = np.array([[1, 0, 3], [0, 0, 1]], "int32")


def _i(*numbers):
    return np.array(numbers, "int32")


CASES = [
    (lambda x: flow.reshape(x, [3, -1]), lambda x: x.reshape(3, 2), A),
    (lambda x, like: flow.reshape_like(x, like), lambda x, like: x.reshape(6), A, np.zeros(6, "float32")),
    (lambda x: flow.dynamic_reshape(x, (-1,)), lambda x: x.reshape(-1), A),
    (lambda x: flow.transpose(x, perm=(2, 0, -2)), lambda x: x.transpose(2, 0, 1), CUBE),
    (lambda x: flow.flatten(x, 1), lambda x: x.reshape(2, 12), CUBE),
    (lambda x: flow.squeeze(x, [0, -1]), lambda x: x.reshape(2, 3), A.reshape(1, 2, 3, 1)),
    (lambda x: flow.squeeze(x), lambda x: x.reshape(2, 3), A.reshape(1, 2, 3, 1)),
    (lambda x: flow.squeeze(x), lambda x: x, A),
    (lambda x: flow.expand_dims(x, -1), lambda x: x[..., None], A),
    (lambda x: flow.expand_dims(x, 1), lambda x: x[:, None], A),
    (lambda x: flow.expand(x, [2, 2, -1]), lambda x: np.broadcast_to(x, (2, 2, 3)), A[:1]),
    (lambda x, y: flow.broadcast_like(x, y, [0]), lambda x, y: x + y * 0, A[0], A),
    (lambda x, y: flow.broadcast_like(x, y, (1,)), lambda x, y: x[:, None] + y * 0, A[:, 0], A),
    (lambda x, y: flow.broadcast_like(x, y), lambda x, y: x + y * 0, A[:1], A),
    (lambda x: flow.identity(x), lambda x: x, A), (lambda x: flow.amp_white_identity(x), lambda x: x, A),
    (lambda x: flow.identity_n([x, x * 2])[1], lambda x: x * 2, A), (lambda x: flow.parallel_cast(x), lambda x: x, A),
    (lambda x: flow.cast_to_static_shape(x), lambda x: x, A),
    (lambda x, y: flow.concat([x, y], 1), lambda x, y: np.concatenate([x, y], 1), A, B),
    (lambda x, y: flow.concat(values=[x, y], axis=-2, max_dim_size=4), lambda x, y: np.concatenate([x, y]), A, B),
    (lambda x: flow.concat([x]), lambda x: x, A),
    (lambda x, y: flow.stack([x, y], -1), lambda x, y: np.stack([x, y], -1), A, B),
    (lambda x: flow.slice_v2(x, [(None, None, -1), (-1, 0, -2)]), lambda x: x[::-1, :0:-2], CUBE),
    (lambda x: flow.slice_v2(x, [(1, 2, 1)]), lambda x: x[1:2], CUBE),
    (lambda x: flow.slice(x, [0, 1], [None, 2]), lambda x: x[:, 1:3], A),
    (lambda x: flow.slice(x, (-2, -1), (1, -1)), lambda x: x[:1, 2:], A),
    (lambda x: flow.slice(x, [None, -2], [-1, 2]), lambda x: x[:, 1:], A),
    (lambda x, y: flow.slice_update(x, y, [(None, None, -1), (0, None, 2)]), lambda x, y: np.stack(
        [[y[1, 0], x[0, 1], y[1, 1]], [y[0, 0], x[1, 1], y[0, 1]]]), A, B[:, :2].copy()),
    (lambda x: flow.experimental.logical_slice(x, [(0, None, 1), (0, 3, 2)]), lambda x: x[:, ::2], A),
    (lambda x, n: flow.sync_dynamic_resize(x, n), lambda x, n: x[:1], A, _i(1)),
    (lambda x: flow.reverse(x, [1, -3]), lambda x: x[::-1, ::-1], CUBE),
    (lambda x: flow.reverse(x, 0), lambda x: x[::-1], A),
    (lambda x, i: flow.gather(x, i), lambda x, i: x[i], A, _i(1, 0, 1)),
    (lambda x, i: flow.gather(x, i, axis=-1), lambda x, i: x[:, i], A, PLACES),
    (lambda x, i: flow.gather(x, i, axis=1), lambda x, i: x[:, i], A, _i([2], [0])),
    (lambda x, i: flow.gather(x, i, batch_dims=1), lambda x, i: np.take_along_axis(x, i[..., None], 1), CUBE, PLACES),
    (lambda x, i: flow.gather(x, i, axis=2, batch_dims=2), lambda x, i: np.take_along_axis(x, i[..., None], 1), CUBE,
     PLACES),
    (lambda x, i: flow.gather(x, i, axis=1, batch_dims=1), lambda x, i: np.take_along_axis(x, i, 1), A, PLACES),
    (lambda x, i: flow.gather_nd(x, i), lambda x, i: x[i[:, 0], i[:, 1]], A, _i([1, 2], [0, 0])),
    (lambda x, i: flow.dim_gather(x, 1, i), lambda x, i: np.take_along_axis(x, i, 1), A, PLACES),
    (lambda i, u: flow.scatter_nd(i, u, [4]), lambda i, u: np.array([0.0, 3, 0, 3]), _i([1], [3], [1]),
     np.array([1, 3, 2], "float32")),
    (lambda x, i, u: flow.tensor_scatter_nd_update(x, i, u), lambda x, i, u: np.stack([x[0], u[0]]), A, _i([1]), B[:1]),
    (lambda x, i, u: flow.tensor_scatter_nd_update(x, i, u), lambda x, i, u: np.array([[x[0, 0], 9, x[0, 2]], x[1]]), A,
     _i([0, 1]), np.array([9], "float32")),
    (lambda x, i, u: flow.tensor_scatter_nd_add(x, i, u), lambda x, i, u: np.stack([x[0], x[1] + u[0] + u[1]]), A,
     _i([1], [1]), B),
    (lambda c: flow.argwhere(c), lambda c: np.argwhere(c).astype("int32"), FLAGS),
    (lambda c: flow.where(c), lambda c: np.argwhere(c).astype("int32"), FLAGS),
    (lambda c: flow.argwhere(c, flow.int64), np.argwhere, FLAGS),
    (lambda c: flow.nonzero(c), lambda c: np.array(np.nonzero(c), "int32"), FLAGS),
    (lambda x, y, c: flow.where(c, x, y), lambda x, y, c: np.where(c, x, y), A, B, FLAGS),
    (lambda x, c, y: flow.where(c, x, y), lambda x, c, y: np.where(c, x, y), A, FLAGS[:1], B[:, :1]),
    (lambda x, c: flow.masked_fill(x, c, 7), lambda x, c: np.where(c, 7, x), A, FLAGS.astype("int8")),
    (lambda x: flow.sort(x), lambda x: np.sort(x), A),
    (lambda x: flow.sort(x, 0, "DESCENDING"), lambda x: -np.sort(-x, 0), A),
    (lambda x: flow.argsort(x), lambda x: np.argsort(x).astype("int32"), A),
    (lambda x: flow.argsort(x, axis=0, direction="DESCENDING"), lambda x: np.argsort(-x, 0).astype("int32"), A),
    (lambda x: flow.pad(x, [(1, 0), (0, 2)], 5), lambda x: np.pad(x, [(1, 0), (0, 2)], constant_values=5), A),
    (lambda x: flow.pad_grad(x, [(1, 0), (0, 2)]), lambda x: x[1:, :1], A),
    (lambda x: flow.reflection_pad2d(x, [1, 2, 1, 0]),
     lambda x: np.pad(x, [(0, 0), (0, 0), (1, 0), (1, 2)], "reflect"), IMAGE),
    (lambda x: flow.replication_pad2d(x, 2), lambda x: np.pad(x, [(0, 0), (0, 0), (2, 2), (2, 2)], "edge"), IMAGE),
    (lambda x: flow.constant_pad2d(x, (1, 0, 0, 2), 3), lambda x: np.pad(
        x, [(0, 0), (0, 0), (0, 2), (1, 0)], constant_values=3), IMAGE),
    (lambda x: flow.zero_pad2d(x, 1), lambda x: np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)]), IMAGE),
    (lambda x: flow.same_padding(x, "same_lower", "NCHW", [3, 2], [2, 1], [1, 1]), lambda x: np.pad(
        x, [(0, 0), (0, 0), (1, 1), (1, 0)]), IMAGE),
    (lambda x: flow.same_padding(x, "SAME_UPPER", "NHWC", [2, 2], [1, 2], [2, 1]), lambda x: np.pad(
        x, [(0, 0), (1, 1), (0, 1), (0, 0)]), IMAGE),
    (lambda: flow.constant(2.5, flow.float32, [2]), lambda: np.full(2, 2.5)),
    (lambda: flow.constant(3, flow.int32), lambda: np.array(3, "int32")),
    (lambda: flow.constant_scalar(3, flow.int64), lambda: np.array([3])),
    (lambda x: flow.constant_like(x, 2), lambda x: x * 0 + 2, A), (lambda x: flow.ones_like(x), np.ones_like, A),
    (lambda x: flow.zeros_like(x, flow.int32), lambda x: np.zeros((2, 3), "int32"), A),
    (lambda: flow.zeros([2, 2]), lambda: np.zeros((2, 2))),
    (lambda: flow.ones((3,), flow.int32), lambda: np.ones(3, "int32")),
    (lambda: flow.range(4), lambda: np.arange(4)), (lambda: flow.range(1, 10, 3, flow.int32), lambda: _i(1, 4, 7)),
    (lambda: flow.range(0.5, 2, 0.5, flow.float32), lambda: np.array([0.5, 1, 1.5])),
    (lambda i: flow.one_hot(i, 3, dtype=flow.int32), lambda i: np.eye(3, dtype="int32")[i], PLACES),
    (lambda i: flow.one_hot(i, 2, dtype=flow.int64), lambda i: np.array([[0, 1], [0, 0]]), _i(1, 7)),
    (lambda i: flow.one_hot(i, 4, 5, -1, 0, flow.int32),
     lambda i: np.moveaxis(np.eye(4, dtype="int32")[i] * 6 - 1, -1, 0),
     PLACES),
    (lambda x: flow.elem_cnt(x), lambda x: _i(6), A), (lambda x: flow.diag(x, 1), lambda x: np.diag(x, 1), A[0]),
    (lambda x: flow.diag(x, -1), lambda x: np.diag(x, -1), A),
    (lambda x: flow.cast(x, flow.int32), lambda x: x.astype("int32"), A),
    (lambda x, y: flow.matmul(x, y, transpose_b=True), lambda x, y: x @ y.T, A, B),
    (lambda x, y: flow.linalg.matmul(x, y, transpose_a=True, alpha=2),
     lambda x, y: 2 * x.swapaxes(1, 2) @ y, CUBE, CUBE),
    (lambda x, y: flow.matmul(x, y), lambda x, y: x @ y, CUBE, CUBE[0].T.copy()),
    (lambda x: flow.experimental.square_sum(x), lambda x: (x * x).sum().reshape(1), A),
    (lambda x: flow.image.crop_mirror_normalize(x, None, "GRAY", "NHWC", 1, 2, 0, 1, [3.0], [2.0]),
     lambda x: (x[:, :1, 2:] - 3) / 2, IMAGE.reshape(2, 3, 4, 1)),
    (lambda x, flip: flow.image.CropMirrorNormalize(x, flip, mean=[1, 2, 3], std=[1, 2, 4]),
     lambda x, flip: np.moveaxis(
        (np.stack([x[0], x[1, :, ::-1]]) - np.array([1, 2, 3])) / np.array([1, 2, 4]), 3, 1),
     np.arange(24, dtype="float32").reshape(2, 2, 2, 3), np.array([0, 1], "int8")),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_values(number):
    check(*CASES[number])


@pytest.mark.parametrize("number", range(len(CASES)))
def test_slopes(number):
    check_slope(CASES[number][0], *CASES[number][2:])


def test_assign_changes_a_variable_for_the_calls_that_follow():
    @flow.global_function()
    def counts(x: tp.Numpy.Placeholder((2,))) -> tp.Numpy:
        total = flow.get_variable("assign_total", (2,), initializer=flow.zeros_initializer(), trainable=False)
        flow.assign(total, total + x)
        return flow.identity(total)

    step = np.array([1, 2], "float32")
    assert [counts(step).tolist() for _ in range(3)] == [[1, 2], [2, 4], [3, 6]]


def test_part_of_a_variable_is_assigned():
    @flow.global_function()
    def changed(x: tp.Numpy.Placeholder((2,))) -> tp.Numpy:
        table = flow.get_variable("assign_part", (4,), initializer=flow.ones_initializer(), trainable=False)
        flow.experimental.logical_slice_assign(table, x, [(0, None, 2)])
        return flow.identity(table)

    assert changed(np.array([5, 6], "float32")).tolist() == [5, 1, 6, 1]


def test_random_values_in_a_job():
    rows = np.arange(40, dtype="float32").reshape(20, 2)
    shuffled = run_in_job(lambda x: flow.random.shuffle(x), rows)
    assert sorted(shuffled.tolist()) == rows.tolist() and shuffled.tolist() != rows.tolist()
    order = run_in_job(lambda x: flow.random.generate_random_batch_permutation_indices(x), rows)
    assert order.dtype == "int32" and sorted(order.tolist()) == list(range(20))
    flips = run_in_job(lambda: flow.random.coin_flip(500, probability=0.25))
    assert flips.dtype == "int8" and 60 < flips.sum() < 190
    drawn = run_in_job(lambda x: flow.random.bernoulli(x, dtype=flow.int32), np.array([0.0, 1.0], "float32"))
    assert drawn.dtype == "int32" and drawn.tolist() == [0, 1]
    assert flow.random.gen_seed(5) == (5, True) and flow.random.gen_seed()[0] != flow.random.gen_seed()[0]


@pytest.mark.parametrize("call, words", [
    (lambda x: flow.reshape(x, [0, 6]), "one of which may be -1"), (lambda x: flow.transpose(x), "perm must be"),
    (lambda x: flow.slice(x, [0], [1]), "one for each"), (lambda x: flow.slice(x, [0, 3], [1, 1]), "begin must lie in"),
    (lambda x: flow.slice_v2(x, [(0, 1)]), "triple"), (lambda x: flow.slice_v2(x, [(5, None, 1)]), "of size 2"),
    (lambda x: flow.concat([x, x], max_dim_size=3), "must hold what is joined, 4"),
    (lambda x: flow.concat(), "give a list"),
    (lambda x: flow.one_hot(x, 3), "dtype"), (lambda x: flow.constant(1), "give a number and its dtype"),
    (lambda x: flow.sort(x, direction="UP"), "'ASCENDING' or 'DESCENDING'. Received 'UP'"),
    (lambda x: flow.pad(x, [1, 2]), "a pair"), (lambda x: flow.squeeze(x, [0]), "must have size 1"),
    (lambda x: flow.range(3, 1), "limit must be above start"), (lambda x: flow.where(x, x), "both x and y"),
    (lambda x: flow.gather(x, x, axis=0, batch_dims=1), "first dimension behind the rows"),
    (lambda x: flow.matmul(x, x[0]), "two dimensions"), (lambda x: flow.image.crop_mirror_normalize(x), "one size"),
])
def test_mistakes_are_told(call, words):
    with pytest.raises((TypeError, ValueError, NotImplementedError), match=words):
        call(paddle.to_tensor(A))
