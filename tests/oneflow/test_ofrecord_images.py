"""Images in records: decoded, cropped and resized as OpenCV resizes them, and fed to jobs."""

import io
import struct

import numpy as np
import proa as paddle
import proa.oneflow as flow
import proa.oneflow.core.record.record_pb2 as ofrecord
import proa.oneflow.typing as tp
import pytest
from proa.core.files import CorruptFileError
from proa.nn import functional as F
from proa.oneflow.data.images import _sizes_of, resized
from proa.oneflow.job import session_guard

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def session():
    with session_guard() as session:
        yield session


def pixels(height, width, channels=3, seed=0):
    shape = (height, width, channels) if channels > 1 else (height, width)
    return np.random.default_rng(seed).integers(0, 256, shape, np.uint8)


def encoded(array, form="PNG"):
    file = io.BytesIO()
    Image.fromarray(array).save(file, form)
    return file.getvalue()


def write(folder, images, name="part-0"):
    records = []
    for n, data in enumerate(images):
        image = ofrecord.Feature(bytes_list=ofrecord.BytesList(value=[data]))
        label = ofrecord.Feature(int32_list=ofrecord.Int32List(value=[n]))
        records.append(ofrecord.OFRecord(feature={"encoded": image, "class/label": label}).SerializeToString())
    (folder / name).write_bytes(b"".join(struct.pack("<q", len(data)) + data for data in records))


SOME = [pixels(12, 8), pixels(8, 12, seed=1), pixels(20, 20, seed=2)]


def job_of(folder, make, batch_size=3, result=tp.Numpy, random=False, **options):
    def job():
        records = flow.data.ofrecord_reader(str(folder), batch_size)
        decode = flow.data.OFRecordImageDecoderRandomCrop if random else flow.data.OFRecordImageDecoder
        return make(decode(records, "encoded", **options))

    job.__annotations__["return"] = result
    return flow.global_function()(job)


@pytest.mark.parametrize("color_space, expected", [
    ("RGB", lambda image: image), ("BGR", lambda image: image[:, :, ::-1]),
    ("GRAY", lambda image: np.asarray(Image.fromarray(image).convert("L"))[:, :, None]),
])
def test_decoded(tmp_path, color_space, expected):
    write(tmp_path, map(encoded, SOME))
    channels = expected(SOME[0]).shape[2]
    job = job_of(tmp_path, lambda images: flow.image.Resize(
        images, target_size=(12, 12), channels=channels, interpolation_type="nn")[0], color_space=color_space)
    found = job()
    assert found.dtype == np.uint8 and found.shape == (3, 12, 12, channels)
    np.testing.assert_array_equal(found[0][:, ::3], expected(SOME[0])[:, ::2])
    np.testing.assert_array_equal(found[1][::3], expected(SOME[1])[::2])


@pytest.mark.parametrize("kind, mode, size", [
    ("bilinear", "bilinear", (7, 9)), ("bilinear", "bilinear", (30, 25)), ("bicubic", "bicubic", (7, 9)),
    ("bicubic", "bicubic", (30, 25)), ("nn", "nearest", (7, 9)), ("nearest_neighbor", "nearest", (30, 25)),
    ("area", "area", (6, 4)), ("area", "area", (5, 3)), ("auto", "area", (6, 10)), ("auto", "bilinear", (30, 25)),
    ("auto", "bilinear", (12, 20)),
])
def test_resized_as_here(kind, mode, size):
    """OpenCV's rules are those of `interpolate`; area where the sizes divide."""
    image = pixels(12, 20)
    x = paddle.to_tensor(image.astype("float32").transpose(2, 0, 1)[None])
    if mode == "area" and (12 % size[0] or 20 % size[1]):
        wide = np.repeat(np.repeat(image, size[0], 0), size[1], 1).astype("float64")  # each new place has whole ones
        expected = wide.reshape(size[0], 12, size[1], 20, 3).mean((1, 3))
    else:
        expected = F.interpolate(x, size, mode=mode).numpy()[0].transpose(1, 2, 0)
    np.testing.assert_allclose(resized(image, *size, kind), expected, rtol=1e-4, atol=1e-3)


