"""Fourier transforms to sizes that only a run knows: `irfft2(x, s=(h, w))` where h and w are sizes of an input."""

import numpy as np
import proa as paddle
import pytest

fft = paddle.fft


def there_and_back(x):
    return fft.irfft2(fft.rfft2(x) * 2.0, s=x.shape)


def one_dimension(x):
    return fft.irfft(fft.rfft(x, norm="forward"), n=x.shape[1], norm="ortho")


def first_axis(x):
    return fft.irfft(fft.rfft(x, axis=0) * 0.5, n=x.shape[0], axis=0)


def cut_and_filled(x):
    return fft.irfftn(fft.rfftn(x), s=(x.shape[0] * 2, x.shape[1] - 2), norm="forward")


def one_known(x):
    return fft.irfft2(fft.rfft2(x), s=(4, x.shape[1]))


def spectrum_of_another_size(x):
    found = fft.fft2(x, s=(x.shape[0] + 1, x.shape[1] * 2))
    return found.real() + found.imag()


def half_of_another_size(x):
    found = fft.rfft(x, n=x.shape[0] + 2)
    return found.abs()


def of_half_a_signal(x):
    return fft.hfft2(fft.ihfft2(x) * 1.5, s=x.shape, norm="ortho")


def of_anything(x):
    """The imaginary parts of what has no counterpart say nothing."""
    return fft.irfft(paddle.complex(x, x * x - 0.25), n=x.shape[1] + x.shape[1] - 3)


CASES = [there_and_back, one_dimension, first_axis, cut_and_filled, one_known, spectrum_of_another_size,
         half_of_another_size, of_half_a_signal, of_anything]


def found(function, values):
    x = paddle.to_tensor(values, stop_gradient=False)
    y = function(x)
    (y * paddle.sin(paddle.arange(y.size, dtype=y.dtype)).reshape(y.shape)).sum().backward()
    return y.numpy(), x.grad.numpy()


@pytest.mark.parametrize("function", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_transforms_to_unknown_sizes(function, dtype):
    spec = [paddle.static.InputSpec([None, None], dtype)]
    converted = paddle.jit.to_static(function, input_spec=spec, full_graph=True)
    tolerance = 2e-5 if dtype == "float32" else 1e-12
    for shape in ((4, 6), (3, 5), (5, 4)):
        values = (np.cos(np.arange(np.prod(shape)) * 1.7) + 0.1).reshape(shape).astype(dtype)
        for one, other in zip(found(converted, values), found(function, values), strict=True):
            assert one.dtype == other.dtype and one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * 10)


def test_a_layer_of_spectra_is_saved_for_any_resolution(tmp_path):
    paddle.jit.save(paddle.jit.to_static(there_and_back), str(tmp_path / "model"),
                    input_spec=[paddle.static.InputSpec([None, None])])
    loaded = paddle.jit.load(str(tmp_path / "model"))
    for shape in ((6, 5), (3, 8)):
        x = paddle.to_tensor(np.sin(np.arange(np.prod(shape))).reshape(shape).astype("float32"))
        np.testing.assert_allclose(loaded(x).numpy(), 2 * x.numpy(), atol=1e-6)
