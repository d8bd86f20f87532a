"""oneDNN against NumPy's kernels, over shapes, orders in memory and element types; threads, forks, no library."""

import importlib.util
import os
import subprocess
import sys
import threading

import numpy as np
import proa as paddle
import pytest
from proa.backend import onednn
from proa.backend.onednn import conv_routines, finding, library, products, routine
from proa.core.flags import flags_guard
from proa.ops.core import native
from proa.ops.core.operator import find
from proa.ops.nn import conv_kernels, pool_kernels
from proa.ops.nn.pool import _completed
from proa.ops.nn.windows import geometry

pytestmark = pytest.mark.skipif(library.library() is None, reason="needs oneDNN: pip install onednn-cpu-gomp")


@pytest.fixture(autouse=True)
def without_panels():
    """Eager convolutions are oneDNN's."""
    with flags_guard({"FLAGS_cpu_engines": "onednn,loops"}):
        yield

RNG = np.random.default_rng(7)


def normal(*shape):
    return RNG.standard_normal(shape).astype("float32")


def last(a):
    """The array with its channels side by side."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 1, -1)), -1, 1)


ORDERS = {
    "plain": np.ascontiguousarray,
    "channels last": last,
    "every second": lambda a: np.repeat(a, 2, -1)[..., ::2],
    "reversed": lambda a: np.ascontiguousarray(a[..., ::-1])[..., ::-1],
}


def close(actual, expected, tolerance=1e-4):
    assert actual is not NotImplemented
    scale = max(1.0, float(np.abs(expected[np.isfinite(expected)]).max()))
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance * scale)


# convolution: images, filters, stride, padding, dilation, groups
CONVOLUTIONS = [
    ((2, 3, 9, 9), (4, 3, 3, 3), 1, (1, 1), 1, 1),
    ((2, 16, 9, 7), (8, 16, 3, 3), 2, (1, 1), 1, 1),
    ((3, 1, 12, 12), (6, 1, 5, 5), 1, (2, 2), 1, 1),
    ((2, 6, 14, 14), (16, 6, 5, 5), 1, (0, 0), 1, 1),
    ((2, 8, 9, 9), (8, 1, 3, 3), 1, (1, 1), 1, 8),
    ((2, 8, 9, 9), (16, 1, 3, 3), 2, (1, 1), 1, 8),
    ((2, 8, 9, 9), (12, 4, 3, 3), 1, (2, 2), 2, 2),
    ((2, 32, 8, 8), (32, 8, 3, 3), 1, (1, 1), 1, 4),
    ((2, 16, 5, 5), (24, 16, 1, 1), 1, (0, 0), 1, 1),
    ((2, 16, 5, 5), (24, 16, 2, 2), 2, (1, 0), 1, 1),
    ((2, 3, 8, 12), (6, 3, 2, 2), 2, (0, 0), 1, 1),  # windows side by side
    ((1, 5, 7, 9), (4, 5, 2, 2), 2, (0, 0), 1, 1),
    ((2, 16, 1, 1), (8, 16, 1, 1), 1, (0, 0), 1, 1),
    ((2, 5, 6, 6, 6), (7, 5, 3, 3, 3), 1, (1, 1), 1, 1),
    ((1, 64, 2, 2), (64, 64, 3, 3), 1, (1, 1), 1, 1),  # few windows: a product of matrices
    ((1, 64, 3, 3), (64, 64, 2, 2), 2, (1, 0), 1, 1),
    ((1, 64, 3, 2), (64, 64, 1, 1), 1, (0, 0), 1, 1),
    ((1, 16, 5, 5), (72, 16, 3, 3), 1, (1, 1), 2, 1),
    ((1, 4, 2, 3, 2), (96, 4, 2, 2, 2), 1, (0, 1), 1, 1),
]


@pytest.fixture(params=CONVOLUTIONS, ids=lambda c: f"{c[0]}-{c[1]}-s{c[2]}-p{c[3]}-d{c[4]}-g{c[5]}")
def conv(request):
    images, filters, stride, pad, dilation, groups = request.param
    rank = len(images) - 2
    geo = geometry("conv", images[2:], filters[2:], [stride] * rank, list(pad) * rank, [dilation] * rank)
    return normal(*images), normal(*filters), geo, groups


@pytest.mark.parametrize("order", ORDERS)
def test_convolution_and_its_gradients(conv, order):
    x, w, geo, groups = conv
    change, rest = ORDERS[order], (geo.strides, geo.pads, geo.dilations, groups)
    expected = conv_kernels.convolve(np, x, w, geo, groups)
    result = onednn.convolution(change(x), w, *rest)
    close(result, expected)
    assert np.moveaxis(result, 1, -1).flags.c_contiguous
    g = normal(*expected.shape)
    close(onednn.convolution_input_grad(change(g), w, geo.sizes, *rest),
          conv_kernels.convolve_back(np, g, w, geo, groups))
    result = onednn.convolution_filter_grad(change(x), change(g), geo.kernel, *rest)
    close(result, conv_kernels.correlate(np, x, g, geo, groups))
    assert result.flags.c_contiguous


def test_filters_in_another_order(conv):
    x, w, geo, groups = conv
    expected = conv_kernels.convolve(np, x, w, geo, groups)
    for change in ORDERS.values():
        close(onednn.convolution(x, change(w), geo.strides, geo.pads, geo.dilations, groups), expected)


@pytest.mark.parametrize("order", ["plain", "channels last"])
@pytest.mark.parametrize("kernel, count, channels", [((2, 2), 24, 24), ((2, 2), 24, 1), ((3, 4), 6, 5), ((1, 4), 8, 3)])
def test_the_transpose_with_windows_side_by_side(kernel, count, channels, order, monkeypatch):
    used, blocks = [], conv_routines._blocks
    monkeypatch.setattr(conv_routines, "_blocks", lambda *operands: used.append(blocks(*operands)) or used[-1])
    routine.forget()
    g, w = normal(2, count, 5, 6), normal(count, channels, *kernel)
    sizes = tuple(n * size for n, size in zip(g.shape[2:], kernel, strict=True))
    rest = (kernel, ((0, 0), (0, 0)), (1, 1))
    expected = np.einsum("nchw,coij->nohiwj", g, w).reshape(2, channels, *sizes)
    result = onednn.convolution_input_grad(ORDERS[order](g), w, sizes, *rest)
    close(result, expected, 1e-6)
    close(onednn.convolution_input_grad(g, last(w), sizes, *rest), expected, 1e-6)
    assert used and all(used)


@pytest.mark.parametrize("count", [4, 20, 24, 40])
@pytest.mark.parametrize("is_wide", [True, False])
def test_filters_that_would_leave_half_a_vector_empty(count, is_wide, monkeypatch):
    monkeypatch.setattr(conv_routines, "halves_wide_vectors", lambda: not is_wide)
    routine.forget()
    x, w, bias, scale = normal(2, 6, 9, 8), normal(count, 6, 3, 3), normal(count), normal(count)
    rest = ((1, 1), ((1, 1), (1, 1)), (1, 1))
    geo = geometry("conv", (9, 8), (3, 3), [1, 1], [1, 1], [1, 1])
    plain = conv_kernels.convolve(np, x, w, geo, 1)
    close(onednn.convolution(last(x), w, *rest), plain)
    residual = last(normal(*plain.shape))
    expected = np.maximum(plain * scale[:, None, None] + bias[:, None, None] + residual, 0)
    packed = onednn.pack_weight(w, x.shape, *rest, 1, scale)
    close(onednn.convolution(last(x), packed, *rest, 1, bias, residual, "relu"), expected)
    close(onednn.convolution(last(x), w, *rest, 1, bias, residual, "relu", scale=scale), expected)
    close(packed.unpacked(), w * scale[:, None, None, None])
    other = normal(1, 6, 14, 5)
    close(onednn.convolution(last(other), packed, *rest),
          onednn.convolution(last(other), w * scale[:, None, None, None], *rest))
    names = [step.plan.name for made in routine._routines.values() for step, _ in getattr(made, "steps", ())
             if "conv" in made.title or "packing" in made.title]
    assert is_wide or not any("conv" in name and "avx512" in name for name in names), names
    routine.forget()


@pytest.mark.parametrize("kernel", [3, 5])
def test_depthwise_filters_by_the_code_that_suits_them(kernel, monkeypatch):
    monkeypatch.setattr(conv_routines, "halves_wide_vectors", lambda: True)
    monkeypatch.setattr(conv_routines, "_AT_HAND", 2 * 40 * 9 * 8)
    routine.forget()
    w, bias, pad = normal(40, 1, kernel, kernel), normal(40), kernel // 2
    rest = ((1, 1), ((pad, pad), (pad, pad)), (1, 1))
    shapes = [(2, 40, 9, 8), (1, 40, 40, 30), (1, 40, 6, 7)]  # the second does not lie at hand
    for first in shapes:
        packed = onednn.pack_weight(w, first, *rest, 40)
        for shape in shapes:
            x, geo = normal(*shape), geometry("conv", shape[2:], (kernel, kernel), [1, 1], [pad, pad], [1, 1])
            expected = conv_kernels.convolve(np, x, w, geo, 40) + bias[:, None, None]
            close(onednn.convolution(last(x), w, *rest, 40, bias), expected)
            close(onednn.convolution(last(x), packed, *rest, 40, bias), expected)
            assert not packed.others
    routine.forget()


@pytest.mark.parametrize("is_scaled", [False, True])
@pytest.mark.parametrize("shape, groups", [((24, 8, 1, 1), 1), ((64, 64, 1, 1), 1), ((8, 3, 3, 3), 1),
                                           ((40, 1, 5, 5), 40), ((24, 4, 3, 3), 2)])
def test_numpy_packs_filters_as_onednn_does(shape, groups, is_scaled, monkeypatch):
    w, scale = normal(*shape), normal(shape[0]) if is_scaled else None
    pad = shape[2] // 2
    rest = ((1, 1), ((pad, pad), (pad, pad)), (1, 1))
    forms = {}
    for most in (0, w.size):
        monkeypatch.setattr(conv_routines.blocked, "MOST", most)
        routine.forget()
        forms[most] = onednn.pack_weight(w, (2, shape[1] * groups, 11, 13), *rest, groups, scale)
    by_onednn, by_numpy = forms.values()
    assert type(by_numpy) is onednn.PackedWeight and by_numpy.strides == by_onednn.strides
    assert by_numpy.data.tobytes() == by_onednn.data.tobytes()
    assert np.array_equal(by_numpy.unpacked(), w if scale is None else w * scale.reshape(-1, 1, 1, 1))
    routine.forget()


def test_images_in_turn_pack_a_filter_once_for_each_order(monkeypatch):
    """Sizes for which oneDNN wants filters in blocks of 48 and of 64, on processors where it does."""
    w, bias, scale = normal(512, 128, 1, 1), normal(512), normal(512)
    rest = ((1, 1), ((0, 0), (0, 0)), (1, 1))
    shapes = [(1, 128, 28, 28), (1, 128, 24, 32), (2, 128, 7, 7), (1, 128, 9, 9)]
    images = [last(normal(*shape)) for shape in shapes]
    expected = [np.einsum("nchw,oc->nohw", x, (w[:, :, 0, 0] * scale[:, None])) + bias[:, None, None] for x in images]
    packed = onednn.pack_weight(w, shapes[0], *rest, 1, scale)
    if packed is NotImplemented or not packed.release():
        pytest.skip("oneDNN has no form of its own for these filters here")
    unpacked = []
    monkeypatch.setattr(conv_routines.PackedWeight, "unpacked",
                        lambda self, made=conv_routines.PackedWeight.unpacked: unpacked.append(self) or made(self))
    for _ in range(3):
        for x, wanted in zip(images, expected, strict=True):
            close(onednn.convolution(x, packed, *rest, 1, bias), wanted)
            prepared = onednn.prepared_convolution(x, packed, *rest, 1, bias, None, None)
            close(prepared(x, None), wanted)
    assert len(unpacked) == len(packed.others)
    monkeypatch.setitem(onednn.convolution.__globals__, "_MOST_OTHERS", 0)  # the same numbers without others
    alone = onednn.pack_weight(w, shapes[0], *rest, 1, scale)
    for x, wanted in zip(images, expected, strict=True):
        close(onednn.convolution(x, alone, *rest, 1, bias), wanted)
    assert not alone.others


def test_what_follows_a_convolution(conv):
    x, w, geo, groups = conv
    rest = (geo.strides, geo.pads, geo.dilations, groups)
    bias = normal(w.shape[0])
    plain = conv_kernels.convolve(np, x, w, geo, groups) + bias.reshape(-1, *(1,) * (w.ndim - 2))
    close(onednn.convolution(x, w, *rest, bias=bias), plain)
    close(onednn.convolution(x, w, *rest, bias=bias, epilogue="relu"), np.maximum(plain, 0))
    close(onednn.convolution(x, w, *rest, bias=bias, epilogue="relu6"), np.clip(plain, 0, 6))
    residual = normal(*plain.shape)
    for change in (np.ascontiguousarray, last):
        out = change(np.zeros_like(plain))
        given = change(residual)
        result = onednn.convolution(x, w, *rest, bias=bias, residual=given, epilogue="relu", out=out)
        assert result is out
        close(result, np.maximum(plain + residual, 0))
        np.testing.assert_array_equal(given, residual)


def test_packed_filters(conv):
    x, w, geo, groups = conv
    rest = (geo.strides, geo.pads, geo.dilations, groups)
    expected = conv_kernels.convolve(np, x, w, geo, groups)
    packed = onednn.pack_weight(w, x.shape, *rest)
    assert packed is not NotImplemented
    close(onednn.convolution(x, packed, *rest), expected)
    close(onednn.convolution(last(x), packed, *rest, epilogue="relu"), np.maximum(expected, 0))
    close(onednn.convolution(x[:1], packed, *rest), expected[:1])
    if w.flags.c_contiguous:
        scale = normal(w.shape[0])
        for given in (None, scale):
            packed = onednn.pack_weight(w, x.shape, *rest, given)
            packed.release()
            scaled = w if given is None else w * scale.reshape(-1, *(1,) * (w.ndim - 1))
            np.testing.assert_array_equal(packed.unpacked(), scaled)
            close(onednn.convolution(x, packed, *rest), conv_kernels.convolve(np, x, scaled, geo, groups))


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_convolution_of_16_bits(name):
    if name == "bfloat16" and importlib.util.find_spec("ml_dtypes") is None:
        pytest.skip("needs ml_dtypes")
    dtype = paddle.zeros([1], name).numpy().dtype
    x, w = normal(2, 8, 6, 6).astype(dtype), normal(16, 8, 3, 3).astype(dtype)
    geo = geometry("conv", (6, 6), (3, 3), (1, 1), (1, 1), (1, 1))
    result = onednn.convolution(x, w, geo.strides, geo.pads, geo.dilations)
    assert result.dtype == dtype
    expected = conv_kernels.convolve(np, x, w, geo, 1).astype("float32")
    close(result.astype("float32"), expected, 1e-2)


def test_what_oneDNN_does_not_compute_is_left_to_NumPy():
    one, none = ((1, 1), ((0, 0), (0, 0)), (1, 1)), np.zeros((0, 3, 5, 5), "float32")
    w = normal(4, 3, 3, 3)
    assert onednn.convolution(normal(2, 3, 5, 5).astype("float64"), w.astype("float64"), *one) is NotImplemented
    assert onednn.convolution(normal(2, 3, 5, 5).astype("float64"), w, *one) is NotImplemented
    assert onednn.convolution(none, w, *one) is NotImplemented
    assert onednn.convolution(normal(2, 5, 5, 5), w, *one) is NotImplemented  # shapes that do not fit each other
    assert onednn.matmul(normal(2, 3).astype("float64"), normal(3, 2).astype("float64")) is NotImplemented
    assert onednn.matmul(normal(2, 3), normal(4, 2)) is NotImplemented
    assert onednn.matmul(normal(0, 3), normal(3, 2)) is NotImplemented
    ints = np.ones((1, 1, 4, 4), "int32")
    assert onednn.pooling(ints, onednn.MAX, (2, 2), (2, 2), ((0, 0), (0, 0)), (2, 2)) is NotImplemented


def test_a_mistake_is_explained_as_without_oneDNN():
    with pytest.raises(ValueError, match="must have weight.shape"):
        paddle.nn.functional.conv2d(paddle.ones([1, 4, 8, 8]), paddle.ones([6, 3, 3, 3]))


# pooling: images, window, stride, padding, ceil_mode
POOLINGS = [
    ((2, 3, 9, 9), 3, 2, 1, False),
    ((2, 64, 8, 8), 2, 2, 0, False),
    ((2, 6, 9, 8), 3, 2, 0, True),
    ((2, 6, 7, 7), 7, 7, 0, False),
    ((2, 8, 6, 6), 3, 1, 1, False),
    ((2, 5, 6, 6, 6), 2, 2, 0, False),
]


@pytest.mark.parametrize("order", [name for name in ORDERS if name != "reversed"])
@pytest.mark.parametrize("case", POOLINGS, ids=str)
def test_pooling_and_its_gradients(case, order):
    images, window, stride, pad, ceil = case
    rank, change = len(images) - 2, ORDERS[order]
    pads = ((pad, pad),) * rank
    geo = _completed(geometry("pool", images[2:], [window] * rank, [stride] * rank, [pad] * rank, [1] * rank,
                              ceil=ceil, cut=True))
    x = RNG.integers(-3, 3, images).astype("float32")  # with equal maxima
    rest = (geo.kernel, geo.strides, geo.pads)
    maxima = pool_kernels.max_pool(np, x, geo)
    result = onednn.pooling(change(x), onednn.MAX, *rest, geo.out)
    close(result, maxima)
    assert np.moveaxis(result, 1, -1).flags.c_contiguous
    factor = pool_kernels.mean_factor(np, geo, pads, True, x.dtype)
    close(onednn.pooling(change(x), onednn.MEAN, *rest, geo.out), pool_kernels.sum_pool(np, x, geo) * factor)
    g = normal(*maxima.shape)
    of_maxima = pool_kernels.max_pool_grad(np, x, maxima, g, geo)
    of_means = pool_kernels.sum_pool_grad(np, g * factor, geo)
    for given in (g, change(g)):
        close(onednn.pooling_grad(change(x), given, onednn.MAX, *rest), of_maxima)
        close(onednn.pooling_grad(change(x), given, onednn.MEAN, *rest), of_means)


@pytest.mark.parametrize("exclusive", [True, False])
@pytest.mark.parametrize("ceil", [True, False])
@pytest.mark.parametrize("pad", [0, 1])
@pytest.mark.parametrize("kind", ["max", "avg"])
def test_the_operator_of_pooling(kind, pad, ceil, exclusive):
    op, grad = find("pool2d"), find("pool_grad")
    x, attrs = normal(2, 4, 8, 9), dict(pooling_type=kind, ksize=[3, 2], strides=[2, 2], paddings=[pad, pad],
                                        ceil_mode=ceil, exclusive=exclusive)
    expected = op.kernel(np, x, **attrs)
    close(op.kernel_for(np)(np, x, **attrs), expected)
    g = normal(*expected.shape)
    close(grad.kernel_for(np)(np, x, expected, g, **attrs), grad.kernel(np, x, expected, g, **attrs))


@pytest.mark.parametrize("odd", [np.nan, -np.inf])
def test_maxima_that_are_no_numbers(odd):
    attrs = dict(pooling_type="max", ksize=[2, 2], strides=[2, 2])
    x = normal(2, 4, 8, 8)
    x[0, 0, 0, 0] = x[1, 1, 2:4, 2:4] = odd
    np.testing.assert_array_equal(find("pool2d").kernel_for(np)(np, x, **attrs), find("pool2d").kernel(np, x, **attrs))


# products

PRODUCTS = [((3, 4), (4, 5)), ((1, 3), (3, 1)), ((5, 1), (1, 7)), ((2, 3, 4), (2, 4, 5)), ((2, 3, 4), (4, 5)),
            ((4, 1, 3, 8), (2, 8, 5)), ((2, 4, 64, 32), (2, 4, 32, 64))]


def swapped(a):
    """The array, C-contiguous with its last two dimensions exchanged."""
    return np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)


def heads(a):
    """The array with its second and third dimension exchanged in memory, as the heads of attention lie."""
    return np.ascontiguousarray(a.swapaxes(1, 2)).swapaxes(1, 2) if a.ndim == 4 else a


MATRICES = {"plain": np.ascontiguousarray, "swapped": swapped, "heads": heads, "every second": ORDERS["every second"],
            "reversed": ORDERS["reversed"]}


@pytest.mark.parametrize("right", MATRICES)
@pytest.mark.parametrize("left", MATRICES)
@pytest.mark.parametrize("shapes", PRODUCTS, ids=str)
def test_products(shapes, left, right):
    x, y = normal(*shapes[0]), normal(*shapes[1])
    a, b = MATRICES[left](x), MATRICES[right](y)
    expected = np.matmul(x, y)
    close(onednn.matmul(a, b), expected)
    bias, residual = normal(expected.shape[-1]), normal(*expected.shape)
    out = np.zeros(expected.shape, "float32")
    assert onednn.matmul(a, b, out, bias=bias) is out
    close(out, expected + bias)
    close(onednn.matmul(a, b, bias=bias, epilogue="relu", residual=residual), np.maximum(expected + bias + residual, 0))
    close(onednn.matmul(a, b, epilogue="sigmoid"), 1 / (1 + np.exp(-expected)))


@pytest.mark.parametrize("x, y, trans", [
    ((70, 65), (65, 70), (False, False)), ((65, 70), (70, 65), (True, True)), ((9, 65, 70), (9, 70, 65), (True, True)),
    ((9, 70, 65), (65, 70), (False, False)), ((2, 600, 600), (600,), (False, False)),
    ((600,), (2, 600, 600), (False, True)), ((600, 600), (600,), (True, False)),
    ((2, 1, 65, 70), (3, 70, 65), (False, False)),
    ((40, 70), (70, 512), (False, False)), ((70, 1024), (70, 40), (True, False)),
    ((70, 512), (70, 1024), (True, False)), ((1024, 70), (512, 1024), (True, True)),
], ids=str)
def test_the_operator_of_large_products(x, y, trans):
    op, x, y = find("matmul_v2"), normal(*x), normal(*y)
    attrs = dict(trans_x=trans[0], trans_y=trans[1])
    close(op.kernel_for(np)(np, x, y, **attrs), op.kernel(np, x, y, **attrs))
    halves = x.astype("float16"), y.astype("float16")
    result = op.kernel_for(np)(np, *halves, **attrs)
    assert result.dtype == np.float16
    close(result.astype("float32"), op.kernel(np, x, y, **attrs), 1e-2)


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize("turned", [True, False])
def test_a_few_rows_times_a_matrix_that_is_read_by_columns(turned, is_whole, monkeypatch):
    monkeypatch.setattr(products, "has_whole_wide_vectors", lambda: is_whole)
    x, y = normal(20, 512), normal(300, 512)
    given = np.asfortranarray(x) if turned else x
    close(products.multiply(given, y.T), x @ y.T)
    out = np.empty((20, 300), "float32")
    assert products.multiply(given, y.T, out) is out
    close(out, x @ y.T)


@pytest.mark.skipif(native.module is None, reason="the compiled form is not in use")
@pytest.mark.parametrize("is_whole", [True, False])
def test_the_compiled_form_of_it(is_whole, monkeypatch):
    x, y = normal(20, 512), normal(300, 512)
    first, second = paddle.to_tensor(x), paddle.to_tensor(y)
    paddle.matmul(first, second, transpose_y=True)  # now it has been offered
    before = products.for_the_compiled_form()
    monkeypatch.setattr(products, "has_whole_wide_vectors", lambda: is_whole)
    native.module.serve_gemm(*products.for_the_compiled_form())
    try:
        close(paddle.matmul(first, second, transpose_y=True).numpy(), x @ y.T)
        close(paddle.matmul(paddle.to_tensor(x.T.copy()), second, transpose_x=True, transpose_y=True).numpy(), x @ y.T)
    finally:
        native.module.serve_gemm(*before)


@pytest.mark.parametrize("x, y, is_asked", [
    ((6, 8, 40, 15), (6, 8, 15, 40), False), ((1, 12, 64, 64), (1, 12, 64, 64), False),
    ((1, 12, 65, 64), (1, 12, 64, 64), True), ((33, 64, 64), (33, 64, 64), True),
], ids=str)
def test_batches_of_small_matrices_stay_with_numpy(x, y, is_asked):
    x, y = normal(*x), normal(*y)
    found = onednn.large_product(x, y)
    assert (found is not NotImplemented) == is_asked
    close(find("matmul_v2").kernel_for(np)(np, x, y), x @ y)


def test_the_operators_that_multiply():
    x, y, z = normal(80, 90), normal(90, 70), normal(70)
    close(find("addmm").kernel_for(np)(np, z, x, y, Alpha=2.0, Beta=0.5), 0.5 * z + 2 * (x @ y))
    parts = x.reshape(80, 9, 10), y.reshape(3, 30, 7, 10)
    close(find("mul").kernel_for(np)(np, *parts, x_num_col_dims=1, y_num_col_dims=2), (x @ y).reshape(80, 7, 10))
    close(find("bmm").kernel_for(np)(np, x[None], y[None]), (x @ y)[None])


def test_infinities_in_what_a_product_overwrites_do_not_show():
    out = np.full((64, 64), np.nan, "float32")
    x = normal(64, 64)
    close(onednn.matmul(x, x, out), x @ x)


# the engine

def test_it_is_not_used_unless_wanted(monkeypatch):
    asked = []
    monkeypatch.setattr(onednn, "convolution", lambda *_, **__: asked.append(True) or NotImplemented)
    x, w = paddle.ones([1, 3, 8, 8]), paddle.ones([6, 3, 3, 3])
    with flags_guard({"FLAGS_cpu_engines": "loops"}):
        assert not onednn.is_ready()
        paddle.nn.functional.conv2d(x, w)
    assert not asked
    paddle.nn.functional.conv2d(x, w)
    assert asked


def test_without_a_library_NumPy_computes(monkeypatch):
    monkeypatch.setattr(finding, "candidates", lambda major: ["/nowhere/libdnnl.so.3"])
    missing = library._newest.__wrapped__()
    assert missing is None
    monkeypatch.setattr(library, "library", lambda: missing)
    assert not onednn.is_ready() and onednn.version() == ""
    assert paddle.nn.functional.conv2d(paddle.ones([1, 3, 8, 8]), paddle.ones([6, 3, 3, 3])).shape == [1, 6, 6, 6]


def test_an_environment_that_sees_the_packages_of_another_has_its_library(monkeypatch):
    monkeypatch.setattr(finding.site, "PREFIXES", [sys.prefix, "/where/it/was/made/of"])
    assert os.path.join("/where/it/was/made/of", "lib") in finding._folders()


def test_the_newest_library_is_taken(tmp_path, monkeypatch):
    for name in ("old/libdnnl.so.3", "old/libdnnl.so.3.2", "new/libdnnl.so.3.10"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(finding, "_folders", lambda: iter([tmp_path / "old", tmp_path / "new", tmp_path / "none"]))
    assert finding.candidates(3) == [*(str(tmp_path / n) for n in ("new/libdnnl.so.3.10", "old/libdnnl.so.3.2",
                                                                   "old/libdnnl.so.3")), "libdnnl.so.3"]


def test_a_file_that_is_no_library_is_passed_over(tmp_path, monkeypatch):
    (tmp_path / "libdnnl.so.3.99").write_text("not a library")
    good = finding.candidates(3)
    monkeypatch.setattr(finding, "candidates", lambda major: [str(tmp_path / "libdnnl.so.3.99"), *good])
    assert library._newest.__wrapped__().path == good[0]


def test_an_error_names_what_failed():
    loaded = library.library()
    with pytest.raises(RuntimeError, match=r"oneDNN 3.*product of \[2, 3\].*out of memory"):
        loaded.check("product of [2, 3]", 1)
    with pytest.raises(library.Unimplemented):
        loaded.check("matmul_primitive_desc_create", 3)


def test_routines_are_kept_and_bounded(monkeypatch):
    monkeypatch.setattr(routine, "CAPACITY", 8)
    routine.forget()
    x = normal(1, 3, 6, 6)
    one = ((1, 1), ((0, 0), (0, 0)), (1, 1))
    for filters in range(1, 20):
        w = normal(filters, 3, 3, 3)
        close(onednn.convolution(x, w, *one), onednn.convolution(x, w, *one))
        assert len(routine._routines) <= 8
    made = list(routine._routines.values())
    onednn.convolution(x, w, *one)
    assert list(routine._routines.values()) == made


def test_a_routine_that_was_just_made_is_not_the_oldest(monkeypatch):
    monkeypatch.setattr(routine, "CAPACITY", 8)
    routine.forget()
    x, windows = normal(1, 3, 6, 6), ((1, 1), ((0, 0), (0, 0)), (1, 1))
    filters = [normal(count, 3, 3, 3) for count in range(1, 10)]
    for w in filters[:7] * 2 + filters[7:]:  # the last two are asked for once
        onednn.convolution(x, w, *windows)
    kept = list(routine._routines.values())
    onednn.convolution(x, filters[-2], *windows)
    assert list(routine._routines.values()) == kept


def test_several_threads_at_a_time():
    x, w = normal(4, 16, 12, 12), normal(16, 16, 3, 3)
    rest = ((1, 1), ((1, 1), (1, 1)), (1, 1))
    scaled = [(x * n, onednn.convolution(x * n, w, *rest).copy()) for n in range(1, 7)]
    wrong = []

    def work(given, expected):
        for _ in range(30):
            if not np.array_equal(onednn.convolution(given, w, *rest), expected):
                wrong.append(given)

    workers = [threading.Thread(target=work, args=pair) for pair in scaled]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


FORKED = """
import os, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from proa.backend import onednn, threads
rest = ((1, 1), ((1, 1), (1, 1)), (1, 1))
x, w = np.ones((8, 16, 24, 24), "float32"), np.ones((16, 16, 3, 3), "float32")
a = np.ones((256, 256), "float32")
before = onednn.convolution(x, w, *rest), onednn.matmul(a, a)
child = os.fork()
if child == 0:
    same = threads.get_num_threads() == 1
    same &= np.array_equal(onednn.convolution(x, w, *rest), before[0])
    same &= np.array_equal(onednn.matmul(a, a), before[1])
    os._exit(0 if same else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_a_forked_child_computes():
    assert subprocess.run([sys.executable, "-c", FORKED], timeout=120).returncode == 0


def test_the_number_of_threads_is_respected():
    script = ("from proa.backend import onednn, threads; import numpy as np; a = np.ones((512, 512), 'float32');"
              "onednn.matmul(a, a); import os; print(len(os.listdir('/proc/self/task')))")
    if not sys.platform.startswith("linux"):
        pytest.skip("counts the threads of a process as Linux does")
    import os

    done = subprocess.run([sys.executable, "-c", script], timeout=120, capture_output=True, text=True, check=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"})
    assert done.stdout.strip() == "1"


@pytest.mark.parametrize("rows", [1, 64])
def test_packed_matrices(rows):
    x, y, bias, residual = normal(rows, 48), normal(48, 72), normal(144)[::2], normal(rows, 72)
    for matrix in (y, swapped(y)):
        packed = onednn.pack_matrix(matrix, rows)
        if packed is NotImplemented:
            pytest.skip("oneDNN has no code for packed matrices here")
        close(onednn.matmul(x, packed), x @ y)
        close(onednn.matmul(x, packed, bias=bias, epilogue="relu"), np.maximum(x @ y + bias, 0))
        close(onednn.matmul(x, packed, bias=bias, residual=residual), x @ y + bias + residual)
        close(onednn.matmul(x.reshape(1, rows, 48), packed), (x @ y)[None])
        close(onednn.matmul(swapped(x), packed, bias=bias), x @ y + bias)


@pytest.mark.parametrize("shape", [(256, 512), (512, 128)])
def test_a_packed_matrix_serves_any_number_of_rows(shape):
    y, bias = normal(*shape), normal(shape[1])
    for made_for in (128, 41):
        packed = onednn.pack_matrix(y, made_for)
        if packed is NotImplemented:
            pytest.skip("oneDNN has no code for packed matrices here")
        packed.release()
        for rows in (128, 41, 77, 19, 1, 64):
            x = normal(rows, shape[0])
            close(onednn.linear(x, packed, None, bias, "tanh"), np.tanh(x @ y + bias), 1e-3)
        assert packed.misfits == 0
        np.testing.assert_array_equal(packed.unpacked(), y)


def test_results_are_written_where_they_shall(conv):
    x, w, geo, groups = conv
    rest = (geo.strides, geo.pads, geo.dilations, groups)
    g = last(onednn.convolution(x, w, *rest))
    for function, arguments in ((onednn.convolution_input_grad, (g, w, geo.sizes)),
                                (onednn.convolution_filter_grad, (x, g, geo.kernel))):
        expected = function(*arguments, *rest)
        out = np.empty_like(expected)
        assert function(*arguments, *rest, out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_images_whose_rows_reach_into_the_next_ones_are_computed():
    whole = np.random.RandomState(0).rand(2, 8, 31, 31).astype("float32")
    weight = paddle.to_tensor(np.random.RandomState(1).rand(8, 8, 3, 3).astype("float32"))
    image = paddle.to_tensor(whole)[:, :, ::2, ::2]
    dense = paddle.to_tensor(np.ascontiguousarray(whole[:, :, ::2, ::2]))
    functional = paddle.nn.functional
    np.testing.assert_allclose(functional.conv2d(image, weight), functional.conv2d(dense, weight), 1e-5)
    np.testing.assert_array_equal(functional.max_pool2d(image, 2), functional.max_pool2d(dense, 2))
    np.testing.assert_allclose(functional.avg_pool2d(image, 2), functional.avg_pool2d(dense, 2), 1e-6)
