"""Pooling of images whose channels lie side by side, by one loop: against NumPy's kernel, and in plans."""

import itertools

import numpy as np
import proa as paddle
import pytest
from proa.backend import loops
from proa.backend.kernels import channels_last_pool
from proa.core.flags import flags_guard
from proa.ops.core.operator import find
from proa.ops.nn import pool

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason="needs llvmlite")


@pytest.fixture(autouse=True)
def at_once():
    with flags_guard({"FLAGS_kernel_after_elements": 0}):
        yield


@pytest.fixture(params=[1, 2, 8])
def threads(request):
    before = paddle.get_num_threads()
    paddle.set_num_threads(request.param)
    yield
    paddle.set_num_threads(before)


def image(n, c, h, w, seed=0):
    return np.random.default_rng(seed).standard_normal((n, h, w, c), dtype="float32").transpose(0, 3, 1, 2)


SIZES = [(1, 64, 2, 2), (2, 80, 5, 7), (1, 200, 2, 96), (3, 67, 9, 4), (1, 64, 33, 41)]
WINDOWS = [([2, 2], [2, 2], [0, 0]), ([2, 2], [1, 1], [1, 1]), ([1, 3], [1, 2], [0, 1]), ([3, 1], [2, 1], [1, 0]),
           ([1, 1], [2, 2], [0, 0]), ([2, 2], [3, 1], [1, 0])]


def where(x, kernel, strides, paddings, ceil_mode):
    found = pool._for_engines(x, "max", ksize=kernel, strides=strides, paddings=paddings, ceil_mode=ceil_mode)
    return None if found is None else (found[0].kernel, found[0].strides, found[0].pads, found[0].out)


@pytest.mark.parametrize("windows, ceil_mode", [*itertools.product(WINDOWS, (False, True))])
@pytest.mark.parametrize("size", SIZES)
def test_maxima(size, windows, ceil_mode, threads):
    x = image(*size)
    x[0, 1, 0, 1], x[-1, 5, 1, 0], x[0, 2, 0, 0], x[0, 3] = np.nan, np.inf, -np.inf, -np.inf
    kernel, strides, paddings = windows
    places = where(x, *windows, ceil_mode)
    if places is None or min(places[3]) < 1:
        pytest.skip("no such windows")
    found = channels_last_pool.channels_last_maxima(x, *places)
    expected = pool._pool(np, x, pooling_type="max", ksize=kernel, strides=strides, paddings=paddings,
                          ceil_mode=ceil_mode)
    np.testing.assert_array_equal(found, expected)
    assert found.transpose(0, 2, 3, 1).flags.c_contiguous


@pytest.mark.parametrize("size", [*SIZES, (1, 960, 7, 7), (5, 16, 1, 1), (2, 130, 40, 33)])
def test_means(size, threads):
    x = image(*size)
    found = channels_last_pool.channels_last_means(x)
    expected = x.astype("float64").mean((2, 3), keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert found.flags.c_contiguous and found.dtype == np.float32
    x[0, 3, -1, -1] = np.nan
    assert np.argwhere(np.isnan(channels_last_pool.channels_last_means(x))).tolist() == [[0, 3, 0, 0]]


def test_means_of_large_images_keep_their_digits():
    x = np.full((1, 512, 512, 16), 0.1, "float32").transpose(0, 3, 1, 2)
    np.testing.assert_allclose(channels_last_pool.channels_last_means(x), np.float32(0.1), rtol=3e-6)


def test_what_is_left_to_others():
    x = image(1, 64, 4, 4)
    places = (2, 2), (2, 2), ((0, 0), (0, 0)), (2, 2)
    for other in (np.ascontiguousarray(x), x.astype("float64"), x[:, :8], x[0], x[..., :3]):
        assert channels_last_pool.channels_last_means(other) is NotImplemented
        assert channels_last_pool.channels_last_maxima(other, *places) is NotImplemented
    large = (3, 3), (1, 1), ((0, 0), (0, 0)), (2, 2)
    assert channels_last_pool.channels_last_maxima(x, *large) is NotImplemented


ATTRIBUTES = [
    dict(pooling_type="avg", ksize=[1, 1], adaptive=True), dict(pooling_type="avg", ksize=[1, 1], global_pooling=True),
    dict(pooling_type="avg", ksize=[2, 2], strides=[2, 2], paddings=[0, 0]),
    dict(pooling_type="avg", ksize=[2, 2], adaptive=True), dict(pooling_type="max", ksize=[1, 1], global_pooling=True),
    dict(pooling_type="max", ksize=[2, 2], strides=[2, 2], paddings=[0, 0]),
    dict(pooling_type="max", ksize=[3, 3], strides=[2, 2], paddings=[1, 1], ceil_mode=True),
    dict(pooling_type="max", ksize=[2, 2], strides=[1, 1], paddings=[0, 0], padding_algorithm="SAME"),
    dict(pooling_type="max", ksize=[2, 2], adaptive=True),
    dict(pooling_type="avg", ksize=[1, 1], adaptive=True, data_format="NHWC"),
    dict(pooling_type="max", ksize=[2, 2], strides=[2, 2], paddings=[0, 0], data_format="NHWC")]


@pytest.mark.parametrize("attrs", ATTRIBUTES)
def test_what_a_line_of_a_plan_calls_gives_what_the_operator_gives(attrs):
    line, operator = pool._line_of_pool(attrs), find("pool2d")
    for n, size in enumerate([(1, 64, 6, 8), (2, 80, 12, 10), (1, 64, 6, 8), (2, 3, 8, 8), (1, 100, 2, 4)]):
        for x in (image(*size, n), np.ascontiguousarray(image(*size, n)), image(*size, n).astype("float64")):
            expected = pool._pool(np, x, **attrs)
            found = NotImplemented if line is None else line(x)
            if found is NotImplemented:
                found = operator.kernel_for(np)(np, x, **attrs)
            assert found.shape == expected.shape and found.dtype == x.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_a_line_forgets_sizes_that_are_too_many(monkeypatch):
    monkeypatch.setattr(pool, "_KEPT_PLACES", 2)
    line = pool._line_of_pool(dict(pooling_type="max", ksize=[2, 2], strides=[2, 2], paddings=[0, 0]))
    for width in (2, 4, 6, 8, 2):
        x = image(1, 64, 4, width)
        np.testing.assert_array_equal(line(x), x.reshape(1, 64, 2, 2, width // 2, 2).max((3, 5)))
