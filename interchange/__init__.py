"""Models and parameters in other frameworks' files: ONNX, safetensors, PyTorch's `.pt`.

Knows Programs, Layers and files; the formats themselves are read and written by the libraries made for them.
`paddle.save` and `paddle.load` take safetensors by their suffix, and `paddle.load` PyTorch's files by how they begin.
"""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from . import onnx
    from .pytorch import load_pytorch
    from .pytorch_state import from_pytorch
    from .safetensors import load_safetensors, save_safetensors
else:
    __getattr__, __dir__ = attach(__name__)
