"""`paddle.signal`: the short-time Fourier transform, and signals as frames.

It stands here since a module of this name at the root would hide Python's own from whoever runs a file there.
"""

from ..ops.framing import frame, overlap_add
from ..ops.short_time import istft, stft

__all__ = ["frame", "istft", "overlap_add", "stft"]
