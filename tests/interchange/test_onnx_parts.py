"""`paddle.onnx.export` of operators that the converter has nothing for: taken apart, and run at two sizes."""

import importlib.util

import numpy as np
import proa as paddle
import pytest
from proa.static import InputSpec

if importlib.util.find_spec("paddle2onnx") is None:
    pytest.skip("paddle2onnx is not installed", allow_module_level=True)
onnxruntime = pytest.importorskip("onnxruntime")

from onnx_runs import same, values  # noqa: E402  (it needs onnxruntime)

F = paddle.nn.functional
ROWS = ([None, 4], [[values(2, 4)], [values(5, 4)]])


def tensor(value, dtype="int64"):
    return paddle.to_tensor(np.array(value, dtype))


def of_elements(x):
    inside = paddle.tanh(x)
    odd = paddle.where(x > 1, paddle.full_like(x, float("inf")), paddle.log(x))  # NaN below 0
    return [paddle.isnan(odd), paddle.isinf(odd), paddle.isfinite(odd), paddle.acosh(paddle.abs(x) + 1.0),
            paddle.asinh(x), paddle.atanh(inside), paddle.expm1(x), paddle.trunc(x * 3), F.celu(x, 0.7),
            paddle.logit(inside * 0.5 + 0.5), paddle.logit(inside * 0.5 + 0.5, 0.3), F.rrelu(x, training=False),
            paddle.stanh(x), paddle.lerp(x, x * x, 0.3), paddle.fmax(odd, x), paddle.fmin(x, odd),
            paddle.heaviside(paddle.round(x), x), paddle.nan_to_num(odd), F.maxout(x.reshape([-1, 4, 1, 1]), 2),
            paddle.cumprod(x, 1), F.label_smooth(inside),
            paddle.round(paddle.floor(x * 3) + 0.5), paddle.round(odd * 2)]


def of_tables(x):
    y = x * 2 + 1
    return [paddle.addmm(x, x, paddle.ones([4, 4]), 2.0, 3.0), paddle.linalg.multi_dot([x, paddle.ones([4, 3])]),
            paddle.linalg.matrix_power(F.softmax(x)[:1] * paddle.ones([4, 4]), 3),
            F.bilinear(x, y, paddle.arange(48, dtype="float32").reshape([3, 4, 4])),
            paddle.cross(x[:, 1:], y[:, 1:], axis=1), paddle.linalg.norm(x), paddle.amax(x, 1), paddle.amin(x, 0),
            paddle.dist(x, y, 3), *[paddle.linalg.norm(x, p, 1, True) for p in (0, 1, 2.0, 3, np.inf, -np.inf)],
            paddle.isclose(x, paddle.round(x), atol=0.2), paddle.allclose(x, y),
            paddle.equal_all(x, x + 0), *paddle.broadcast_tensors([x, x[:1]]), paddle.kron(x, y), paddle.kron(x[0], x),
            paddle.multiplex([x, y], paddle.shard_index(paddle.zeros([x.shape[0], 1], "int32"), 20, 2, 0))]


def of_losses(x):
    y = paddle.flip(x, [1])
    label = paddle.argmax(y, 1)
    a, b = F.sigmoid(x), F.sigmoid(y)
    return [F.smooth_l1_loss(x, y), F.smooth_l1_loss(x, y, "none", 0.5),
            F.kl_div(F.log_softmax(x), F.softmax(y), "sum"), F.kl_div(x, y, "batchmean"),
            F.binary_cross_entropy(a, b), F.log_loss(a[:, :1], b[:, :1]),
            F.binary_cross_entropy_with_logits(x, b), F.sigmoid_focal_loss(x, paddle.cast(y > 0, "float32")),
            F.nll_loss(F.log_softmax(x), label, tensor([1, 2, 3, 4], "float32"), 2),
            F.nll_loss(F.log_softmax(x), label, reduction="none")]


