"""Records of Fourier transforms, frames, and short-time spectra."""

import numpy as np
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from proa.ops.signal import fft, stft
from proa.ops.signal import frames as framing
from records import Record, floats
from records_linalg_solving import complex_record

SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


def _real(name, reference, *shape, type="fft_r2c", label="", **given):
    return Record(type, lambda x: getattr(fft, name)(x, **given), [floats(*shape)], lambda x: reference(x, **given),
                  label=label or f"{name} {given}")


def _complex(name, reference, *shape, type="fft_c2c", **given):
    return complex_record(type, lambda x: getattr(fft, name)(x, **given), lambda x: reference(x, **given),
                          [floats(*shape), floats(*shape, seed=1)], label=f"{name} {given}", batched=[0, 1])


def _hfftn(x, s=None, axes=None, norm="backward"):
    return np.fft.irfftn(x.conj(), s, axes, SWAPPED[norm])


def _ihfftn(x, s=None, axes=None, norm="backward"):
    return np.fft.rfftn(x, s, axes, SWAPPED[norm]).conj()


C2C = [
    *[_complex(name, getattr(np.fft, name), 2, 5, norm=norm) for name in ("fft", "ifft")
      for norm in ("backward", "ortho", "forward")],
    _complex("fft", np.fft.fft, 2, 5, n=7),
    _complex("ifft", np.fft.ifft, 2, 5, n=3),
    _complex("fft", np.fft.fft, 2, 3, 4, axis=1),
    _complex("fft2", np.fft.fft2, 2, 3, 4),
    _complex("fftn", np.fft.fftn, 2, 3, 4, axes=(1, 2), s=(4, 2)),
    _complex("ifftn", np.fft.ifftn, 2, 3, 4, axes=(-1, 1)),
    _complex("ifft2", np.fft.ifft2, 2, 3, 4, norm="ortho"),
]
R2C = [
    _real("fft", np.fft.fft, 2, 5),
    _real("ifft", np.fft.ifft, 2, 5, norm="forward"),
    *[_real(name, getattr(np.fft, name), 2, size, norm=norm) for name in ("rfft", "ihfft")
      for size, norm in ((5, "backward"), (6, "ortho"), (4, "forward"))],
    _real("rfft", np.fft.rfft, 2, 5, n=8),
    _real("rfft2", np.fft.rfft2, 2, 3, 4),
    _real("rfftn", np.fft.rfftn, 2, 3, 5, axes=(2, 1)),
    _real("ihfft2", lambda x: _ihfftn(x, axes=(-2, -1)), 2, 3, 4),
    _real("ihfftn", _ihfftn, 2, 3, 4, axes=(1, 2), norm="ortho"),
]
C2R = [
    *[_complex(name, getattr(np.fft, name), 2, 4, type="fft_c2r", norm=norm) for name in ("irfft", "hfft")
      for norm in ("backward", "ortho", "forward")],
    _complex("irfft", np.fft.irfft, 2, 4, type="fft_c2r", n=5),
    _complex("hfft", np.fft.hfft, 2, 4, type="fft_c2r", n=9),
    _complex("irfft", np.fft.irfft, 2, 1, type="fft_c2r", n=1),
    _complex("irfft2", np.fft.irfft2, 2, 3, 4, type="fft_c2r"),
    _complex("irfftn", np.fft.irfftn, 2, 3, 4, type="fft_c2r", s=(4, 5), axes=(2, 1)),
    _complex("hfft2", lambda x: _hfftn(x, axes=(-2, -1)), 2, 3, 4, type="fft_c2r"),
    _complex("hfftn", _hfftn, 2, 3, 4, type="fft_c2r", axes=(1, 2), norm="ortho"),
    Record("fft_c2r", fft.irfft, [floats(2, 4)], np.fft.irfft, label="of real values"),
    *[complex_record("scale_paired", lambda x, n=n: apply(find("scale_paired"), x, None, axis=-1, size=n, factor=3.0),
                     lambda x, w=w: x * w, [floats(2, 4), floats(2, 4, seed=1)], label=str(n))
      for n, w in ((6, [1, 3, 3, 1]), (7, [1, 3, 3, 3]))],
    Record("roll", lambda x: fft.fftshift(x), [floats(3, 4)], np.fft.fftshift, label="fftshift"),
    Record("roll", lambda x: fft.ifftshift(x, 0), [floats(5, 4)], lambda x: np.fft.ifftshift(x, 0),
           label="ifftshift"),
]


