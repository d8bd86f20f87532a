"""Transforms: the same as PaddlePaddle's for Pillow's images, arrays and Tensors; what differs on purpose; errors."""

import pathlib
import random
import subprocess
import sys

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at
from PIL import Image
from proa.vision import transforms as T
from proa.vision.transforms import functional as F

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "vision_transforms"
cases = module_at(FIXTURES / "cases.py")
WANTED = np.load(FIXTURES / "outputs.npz")

#: OpenCV rounds these in ways of its own: one grey level, for a few pixels.
ONE_LEVEL = {"array.resize_larger", "array.resize_bicubic", "array.rotate_lanczos", "array.RandomResizedCrop"}
#: Places that fall between two pixels, where the last bit of the matrix decides.
BETWEEN = {"pillow.perspective", "pillow.perspective_bilinear", "pillow.RandomPerspective", "array.RandomPerspective"}


@pytest.mark.parametrize("name", cases.names())
def test_as_paddle(name):
    wanted, found = WANTED[name], cases.answer(paddle, name)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    apart = np.abs(found.astype(np.float64) - wanted.astype(np.float64))
    if name in BETWEEN:
        assert (apart > 1).mean() < 0.02
    else:
        assert apart.max() <= (1 if name in ONE_LEVEL else 3e-6)
    if name in ONE_LEVEL:
        assert (apart > 0).mean() < 0.05


def test_every_public_name_is_there():
    assert set(T.__all__) == {name for name in T.__all__ if hasattr(T, name)}
    assert len(T.__all__) == 38


def test_a_number_fills_every_channel():
    pixels = np.zeros((2, 2, 3), np.uint8)
    for img in (pixels, Image.fromarray(pixels)):
        assert np.asarray(T.pad(img, 1, fill=9))[0, 0].tolist() == [9, 9, 9]
        assert np.asarray(T.rotate(img, 45, fill=9, expand=True))[0, 0].tolist() == [9, 9, 9]
        assert np.asarray(T.affine(img, 0, [1, 0], 1.0, 0, fill=9))[0, 0].tolist() == [9, 9, 9]


def test_images_of_one_channel():
    grey = np.arange(12, dtype=np.uint8).reshape(3, 4)
    for img in (grey, grey[..., None], Image.fromarray(grey)):
        found = [T.pad(img, 1, fill=7), T.rotate(img, 10, fill=7), T.affine(img, 5, [0, 0], 1.0, 0, fill=7),
                 T.hflip(img), T.vflip(img), T.resize(img, (6, 8)), T.adjust_brightness(img, 1.0),
                 T.crop(img, 0, 0, 2, 2)]
        assert {np.asarray(one).ndim for one in found} == {np.asarray(img).ndim}
    assert T.affine(paddle.ones([1, 3, 3]), 10, [0, 0], 1.0, 0, fill=2).shape == [1, 3, 3]


def test_an_affine_map_of_an_array_is_that_of_a_pillow_image():
    pixels = cases.picture()
    found = T.affine(pixels, 20, [1, 2], 0.8, [5, 3])
    wanted = np.asarray(T.affine(Image.fromarray(pixels), 20, [1, 2], 0.8, [5, 3]))
    assert (found != wanted).mean() < 0.02


def test_saturation_of_an_array_is_not_drawn():
    pixels = cases.picture()
    np.testing.assert_array_equal(F.adjust_saturation(pixels, 1.0), pixels)
    wanted = np.asarray(F.adjust_saturation(Image.fromarray(pixels[..., ::-1]), 0.5))[..., ::-1]
    assert np.abs(F.adjust_saturation(pixels, 0.5).astype(int) - wanted).max() <= 2


def test_a_quarter_turn_of_a_tensor_keeps_every_pixel():
    x = paddle.to_tensor(cases.picture(1, 5, 8).transpose(2, 0, 1).astype("float32"))
    np.testing.assert_array_equal(T.rotate(x, 90, expand=True).numpy(), np.rot90(x.numpy(), axes=(1, 2)))