def of_positions(x):
    mask = x > 0
    order = paddle.argsort(x, 1)
    return [x[mask], paddle.masked_select(x, mask[:, :1]), x[tensor([0, 1]), tensor([1, -1])],
            paddle.index_put(x, (tensor([0, 1]), tensor([1, -1])), tensor([1, 2], "float32")),
            paddle.index_put(x, (tensor([0, 0]), tensor([1, 1])), tensor([1, 2], "float32"), accumulate=True),
            paddle.index_put(x, (tensor([[0], [1]]), tensor([[1, 2]])), tensor(1, "float32")),
            paddle.index_put(x, (mask,), x[mask] * 2), paddle.index_put(x, (mask[:, 0],), tensor(3, "float32")),
            paddle.index_add(x, tensor([0, 2]), 1, x[:, :2]), paddle.index_fill(x, tensor([0, -1]), 1, 3.0),
            paddle.put_along_axis(x, order, x, 1), paddle.put_along_axis(x, order[:, :1] * 0, 9.0, 1, reduce="add"),
            paddle.searchsorted(tensor([-1, 0, 1], "float32"), x),
            paddle.bucketize(x, tensor([-1, 0], "float32"), right=True),
            paddle.bincount(order.flatten(), minlength=6), F.sequence_mask(order[:, 0], 6, "bool"),
            F.sequence_mask(order[:, 0] + 1)]


def of_diagonals(x):
    squares = x.unsqueeze(-1) * x.unsqueeze(1)
    return [paddle.diag(x[0]), paddle.diag(x[0], 1), paddle.diag(x[0], -2, padding_value=7.0), paddle.diag(x[:, 0]),
            paddle.diagonal(squares, 1, 1, 2), paddle.trace(squares, axis1=1, axis2=2), F.diag_embed(x),
            F.diag_embed(x, -1, 0, 2)]


def set_by_conditions(x):
    y = x + 0
    y[y > 0] = 0.5
    y[x < -1] = x[x < -1] * 2
    y[:, ::2] = 1.5
    y[::-1, 1:3] = x[:, :2]
    y[tensor([0, 1])] = -1.0
    return y


def truth_values_set(x):
    y = x > 0
    y[:, 1] = True
    y[0] = x[-1] > 0.3
    y[1:, :2] = False
    y[tensor([0, 1]), tensor([2, 3])] = True
    return [y, paddle.where(x > 0, y, x > 1), y.sum(1), y.sum(), paddle.maximum(y.sum(0), paddle.ones([4], "int64"))]


@pytest.mark.parametrize("function", [of_elements, of_tables, of_losses, of_positions, of_diagonals, set_by_conditions,
                                      truth_values_set])
def test_what_is_taken_apart(function, tmp_path):
    spec, runs = ROWS
    with np.errstate(invalid="ignore", divide="ignore"):
        same(function, [spec], *runs, folder=tmp_path)


def test_images(tmp_path):
    theta = tensor([[[1, 0.5, 0], [0, 1, 0.25]]], "float32")
    same(lambda x: [F.channel_shuffle(x, 2), F.pixel_unshuffle(x, 2),
                    F.affine_grid(theta, [1, 1, 4, 5]), F.affine_grid(theta, [1, 1, 4, 5], align_corners=False),
                    F.pad(x, [1, 2, 0, 1], "circular")],
         [[None, 4, None, None]], [values(1, 4, 6, 4)], [values(2, 4, 4, 8)], folder=tmp_path)
    places = tensor([[0, 3, 4], [13, 15, 17], [24, 26, 34]]).reshape([1, 1, 3, 3])
    same(lambda x: [F.fold(F.unfold(x, 3, 2, 1), [6, 6], 3, 2, 1),
                    F.max_unpool2d(x[:, :, ::2, ::2], paddle.broadcast_to(places, [x.shape[0], 4, 3, 3]), 2, 2)],
         [[None, 4, 6, 6]], [values(1, 4, 6, 6)], [values(3, 4, 6, 6)], folder=tmp_path)


