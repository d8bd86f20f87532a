"""`paddle.onnx.export` with sizes that only a run knows: the same file at several of them."""

import importlib.util

import proa as paddle
import pytest

if importlib.util.find_spec("paddle2onnx") is None:
    pytest.skip("paddle2onnx is not installed", allow_module_level=True)
onnxruntime = pytest.importorskip("onnxruntime")

from onnx_runs import same, values  # noqa: E402  (it needs onnxruntime)

ROWS = ([None, 4], [[values(2, 4)], [values(5, 4)]])
SEQUENCES = ([None, None, 4], [[values(2, 3, 4)], [values(3, 5, 4)]])


@pytest.mark.parametrize("function", [
    lambda x: paddle.masked_fill(x, x > 0, 1.0),
    lambda x: paddle.masked_fill(x, x[:, :1] > 0, paddle.to_tensor(1.0)),
    lambda x: paddle.where(x > 0, x, 0.0),
    lambda x: paddle.expand_as(x[:1], x),
    lambda x: paddle.expand(x.unsqueeze(1), [-1, 3, -1]),
    lambda x: paddle.broadcast_to(x.sum(0, keepdim=True), [x.shape[0], 4]),
    lambda x: paddle.tile(x[:1], [x.shape[0], 1]),
    lambda x: paddle.zeros([x.shape[0], 4]) + paddle.full_like(x, 2.0) + x,
])
def test_values_expanded(function, tmp_path):
    spec, runs = ROWS
    same(function, [spec], *runs, folder=tmp_path)


@pytest.mark.parametrize("function", [
    lambda x: x[:, ::-1], lambda x: x[::-2, :, 2::-1], lambda x: x[:, :0:-1],
    lambda x: paddle.flip(x, [1]), lambda x: paddle.flip(x, [0, -1]),
    lambda x: paddle.repeat_interleave(x, 2, 1), lambda x: paddle.repeat_interleave(x, 3, -1),
])
def test_values_reversed_and_repeated(function, tmp_path):
    spec, runs = SEQUENCES
    same(function, [spec], *runs, folder=tmp_path)


def one_column(x):
    y = x + 0
    y[:, :, 1] = 0.5
    y[:, :, -1] = 7.0
    return y


def one_row(x):
    y = x + 0
    y[0, 1] = 5.0
    y[-1] = x[0]
    y[0] = paddle.to_tensor([1.0, 2, 3, 4])
    return y


def parts(x):
    y = x + 0
    y[:, 1:5, 2:9] = x[:, 1:5, :2]
    y[:, :-1] = x[:, 1:]
    y[:, -2:-1] = 7.0
    y[:, 1] = x[:, :1, 0]
    y[0] = y[-1, :, 0].unsqueeze(-1)
    return y


def parts_that_may_be_empty(x):
    y = x + 0
    y[:, 2:-2] = -1.0
    y[:, 4:7] = -2.0
    return y


def every_other(x):
    y = x + 0
    y[::2, ::2] = 0.0
    return y


def whole_numbers(x):
    y = (x * 3).astype("int64")
    y[1:, :, -1] = 7
    return y


@pytest.mark.parametrize("sizes", [[None, None, 4], None])
@pytest.mark.parametrize("function", [one_column, one_row, parts, parts_that_may_be_empty, every_other,
                                      whole_numbers])
def test_values_set(function, sizes, tmp_path):
    runs = [[values(2, 3, 4)], [values(3, 5, 4)], [values(2, 7, 4)]]
    if sizes is None:
        sizes, runs = [2, 3, 4], runs[:1]
    same(function, [sizes], *runs, folder=tmp_path)


def test_constants_set_that_are_attributes(tmp_path):
    """As PaddlePaddle 2.6 writes `x[:, 1] = 3` and `x[0, 2:] = [4, 5]`."""
    main = paddle.static.Program()
    paddle.enable_static()
    with paddle.static.program_guard(main):
        x = paddle.static.data("x", [None, 4])
        for axes, starts, ends, dropped, numbers in (([1], [1], [2], [1], [3.0]),
                                                     ([0, 1], [0, 2], [1, 4], [0], [4.0, 5.0])):
            y = main.global_block().create_var(f"set_{len(axes)}", [-1, 4], "float32")
            main.global_block().append_op("set_value", {"Input": x}, {"Out": y}, {
                "axes": axes, "starts": starts, "ends": ends, "steps": [1] * len(axes), "decrease_axes": dropped,
                "none_axes": [], "dtype": paddle.float32, "shape": [len(numbers)], "values": numbers})
            x = y
        inputs = [main.global_block().var("x")]
        paddle.static.save_inference_model(str(tmp_path / "m"), inputs, [x], paddle.static.Executor(), program=main)
    paddle.disable_static()
    paddle.onnx.export(str(tmp_path / "m"), str(tmp_path / "m"))
    given = values(3, 4)
    wanted = given.copy()
    wanted[:, 1] = 3
    wanted[0, 2:] = [4, 5]
    session = onnxruntime.InferenceSession(str(tmp_path / "m.onnx"))
    assert session.run(None, {session.get_inputs()[0].name: given})[0].tolist() == wanted.tolist()


