"""dropout and embedding as loops."""

import numpy as np
import proa as paddle
import pytest
from comparing import agree, needs_loops, normal
from proa.backend.kernels import embedding, row_updates
from proa.core.flags import flags_guard
from proa.ops.core.trace import apply
from proa.ops.nn.dropout import DOWNGRADE, UPSCALE, dropout_op

pytestmark = needs_loops


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("implementation", [UPSCALE, DOWNGRADE])
@pytest.mark.parametrize("probability", [0.0, 0.3, 1.0])
def test_dropout_draws_what_numpy_draws(probability, implementation, dtype):
    x = normal(70, 33, dtype=dtype)
    x[3, 4], x[5, 6] = np.nan, np.inf
    found = []
    for engines in "loops", "":
        with flags_guard({"FLAGS_cpu_engines": engines}), np.errstate(invalid="ignore"):
            paddle.seed(7)
            out, mask = apply(dropout_op, paddle.to_tensor(x), None, dropout_prob=probability,
                                               dropout_implementation=implementation)
            found.append((out.numpy(), mask.numpy(), paddle.rand([3]).numpy()))
    for one, other in zip(*found, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


TABLE = normal(50, 40)


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize("shape", [(30,), (5, 9), (2, 3, 40)])
@pytest.mark.parametrize("padding", [-1, 3])
def test_lookup_and_its_gradient(shape, dtype, padding):
    ids = np.random.default_rng(0).integers(0, 50, shape).astype(dtype)
    ids.flat[::7] = 3
    embedding._lookup.typed(embedding._INTEGERS[ids.dtype], "f32*", "f32*", *embedding._NUMBERS)  # not made for few
    agree("lookup_table_v2", embedding.lookup, ids, TABLE, padding_idx=padding)
    g = normal(*shape, 40, seed=1)
    agree("lookup_table_backward", embedding.lookup_grad, ids, g, shape=[50, 40], padding_idx=padding, atol=1e-5)
    agree("lookup_table_backward", embedding.lookup_grad, ids, np.broadcast_to(np.float32(2), g.shape), shape=[50, 40],
          padding_idx=padding)


@pytest.mark.parametrize("wrong", [50, -2, -1])
def test_numbers_out_of_range_are_left_to_the_kernel_that_tells(wrong):
    ids = np.zeros(100, "int64")
    ids[5] = wrong
    assert embedding.lookup(ids, TABLE) is NotImplemented
    assert embedding.lookup_grad(ids, normal(100, 40), shape=[50, 40]) is NotImplemented


@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_slices_along_the_first_dimension(dtype):
    x = normal(50, 4, 10)
    index = np.random.default_rng(0).integers(0, 50, 30).astype(dtype)
    embedding._lookup.typed(embedding._INTEGERS[index.dtype], "f32*", "f32*", *embedding._NUMBERS)  # not made for few
    agree("gather", embedding.taken, x, index, axis=0)
    index[3] = -1  # from the end: the kernel's
    assert embedding.taken(x, index) is NotImplemented
    np.testing.assert_array_equal(paddle.gather(paddle.to_tensor(x), paddle.to_tensor(index)).numpy(), x[index])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_of_a_parameter_are_updated(dtype):
    rows = np.random.default_rng(0).permutation(500)[:120]
    param, values = normal(500, 40).astype(dtype), normal(120, 40, seed=1).astype(dtype)
    rate = np.full(1, 0.3, dtype)
    row_updates._sgd.typed("i64*", *["f32*" if dtype == "float32" else "f64*"] * 3, "i64", "i64")  # not made for few
    expected = param.copy()
    expected[rows] -= rate * values
    seen = param.view()
    found = row_updates.sgd(param, rate, values, rows)
    np.testing.assert_array_equal(found, expected)
    assert (seen == normal(500, 40).astype(dtype)).all(), "what another view sees was changed"
    for wrong in (rows - 400, rows + 400):  # the kernel's, which tells
        assert row_updates.sgd(param, rate, values, wrong) is NotImplemented
    assert row_updates.sgd(param, rate, values.astype("float16"), rows) is NotImplemented