def test_scales_sizes_and_dtypes(tmp_path):
    write(tmp_path, map(encoded, SOME))
    job = job_of(tmp_path, lambda images: flow.image.resize(images, (4, 6), dtype=flow.float)[:2],
                 result=tuple[tp.Numpy, tp.Numpy])
    images, scales = job()
    assert images.shape == (3, 6, 4, 3) and images.dtype == np.float32 and np.ptp(images - np.rint(images)) > 0
    np.testing.assert_allclose(scales, [[0.5, 0.5], [4 / 12, 6 / 8], [0.2, 0.3]], rtol=1e-6)

    def sides(images):
        made, scales, sizes = flow.image.Resize(images, 10, keep_aspect_ratio=True, max_size=14)
        return scales, sizes, flow.image.CropMirrorNormalize(made, crop_h=9, crop_w=9)

    scales, sizes, parts = job_of(tmp_path, sides, result=tuple[tp.Numpy, tp.Numpy, tp.Numpy])()
    assert sizes.tolist() == [[9, 14], [14, 9], [10, 10]] and parts.shape == (3, 3, 9, 9)
    np.testing.assert_allclose(scales, [[9 / 8, 14 / 12], [14 / 12, 9 / 8], [0.5, 0.5]], rtol=1e-6)


@pytest.mark.parametrize("side, least, most, expected", [
    ("shorter", 0, 0, (10, 20)), ("shorter", 0, 16, (8, 16)), ("longer", 0, 0, (5, 10)), ("longer", 8, 0, (8, 16)),
])
def test_sides(side, least, most, expected):
    sizes = _sizes_of(10, True, side, least, most)
    assert sizes(100, 200) == expected and sizes(200, 100) == expected[::-1]
    assert _sizes_of(1, True, "longer", 0, 0)(1, 500) == (1, 1)


def test_older_arguments(tmp_path):
    write(tmp_path, map(encoded, SOME))
    fixed = job_of(tmp_path, lambda images: flow.image.Resize(
        images, resize_x=5, resize_y=7, color_space="RGB", interp_type="Linear"), color_space="RGB")()
    np.testing.assert_array_equal(fixed[2], np.clip(np.rint(resized(SOME[2], 7, 5, "bilinear")), 0, 255))
    parts = job_of(tmp_path, lambda images: flow.image.CropMirrorNormalize(
        flow.image.Resize(images, resize_shorter=6), crop_h=6, crop_w=6, output_layout="NHWC"))()
    assert parts.shape == (3, 6, 6, 3)


def test_parts_drawn_at_random(tmp_path):
    write(tmp_path, [encoded(pixels(40, 60, seed=n)) for n in range(4)])

    def drawn(seed):
        with session_guard():
            job = job_of(tmp_path, lambda images: flow.image.Resize(images, (8, 8))[:2], 4,
                         tuple[tp.Numpy, tp.Numpy], True, seed=seed, random_area=(0.2, 0.5))
            return [job() for _ in range(3)]

    first = drawn(3)
    assert all(np.array_equal(a, b) for x, y in zip(first, drawn(3), strict=True) for a, b in zip(x, y, strict=True))
    assert not np.array_equal(first[0][0], first[1][0])
    paddle.seed(5)
    unseeded = drawn(None)[0][0]
    paddle.seed(5)
    np.testing.assert_array_equal(drawn(None)[0][0], unseeded)
    for _, scales in first:
        widths, heights = 8 / scales[:, 0], 8 / scales[:, 1]
        area, ratio = widths * heights / 2400, widths / heights
        assert (area > 0.15).all() and (area < 0.55).all() and (ratio > 0.7).all() and (ratio < 1.4).all()


def test_images_that_no_part_fits(tmp_path):
    write(tmp_path, [encoded(pixels(2, 90)), encoded(pixels(90, 2)), encoded(pixels(1, 1))])
    job = job_of(tmp_path, lambda images: flow.image.Resize(images, (4, 4))[0], random=True)
    assert job().shape == (3, 4, 4, 3)


