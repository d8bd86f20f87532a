"""Loops generated through LLVM: kernels written as restricted Python functions, compiled to vectorized machine code.

    @loops.kernel
    def scale_rows(x, factor, out, rows, columns):
        for r in parallel(rows, columns):
            for c in range(columns):
                out[r * columns + c] = x[r * columns + c] * factor[r]

The names it uses stand in `names.py`, what it may hold in `language.py`. A kernel is called with contiguous NumPy
arrays and numbers, and writes into arrays that it is given. It is compiled once for each combination of element types,
and the machine code is kept on disk (`cache.py`). This folder knows nothing of operators. llvmlite (the extra `fast`)
is imported at the first call.
"""

from .compiler import is_ready, obstacle, version
from .functions import function
from .kernel import Kernel, exact_kernel, kernel, kernel_with

__all__ = ["Kernel", "exact_kernel", "function", "is_ready", "kernel", "kernel_with", "obstacle", "version"]