def _frames(x, length, hop):
    return np.stack([x[..., n:n + length] for n in range(0, x.shape[-1] - length + 1, hop)], -1)


def _sum(x, hop, size=None):
    length, count = x.shape[-2:]
    result = np.zeros((*x.shape[:-2], size or (count - 1) * hop + length))
    for n in range(count):
        result[..., n * hop:n * hop + length] += x[..., n]
    return result


FRAMES = [
    Record("frame", lambda x: framing.frame(x, 4, 2), [floats(2, 9)], lambda x: _frames(x, 4, 2)),
    Record("frame", lambda x: framing.frame(x, 4, 5), [floats(20)], lambda x: _frames(x, 4, 5), label="gaps"),
    Record("frame", lambda x: framing.frame(x, 4, 3, axis=0), [floats(9, 2)],
           lambda x: _frames(x.T, 4, 3).transpose(2, 1, 0), label="rows"),
    Record("overlap_add", lambda x: framing.overlap_add(x, 2), [floats(2, 5, 3)], lambda x: _sum(x, 2)),
    Record("overlap_add", lambda x: framing.overlap_add(x, 7), [floats(2, 5, 3)], lambda x: _sum(x, 7), label="gaps"),
    Record("overlap_add", lambda x: framing.overlap_add(x, 2, axis=0), [floats(3, 5, 2)],
           lambda x: _sum(x.transpose(2, 1, 0), 2).T, label="rows"),
    Record("overlap_add_to", lambda x: apply(find("overlap_add_to"), x, None, shape=[2, 10], hop_length=2),
           [floats(2, 5, 3)], lambda x: _sum(x, 2, 10), batched=[]),
    Record("divide_by_windows", lambda x, w: apply(find("divide_by_windows"), x, w),
           [floats(2, 5), floats(5, low=1.0, high=2.0)], lambda x, w: x / w),
]


def _stft(x, n_fft, hop, window, onesided=True, norm="backward"):
    x = np.pad(x, [(0, 0), (n_fft // 2, n_fft // 2)], "reflect")
    frames = _frames(x, n_fft, hop) * window[:, None]
    return (np.fft.rfft if onesided else np.fft.fft)(frames, axis=-2, norm=norm)


def _again(x, **given):
    return stft.istft(stft.stft(x, 8, 2, **given), 8, 2, **given)


SHORT = [
    Record("frame", lambda x, w: stft.stft(x, 8, 2, window=w), [floats(2, 16), floats(8, low=0.5, high=1.5)],
           lambda x, w: _stft(x, 8, 2, w), label="stft"),
    Record("frame", lambda x, w: stft.stft(x, 8, 3, 5, window=w, normalized=True, onesided=False),
           [floats(2, 16), floats(5, low=0.5, high=1.5)],
           lambda x, w: _stft(x, 8, 3, np.pad(w, (1, 2)), False, "ortho"), label="stft both sides"),
    Record("overlap_add", lambda x, w: _again(x, window=w), [floats(2, 16), floats(8, low=0.5, high=1.5)],
           lambda x, w: x, label="istft"),
    Record("overlap_add", lambda x: _again(x, onesided=False, normalized=True), [floats(2, 16)], lambda x: x,
           label="istft both sides"),
    complex_record("overlap_add", lambda x: stft.istft(stft.stft(x, 8, onesided=False), 8, onesided=False,
                                                             return_complex=True, length=10),
                   lambda x: x[:, :10], [floats(2, 16), floats(2, 16, seed=1)], label="istft complex"),
]

RECORDS = C2C + R2C + C2R + FRAMES + SHORT