def test_bytes_and_batches_as_tensors():
    x = paddle.to_tensor(np.stack([cases.picture().transpose(2, 0, 1)] * 2))
    for call in (lambda x: T.resize(x, (3, 4)), lambda x: T.rotate(x, 30, fill=7), lambda x: T.adjust_hue(x, 0.2),
                 lambda x: T.to_grayscale(x, 3), lambda x: T.adjust_contrast(x, 0.2), lambda x: T.crop(x, 1, 1, 3, 3)):
        whole, alone = call(x), call(x[0])
        assert whole.dtype == paddle.uint8
        np.testing.assert_array_equal(whole[1].numpy(), alone.numpy())


def test_tensors_have_gradients():
    x = paddle.to_tensor(cases.picture().transpose(2, 0, 1).astype("float32") / 255, stop_gradient=False)
    T.adjust_hue(T.rotate(T.resize(x, (6, 7)), 20, "bilinear"), 0.1).sum().backward()
    assert x.grad.shape == x.shape and np.isfinite(x.grad.numpy()).all()


def test_in_a_program():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [3, 6, 8], "float32")
            outs = [T.normalize(x, [1, 2, 3], [1, 2, 4]), T.adjust_hue(x, 0.1), T.rotate(x, 30)]
            fed = cases.picture(3, 6, 8).transpose(2, 0, 1).astype("float32") / 255
            found = paddle.static.Executor().run(feed={"x": fed}, fetch_list=outs)
            with pytest.raises(NotImplementedError, match="a Program would repeat one draw"):
                T.RandomHorizontalFlip()(x)
    finally:
        paddle.disable_static()
    y = paddle.to_tensor(fed)
    wanted = [T.normalize(y, [1, 2, 3], [1, 2, 4]), T.adjust_hue(y, 0.1), T.rotate(y, 30)]
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other.numpy(), atol=1e-6)


class Shifted(T.BaseTransform):
    def _get_params(self, inputs):
        return {"by": 2, "size": T.transforms._get_image_size(inputs[self.keys.index("image")])}

    def _apply_image(self, image):
        return np.roll(image, self.params["by"], 1)

    def _apply_coords(self, coords):
        return coords + [self.params["by"], 0]


def test_keys_share_what_is_drawn():
    image, coords = np.arange(12).reshape(2, 6, 1), np.array([[0, 1]])
    shifted = Shifted(keys=("image", "coords"))
    moved, points, label = shifted((image, coords, "label"))
    assert moved[0, 2, 0] == image[0, 0, 0] and points.tolist() == [[2, 1]] and label == "label"
    assert shifted.params["size"] == (6, 2)
    with pytest.raises(NotImplementedError, match="_apply_mask"):
        T.BaseTransform(keys=("mask",))(image)
    with pytest.raises(NotImplementedError, match="_apply_depth"):
        Shifted(keys=("depth",))


def test_compose_shows_its_parts():
    assert repr(T.Compose([T.ToTensor()])).startswith("Compose(\n    <")


def test_seeds_repeat():
    chain = T.Compose([T.RandomResizedCrop(6), T.ColorJitter(0.4, 0.4, 0.4, 0.4), T.RandomErasing(1.0, value="random")])
    found = []
    for _ in range(2):
        random.seed(3)
        np.random.seed(3)
        found.append(chain(cases.picture()))
    np.testing.assert_array_equal(*found)


def test_noise_in_tensors_and_erasing_in_place():
    x = paddle.zeros([3, 8, 8])
    paddle.seed(1)
    T.RandomErasing(1.0, (0.2, 0.3), value="random", inplace=True)(x)
    assert 0 < (x.numpy() != 0).mean() < 0.5
    with pytest.raises(ValueError, match="one for each of the image's 3 channels"):
        T.RandomErasing(1.0, value=[1, 2])(x)


