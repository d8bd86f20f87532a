"""Kernels on 16-bit floats: they compute in float32, and round each result once.

That is what accelerators' own kernels do, and what array libraries leave undone: NumPy adds up float16 in float16 along
some axes, has no linear algebra for it, and knows nothing of bfloat16; a kernel of several functions of CuPy rounds
after each, overflows at the square of 256, and divides by a moment's root plus 1e-8, which is 0 in float16. Products
of float16 are a device's own, whose library adds up in float32. What only moves elements, or is one function of NumPy
that rounds its own results, needs none of it; large arrays go by float32 also there, as loops convert them sooner than
NumPy computes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.kernels.narrow_floats import converted
from .spec import spec_of

if TYPE_CHECKING:
    from .operator import Operator

FLOAT32 = np.dtype(np.float32)


def is_narrow(dtype: Any) -> bool:
    """True for the dtypes of arrays of float16 and bfloat16."""
    return dtype.itemsize == 2 and dtype.name in ("float16", "bfloat16")


def widened(array: Any) -> Any:
    """An array, or a list of these, in float32 where it is of 16-bit floats."""
    if isinstance(array, (list, tuple)):
        return [widened(item) for item in array]
    dtype = getattr(array, "dtype", None)
    return converted(array, FLOAT32) if isinstance(dtype, np.dtype) and is_narrow(dtype) else array


def rounds(op: Operator, dtype: Any) -> bool:
    """Whether the operator is to compute in float32 for arrays of this dtype."""
    return is_narrow(dtype) and not op.narrow


def rounds_on_device(op: Operator, dtype: Any) -> bool:
    """Whether the operator is to compute in float32 for arrays of this dtype on a device."""
    return dtype is not None and rounds(op, dtype) and not (op.precision == "white" and dtype.name == "float16")


def rounded(op: Operator, kernel: Callable[..., Any], xp: Any, inputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """What the kernel gives for the inputs in float32, in the dtypes that the operator's rule tells."""
    specs = op.infer_specs(tuple(spec_of(x) for x in inputs), attrs)
    results = kernel(xp, *[widened(x) for x in inputs], **attrs)
    if len(op.results) == 1:
        return _in_dtype_of(xp, specs[0], results)
    return tuple(_in_dtype_of(xp, spec, array) for spec, array in zip(specs, results, strict=True))


def _in_dtype_of(xp: Any, spec: Any, array: Any) -> Any:
    if isinstance(array, (list, tuple)):
        return [_in_dtype_of(xp, s, a) for s, a in zip(spec, array, strict=True)]
    if spec is None or array is None or not spec.dtype.is_floating:
        return array
    return converted(xp.asarray(array), spec.dtype.dtype)
