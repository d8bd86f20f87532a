"""flow.nn's convolutions and pooling: padding rules, data formats, groups, transposes, against windows by hand."""

import itertools

import numpy as np
import proa as paddle
import proa.oneflow as flow
import pytest

RULES = ["SAME", "SAME_LOWER", "SAME_UPPER", "VALID"]
random = np.random.default_rng(0)


def number_of_windows(size, kernel, stride, dilation, rule):
    return -(-size // stride) if rule.startswith("SAME") else (size - (kernel - 1) * dilation - 1) // stride + 1


def padded(size, kernel, stride, dilation, rule):
    """Before, behind, as OneFlow documents its rules."""
    if rule == "VALID":
        return 0, 0
    total = max(0, (number_of_windows(size, kernel, stride, dilation, rule) - 1) * stride
                + (kernel - 1) * dilation + 1 - size)
    return (total // 2, total - total // 2) if rule == "SAME_UPPER" else (total - total // 2, total // 2)


def windows(x, kernel, stride, dilation, pairs):
    """For each place the elements of its window, with NaN where there is padding: places, then N, C, kernel."""
    x = np.pad(x, [(0, 0), (0, 0), *pairs], constant_values=np.nan)
    starts = [range(0, size - (k - 1) * d, s)
              for size, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)]
    for place in itertools.product(*starts):
        index = tuple(slice(start, start + (k - 1) * d + 1, d)
                      for start, k, d in zip(place, kernel, dilation, strict=True))
        yield tuple(start // s for start, s in zip(place, stride, strict=True)), x[(slice(None), slice(None), *index)]


def over_windows(x, kernel, stride, dilation, pairs, function, channels):
    found = dict((place, function(window)) for place, window in windows(x, kernel, stride, dilation, pairs))
    sizes = [max(place[n] for place in found) + 1 for n in range(len(kernel))]
    out = np.zeros((len(x), channels, *sizes))
    for place, value in found.items():
        out[(slice(None), slice(None), *place)] = value
    return out


def convolved(x, w, stride, dilation, pairs, groups=1):
    parts = []
    for xs, ws in zip(np.split(x, groups, 1), np.split(w, groups, 0), strict=True):
        rank = len(stride)
        letters = "ijk"[:rank]
        formula = f"nc{letters},mc{letters}->nm"
        parts.append(over_windows(xs, ws.shape[2:], stride, dilation, pairs,
                                  lambda window, ws=ws, formula=formula: np.einsum(formula, np.nan_to_num(window), ws),
                                  len(ws)))
    return np.concatenate(parts, 1)


def normal(*shape):
    return random.standard_normal(shape).astype("float32")


def last(array):
    return np.moveaxis(array, 1, -1)


def tensor(array):
    return paddle.to_tensor(np.ascontiguousarray(array))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("kernel", "stride", "dilation"), [
    ((2, 3), (2, 1), (1, 2)), ((3, 2), (1, 3), (1, 1)), ((1, 4), (3, 2), (1, 1)), ((3, 3), (2, 2), (2, 1))])
def test_conv2d_pads_by_the_rule(rule, kernel, stride, dilation):
    x, w, bias = normal(2, 4, 7, 8), normal(6, 2, *kernel), normal(6)
    pairs = [padded(*one, rule) for one in zip(x.shape[2:], kernel, stride, dilation, strict=True)]
    expected = convolved(x, w, stride, dilation, pairs, groups=2) + bias[:, None, None]
    got = flow.nn.conv2d(tensor(x), tensor(w), list(stride), rule, tensor(bias), dilations=list(dilation), groups=2)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-5)
    got = flow.nn.conv2d(tensor(last(x)), tensor(last(w)), stride, rule.lower(), tensor(bias), "NHWC", dilation, 2)
    np.testing.assert_allclose(got.numpy(), last(expected), rtol=1e-4, atol=1e-5)
    listed = flow.nn.conv2d(tensor(x), tensor(w), stride, [0, (0, 0), *pairs], tensor(bias), "NCHW", dilation, 2)
    np.testing.assert_array_equal(listed.numpy(), flow.nn.conv2d(
        tensor(x), tensor(w), stride, rule, tensor(bias), "NCHW", dilation, 2).numpy())


