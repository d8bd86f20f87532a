"""`paddle.vision.ops` against PaddlePaddle's answers, recorded by fixtures/vision/make_ops.py, and what is refused."""

import io
import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from proa.static import InputSpec

ops = paddle.vision.ops
FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "vision"
cases = module_at(FIXTURES / "ops_cases.py")
answers = dict(np.load(FIXTURES / "ops.npz"))


@pytest.mark.parametrize("name", cases.CASES)
def test_answers_are_those_of_the_oracle(name):
    found = cases.CASES[name](paddle)
    assert len(found) == len([key for key in answers if key.rpartition(".")[0] == name])
    for n, result in enumerate(found):
        expected = answers[f"{name}.{n}"]
        assert result.shape == expected.shape and result.dtype == expected.dtype, (n, result.shape, expected.shape)
        np.testing.assert_allclose(result, expected, rtol=2e-5, atol=2e-5, err_msg=f"result {n}")


def test_best_of_those_that_stay():
    boxes = paddle.to_tensor(cases.boxes("many", 30, 10.0, low=0.3))
    scores = paddle.to_tensor(cases.drawn("scores", 30, low=0))
    every = ops.nms(boxes, 0.3, scores).tolist()
    assert ops.nms(boxes, 0.3, scores, top_k=4).tolist() == every[:4]
    ordered = scores.numpy()[every]
    assert (ordered[:-1] >= ordered[1:]).all()


def test_no_boxes():
    x, boxes = paddle.ones([2, 4, 5, 5]), paddle.zeros([0, 4])
    counts = paddle.zeros([2], "int32")
    for function in (ops.roi_align, ops.roi_pool):
        assert function(x, boxes, counts, 2).shape == [0, 4, 2, 2]
    assert ops.psroi_pool(x, boxes, counts, 2).shape == [0, 1, 2, 2]
    assert ops.nms(boxes).shape == [0]
    nothing = ops.matrix_nms(paddle.zeros([1, 3, 4]), paddle.zeros([1, 2, 3]), 0.5, 0.5, -1, -1)
    assert nothing[0].shape == [0, 6] and nothing[1].tolist() == [0] and nothing[2] is None
    levels, restored, counts = ops.distribute_fpn_proposals(boxes, 2, 3, 2, 224)
    assert [len(level) for level in levels] == [0, 0] and restored.shape == [0, 1] and counts is None


def test_empty_region_has_a_mean_of_zero():
    x, counts = paddle.ones([1, 1, 4, 4]), paddle.to_tensor([1], "int32")
    assert ops.roi_align(x, paddle.to_tensor([[1.0, 1.0, 1.0, 1.0]]), counts, 1).tolist() == [[[[0.0]]]]


