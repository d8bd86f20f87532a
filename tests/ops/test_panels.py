"""Convolutions and products by panels, of any sizes: what they stand for, in every way that lies so."""

import itertools
import os
import subprocess
import sys
import threading

import numpy as np
import proa as paddle
import pytest
from proa.ops.core import native
from proa.ops.core.panels import (
    FILTERS,
    MATRIX,
    OWN,
    ROWS,
    TURNED,
    Windows,
    convolve_tiles,
    gradient_by_tiles,
    gradient_of_filters,
    multiply,
    multiply_by_rows,
    multiply_turned,
    pack,
    side_by_side,
)
from proa.ops.nn import conv

pytestmark = pytest.mark.skipif(native.module is None, reason="the compiled form is not there")
RANDOM = np.random.default_rng(0)
ACTIVATIONS = {"": lambda y: y, "relu": lambda y: np.maximum(y, 0),
               "hard_swish": lambda y: y * np.clip(y + 3, 0, 6) / 6}


def numbers(*shape):
    return RANDOM.standard_normal(shape, dtype="float32")


def last(images):
    """Images with their channels side by side."""
    return np.ascontiguousarray(images.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


def windows_of(x, kernel, strides, begin, end, dilations):
    """What stands in each window: [n, c, *out, *kernel]."""
    padded = np.pad(x.astype("float64"), ((0, 0), (0, 0), (begin[0], end[0]), (begin[1], end[1])))
    shape = [(kernel[n] - 1) * dilations[n] + 1 for n in (0, 1)]
    windows = np.lib.stride_tricks.sliding_window_view(padded, shape, (2, 3))
    return windows[:, :, ::strides[0], ::strides[1], ::dilations[0], ::dilations[1]]


def expected(x, w, scale, bias, residual, strides, begin, end, dilations, by_channel, activation):
    wide = w.astype("float64") * (1 if scale is None else scale.reshape(-1, 1, 1, 1))
    windows = windows_of(x, w.shape[2:], strides, begin, end, dilations)
    letters = ("nchwij,cij->nchw", wide[:, 0]) if by_channel else ("nchwij,ocij->nohw", wide)
    y = np.einsum(letters[0], windows, letters[1])
    y += 0 if bias is None else bias[:, None, None]
    return ACTIVATIONS[activation](y + (0 if residual is None else residual))


def packed(w, scale, bias, windows, activation):
    *windows, by_channel = windows
    return pack(w, scale, bias, (w, scale, bias), OWN if by_channel else FILTERS, Windows(*windows), activation)


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"], autouse=True)
def threads(request):
    before = paddle.get_num_threads()
    paddle.set_num_threads(request.param)
    yield request.param
    paddle.set_num_threads(before)


SIZES = [(1, 3, 16, 9, 11), (2, 4, 70, 8, 8), (1, 5, 24, 7, 7), (3, 17, 130, 5, 6), (1, 40, 72, 14, 14),
         (1, 64, 48, 30, 9), (1, 96, 65, 13, 13), (1, 1, 8, 6, 6), (9, 20, 72, 2, 3), (8, 9, 130, 4, 3)]
WINDOWS = [((1, 1), (1, 1), (0, 0), (0, 0), (1, 1)), ((3, 3), (1, 1), (1, 1), (1, 1), (1, 1)),
           ((3, 2), (2, 1), (1, 0), (0, 2), (1, 1)), ((2, 3), (1, 3), (2, 1), (1, 2), (2, 2)),
           ((1, 1), (2, 2), (0, 0), (0, 0), (1, 1)), ((5, 5), (1, 1), (2, 2), (2, 2), (1, 1))]


def convolutions():
    """Every size with every window; what follows is drawn."""
    for n, (size, (window, strides, begin, end, dilations)) in enumerate(itertools.product(SIZES, WINDOWS)):
        images, channels, filters, height, width = size
        x, w = numbers(images, channels, height, width), numbers(filters, channels, *window)
        if n % 5 == 0:  # several parts of a panel, which begin within channels or at a window's element
            x, w = np.tile(x, (1, 30, 1, 1)), np.tile(w, (1, 30, 1, 1)) * np.float32(0.1)
        scale, bias = (numbers(filters) if n & bit else None for bit in (1, 2))
        out = [(size + b + e - (k - 1) * d - 1) // s + 1 for size, b, e, k, d, s in zip(
            (height, width), begin, end, window, dilations, strides, strict=True)]
        residual = last(numbers(images, filters, *out)) if n % 4 == 0 else None
        yield x, w, scale, bias, residual, (strides, begin, end, dilations, False), list(ACTIVATIONS)[n % 3]
        if n % 3:
            yield (numbers(images, filters, height, width), numbers(filters, 1, *window), scale, bias, residual,
                   (strides, begin, end, dilations, True), list(ACTIVATIONS)[n // 3 % 3])


def check_convolutions():
    for x, w, scale, bias, residual, windows, activation in convolutions():
        call = packed(w, scale, bias, windows, activation)
        wanted = expected(x, w, scale, bias, residual, *windows, activation)
        for images in (last(x), x):
            result = call(images, w, scale, bias, residual)
            if result is None:
                assert images is x and x.shape[1] > 1, "only images with their channels apart are refused"
                continue
            np.testing.assert_allclose(result, wanted, 1e-4, 1e-4 * max(1, np.abs(wanted).max()))
            assert result.strides[1] == 4
            if scale is None:
                *lying, by_channel = windows
                once = multiply(images, w, bias, residual, OWN if by_channel else FILTERS, Windows(*lying), activation)
                np.testing.assert_array_equal(once, result)
        np.testing.assert_allclose(call.unpacked(), w if scale is None else w * scale.reshape(-1, 1, 1, 1), 1e-6)


def check_products():
    sizes = [(3, 8, 8), (7, 33, 70), (40, 800, 129), (200, 64, 64), (1, 5, 3), (97, 1600, 48)]
    for n, (rows, k, count) in enumerate(sizes):
        x, w, bias = numbers(rows, k), numbers(k, count), numbers(count) if n % 2 else None
        for activation, residual in itertools.product(ACTIVATIONS, (None, numbers(rows, count))):
            call = pack(w, None, bias, (w, None, bias), activation=activation)
            wanted = x.astype("float64") @ w + (0 if bias is None else bias) + (0 if residual is None else residual)
            result = call(x, w, bias, residual)
            np.testing.assert_allclose(result, ACTIVATIONS[activation](wanted), 1e-4, 1e-3)
            assert result.flags.c_contiguous
            np.testing.assert_array_equal(multiply(x, w, bias, residual, activation=activation), result)
        np.testing.assert_array_equal(call.unpacked(), w)
        np.testing.assert_array_equal(call(x.reshape(1, rows, 1, k), w, bias, None).shape, (1, rows, 1, count))


def check_products_by_rows():
    """Of a matrix that is read by its rows: x @ wᵀ."""
    for rows, k, count in [(3, 8, 8), (7, 33, 70), (40, 800, 129), (200, 64, 64), (1, 5, 3), (97, 1600, 48)]:
        x, w, bias = numbers(rows, k), numbers(count, k), numbers(count)
        found = multiply(x.reshape(1, rows, k), w, bias, kind=ROWS, activation="relu")
        np.testing.assert_allclose(found[0], np.maximum(x.astype("float64") @ w.T + bias, 0), 1e-4, 1e-3)
        call = pack(w, None, bias, (w, None, bias), ROWS, activation="relu")
        np.testing.assert_array_equal(call(x, w, bias, None), found[0])
        np.testing.assert_array_equal(call.unpacked(), w)


def check_turned_products():
    for rows, high, wide in [(1, 1, 1), (5, 6, 64), (64, 784, 200), (7, 13, 65), (300, 31, 129), (513, 800, 17),
                             (40, 9, 700), (700, 2, 16), (2100, 70, 70)]:
        x, y = numbers(rows, high), numbers(rows, wide)
        wanted = x.T.astype("float64") @ y
        for given in [(x, y), (np.repeat(x, 2, 0)[::2], numbers(rows, wide + 3)[:, 1:wide + 1])]:
            found = multiply_turned(given[0], given[1])
            if given[1] is not y:
                wanted = given[0].T.astype("float64") @ given[1]
            assert found.flags.c_contiguous
            np.testing.assert_allclose(found, wanted, 1e-4, 1e-5 * np.abs(wanted).max())


def check_few_rows_by_rows():
    """x @ wᵀ, both read where they lie."""
    for rows, k, count in [(1, 16, 16), (2, 33, 70), (3, 64, 64), (4, 100, 17), (5, 512, 400), (7, 79, 1024),
                           (36, 512, 512), (16, 2000, 129), (11, 127, 31)]:
        x, w = numbers(rows, k), numbers(count, k)
        found = multiply_by_rows(x, w)
        np.testing.assert_allclose(found, x.astype("float64") @ w.T, 1e-4, 1e-4)
        for row in (0, rows - 1):  # whatever stands beside it
            np.testing.assert_array_equal(multiply_by_rows(x[row:row + 1], w)[0], found[row])
        np.testing.assert_array_equal(multiply_by_rows(x, w[:16]), found[:, :16])


def check_turned_filters():
    """The gradient of images is a convolution of the result's with the filters turned round."""
    sizes = [(2, 5, 70, 3, 2), (1, 64, 130, 3, 3), (3, 1, 8, 1, 1), (1, 100, 20, 1, 4), (2, 24, 600, 5, 3),
             (1, 8, 9, 7, 9)]
    for images, channels, filters, high, wide in sizes:
        g, w = last(numbers(images, filters, 9, 10)), numbers(filters, channels, high, wide)
        turned = np.ascontiguousarray(w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3))
        windows = Windows(begin=(high - 1, 0), end=(0, wide - 1))
        found = multiply(g, w, None, None, TURNED, windows)
        wanted = expected(g, turned, None, None, None, *windows[:3], (1, 1), False, "")
        np.testing.assert_allclose(found, wanted, 1e-3, 1e-3)
        for strides in [(2, 2), (1, 3), (4, 2)]:  # zeros stand between what was that far apart
            spread = np.zeros((images, filters, 8 * strides[0] + 1, 9 * strides[1] + 1), "float32")
            spread[:, :, ::strides[0], ::strides[1]] = g
            apart = multiply(g, w, None, None, TURNED, windows._replace(strides=strides))
            wanted = expected(spread, turned, None, None, None, *windows[:3], (1, 1), False, "")
            np.testing.assert_allclose(apart, wanted, 1e-3, 1e-3)
        call = pack(w, None, None, (w, None, None), TURNED, windows)
        np.testing.assert_array_equal(call(g, w, None, None, None), found)
        with pytest.raises(TypeError, match="not turned back"):
            call.unpacked()


def check_filter_gradients():
    sizes = [(8, 5, 16, 2, 2), (3, 17, 48, 4, 5), (1, 9, 80, 9, 8), (2, 1, 64, 17, 70), (70, 2, 32, 1, 3)]
    for size, (window, *lying) in itertools.product(sizes, WINDOWS):
        images, channels, filters, height, width = size
        x = last(numbers(images, channels, height, width))
        if min(height + lying[1][0] + lying[2][0], width + lying[1][1] + lying[2][1]) < 5:
            continue
        windows = windows_of(x, window, *lying)
        g = last(numbers(images, filters, *windows.shape[2:4]))
        wanted = np.einsum("nohw,nchwij->ocij", g, windows)
        for gradient, given in [(g, x), (last(np.repeat(g, 2, 3))[..., ::2], last(np.repeat(x, 2, 2))[:, :, ::2])]:
            found = gradient_of_filters(given, gradient, window, Windows(*lying))
            assert found.flags.c_contiguous
            np.testing.assert_allclose(found, wanted, 1e-5, 1e-6 * np.abs(wanted).max())


def check_tiles():
    sizes = [(2, 64, 32, 8, 9), (1, 16, 80, 5, 5), (3, 128, 16, 1, 2), (2, 32, 144, 7, 4), (9, 256, 128, 4, 4)]
    for images, channels, filters, height, width in sizes:
        x, w = last(numbers(images, channels, height, width)), numbers(filters, channels, 3, 3)
        for begin, end in [((1, 1), (1, 1)), ((2, 0), (1, 2)), ((3, 4), (0, 5))]:
            lying = Windows(begin=begin, end=end)
            wanted = np.einsum("nchwij,ocij->nohw", windows_of(x, (3, 3), *lying), w.astype("float64"), optimize=True)
            turned = np.ascontiguousarray(w[:, :, ::-1, ::-1].transpose(1, 0, 2, 3))
            for by, kind in ((w, FILTERS), (turned, TURNED)):
                found = convolve_tiles(x, by, kind, lying)
                assert found.strides[1] == 4
                assert np.linalg.norm(found - wanted) < 7e-7 * np.linalg.norm(wanted)
                np.testing.assert_array_equal(convolve_tiles(np.ascontiguousarray(x), by, kind, lying), found)
                np.testing.assert_array_equal(convolve_tiles(x[-1:], by, kind, lying), found[-1:])


def test_tiles():
    check_tiles()


def test_tiles_are_the_same_on_any_number_of_threads():
    now, lying = paddle.get_num_threads(), Windows(begin=(1, 1), end=(1, 1))
    for channels, filters, side in [(64, 64, 16), (64, 256, 8)]:
        x, w = last(numbers(2, channels, side, side)), numbers(filters, channels, 3, 3)
        found = convolve_tiles(x, w, FILTERS, lying)
        paddle.set_num_threads(3 - now)
        np.testing.assert_array_equal(convolve_tiles(x, w, FILTERS, lying), found)
        paddle.set_num_threads(now)


def test_tiles_that_are_left():
    """What is no image of enough channels, and results that are not finite, which windows alone have right."""
    x, w, lying = last(numbers(2, 64, 8, 8)), numbers(64, 64, 3, 3), Windows(begin=(1, 1), end=(1, 1))
    for given in [(x, w[:, :32]), (x, w[:, :, :2]), (x, w[:20]), (x[..., :0], w), (x.astype("float64"), w), (x[0], w)]:
        assert native.module.convolve_tiles(*given, FILTERS, (1, 1), (1, 1)) is NotImplemented
    for place, number in itertools.product([(1, 5, 7, 7), (0, 0, 3, 2)], [np.inf, np.nan]):
        given = x.copy()
        given[place] = number
        assert convolve_tiles(given, w, FILTERS, lying) is NotImplemented
        found = paddle.nn.functional.conv2d(paddle.to_tensor(given), paddle.to_tensor(w), padding=1)
        np.testing.assert_array_equal(found, multiply(last(given), w, kind=FILTERS, windows=lying))
        assert 4 * 64 <= np.sum(~np.isfinite(found.numpy())) <= 9 * 64


def test_tiles_by_the_operator():
    """Convolutions and gradients by images take them where they suit; what is kept of a filter has the same bits."""
    lying = Windows(begin=(1, 1), end=(1, 1))
    for side, suits in [(8, True), (7, False)]:
        x, w = paddle.to_tensor(numbers(3, 64, side, side)), paddle.to_tensor(numbers(96, 64, 3, 3))
        x.stop_gradient = False
        for _ in range(4):
            found = paddle.nn.functional.conv2d(x, w, padding=1)
            by = convolve_tiles(x.numpy(), w.numpy(), FILTERS, lying)
            assert np.array_equal(found, by) == suits
            np.testing.assert_allclose(found, by, 1e-4, 1e-3)
        g = numbers(3, 96, side, side)
        found = paddle.grad(found, x, paddle.to_tensor(g))[0]
        assert np.array_equal(found, convolve_tiles(g, w.numpy(), TURNED, lying)) == suits


@pytest.mark.parametrize("channels, filters", [(64, 64), (80, 48), (144, 96)])
def test_tiles_of_what_is_packed(channels, filters):
    """Kept filters, and those that are not, are multiplied by tiles, and what follows is done to their results."""
    lying, w = Windows(begin=(1, 0), end=(1, 2)), numbers(filters, channels, 3, 3)
    factors, numbers_behind = numbers(filters), numbers(filters)
    x = last(numbers(2, channels, 9, 11))
    for scale, bias, adds, activation in [(None, None, False, ""), (factors, numbers_behind, True, "relu"),
                                          (None, numbers_behind, True, "hard_swish"), (factors, None, False, "relu")]:
        residual = last(numbers(2, filters, 9, 11)) if adds else None
        kept = pack(w, scale, bias, (w, scale, bias), FILTERS, lying, activation)
        found = kept(x, w, scale, bias, residual)
        wanted = expected(x, w, scale, bias, residual, (1, 1), lying.begin, lying.end, (1, 1), False, activation)
        np.testing.assert_allclose(found, wanted, 1e-4, 1e-5 * np.abs(wanted).max())
        once = multiply(x, w, bias, residual, FILTERS, lying, activation, scale)
        np.testing.assert_array_equal(found, once)
        alone = kept(x[1:], w, scale, bias, residual[1:] if adds else None)
        np.testing.assert_array_equal(alone, found[1:])
        if scale is bias is None:
            np.testing.assert_array_equal(found, convolve_tiles(x, w, FILTERS, lying))
            np.testing.assert_array_equal(kept.unpacked(), w)
    given = x.copy()
    given[1, 3, 4, 5] = np.inf
    for found in (kept(last(given), w, scale, bias, None),
                  multiply(last(given), w, bias, None, FILTERS, lying, activation, scale)):
        reached = np.argwhere(~np.isfinite(found).all(1))
        assert not np.isnan(found).any() and len(reached) == 9
        assert reached.min(0).tolist() == [1, 3, 3] and reached.max(0).tolist() == [1, 5, 5]


def test_gradients_of_filters():
    check_filter_gradients()


def test_gradients_of_filters_are_the_same_on_any_number_of_threads_and_rounded_little():
    x, g = last(numbers(8, 64, 16, 16)), last(numbers(8, 64, 16, 16))
    lying = Windows(begin=(1, 1), end=(1, 1))
    found, now = gradient_of_filters(x, g, (3, 3), lying), paddle.get_num_threads()
    paddle.set_num_threads(3 - now)
    np.testing.assert_array_equal(gradient_of_filters(x, g, (3, 3), lying), found)
    paddle.set_num_threads(now)
    wanted = np.einsum("nohw,nchwij->ocij", g, windows_of(x, (3, 3), *lying), optimize=True)
    assert np.linalg.norm(found - wanted) < 4e-7 * np.linalg.norm(wanted)  # in a row it would be twice that


def check_filter_gradients_by_tiles():
    sizes = [(2, 64, 32, 8, 9), (40, 16, 80, 5, 5), (3, 144, 16, 1, 2), (9, 128, 48, 7, 4), (70, 32, 32, 1, 3)]
    for images, channels, filters, height, width in sizes:
        x = last(numbers(images, channels, height, width))
        for begin, end in [((1, 1), (1, 1)), ((2, 0), (1, 2)), ((3, 4), (0, 5))]:
            windows = windows_of(x, (3, 3), *Windows(begin=begin, end=end))
            g = last(numbers(images, filters, *windows.shape[2:4]))
            wanted = np.einsum("nohw,nchwij->ocij", g, windows, optimize=True)
            found = gradient_by_tiles(x, g, Windows(begin=begin))
            assert found.flags.c_contiguous
            assert np.linalg.norm(found - wanted) < 4e-7 * np.linalg.norm(wanted)
            np.testing.assert_array_equal(gradient_by_tiles(np.ascontiguousarray(x), g, Windows(begin=begin)), found)
            apart = last(np.repeat(x, 2, 2))[:, :, ::2], last(np.repeat(g, 2, 3))[..., ::2]
            np.testing.assert_array_equal(gradient_by_tiles(*apart, Windows(begin=begin)), found)


def test_gradients_of_filters_by_tiles():
    check_filter_gradients_by_tiles()


def test_gradients_of_filters_by_tiles_are_the_same_on_any_number_of_threads():
    now, lying = paddle.get_num_threads(), Windows(begin=(1, 1))
    for channels, filters, side in [(64, 64, 16), (64, 256, 4)]:
        x, g = last(numbers(8, channels, side, side)), last(numbers(8, filters, side, side))
        found = gradient_by_tiles(x, g, lying)
        paddle.set_num_threads(3 - now)
        np.testing.assert_array_equal(gradient_by_tiles(x, g, lying), found)
        paddle.set_num_threads(now)


def test_gradients_of_filters_by_tiles_that_are_left():
    """Images of other channels and dtypes, and gradients that are not finite, which places alone have right."""
    x, g, lying = last(numbers(4, 64, 8, 8)), last(numbers(4, 64, 8, 8)), Windows(begin=(1, 1), end=(1, 1))
    for given in [(x[:, :20], g), (x, g[:, :20]), (x[:3], g), (x[:0], g[:0]), (x.astype("float64"), g), (x[0], g)]:
        assert native.module.filter_gradient_tiles(*given, (1, 1)) is NotImplemented
    w = paddle.to_tensor(numbers(64, 64, 3, 3), stop_gradient=False)
    for place, number in itertools.product([(1, 5, 7, 7), (0, 0, 3, 2)], [np.inf, np.nan]):
        slopes = g.copy()
        slopes[place] = number
        assert gradient_by_tiles(x, slopes, lying) is NotImplemented
        y = paddle.nn.functional.conv2d(paddle.to_tensor(x), w, padding=1)
        found = paddle.grad(y, w, paddle.to_tensor(slopes))[0].numpy()
        np.testing.assert_array_equal(found, gradient_of_filters(x, last(slopes), (3, 3), lying))
        assert np.isfinite(found[np.arange(64) != place[1]]).all()


def test_gradients_of_filters_by_tiles_by_the_operator():
    """They are taken where they suit, also for images that are more than places are summed over otherwise."""
    lying = Windows(begin=(1, 1), end=(1, 1))
    for images, side, suits in [(2, 8, True), (40, 16, True), (2, 5, False), (3, 4, False)]:
        x = paddle.to_tensor(numbers(images, 32, side, side))
        w = paddle.to_tensor(numbers(48, 32, 3, 3), stop_gradient=False)
        g = numbers(images, 48, side, side)
        found = paddle.grad(paddle.nn.functional.conv2d(x, w, padding=1), w, paddle.to_tensor(g))[0].numpy()
        by = gradient_by_tiles(x.numpy(), g, lying)
        assert np.array_equal(found, by) == suits
        assert np.linalg.norm(found - by) < 7e-7 * np.linalg.norm(by)


def test_turned_products():
    check_turned_products()
    check_products_by_rows()


def test_turned_products_are_the_same_on_any_number_of_threads_and_rounded_little():
    for x, y in [(numbers(2000, 200), numbers(2000, 100)), (numbers(600, 20), numbers(600, 1000))]:
        found, now = multiply_turned(x, y), paddle.get_num_threads()
        paddle.set_num_threads(3 - now)
        np.testing.assert_array_equal(multiply_turned(x, y), found)
        paddle.set_num_threads(now)
        wanted = x.T.astype("float64") @ y
        assert np.linalg.norm(found - wanted) < 4e-7 * np.linalg.norm(wanted)  # in a row it would be twice that


def test_a_turned_product_with_numbers_that_are_none_and_those_without_end():
    x, y = numbers(70, 9), numbers(70, 21)
    x[3, 2], x[69, 8], y[5, 20] = np.nan, np.inf, np.inf
    with np.errstate(invalid="ignore"):
        wanted = x.T @ y
    found = multiply_turned(x, y)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(np.isinf(found), np.isinf(wanted))
    assert np.isfinite(found).sum() == 7 * 20


def test_turned_products_that_are_left():
    x, y = numbers(30, 20), numbers(30, 16)
    assert multiply_turned(x, y).shape == (20, 16)
    for given in [(x.astype("float64"), y), (x, y[:29]), (x[:0], y[:0]), (x[:, :0], y), (x, y[:, ::2]), (x[None], y),
                  (x, y[0]), (x, None), (x.T, numbers(20, 30)), (np.broadcast_to(x[0], (30, 20)), y),
                  (numbers(5000, 8), numbers(5000, 8))]:
        assert multiply_turned(*given) is NotImplemented
    with pytest.raises(TypeError, match="two matrices"):
        native.module.turned_product(x)


def test_few_rows_by_rows():
    check_few_rows_by_rows()


def test_few_rows_by_rows_with_numbers_that_are_none_and_those_without_end():
    x, w = numbers(5, 70), numbers(21, 70)
    x[1, 69], x[4, 3], w[20, 66] = np.nan, np.inf, np.inf
    with np.errstate(invalid="ignore"):
        wanted = x @ w.T
    found = multiply_by_rows(x, w)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(found[np.isinf(found)], wanted[np.isinf(wanted)])


def test_rows_by_rows_that_are_left():
    x, w = numbers(6, 64), numbers(30, 64)
    assert multiply_by_rows(x, w).shape == (6, 30)
    for given in [(x.astype("float64"), w), (x, w.astype("float64")), (x, w[:, :63]), (x[:0], w), (x, w[:15]),
                  (x[None], w), (x, w[0]), (x, None), (x[::2], w), (x, w[::2]), (numbers(9, 64), w),
                  (numbers(4, 15), numbers(30, 15)), (numbers(65, 4000), numbers(16, 4000))]:
        assert multiply_by_rows(*given) is NotImplemented
    with pytest.raises(TypeError, match="two matrices"):
        native.module.row_products(x)


@pytest.mark.parametrize("width", [400, 384, 390])
def test_products_do_not_depend_on_the_number_of_threads(width):
    """Threads share vectors of a matrix that is in no panels yet, or whole panels."""
    x, w, v, now = numbers(40, 300), numbers(300, width), numbers(width, 300), paddle.get_num_threads()
    found = [multiply(x, w), multiply(x, v, kind=ROWS), multiply_by_rows(x[:20], v)]
    for threads in (1, 2, 3):
        paddle.set_num_threads(threads)
        again = [multiply(x, w), multiply(x, v, kind=ROWS), multiply_by_rows(x[:20], v)]
        paddle.set_num_threads(now)
        for one, other in zip(found, again, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("turned", [(True, False), (False, True), (True, True)])
@pytest.mark.parametrize("rows", [5, 12, 40, 700])
def test_products_of_tensors_that_are_turned(turned, rows):
    """Of every kernel: for few rows, and where both are turned, another one computes."""
    x, y = numbers(*((130, rows) if turned[0] else (rows, 130))), numbers(*((600, 130) if turned[1] else (130, 600)))
    wanted = (x.T if turned[0] else x).astype("float64") @ (y.T if turned[1] else y)
    for _ in range(2):  # the second time it is called by the compiled form
        found = paddle.matmul(paddle.to_tensor(x), paddle.to_tensor(y), *turned)
        np.testing.assert_allclose(found.numpy(), wanted, 1e-4, 1e-3)
    with pytest.raises(ValueError, match="inner dimensions"):
        paddle.matmul(paddle.to_tensor(x), paddle.to_tensor(y[:-1, :-1]), *turned)


def test_gradients_of_filters_that_are_left():
    x, g, windows = last(numbers(2, 3, 5, 5)), last(numbers(2, 16, 5, 5)), Windows(begin=(1, 1), end=(1, 1))
    assert gradient_of_filters(x, g, (3, 3), windows).shape == (16, 3, 3, 3)
    for given in [(numbers(2, 3, 5, 5), g), (x.astype("float64"), g), (x, g[:, :15]), (x[:1], g), (x[:0], g[:0]),
                  (x[0], g), (x, None)]:
        assert gradient_of_filters(*given, (3, 3), windows) is NotImplemented
    assert gradient_of_filters(x, g, (1 << 40, 1 << 40), windows) is NotImplemented


def test_padding_is_left_out():
    """A weight without end meets no zero there, and neither does a gradient."""
    x, w, windows = last(np.ones((8, 16, 2, 2), "float32")), np.ones((64, 16, 3, 3), "float32"), ((1, 1),) * 4
    w[:, :, 0] = np.inf
    found = packed(w, None, None, (*windows, False), "")(x, w, None, None, None)
    np.testing.assert_array_equal(found[:, :, 0], np.full((8, 64, 2), 4 * 16))
    np.testing.assert_array_equal(found[:, :, 1], np.full((8, 64, 2), np.inf))
    gradient = last(np.zeros((8, 64, 2, 2), "float32"))
    gradient[:, :, 0, 0] = np.inf
    found = gradient_of_filters(x, gradient, (3, 3), Windows(*windows))
    assert (found[:, :, 1:, 1:] == np.inf).all() and (found[:, :, 0, 0] == 0).all()


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_images_of_one_window_are_a_product(layout, monkeypatch):
    """The first layer of a generator, and the gradient by images of filters as large as these, without oneDNN."""
    monkeypatch.setattr(paddle.backend.onednn, "is_ready", lambda: False)
    taken, known = [], conv.multiply
    monkeypatch.setattr(conv, "multiply", lambda *given: taken.append(given) or known(*given))
    for images, given, channels, kernel in [(5, 20, 33, (4, 4)), (1, 8, 3, (2, 3)), (70, 9, 1, (1, 5))]:
        x = paddle.to_tensor(numbers(images, given, 1, 1), stop_gradient=False)
        w, bias = paddle.to_tensor(numbers(given, channels, *kernel)), paddle.to_tensor(numbers(channels))
        meant = np.einsum("nihw,ioab->noab", x.numpy(), w.numpy().astype("d")) + bias.numpy().reshape(-1, 1, 1)
        lying = x if layout == "NCHW" else x.transpose([0, 2, 3, 1])
        result = paddle.nn.functional.conv2d_transpose(lying, w, bias, stride=2, data_format=layout)
        found = result.numpy() if layout == "NCHW" else result.numpy().transpose(0, 3, 1, 2)
        assert len(taken) == 1 and np.abs(found - meant).max() < 1e-5
        image = paddle.zeros(found.shape if layout == "NCHW" else found.transpose(0, 2, 3, 1).shape)
        image.stop_gradient = False
        small = paddle.nn.functional.conv2d(image, w, data_format=layout)
        taken.clear()
        slope = paddle.grad(small, image, lying.detach())[0].numpy()
        slope = slope if layout == "NCHW" else slope.transpose(0, 3, 1, 2)
        assert len(taken) == 1 and np.array_equal(slope + bias.numpy().reshape(-1, 1, 1), found)
        taken.clear()


def test_filters_that_are_turned_round():
    check_turned_filters()


def test_convolutions_are_what_they_stand_for():
    check_convolutions()


def test_products_are_what_they_stand_for():
    check_products()


@pytest.mark.parametrize("most", ["32", "16"])
def test_with_shorter_vectors(most, threads):
    code = f"""if True:
        import proa
        from test_panels import *
        proa.set_num_threads({threads})
        check_convolutions()
        check_products()
        check_turned_filters()
        check_filter_gradients()
        check_filter_gradients_by_tiles()
        check_tiles()
        check_products_by_rows()
        if {most} > 16:
            check_turned_products()
            check_few_rows_by_rows()
        else:
            assert multiply_turned(numbers(8, 8), numbers(8, 8)) is NotImplemented
            assert multiply_by_rows(numbers(8, 64), numbers(16, 64)) is NotImplemented
        print("fine")
        """
    here = {"PROA_VECTOR_BYTES": most, "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run([sys.executable, "-c", code], env=os.environ | here, capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


def test_numbers_that_are_none_and_those_without_end_go_on():
    x, w, bias = last(numbers(1, 8, 6, 6)), numbers(20, 8, 1, 1), numbers(20)
    x[0, 3, 2, 2], x[0, 1, 4, 4] = np.nan, np.inf
    for activation in ("", "relu", "hard_swish"):
        found = packed(w, None, bias, ((1, 1), (0, 0), (0, 0), (1, 1), False), activation)(x, w, None, bias, None)
        assert np.isnan(found[0, :, 2, 2]).all()
        with np.errstate(invalid="ignore"):
            wanted = ACTIVATIONS[activation](w[:, 1, 0, 0] * np.float32(np.inf))
        np.testing.assert_array_equal(found[0, :, 4, 4], wanted)


def test_what_it_does_not_take_it_leaves():
    w, bias, x = numbers(8, 4, 3, 3), numbers(8), last(numbers(2, 4, 6, 6))
    windows = (1, 1), (0, 0), (0, 0), (1, 1), False
    call = packed(w, None, bias, windows, "")
    assert call(x, w, None, bias, None).shape == (2, 8, 4, 4)
    for others in [(x, w.copy(), None, bias, None), (x, w, bias, bias, None), (x, w, None, None, None)]:
        assert call(*others) is None  # it was packed for others
    wide, small = last(numbers(2, 8, 6, 6)), last(numbers(2, 4, 2, 2))
    for images in (wide, small, x.astype("float64"), x[0], x[:0], None, [1.0]):
        assert call(images, w, None, bias, None) is None
    assert call(x, w, None, bias, numbers(2, 8, 4, 4)) is None  # not as the result lies
    with pytest.raises(TypeError, match="called with x, weight, scale, bias, residual"):
        call(x, w)
    given = FILTERS, *Windows(), 0, 1, (0, 0, 0)
    for array in (w.astype("float64"), w[0], w[:, :, ::2], numbers(8), w[:0]):
        assert native.module.pack_weight(array, None, None, None, (w, None, None), *given) is None
    assert pack(w, numbers(7), None, (w, None, None), FILTERS) is None
    assert pack(w, None, numbers(9), (w, None, None), FILTERS) is None
    assert pack(w, None, None, (w, None, None), MATRIX) is None
    with pytest.raises(TypeError, match="so many bytes"):
        native.module.pack_weight(w, None, None, np.empty, (w, None, None), *given)


def test_much_padding_takes_no_memory_of_its_own_and_large_windows_are_left():
    x, w = last(numbers(1, 3, 8, 8)), numbers(8, 3, 2, 2)
    far = (1 << 30, 1 << 30), (0, 0), ((1 << 30) - 8,) * 2, (1, 1), False  # 2^60 elements with the padding
    found = packed(w, None, None, far, "")(x, w, None, None, None)
    np.testing.assert_allclose(found, np.einsum("chw,ochw->o", x[0, :, :2, :2], w).reshape(1, 8, 1, 1), 1e-4, 1e-5)
    assert packed(numbers(1, 1, 40, 40), None, None, ((1, 1), (0, 0), (0, 0), (1, 1), False), "") is None


def test_several_threads_of_python_at_once():
    w, bias, x = numbers(300, 500), numbers(500), numbers(64, 300)
    call, wanted, wrong = pack(w, None, bias, (w, None, bias)), x @ w + bias, []

    def work():
        for _ in range(50):
            if not np.allclose(call(x, w, bias, None), wanted, 1e-3, 1e-3):
                wrong.append(1)

    several = [threading.Thread(target=work) for _ in range(4)]
    for thread in several:
        thread.start()
    for thread in several:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 5, 7), (3, 8, 4, 4), (2, 19, 3, 11), (1, 64, 32, 32),
                                   (9, 70, 41, 3)])
def test_images_are_brought_into_the_order_that_panels_read(shape):
    images = numbers(*shape)
    images.flat[0] = np.nan
    for given in images, images.astype("float64"), images[:, :, ::-1], last(images):
        found = side_by_side(given)
        assert found.dtype == given.dtype and found.transpose(0, 2, 3, 1).flags.c_contiguous
        np.testing.assert_array_equal(found, given)


def test_matrices_that_are_not_turned():
    for given in numbers(2, 3), numbers(2, 3, 4).astype("float64"), numbers(2, 3, 4)[:, ::2], numbers(0, 3, 4):
        assert native.module.turned_matrices(given) is NotImplemented
    whole = np.arange(24, dtype="int32").reshape(2, 3, 4)
    np.testing.assert_array_equal(native.module.turned_matrices(whole), whole.transpose(0, 2, 1))