def test_conv2d_takes_the_older_order_of_arguments():
    x, w = tensor(normal(1, 4, 9, 9)), tensor(normal(6, 2, 3, 3))
    wanted = flow.nn.conv2d(x, w, 1, "SAME", dilations=2, groups=2).numpy()
    for got in (flow.nn.conv2d(x, w, 1, "SAME", "NCHW", 2, 2, "name"),
                flow.nn.conv2d(x, w, 1, "SAME", "NCHW", 2, groups=2),
                flow.nn.conv2d(x, w, 1, "SAME", "NCHW", dilations=[2, 2], groups=2, name="name")):
        np.testing.assert_array_equal(got.numpy(), wanted)
    one = flow.nn.conv2d(x, tensor(last(normal(6, 9, 3, 3))), 1, "SAME", "NHWC", None)
    assert one.shape == [1, 4, 9, 6]


def test_tensorflows_same_is_the_other_one():
    x, w = normal(1, 2, 5, 5), normal(3, 2, 2, 2)
    upper = flow.nn.conv2d(tensor(x), tensor(w), 1, "SAME_UPPER").numpy()
    np.testing.assert_array_equal(flow.nn.compat_conv2d(tensor(x), tensor(w), 1, "SAME").numpy(), upper)
    assert abs(flow.nn.conv2d(tensor(x), tensor(w), 1, "SAME").numpy() - upper).max() > 0.1


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("rank", [1, 3])
def test_conv1d_and_conv3d_pad_by_the_rule(rank, rule):
    sizes, kernel, stride = (7, 5, 6)[:rank], (2, 3, 2)[:rank], (2, 1, 2)[:rank]
    x, w = normal(2, 4, *sizes), normal(2, 2, *kernel)
    pairs = [padded(*one, 1, rule) for one in zip(sizes, kernel, stride, strict=True)]
    expected = convolved(x, w, stride, (1,) * rank, pairs, groups=2)
    function = {1: flow.nn.conv1d, 3: flow.nn.conv3d}[rank]
    got = function(tensor(x), tensor(w), list(stride), rule, groups=2)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-5)
    layout = {1: "NWC", 3: "NDHWC"}[rank]
    got = function(tensor(last(x)), tensor(last(w)), list(stride), [0, *pairs, 0], layout, None, 2)
    np.testing.assert_allclose(got.numpy(), last(expected), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rule", ["SAME", "VALID"])
@pytest.mark.parametrize(("kernel", "stride", "dilation"), [((3, 2), (2, 2), (1, 1)), ((2, 4), (2, 3), (2, 1)),
                                                            ((3, 3), (1, 2), (1, 1))])
def test_conv2d_transpose_is_the_gradient_of_a_convolution(rule, kernel, stride, dilation):
    sizes, w = (7, 8), normal(5, 4, *kernel)
    out = [number_of_windows(*one, rule) for one in zip(sizes, kernel, stride, dilation, strict=True)]
    value = normal(2, 5, *out)
    pairs = [padded(*one, "SAME_UPPER" if rule == "SAME" else rule)
             for one in zip(sizes, kernel, stride, dilation, strict=True)]
    x = paddle.zeros([2, 4, *sizes])
    x.stop_gradient = False
    made = paddle.nn.functional.conv2d(x, tensor(w), None, stride, [0, 0, *[n for p in pairs for n in p]][2:], dilation)
    made.backward(tensor(value))
    expected = x.grad.numpy()
    got = flow.nn.conv2d_transpose(tensor(value), tensor(w), (2, 4, *sizes), list(stride), rule, dilations=dilation)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-4, atol=1e-5)
    if dilation == (1, 1):
        got = flow.nn.conv2d_transpose(input=tensor(last(value)), filters=tensor(last(w)), strides=stride,
                                       output_shape=[2, *sizes, 4], padding=rule, data_format="NHWC")
        np.testing.assert_allclose(got.numpy(), last(expected), rtol=1e-4, atol=1e-5)


def test_torch_conv2d_transpose_takes_padding_and_output_padding():
    value, w = normal(1, 3, 4, 5), normal(3, 2, 3, 3)
    got = flow.nn.torch_conv2d_transpose(tensor(value), tensor(w), (1, 0), 2, (2, 4))
    expected = paddle.nn.functional.conv2d_transpose(tensor(value), tensor(w), None, 2, [1, 2], [1, 0])
    np.testing.assert_array_equal(got.numpy(), expected.numpy())
    with pytest.raises(ValueError, match="even numbers"):
        flow.nn.torch_conv2d_transpose(tensor(value), tensor(w), strides=2, padding_needed=(1, 1))


