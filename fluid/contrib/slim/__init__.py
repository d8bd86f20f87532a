"""`fluid.contrib.slim`: what remained there in 1.8 when PaddleSlim became a package of its own, quantization."""

from typing import TYPE_CHECKING

from ....core.lazy import attach

if TYPE_CHECKING:
    from . import quantization
else:
    __getattr__, __dir__ = attach(__name__)
