"""oneDNN: convolution, pooling and large products on the host, by its C interface through ctypes.

- `library.py` finds and loads the shared library at the first use; without one, `is_ready()` is False.
- `descriptors.py`, `primitives.py` and `routine.py` are a small object layer: layouts, prepared computations, and
  sequences of these that are bound to operands, kept, and safe to call from several threads.
- `convolution.py` (with `conv_routines.py`, `columns.py`), `pooling.py` and `matmul.py` (with `products.py`,
  `linear.py`) compute on NumPy arrays.

This folder knows arrays, not operators. Images keep their shape [n, c, *sizes]; how they lie in memory is in their
strides, and convolutions give them with their channels side by side.
"""

from .conv_routines import PackedWeight
from .convolution import (
    bound_convolution,
    convolution,
    convolution_filter_grad,
    convolution_input_grad,
    one_by_one,
    pack_weight,
    prepared_convolution,
)
from .library import is_loaded, is_ready, version
from .linear import PackedMatrix, linear, pack_matrix, prepared_linear
from .matmul import LARGE, early_product, large_product, matmul
from .pooling import MAX, MEAN, MEAN_WITH_PADDING, pooling, pooling_grad
from .primitives import EPILOGUES
from .products import for_the_compiled_form

__all__ = ["EPILOGUES", "LARGE", "MAX", "MEAN", "MEAN_WITH_PADDING", "PackedMatrix", "PackedWeight",
           "bound_convolution", "convolution", "convolution_filter_grad", "convolution_input_grad",
           "early_product", "for_the_compiled_form", "is_loaded", "is_ready", "large_product", "linear", "matmul",
           "one_by_one", "pack_matrix", "pack_weight", "pooling", "pooling_grad", "prepared_convolution",
           "prepared_linear", "version"]
