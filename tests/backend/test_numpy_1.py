"""What NumPy 1 and NumPy 2 do differently gives the same results: dtypes of numbers beside values, of transforms."""

import numpy as np
import proa as paddle
import pytest


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_numbers_leave_the_dtype_of_values_without_dimensions(dtype):
    x = paddle.to_tensor(2.0, dtype)
    for made in (x * 2.5, x + 1, 1.0 / x, x ** 0.5, x / 3, -x, paddle.mean(x) * 0.5, x.sum() + 1e-6,
                 paddle.scale(x, np.float64(2.0)), paddle.clip(x, 0.5), x * np.float64(2.0)):
        assert made.dtype == dtype


def test_sums_and_losses_in_float32():
    x = paddle.to_tensor([1.0, 2.0])
    x.stop_gradient = False
    loss = paddle.nn.functional.mse_loss(x, paddle.zeros([2])) * 0.5 + 1.0
    loss.backward()
    assert loss.dtype == x.grad.dtype == paddle.float32


def test_choices_with_numbers():
    scores = paddle.to_tensor(np.linspace(0.1, 0.9, 24, dtype="float32").reshape(1, 2, 12))
    boxes = paddle.to_tensor(np.linspace(0, 1, 48, dtype="float32").reshape(1, 12, 4))
    found = paddle.vision.ops.matrix_nms(boxes, scores, 0.01, 0.0, 10, 5, background_label=-1)
    assert found[0].dtype == paddle.float32


def test_integers_stay_integers():
    x = paddle.to_tensor([1, -2], "int32")
    assert paddle.trunc(x).dtype == paddle.int32 and paddle.to_tensor(200, "uint8").astype("int32").item() == 200
    assert (paddle.to_tensor([250], "uint8") + 10).tolist() == [4]


@pytest.mark.parametrize("name, wanted", [("fft", "complex64"), ("ifft", "complex64"), ("rfft", "complex64"),
                                          ("irfft", "float32"), ("hfft", "float32"), ("ihfft", "complex64")])
def test_transforms_in_the_width_of_their_input(name, wanted):
    assert getattr(paddle.fft, name)(paddle.to_tensor([1.0, 2.0, 3.0])).dtype == wanted
    double = getattr(paddle.fft, name)(paddle.to_tensor([1.0, 2.0, 3.0], "float64")).dtype
    assert double == ("complex128" if wanted == "complex64" else "float64")