@pytest.mark.parametrize("pool", [
    lambda x: F.max_pool2d(x, 3, 2, 1, return_mask=True), lambda x: F.adaptive_max_pool2d(x, 4, return_mask=True),
    lambda x: F.max_pool2d(x, 2, ceil_mode=True, return_mask=True),
    lambda x: F.max_unpool2d(*F.max_pool2d(x[:, :, 1:], 2, return_mask=True), 2)],
    ids=["padded", "adaptive", "ceil", "unpooled"])
def test_positions_of_maxima(pool, tmp_path):
    """The converter ends the process in which it writes them."""
    same(pool, [[None, 2, 9, 8]], [values(2, 2, 9, 8)], [values(1, 2, 9, 8)], folder=tmp_path)


def test_positions_of_maxima_in_images_of_any_size_are_refused(tmp_path):
    with pytest.raises(NotImplementedError, match=r"max_pool2d_with_index.* known size. .*\[-1, 2, -1, -1\]"):
        paddle.onnx.export(lambda x: F.max_pool2d(x, 2, return_mask=True), str(tmp_path / "net"),
                           input_spec=[InputSpec([None, 2, None, None])])


@pytest.mark.parametrize("net", [
    lambda: paddle.nn.Sequential(paddle.nn.Conv2D(8, 8, 3, data_format="NHWC"),
                                 paddle.nn.BatchNorm2D(8, data_format="NHWC"),
                                 paddle.nn.MaxPool2D(2, data_format="NHWC"),
                                 paddle.nn.Conv2DTranspose(8, 4, 2, data_format="NHWC"),
                                 paddle.nn.AvgPool2D(2, 1, data_format="NHWC"),
                                 paddle.nn.GroupNorm(2, 4, data_format="NHWC"),
                                 paddle.nn.PReLU(4, data_format="NHWC"), paddle.nn.Pad2D(1, data_format="NHWC"),
                                 paddle.nn.Upsample(scale_factor=2, data_format="NHWC"),
                                 paddle.nn.PixelShuffle(2, data_format="NHWC"),
                                 paddle.nn.AdaptiveAvgPool2D(1, data_format="NHWC")),
    lambda: paddle.nn.MaxPool2D(2, data_format="NHWC"), lambda: paddle.nn.ChannelShuffle(2, data_format="NHWC")],
    ids=["a network", "maxima", "channels"])
def test_images_whose_channels_come_last(net, tmp_path):
    """The converter takes the height for the channels: maxima of images with 8 of both were silently others."""
    same(net(), [[None, 8, 8, 8]], [values(2, 8, 8, 8)], folder=tmp_path)


@pytest.mark.parametrize("sizes, net", [
    ([None, None], lambda: paddle.nn.Conv2D(4, 4, 3, padding="same", dilation=2)),
    ([None, None], lambda: paddle.nn.Conv2D(4, 4, 4, stride=2, groups=4, padding="same", dilation=3)),
    ([None, None], lambda: paddle.nn.Conv2DTranspose(4, 3, 3, padding="same")),
    ([7, 8], lambda: paddle.nn.Conv2DTranspose(4, 3, 4, stride=3, padding="same", dilation=2)),
    ([9, 8], lambda: paddle.nn.Conv2D(4, 4, 3, padding="same", dilation=2)),
    ([9, 8], lambda: paddle.nn.Conv2DTranspose(4, 4, 3, stride=2, groups=4, padding="same")),
    ([None, None], lambda: paddle.nn.AvgPool2D(3, 1, padding="same", exclusive=False)),
    ([9, 9], lambda: paddle.nn.AvgPool2D(3, 2, padding="same", exclusive=False))])
def test_padding_that_keeps_the_size(sizes, net, tmp_path):
    """ONNX has no dilations with it, other results of transposed convolutions, and counts no padding in means."""
    known = [size or 8 for size in sizes]
    same(net(), [[None, 4, *sizes]], [values(2, 4, *known)], folder=tmp_path)


