"""`paddle.audio.datasets`: sets of labelled recordings, in their published files."""

from .esc50 import ESC50
from .tess import TESS

__all__ = ["ESC50", "TESS"]
