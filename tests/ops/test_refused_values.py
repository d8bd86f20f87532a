"""Arguments and values that would give nonsense in silence: refused, with what is wanted."""

import re

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest

X = [[1.0, 2.0, 4.0], [3.0, 1.0, 0.0]]
REFUSED = [
    ("frequencies below 0", lambda x: paddle.linalg.cov(x, fweights=paddle.to_tensor([1, -1, 2])), ValueError,
     "fweights=...): must not be negative"),
    ("weights below 0", lambda x: paddle.linalg.cov(x, aweights=paddle.to_tensor([1.0, -1.0, 2.0])), ValueError,
     "aweights=...): must not be negative"),
    ("places as floats", lambda x: paddle.cummax(x, 0, dtype="float32"), ValueError, "int32 or int64"),
    ("places as int8", lambda x: paddle.cummin(x, 0, dtype="int8"), ValueError, "int32 or int64"),
    ("an unknown way of distances", lambda x: paddle.cdist(x, x, compute_mode="fast"), ValueError, "compute_mode"),
    ("a digit as a dimension", lambda x: paddle.einsum("a1", x), ValueError, "named by letters"),
    ("a row of signs", lambda x: F.cosine_embedding_loss(x, x, paddle.to_tensor([[1, -1]])), ValueError,
     "a sign for each row"),
    ("a variance below 0", lambda x: F.gaussian_nll_loss(x, x, -x), ValueError, "must not be negative"),
    ("parents of another shape", lambda x: F.gather_tree(paddle.zeros([2, 1, 2], "int64"),
                                                         paddle.zeros([2, 1, 1], "int64")), ValueError, "same shape"),
    ("no temperature", lambda x: F.gumbel_softmax(x, temperature=0), ValueError, "above 0"),
    ("a mask of integers", lambda x: paddle.masked_select(x, paddle.to_tensor([[0, 1, 1], [1, 0, 0]])), TypeError,
     "mask must be bool"),
    ("a text as an axis", lambda x: paddle.argmax(x, axis="rows"), TypeError, "must be whole numbers"),
    ("a size below -1", lambda x: paddle.crop(x, [1, -2]), ValueError, "must not be negative"),
    ("a real tensor's imaginary part", paddle.imag, TypeError, "must be complex"),
    ("more than all channels", lambda x: F.temporal_shift(paddle.ones([2, 4, 1, 1]), 2, 0.6), ValueError,
     "in (0, 0.5]"),
    ("nothing as what fills", lambda x: paddle.masked_fill(x, x > 1, None), TypeError, "masked_fill(value)"),
    ("nothing as an item", lambda x: x.clone().__setitem__(x > 1, None), TypeError, "a number or a tensor"),
    ("nothing at places", lambda x: paddle.index_put(x, [paddle.to_tensor([0])], None), TypeError, "index_put(value)"),
    ("full of nothing", lambda x: paddle.full_like(x, None), TypeError, "full_like(fill_value)"),
    ("a range to nothing", lambda x: paddle.linspace(0, None, 3), TypeError, "Received None"),
    ("complex numbers along an axis", lambda x: paddle.put_along_axis(x, paddle.to_tensor([[0]]), 1j, 1), TypeError,
     "float32 cannot hold complex numbers"),
    ("complex updates", lambda x: paddle.scatter(x, paddle.to_tensor([0]), x[:1] * 1j), TypeError,
     "cannot hold complex"),
    ("complex sums", lambda x: paddle.scatter_nd_add(x, paddle.to_tensor([[0]]), x[:1] * 1j), TypeError,
     "cannot hold complex"),
    ("complex rows", lambda x: paddle.index_add(x, paddle.to_tensor([0]), 0, x[:1] * 1j), TypeError,
     "cannot hold complex"),
    ("a complex item", lambda x: x.clone().__setitem__(0, 1j), TypeError, "cannot hold complex"),
    ("a complex diagonal", lambda x: paddle.diagonal_scatter(x, x[0, :2] * 1j), TypeError, "cannot hold complex"),
    ("a complex slice", lambda x: paddle.select_scatter(x, x[0] * 1j, 0, 0), TypeError, "cannot hold complex"),
    ("full of a complex number", lambda x: paddle.full([2], 1j, "float32"), TypeError, "cannot hold complex"),
    ("negative padding of a convolution", lambda x: F.conv2d_transpose(x[None, None], paddle.ones([1, 1, 2, 2]),
                                                                       padding=-1), ValueError, "must not be negative"),
    ("negative padding of a layer", lambda x: paddle.nn.Conv2D(1, 1, 3, padding=-3), ValueError, "Conv2D(padding)"),
    ("negative padding of a row", lambda x: F.conv1d(x[None], paddle.ones([1, 2, 2]), padding=-1), ValueError,
     "conv1d: padding must not be negative"),
    ("negative padding of a pool", lambda x: F.max_pool2d(x[None], 2, padding=[-1, 0]), ValueError,
     "must not be negative"),
    ("negative padding of windows", lambda x: F.unfold(x[None, None], 2, paddings=-1), ValueError,
     "unfold: padding must not be negative"),
    ("division by what int32 does not hold", lambda x: x.astype("int32") // 2 ** 40, OverflowError,
     "int32 does not hold the number"),
    ("the same, converted", lambda x: paddle.jit.to_static(lambda a: a // 2 ** 40, full_graph=True)(x.astype("int32")),
     OverflowError, "int32 does not hold the number"),
    *((what, function, OverflowError, "does not hold the number") for what, function in (
        ("more bits added", lambda x: x.astype("int32") + 2 ** 40),
        ("more bits taken away", lambda x: x.astype("int32") - 2 ** 40),
        ("taken from more bits", lambda x: 2 ** 40 - x.astype("int32")),
        ("times more bits", lambda x: x.astype("uint8") * 2 ** 40),
        ("more bits than any", lambda x: x.astype("int64") + 2 ** 70),
        ("more bits, converted",
         lambda x: paddle.jit.to_static(lambda a: a + 2 ** 40, full_graph=True)(x.astype("int32"))))),
    ("one axis of two", lambda x: paddle.fft.fft2(x, axes=(0,)), ValueError, "two axes"),
    ("between whole numbers", lambda x: paddle.lerp(x.astype("int64"), x.astype("int64"), 0.5), TypeError,
     "whole numbers"),
    ("an integer divided by 0", lambda x: x.astype("int64") // paddle.to_tensor([[1, 0, 1]]), ZeroDivisionError,
     "0 at (0, 1) of shape [1, 3]"),
    ("what is left of it", lambda x: x.astype("int32") % 0, ZeroDivisionError, "Received y: 0, dtype int32"),
    ("an integer divided by 0, converted",
     lambda x: paddle.jit.to_static(lambda a: a // (a * 0), full_graph=True)(x.astype("int64")),
     ZeroDivisionError, "in the operation 'elementwise_floordiv'"),
    ("fewer numbers than none", lambda x: paddle.randn([-1]), ValueError, "gaussian_random(shape): sizes must"),
    ("fewer than none, evenly", lambda x: paddle.rand([2, -1]), ValueError, "uniform_random(shape): sizes must"),
    ("a condition of floats", lambda x: paddle.where(x, x, x), TypeError, "condition must be bool. Received dtype"),
    ("a condition of integers", lambda x: paddle.where(x.astype("int32"), x, x), ValueError, "condition != 0"),
    ("one tensor to stack", paddle.stack, TypeError, "stack(x, axis): must be a list or tuple of Tensors"),
    ("one tensor to concat", paddle.concat, TypeError, "concat(x, axis): must be a list or tuple of Tensors"),
    ("one tensor to broadcast", paddle.broadcast_tensors, TypeError, "must be a list or tuple of Tensors"),
    ("one matrix to multiply", paddle.linalg.multi_dot, TypeError, "must be a list or tuple of Tensors"),
    ("limits of truths", lambda x: paddle.clip(x > 1, 0, 1), TypeError, "real numbers. Received dtype bool"),
    ("limits of complex numbers", lambda x: paddle.clip(x + 1j, 0, 1), TypeError, "Received dtype complex64"),
    ("a text as a shape", lambda x: paddle.reshape(x, "6"), TypeError, "reshape: axes and sizes must be whole numbers"),
    ("a text as a size", lambda x: paddle.zeros("23"), TypeError, "zeros: axes and sizes must be whole numbers"),
    ("a text to flatten from", lambda x: x.flatten("0"), TypeError, "flatten: axes and sizes must be whole numbers"),
]


@pytest.mark.parametrize(("call", "error", "words"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=re.escape(words)):
        call(paddle.to_tensor(X))


ASSERTED = [
    lambda x: paddle.moveaxis(x, [0, 1], [0]),
    lambda x: paddle.linalg.householder_product(x, x[:, 0]),
    lambda x: paddle.cdist(x, x[:, :2]),
    lambda x: paddle.cdist(x, x, p=-1.0),
    lambda x: paddle.einsum("ijk", x),
    lambda x: paddle.einsum("ij,ij", x),
    lambda x: F.unfold(x, 2),
    lambda x: F.fold(x, [4, 5], 2),
    lambda x: F.unfold(x.reshape([1, 1, 2, 3]), [2, 2, 2]),
    lambda x: F.pad(x.reshape([1, 1, 2, 3]), [1, 1, 1, 1], mode="odd"),
    lambda x: paddle.nn.Softmax2D()(x),
    lambda x: paddle.nn.MultiHeadAttention(5, 2),
    lambda x: paddle.signal.stft(x, 4),
    lambda x: paddle.signal.stft(x, 2, 0),
    lambda x: paddle.signal.stft(x, 2, 1, 3),
    lambda x: paddle.signal.stft(x, 2, 1, window=paddle.ones([3])),
    lambda x: paddle.signal.istft(x.astype("complex64"), 2, 4),
    lambda x: F.dice_loss(x.reshape([2, 1, 3]), paddle.zeros([2, 1, 2], "int64")),
]


@pytest.mark.parametrize("call", ASSERTED)
def test_what_is_asserted_there_is_an_assertion_and_a_value_error(call):
    for error in (AssertionError, ValueError):
        with pytest.raises(error):
            call(paddle.to_tensor(X))


def test_a_fed_weight_below_0_is_not_asked_for():
    """Only the run knows it, so the Program is written as there."""
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        weights = paddle.static.data("weights", [3])
        out = paddle.linalg.cov(paddle.to_tensor(np.array(X)).astype("float32"), aweights=weights)
    found, = paddle.static.Executor().run(main, {"weights": np.ones(3, "float32")}, [out])
    assert np.allclose(found, np.cov(X))


def test_whole_numbers_have_no_nan():
    assert paddle.nan_to_num(paddle.to_tensor([3, -1])).tolist() == [3, -1]