@pytest.mark.parametrize("call, error, message", [
    (lambda: T.hflip([1, 2]), TypeError, r"hflip\(img\).*Received list"),
    (lambda: T.resize(np.zeros((2, 2, 2, 2)), 3), TypeError, r"ndarray of shape \[2, 2, 2, 2\]"),
    (lambda: T.resize(np.zeros((4, 4)), (3, 3), "sinc"), ValueError, r"one of \['area', 'bicubic'.*Received 'sinc'"),
    (lambda: T.resize(np.zeros((4, 4)), (0, 3)), ValueError, "at least 1"),
    (lambda: T.Resize("3"), TypeError, r"Resize\(size\)"),
    (lambda: T.pad(np.zeros((4, 4)), (1, 2, 3)), ValueError, "2 or 4"),
    (lambda: T.pad(paddle.zeros([1, 4, 4]), 1, 0, "symmetric"), ValueError, "for Tensors"),
    (lambda: T.adjust_hue(np.zeros((4, 4, 3), np.uint8), 0.7), ValueError, "from -0.5 to 0.5"),
    (lambda: T.adjust_contrast(np.zeros((4, 4, 3)), 0.7), TypeError, "uint8"),
    (lambda: T.normalize(np.zeros((5, 4, 3)), [1] * 4, [1] * 4), ValueError, "data_format='HWC'"),
    (lambda: T.RandomCrop(9)(np.zeros((4, 4, 3))), ValueError, "pad_if_needed=True"),
    (lambda: T.center_crop(np.zeros((4, 4, 3)), 9), ValueError, "must not exceed"),
    (lambda: T.ColorJitter(brightness=-1), ValueError, "must not be negative"),
    (lambda: T.HueTransform(0.6), ValueError, "at most 0.5"),
    (lambda: T.RandomErasing(value="noise"), ValueError, "'random'"),
    (lambda: T.RandomAffine(10, translate=(2, 0)), ValueError, "from 0 to 1"),
    (lambda: T.perspective(np.zeros((4, 4)), [[0, 0]] * 4, [[0, 0]] * 4), ValueError, "on one line"),
    (lambda: T.rotate(np.zeros((4, 4, 3)), 3, fill=(1, 2)), ValueError, "3 channels"),
    (lambda: T.pad(np.zeros((4, 4)), 1, padding_mode="mirror"), ValueError, "one of .*'mirror'"),
    (lambda: T.pad(np.zeros((4, 4)), 1, padding_mode=-1), TypeError, "one of .*Received -1"),
    (lambda: T.affine(np.zeros((4, 4)), 45, 0.3, 1.0, 0), TypeError, "affine.translate.: must be two numbers"),
    (lambda: T.affine(np.zeros((4, 4)), 45, [1, 2, 3], 1.0, 0), ValueError, "affine.translate.: must be two numbers"),
    (lambda: T.affine(np.zeros((4, 4)), 45, [1, 2], 1.0, "x"), TypeError, "affine.shear.: must be a number"),
    (lambda: T.affine(np.zeros((4, 4)), 45, [1, 2], 1.0, [1, 2, 3]), ValueError, "affine.shear.: must be a number"),
    (lambda: T.to_tensor(np.zeros((4, 4)), "NCHW"), ValueError, "'CHW' or 'HWC'"),
])
def test_errors_teach(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_pillow_is_imported_only_for_its_images():
    code = ("import sys; sys.modules['PIL'] = None; import numpy as np; from proa.vision import transforms as T; "
            "print(T.Compose([T.RandomCrop(3), T.ToTensor()])(np.zeros((4, 4, 3), 'uint8')).shape); "
            "from proa.vision import image_load\n"
            "try: image_load('x.png')\nexcept ImportError as error: print(error)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.startswith("[3, 3, 3]\nimage_load needs Pillow, which is not installed: pip install")


def test_center_crop_of_an_image_one_pixel_too_small():
    """Half a pixel is rounded to none, as in PaddlePaddle; what would begin outside of an array is refused."""
    image = np.arange(60, dtype="uint8").reshape(5, 4, 3)
    np.testing.assert_array_equal(T.center_crop(image, (6, 5)), image)
    np.testing.assert_array_equal(T.center_crop(image, (6, 2)), image[:, 1:3])
    with pytest.raises(ValueError, match="must not exceed"):
        T.center_crop(image, (5, 7))


@pytest.mark.parametrize("turned", [lambda: T.RandomAffine(10, center=(1, 2, 3)),
                                    lambda: T.RandomRotation(10, center=(1,))])
def test_centers_are_two_numbers(turned):
    with pytest.raises(ValueError, match=r"\(center\): must be two numbers"):
        turned()


def test_a_grey_tensor_is_grey_as_it_is():
    x = paddle.arange(12.0).reshape([1, 3, 4])
    assert T.to_grayscale(x).tolist() == x.tolist()
    assert T.Grayscale(3)(x).tolist() == [x[0].tolist()] * 3