def test_parts_of_many_regions_agree_with_each_alone(monkeypatch):
    from proa.ops.vision import roi_kernels
    x = paddle.to_tensor(cases.drawn("image", 1, 6, 9, 8), stop_gradient=False)
    boxes = paddle.to_tensor(cases.boxes("regions", 7, 9.0))

    def both():
        results = []
        for function in (ops.roi_align, ops.roi_pool):
            result = function(x, boxes, paddle.to_tensor([7], "int32"), 3)
            results += [result.numpy(), paddle.grad(result.sum(), x)[0].numpy()]
        return results

    whole = both()
    monkeypatch.setattr(roi_kernels, "_PART", 1)
    for found, expected in zip(both(), whole, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_no_regions_pass_no_gradient():
    x = paddle.to_tensor(cases.drawn("image", 1, 3, 6, 6), stop_gradient=False)
    for function in (ops.roi_align, ops.roi_pool):
        pooled = function(x, paddle.zeros([0, 4]), paddle.to_tensor([0], "int32"), 2)
        assert pooled.shape == [0, 3, 2, 2]
        assert paddle.grad(pooled.sum(), x)[0].numpy().tolist() == np.zeros((1, 3, 6, 6)).tolist()


@pytest.mark.parametrize("layer, function", [
    (ops.RoIAlign, ops.roi_align), (ops.RoIPool, ops.roi_pool), (ops.PSRoIPool, ops.psroi_pool)])
def test_layers_are_the_functions(layer, function):
    x, boxes = paddle.to_tensor(cases.drawn("image", 1, 8, 9, 8)), paddle.to_tensor(cases.boxes("regions", 3, 18.0))
    counts = paddle.to_tensor([3], "int32")
    made = layer(2, spatial_scale=0.5)
    assert made(x, boxes, counts).numpy().tolist() == function(x, boxes, counts, 2, 0.5).numpy().tolist()
    assert "output_size=2" in repr(made)


def detects(net):
    for n, found in enumerate(net(*cases.detected(paddle))):
        expected = answers[f"detector.{n}"]
        assert tuple(found.shape) == expected.shape
        np.testing.assert_allclose(found.numpy(), expected, rtol=2e-5, atol=2e-5, err_msg=f"result {n}")


def test_detector_of_a_file_of_paddles():
    loaded = paddle.jit.load(str(FIXTURES / "detector"))
    loaded.eval()
    detects(loaded)


def test_detector_converted_saved_and_loaded(tmp_path):
    net = cases.detector(paddle)
    detects(net)
    converted = paddle.jit.to_static(cases.detector(paddle), input_spec=cases.detector_specs(paddle))
    detects(converted)
    paddle.jit.save(converted, str(tmp_path / "detector"))
    loaded = paddle.jit.load(str(tmp_path / "detector"))
    loaded.eval()
    detects(loaded)
    slopes = [paddle.grad(sum(r.sum() for r in module(*cases.detected(paddle))[:4]), module.parameters())
              for module in (net, converted)]
    for eager, static in zip(*slopes, strict=True):
        np.testing.assert_allclose(static.numpy(), eager.numpy(), rtol=1e-4, atol=1e-4)


def test_categories_in_a_program():
    def chosen(boxes, scores, kinds):
        return ops.nms(boxes, 0.2, scores, kinds, [0, 1], top_k=5)

    given = [paddle.to_tensor(a) for a in (cases.boxes("many", 30, 10.0), cases.drawn("s", 30), np.arange(30) % 3)]
    expected = chosen(*given).tolist()
    converted = paddle.jit.to_static(chosen, input_spec=[InputSpec([None, 4]), InputSpec([None]),
                                                         InputSpec([None], "int64")])
    assert converted(*given).tolist() == expected and len(expected) == 5


def test_offsets_of_zero_in_the_padding():
    """Windows that nothing has moved yet lie on elements: at -1 they see nothing of the image, and have no slope."""
    x = paddle.to_tensor(np.arange(9, dtype="float32").reshape(1, 1, 3, 3) ** 2 + 1)
    offset = paddle.zeros([1, 18, 3, 3])
    offset.stop_gradient = False
    ops.deform_conv2d(x, offset, paddle.ones([1, 1, 3, 3]), padding=1).sum().backward()
    down, along = offset.grad.numpy()[0].reshape(9, 2, 3, 3).swapaxes(0, 1)
    assert not down[0, 0].any() and not along[0, :, 0].any()  # of the upper left element of each window
    image = x.numpy()[0, 0]
    np.testing.assert_allclose(down[0, 1:, 1:], np.diff(image, axis=0)[:, :2])
    np.testing.assert_allclose(along[0, 1:, 1:], np.diff(image, axis=1)[:2])


def test_image_of_a_file(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    rows = (np.arange(8 * 10).reshape(8, 10) * 3).astype("uint8")
    stream = io.BytesIO()
    Image.fromarray(rows).save(stream, "JPEG", quality=95)
    path = tmp_path / "gray.jpg"
    path.write_bytes(stream.getvalue())
    data = ops.read_file(str(path))
    assert data.dtype == paddle.uint8 and bytes(data.numpy()) == stream.getvalue()
    image = ops.decode_jpeg(data)
    assert image.shape == [1, 8, 10] and np.abs(image.numpy()[0].astype(int) - rows).max() < 8
    assert ops.decode_jpeg(data, "rgb").shape == [3, 8, 10]
    with pytest.raises(ValueError, match="JPEG"):
        ops.decode_jpeg(data[2:20])
    with pytest.raises(ValueError, match="mode"):
        ops.decode_jpeg(data, "cmyk")


def test_what_is_refused():
    x, boxes, counts = paddle.ones([1, 4, 5, 5]), paddle.ones([2, 4]), paddle.to_tensor([2], "int32")
    refused = [
        (lambda: ops.roi_align(x, boxes, paddle.to_tensor([1], "int32"), 2), "boxes_num"),
        (lambda: ops.roi_pool(x[0], boxes, counts, 2), "must have the shape"),
        (lambda: ops.roi_pool(x, boxes, counts, 0), "positive"),
        (lambda: ops.psroi_pool(x, boxes, counts, 3), "output_size"),
        (lambda: ops.deform_conv2d(x, paddle.ones([1, 8, 5, 5]), paddle.ones([2, 4, 3, 3]), padding=1), "offset"),
        (lambda: ops.deform_conv2d(x, paddle.ones([1, 18, 3, 3]), paddle.ones([2, 3, 3, 3])), "groups"),
        (lambda: ops.deform_conv2d(x, x, x, stride="SAME"), "stride"),
        (lambda: ops.DeformConv2D(3, 4, 3, groups=2), "in_channels"),
        (lambda: ops.yolo_box(x, counts, [1, 1], 2, 0.1, 32), "anchors"),
        (lambda: ops.yolo_loss(x, paddle.ones([1, 2, 4]), paddle.ones([1, 2], "int32"), [1, 1], [0], 2, 0.1, 32),
         "anchor_mask"),
        (lambda: ops.prior_box(x, x, [1.0, 2.0], [3.0]), "max_sizes"),
        (lambda: ops.box_coder(boxes, None, boxes, "both"), "code_type"),
        (lambda: ops.nms(boxes, top_k=3), "scores"),
        (lambda: ops.nms(boxes, 0.3, boxes[:, 0], counts), "categories"),
        (lambda: ops.distribute_fpn_proposals(boxes, 3, 2, 2, 224), "min_level"),
    ]
    for call, message in refused:
        with pytest.raises(ValueError, match=message):
            call()
