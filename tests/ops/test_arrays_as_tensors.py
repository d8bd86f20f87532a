"""Where a function takes a Tensor, a NumPy array has its answer, and a list is a TypeError in words."""

import numpy as np
import proa as paddle
import proa.nn.functional as F
import pytest

SQUARE = np.array([[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 1.0]], "float32")
TALL = np.arange(12, dtype="float32").reshape(3, 4) / 7
VECTOR = np.array([0.5, -1.0, 2.0], "float32")
CLASSES = np.array([2, 0, 1])
MASK = np.array([[True, False, True, False]] * 3)
PICTURE = np.arange(64, dtype="float32").reshape(1, 1, 8, 8)
COMPLEX = np.array([1 + 2j, 3 - 1j], "complex64")

CALLS = {
    "mean": (paddle.mean, TALL), "var": (paddle.var, TALL), "std": (paddle.std, TALL), "median": (paddle.median, TALL),
    "nansum": (paddle.nansum, TALL), "full_like": (lambda x: paddle.full_like(x, 2), TALL),
    "zeros_like": (paddle.zeros_like, TALL), "frexp": (lambda x: paddle.frexp(x)[0], TALL),
    "nan_to_num": (paddle.nan_to_num, TALL), "real": (paddle.real, COMPLEX), "as_real": (paddle.as_real, COMPLEX),
    "complex": (paddle.complex, VECTOR, VECTOR), "lerp": (lambda x, y: paddle.lerp(x, y, y), VECTOR, VECTOR),
    "masked_fill": (lambda x, m: paddle.masked_fill(x, m, 0.5), TALL, MASK),
    "masked_select": (paddle.masked_select, TALL, MASK), "split": (lambda x: paddle.split(x, 2, 1)[0], TALL),
    "index_put": (lambda x: paddle.index_put(x, [paddle.to_tensor(CLASSES)], 1.0), TALL),
    "vstack": (lambda x: paddle.vstack([x, x]), VECTOR), "cov": (paddle.linalg.cov, TALL),
    "corrcoef": (paddle.linalg.corrcoef, TALL), "det": (paddle.linalg.det, SQUARE), "qr": (
        lambda x: paddle.linalg.qr(x)[1], SQUARE), "eigvalsh": (paddle.linalg.eigvalsh, SQUARE),
    "inv": (paddle.linalg.inv, SQUARE), "cond": (paddle.linalg.cond, SQUARE), "lstsq": (
        lambda x, y: paddle.linalg.lstsq(x, y)[0], SQUARE, TALL), "pinv": (paddle.linalg.pinv, SQUARE),
    "fft": (paddle.fft.fft, VECTOR), "rfft2": (paddle.fft.rfft2, TALL), "irfft": (paddle.fft.irfft, COMPLEX),
    "fftshift": (paddle.fft.fftshift, VECTOR), "cross_entropy": (F.cross_entropy, TALL, CLASSES),
    "nll_loss": (F.nll_loss, TALL, CLASSES), "kl_div": (F.kl_div, TALL, TALL),
    "smooth_l1_loss": (F.smooth_l1_loss, TALL, TALL + 1), "sigmoid_focal_loss": (F.sigmoid_focal_loss, TALL, TALL),
    "log_loss": (F.log_loss, TALL[:1, :1] + 0.5, TALL[:1, :1]), "interpolate": (
        lambda x: F.interpolate(x, [4, 4]), PICTURE), "pad": (lambda x: F.pad(x, [1, 1, 1, 1]), PICTURE),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, 2), PICTURE),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_array_has_the_answer_of_its_tensor(name):
    function, *arrays = CALLS[name]
    expected = function(*map(paddle.to_tensor, arrays))
    found = function(*arrays)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.parametrize("name", CALLS)
def test_a_list_is_a_type_error_in_words(name):
    function, *arrays = CALLS[name]
    with pytest.raises(TypeError, match=r"paddle\.to_tensor"):
        function(*(x.tolist() for x in arrays))
