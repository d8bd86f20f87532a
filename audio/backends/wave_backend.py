"""Wave files of whole numbers (PCM): info, load, save."""

from __future__ import annotations

import contextlib
import os
import wave
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.files import CorruptFileError, atomic_write
from ...ops.array.creation import to_tensor
from ...ops.array.full import is_value


@dataclass
class AudioInfo:
    """What `info` tells of a file: rate, samples of each channel, channels, bits of a sample, encoding."""

    sample_rate: int
    num_samples: int
    num_channels: int
    bits_per_sample: int
    encoding: str


@contextlib.contextmanager
def _opened(filepath: Any) -> Iterator[wave.Wave_read]:
    """A wave file, by its path or an open binary file; CorruptFileError where it is none."""
    name = getattr(filepath, "name", "a file object") if hasattr(filepath, "read") else os.fspath(filepath)
    source = filepath if hasattr(filepath, "read") else open(name, "rb")
    try:
        with wave.open(source, "rb") as file:
            yield file
    except (wave.Error, EOFError) as error:
        raise CorruptFileError(str(name), 0, f"is no wave file of whole numbers (PCM): {error or 'it ends too soon'}"
                               ) from error
    finally:
        if source is not filepath:
            source.close()


def info(filepath: Any) -> AudioInfo:
    """What a wave file holds, by its path or an open binary file.

    >>> import tempfile
    >>> import proa as paddle
    >>> path = tempfile.mkdtemp() + "/a.wav"
    >>> paddle.audio.save(path, paddle.zeros([2, 5]), 8000)
    >>> paddle.audio.info(path)
    AudioInfo(sample_rate=8000, num_samples=5, num_channels=2, bits_per_sample=16, encoding='PCM_S')
    """
    with _opened(filepath) as file:
        return AudioInfo(file.getframerate(), file.getnframes(), file.getnchannels(), file.getsampwidth() * 8, "PCM_S")


def _numbers(data: bytes, width: int) -> np.ndarray:
    """The samples as int32, of the full range of their width; those of 8 bits are unsigned in files."""
    if width == 1:
        return np.frombuffer(data, np.uint8).astype(np.int32) - 128
    if width == 3:
        parts = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.int32)
        return ((parts[:, 0] | parts[:, 1] << 8 | parts[:, 2] << 16) ^ 0x800000) - 0x800000
    return np.frombuffer(data, f"<i{width}").astype(np.int32)


def load(filepath: Any, frame_offset: int = 0, num_frames: int = -1, normalize: bool = True,
         channels_first: bool = True) -> tuple[Any, int]:
    """The samples of a wave file, float32 [channels, time] (or [time, channels]), and their rate.

    From `frame_offset` on, `num_frames` of them (-1: all). Between -1 and 1 with `normalize`; otherwise the file's
    whole numbers, as float32. `filepath` may be an open binary file.

    >>> import tempfile
    >>> import proa as paddle
    >>> path = tempfile.mkdtemp() + "/a.wav"
    >>> paddle.audio.save(path, paddle.to_tensor([[0.0, 0.5, -1.0]]), 8000)
    >>> samples, rate = paddle.audio.load(path)
    >>> samples.tolist(), rate
    ([[0.0, 0.5, -1.0]], 8000)
    """
    with _opened(filepath) as file:
        channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
        first = min(max(frame_offset, 0), file.getnframes())
        file.setpos(first)
        data = file.readframes(file.getnframes() - first if num_frames < 0 else num_frames)
    whole = data[:len(data) // (channels * width) * channels * width]
    samples = _numbers(whole, width).reshape(-1, channels)
    values = samples.astype(np.float64) / 2 ** (8 * width - 1) if normalize else samples
    return to_tensor(np.ascontiguousarray(values.T if channels_first else values, np.float32)), rate


def save(filepath: Any, src: Any, sample_rate: int, channels_first: bool = True, encoding: str | None = None,
         bits_per_sample: int | None = 16) -> None:
    """Writes samples [channels, time] (or [time, channels]) as a wave file of 16 bits.

    Floats lie between -1 and 1, and are cut to it; integers are written as they are. `encoding` must be "PCM_16" or
    "PCM_S", which is what is written in any case.

    >>> import proa as paddle
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "tone.wav")
    >>> tone = (paddle.arange(800, dtype="float32") * (2 * 3.14159 * 440 / 8000)).sin().unsqueeze(0)
    >>> paddle.audio.save(path, tone, 8000)
    >>> samples, rate = paddle.audio.load(path)
    >>> samples.shape, rate
    ([1, 800], 8000)
    """
    if bits_per_sample not in (None, 16):
        raise ValueError(f"audio.save(bits_per_sample): must be 16. Received {bits_per_sample}.")
    samples = src.numpy() if is_value(src) else np.asarray(src)
    if samples.ndim != 2:
        raise ValueError(f"audio.save(src): must have two dimensions, channels and time. Received shape "
                         f"{list(samples.shape)}.")
    frames = samples.T if channels_first else samples
    if frames.dtype.kind == "f":
        frames = frames.astype(np.float64) * 32768
    numbers = np.clip(frames, -32768, 32767).astype("<i2")
    with atomic_write(filepath) as file, wave.open(file, "wb") as written:
        written.setnchannels(numbers.shape[1])
        written.setsampwidth(2)
        written.setframerate(sample_rate)
        written.writeframes(np.ascontiguousarray(numbers).tobytes())