POOLS = {("max", 1): flow.nn.max_pool1d, ("avg", 1): flow.nn.avg_pool1d, ("max", 2): flow.nn.max_pool2d,
         ("avg", 2): flow.nn.avg_pool2d, ("max", 3): flow.nn.max_pool3d, ("avg", 3): flow.nn.avg_pool3d}
LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("kind", "rank"), POOLS)
def test_pools_leave_the_padding_out(kind, rank, rule):
    sizes, kernel, stride = (7, 8, 5)[:rank], (3, 2, 2)[:rank], (2, 3, 1)[:rank]
    x = normal(2, 3, *sizes)
    pairs = [padded(*one, 1, rule) for one in zip(sizes, kernel, stride, strict=True)]
    axes = tuple(range(2, 2 + rank))
    function = (lambda window: np.nanmax(window, axes)) if kind == "max" else (lambda window: np.nanmean(window, axes))
    expected = over_windows(x, kernel, stride, (1,) * rank, pairs, function, 3)
    second, behind = LAYOUTS[rank]
    pool = POOLS[kind, rank]
    got = pool(tensor(x), list(kernel), list(stride), rule, data_format=second)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-5, atol=1e-6)
    got = pool(tensor(last(x)), kernel, stride, [(0, 0), *pairs, (0, 0)], data_format=behind)
    np.testing.assert_allclose(got.numpy(), last(expected), rtol=1e-5, atol=1e-6)


def test_ceil_mode_keeps_windows_beyond_numbers_and_not_beyond_rules():
    x = tensor(normal(1, 1, 6, 6))
    for padding, size in (([0, 0, 1, 1], 4), ("VALID", 2), ("SAME", 3)):
        assert flow.nn.max_pool2d(x, 3, 2, padding, ceil_mode=True).shape == [1, 1, size, size]
    assert flow.nn.max_pool2d(x, [3], [2], [0, 0, 1, 1]).shape == [1, 1, 3, 3]
    assert flow.nn.avg_pool2d(x, None, None, "VALID").shape == [1, 1, 6, 6]


def test_filters_that_are_a_number_are_another_function():
    with pytest.raises(TypeError, match="flow.layers has convolutions"):
        flow.nn.conv2d(paddle.zeros([1, 4, 5, 5]), 8, 3, "SAME")


@pytest.mark.parametrize(("call", "words"), [
    (lambda x, w: flow.nn.conv2d(x, w, 1, "same_up"), "SAME_UPPER"),
    (lambda x, w: flow.nn.conv2d(x, w, 1, 1), "for each of the 4 dimensions"),
    (lambda x, w: flow.nn.conv2d(x, w, 1, [1, 1, 0, 0]), "cannot be padded"),
    (lambda x, w: flow.nn.conv2d(x, w, 1, [0, 0, (1, 1, 1), 0]), "a number or a pair"),
    (lambda x, w: flow.nn.conv2d(x, w, 1, "SAME", data_format="CHWN"), "NCHW, NHWC"),
    (lambda x, w: flow.nn.conv2d(x, w, 1, "SAME", data_format="NHWC"), "in dimension 3"),
    (lambda x, w: flow.nn.conv2d(x, w, 1, "SAME", groups=3), "must divide the 4 channels"),
    (lambda x, w: flow.nn.conv2d(x, w, 1, "SAME", groups=2), "4 / 2 = 2 channels"),
    (lambda x, w: flow.nn.conv2d(x, w, [1, 1, 1], "SAME"), "strides must be an int or 2"),
    (lambda x, w: flow.nn.conv3d(x, w, 1, "SAME"), "must have 5 dimensions"),
    (lambda x, w: flow.nn.max_pool2d(x, 2, 2, "FULL"), "SAME_UPPER"),
    (lambda x, w: flow.nn.max_pool2d(x, 2, 2, "SAME", "NCHW_VECT_C"), "NCHW, NHWC"),
    (lambda x, w: flow.nn.conv2d_transpose(x, w, input=x), "both"),
    (lambda x, w: flow.nn.conv2d_transpose(x, w, (1, 4, 9, 9), 1, "SAME"), "do not make"),
    (lambda x, w: flow.nn.conv2d_transpose(x, w, (1, 5, 5, 5), 1, "SAME"), "4 channels"),
    (lambda x, w: flow.nn.conv2d_transpose(x, w, (1, 4, 5, 5), 1, "SAME_LOWER"), "'SAME' or 'VALID'"),
])
def test_errors_say_what_is_wrong(call, words):
    with pytest.raises(ValueError, match=words):
        call(paddle.zeros([1, 4, 5, 5]), paddle.zeros([4, 4, 3, 3]))
