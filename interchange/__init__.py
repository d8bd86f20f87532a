"""Models and parameters in other frameworks' files: ONNX, safetensors, PyTorch's `.pt`.

Knows Programs, Layers and files; the formats themselves are read and written by the libraries made for them.
"""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from . import onnx
else:
    __getattr__, __dir__ = attach(__name__)