def test_the_published_pipeline(tmp_path):
    """Random parts, resized, mirrored by coins and normalized, beside their labels; then the classification reader."""
    write(tmp_path, [encoded(image, "JPEG") for image in SOME * 2], "part-00000")

    @flow.global_function(type="predict")
    def test_job() -> tuple[tp.Numpy, tp.Numpy]:
        with flow.scope.placement("cpu", "0:0"):
            ofrecord = flow.data.ofrecord_reader(str(tmp_path), batch_size=4, part_name_suffix_length=5,
                                                 random_shuffle=True, shuffle_after_epoch=True)
            image = flow.data.OFRecordImageDecoderRandomCrop(ofrecord, "encoded", color_space="RGB")
            label = flow.data.OFRecordRawDecoder(ofrecord, "class/label", shape=(), dtype=flow.int32)
            rsz = flow.image.Resize(image, resize_x=16, resize_y=16, color_space="RGB")
            rng = flow.random.CoinFlip(batch_size=4)
            normal = flow.image.CropMirrorNormalize(
                rsz, mirror_blob=rng, color_space="RGB", mean=[123.68, 116.779, 103.939], std=[58.393, 57.12, 57.375],
                output_dtype=flow.float)
            return normal, label

    images, labels = test_job()
    assert images.shape == (4, 3, 16, 16) and labels.shape == (4,) and abs(images).max() < 3

    @flow.global_function()
    def evaluate() -> tuple[tp.Numpy, tp.Numpy]:
        image, label = flow.data.ofrecord_image_classification_reader(
            str(tmp_path), "encoded", "class/label", 6, part_name_suffix_length=5, color_space="RGB")
        return flow.image.Resize(image, target_size=(20, 20))[0], label

    images, labels = evaluate()
    assert labels.tolist() == list(range(6)) and np.abs(images[2].astype(int) - SOME[2]).mean() < 60


@pytest.mark.parametrize("data", [b"", b"no image", encoded(SOME[0])[:60], encoded(SOME[0], "JPEG")[:200]])
def test_damaged_images(tmp_path, data):
    write(tmp_path, [encoded(SOME[0]), data])
    job = job_of(tmp_path, lambda images: flow.image.Resize(images, (4, 4))[0], 2)
    with pytest.raises(CorruptFileError, match=r"part-0: byte \d+: the image under 'encoded' cannot be decoded"):
        job()


@pytest.mark.parametrize("make, message", [
    (lambda images: flow.image.Resize(images)[0], r"Resize\(target_size\): \(width, height\). Received None"),
    (lambda images: flow.image.Resize(images, 5)[0], r"Resize\(target_size\)"),
    (lambda images: flow.image.Resize(images, (5, 0))[0], r"Resize\(target_size\)"),
    (lambda images: flow.image.Resize(images, (5, 5), keep_aspect_ratio=True)[0], "a number of pixels"),
    (lambda images: flow.image.Resize(images, 5, keep_aspect_ratio=True, resize_side="left")[0], "'shorter' or"),
    (lambda images: flow.image.Resize(images, (5, 5), channels=1)[0], "the images have 3. Received 1"),
    (lambda images: flow.image.Resize(images, (5, 5), interpolation_type="best")[0], "interpolation_type"),
    (lambda images: flow.image.Resize(images.images, (5, 5))[0], "images of OFRecordImageDecoder are expected"),
    (lambda images: flow.image.CropMirrorNormalize(images), "parts of one size are taken"),
    (lambda images: flow.image.CropMirrorNormalize(images, crop_h=50, crop_w=2), "do not fit into an image of 12"),
])
def test_what_is_refused(tmp_path, make, message):
    write(tmp_path, map(encoded, SOME))
    with pytest.raises((TypeError, ValueError), match=message):
        job_of(tmp_path, make)()


def test_other_refusals(tmp_path):
    write(tmp_path, map(encoded, SOME))
    with session_guard(), pytest.raises(ValueError, match="one of RGB, BGR, GRAY"):
        job_of(tmp_path, lambda images: images, color_space="CMYK")()

    @flow.global_function()
    def label() -> tp.Numpy:
        records = flow.data.ofrecord_reader(str(tmp_path))
        return flow.image.Resize(flow.data.ofrecord_image_decoder(records, "class/label"), (4, 4))[0]

    with pytest.raises(ValueError, match="has no bytes of an image under 'class/label'"):
        label()


def test_decoded_cropped_and_resized_in_one(tmp_path):
    write(tmp_path, map(encoded, SOME))

    @flow.global_function()
    def job() -> tp.Numpy:
        records = flow.data.ofrecord_reader(str(tmp_path), 3)
        return flow.data.ImageDecoderRandomCropResize(
            flow.data.OFRecordBytesDecoder(records, "encoded"), target_width=6, target_height=5, random_area=(1.0, 1.0),
            random_aspect_ratio=(0.5, 2.0), num_workers=3, warmup_size=2048)

    found = job()
    assert found.shape == (3, 5, 6, 3) and found.dtype == np.uint8
    np.testing.assert_array_equal(found[2], np.clip(np.rint(resized(SOME[2], 5, 6, "bilinear")), 0, 255))
    with session_guard(), pytest.raises(TypeError, match="what OFRecordBytesDecoder gives is expected"):
        job_of(tmp_path, lambda images: flow.data.image_decoder_random_crop_resize(images, 4, 4))()