def incremented(x):
    i = paddle.zeros([1])
    paddle.increment(i)
    if x.sum() > 0:
        y = x * i
    else:
        y = x - i
    paddle.increment(i, 2.0)
    while i < 5:
        y = y + i
        paddle.increment(i)
    return y + i


def test_counters(tmp_path):
    same(incremented, [[None, 4]], [values(2, 4) + 2], [values(3, 4) - 2], folder=tmp_path)


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("samples", [-1, 2])
def test_regions_of_images(samples, aligned, tmp_path):
    """ONNX has aligned samples since version 16 of its operators."""
    def regions(x):
        return paddle.vision.ops.roi_align(x, paddle.to_tensor([[0.0, 0, 3, 5]]), paddle.to_tensor([1], "int32"), 2,
                                           sampling_ratio=samples, aligned=aligned)

    same(regions, [[None, 2, None, None]], [values(1, 2, 8, 8)], [values(1, 2, 6, 9)], folder=tmp_path)


@pytest.mark.parametrize(("function", "sizes", "said"), [
    (lambda x: paddle.nn.functional.temporal_shift(x, 2), [None, 4, None, None],
     r"temporal_shift.* for known sizes of frames .*\[-1, 4, -1, -1\]"),
])
def test_what_is_for_known_sizes_alone_is_refused(function, sizes, said, tmp_path):
    with pytest.raises(NotImplementedError, match=said):
        paddle.onnx.export(function, str(tmp_path / "net"), input_spec=[paddle.static.InputSpec(sizes)])
    assert list(tmp_path.iterdir()) == []


IMAGES = ([None, 4, None, None], [[values(1, 4, 8, 8)], [values(2, 4, 12, 6)]])
F, nn = paddle.nn.functional, paddle.nn


@pytest.mark.parametrize("net", [
    nn.Sequential(nn.Conv2D(4, 6, 3, padding=1, padding_mode="reflect"), nn.GroupNorm(2, 6),
                  nn.MaxPool2D(3, 2, ceil_mode=True)),
    nn.Sequential(nn.Conv2DTranspose(4, 6, 3, stride=2), nn.InstanceNorm2D(6), nn.PReLU(6), nn.AdaptiveMaxPool2D(1)),
    lambda x: F.interpolate(F.pad(x, [1, 2, 1, 0], mode="reflect"), scale_factor=2, mode="bilinear"),
    lambda x: F.unfold(F.pixel_shuffle(x, 2), 2, 2),
])
def test_images_of_any_size(net, tmp_path):
    spec, runs = IMAGES
    same(net, [spec], *runs, folder=tmp_path)


@pytest.mark.parametrize("function", [
    lambda x: paddle.cumsum(paddle.sort(x, 1), 1), lambda x: paddle.topk(x, 2, axis=1)[1],
    lambda x: paddle.roll(x, 1, 1)[:, -2:], lambda x: paddle.einsum("bij,bkj->bik", x, x),
    lambda x: paddle.triu(paddle.ones([x.shape[1], x.shape[1]]), 1) + x.sum(-1, keepdim=True),
    lambda x: paddle.arange(x.shape[1]).astype("float32").unsqueeze(1) + x,
    lambda x: F.scaled_dot_product_attention(x.unsqueeze(2), x.unsqueeze(2), x.unsqueeze(2)),
    lambda x: paddle.logsumexp(x.reshape([x.shape[0], -1]), 1) + x.std([1, 2]),
])
def test_sequences_of_any_length(function, tmp_path):
    spec, runs = SEQUENCES
    same(function, [spec], *runs, folder=tmp_path)


def not_of_float32(numbers, ids):
    return (numbers * 0.1, numbers[:int(numbers.shape[0] * 0.7)], ids + 16777217, paddle.full_like(ids, 16777217),
            paddle.full_like(numbers, 0.1))


def test_numbers_that_float32_does_not_hold(tmp_path):
    path = str(tmp_path / "model.onnx")
    paddle.onnx.export(not_of_float32, path, opset_version=13, input_spec=[
        paddle.static.InputSpec([None], "float64", "numbers"), paddle.static.InputSpec([None], "int64", "ids")])
    session = onnxruntime.InferenceSession(path)
    for size in (10, 3):
        inputs = {"numbers": paddle.linspace(0, 1, size, "float64").numpy(), "ids": paddle.arange(size).numpy()}
        wanted = not_of_float32(*map(paddle.to_tensor, inputs.values()))
        for one, other in zip(session.run(None, inputs), wanted, strict=True):
            assert one.dtype == other.numpy().dtype and one.tolist() == other.tolist()
