"""`paddle.signal`: the short-time Fourier transform, and signals as frames.

It stands here since a module of this name at the root would hide Python's own from whoever runs a file there.
"""

from ..core.lazy import listed
from ..ops.signal.frames import frame, overlap_add
from ..ops.signal.stft import istft, stft

__all__ = ["frame", "istft", "overlap_add", "stft"]
__dir__ = listed(__name__)
