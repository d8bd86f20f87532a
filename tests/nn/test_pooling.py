"""Pooling where the padding is not the same on both sides, and sizes as arrays; what PaddlePaddle 2.6.2 gives."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.core.flags import flags_guard
from proa.nn import functional as F


def _image(*shape):
    return paddle.arange(float(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize("exclusive, last", [(True, 17.0), (False, 8.5)])
def test_padding_behind_as_far_as_there_is_as_much_before(exclusive, last):
    x = _image(1, 1, 1, 18)
    found = F.avg_pool2d(x, [1, 2], [1, 2], [0, 1], exclusive=exclusive)
    assert found[0, 0, 0, -1].item() == last


@pytest.mark.parametrize("pool, shape, padding", [
    (F.avg_pool1d, (1, 1, 3), [0, 1]), (F.avg_pool2d, (1, 1, 3, 3), [0, 1, 0, 1]),
    (F.avg_pool3d, (1, 1, 3, 3, 3), [0, 1, 0, 1, 0, 1]), (F.avg_pool3d, (1, 1, 3, 3, 3), "SAME")])
def test_padding_behind_alone_does_not_count(pool, shape, padding):
    x = _image(*shape)
    last = float(x.numel()) - 1
    for engines in ("", "loops", "onednn"):
        with flags_guard({"FLAGS_cpu_engines": engines}):
            assert pool(x, 2, 2, padding, exclusive=False).flatten()[-1].item() == last


def test_a_divisor_of_ones_own_divides_the_sums():
    x = _image(1, 1, 3, 3)
    assert F.avg_pool2d(x, 2, 2, [0, 1, 0, 1], divisor_override=2).tolist() == [[[[4.0, 3.5], [6.5, 4.0]]]]


def test_maxima_with_positions_where_the_padding_differs():
    x = _image(1, 2, 3, 4)
    x.stop_gradient = False
    found, places = F.max_pool2d(x, 2, 2, "SAME", return_mask=True)
    assert found.tolist() == F.max_pool2d(x, 2, 2, "SAME").tolist()
    assert places.dtype == paddle.int32 and places.tolist() == [[[[5, 7], [9, 11]]] * 2]
    flat = x.reshape([1, 2, -1]).numpy()
    assert np.take_along_axis(flat, places.numpy().reshape(1, 2, -1), 2).reshape(found.shape).tolist() == found.tolist()
    found.sum().backward()
    expected = x.detach()
    expected.stop_gradient = False
    F.max_pool2d(expected, 2, 2, "SAME").sum().backward()
    assert x.grad.tolist() == expected.grad.tolist()


@pytest.mark.parametrize("pool, shape, padding", [
    (F.max_pool1d, (2, 2, 5), [2, 0]), (F.max_pool2d, (2, 2, 5, 4), [1, 0, 0, 1]), (F.max_pool2d, (2, 2, 5, 4), "SAME"),
    (F.max_pool3d, (1, 2, 3, 4, 5), [1, 0, 0, 1, 1, 1])])
def test_positions_are_those_of_the_maxima(pool, shape, padding):
    x = paddle.to_tensor(np.random.default_rng(0).standard_normal(shape).astype("float32"))
    found, places = pool(x, 3, 2, padding, return_mask=True)
    assert found.tolist() == pool(x, 3, 2, padding).tolist()
    flat = x.numpy().reshape(*shape[:2], -1)
    taken = np.take_along_axis(flat, places.numpy().reshape(*shape[:2], -1), 2)
    assert taken.reshape(found.shape).tolist() == found.tolist()


def test_positions_need_sizes_and_channels_in_front():
    with pytest.raises(ValueError, match="the channels must come second"):
        F.max_pool2d(paddle.ones([1, 4, 4, 2]), 2, return_mask=True, data_format="NHWC")
    paddle.enable_static()
    try:
        with static.program_guard(static.Program()), pytest.raises(ValueError, match="must know the sizes"):
            F.max_pool2d(static.data("x", [None, 1, None, 4]), 2, 2, "SAME", return_mask=True)
    finally:
        paddle.disable_static()


@pytest.mark.parametrize("pool, rank", [
    (F.adaptive_max_pool1d, 1), (F.adaptive_avg_pool1d, 1), (F.adaptive_max_pool2d, 2), (F.adaptive_avg_pool2d, 2),
    (F.adaptive_max_pool3d, 3), (F.adaptive_avg_pool3d, 3)])
def test_sizes_as_arrays(pool, rank):
    x = _image(1, 2, *[4] * rank)
    sizes = [2, 3, 1][:rank]
    expected = pool(x, sizes).tolist()
    assert pool(x, np.array(sizes)).tolist() == pool(x, paddle.to_tensor(sizes)).tolist() == expected
    assert pool(x, np.int64(2)).tolist() == pool(x, 2).tolist() == pool(x, np.array(2)).tolist()


@pytest.mark.parametrize("engines", ["", "onednn,loops,panels"])
@pytest.mark.parametrize("size, step, padding", [(2, 2, 0), (3, 1, 1), (3, 2, 1)])
def test_an_infinite_gradient_of_a_maximum_concerns_its_place_alone(size, step, padding, engines):
    x = paddle.to_tensor(np.random.RandomState(0).randn(1, 8, 6, 6).astype("float32"), stop_gradient=False)
    with flags_guard({"FLAGS_cpu_engines": engines}):
        y = F.max_pool2d(x, size, step, padding)
        g = np.ones(y.shape, "float32")
        g[0, 0, 0, 0] = np.inf
        y.backward(paddle.to_tensor(g))
    found = x.grad.numpy()
    assert np.isinf(found).sum() == 1 and not np.isnan(found).any()