def test_sequences_and_volumes_whose_channels_come_last(tmp_path):
    line = paddle.nn.Sequential(paddle.nn.Conv1D(3, 4, 3, data_format="NLC"),
                                paddle.nn.BatchNorm1D(4, data_format="NLC"))
    same(line, [[None, 8, 3]], [values(2, 8, 3)], folder=tmp_path)
    volume = paddle.nn.Sequential(paddle.nn.Conv3D(3, 4, 2, data_format="NDHWC"),
                                  paddle.nn.MaxPool3D(2, data_format="NDHWC"))
    same(volume, [[None, 5, 5, 5, 3]], [values(1, 5, 5, 5, 3)], folder=tmp_path)


@pytest.mark.parametrize("code, target", [("encode_center_size", [[0, 0, 3, 2.0], [1, 1, 4, 6]]),
                                          ("decode_center_size", [[[0.1, 0.2, 0.3, 0.1]] * 2] * 2)])
def test_boxes(code, target, tmp_path):
    boxes = np.array([[0, 0, 2, 2], [1, 1, 5, 4]], "float32")
    target = np.array(target, "float32")
    spec = [None, *target.shape[1:]]
    same(lambda prior, one: [paddle.vision.ops.box_coder(prior, [0.1, 0.1, 0.2, 0.2], one, code),
                             paddle.vision.ops.box_coder(prior, prior * 0.1 + 1, one, code, box_normalized=False)],
         [[None, 4], spec], [boxes, target], folder=tmp_path)


def test_floats_are_compared_as_floats(tmp_path):
    """Below version 11 of ONNX's operators they would be compared as whole numbers."""
    same(lambda x: [x == 0.5, x != 0.5], [[None]], [np.array([0.5, 0.7, 0.2], "float32")], folder=tmp_path)


def test_drawn_numbers(tmp_path):
    path = str(tmp_path / "model.onnx")
    paddle.onnx.export(lambda x: [x * 0 + paddle.uniform([500, 4], min=-2.0, max=6.0), paddle.randint(0, 4, [2000]),
                                  paddle.bernoulli(paddle.full([2000], 0.25))],
                       path, input_spec=[InputSpec([None, 4], "float32", "x")])
    session = onnxruntime.InferenceSession(path)
    even, whole, truth = session.run(None, {"x": np.zeros((1, 4), "float32")})
    assert np.abs(np.quantile(even, [0.25, 0.5, 0.75]) - [0, 2, 4]).max() < 0.4 and -2 <= even.min() < even.max() <= 6
    assert whole.dtype == np.int64 and np.abs(np.bincount(whole) / 2000 - 0.25).max() < 0.05 and whole.max() == 3
    assert set(truth.tolist()) == {0.0, 1.0} and abs(truth.mean() - 0.25) < 0.05


@pytest.mark.parametrize("function, says", [
    (lambda x: paddle.diag(x), "operator diag_v2, which makes .*: the sizes of the matrices must be known"),
    (lambda x: paddle.nn.functional.conv2d_transpose(x[None, None], paddle.ones([1, 1, 2, 2]), stride=2,
                                                     padding="SAME"), "pads by the word SAME"),
    (lambda x: paddle.nn.functional.avg_pool2d(x[None, None], 3, 2, [0, 1, 0, 1], exclusive=False),
     "more of it behind"),
    (lambda x: paddle.cumprod(x, 0), "the size along dim=0 must be known"),
    (lambda x: paddle.put_along_axis(x, paddle.argsort(x, 1), x, 1, reduce="multiply"), "reduce='multiply'"),
])
def test_what_is_refused(function, says, tmp_path):
    with pytest.raises(NotImplementedError, match=says):
        paddle.onnx.export(function, str(tmp_path / "model"), input_spec=[InputSpec([None, 4], "float32")])
