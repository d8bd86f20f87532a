"""The names that NumPy 2 removed, given back to a NumPy that lacks them, for scripts that are not to be changed.

Nothing here is done unless it is asked for: `python -m proa run --numpy-1-names SCRIPT`, or `restore()`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: Old name -> the one that means the same, looked up in NumPy.
SAME = {
    "Inf": "inf", "Infinity": "inf", "infty": "inf", "PINF": "inf", "NaN": "nan", "alltrue": "all", "bool8": "bool_",
    "cfloat": "complex128", "clongfloat": "clongdouble", "complex_": "complex128", "cumproduct": "cumprod",
    "float_": "float64", "int0": "intp", "longcomplex": "clongdouble", "longfloat": "longdouble", "mat": "asmatrix",
    "object0": "object_", "product": "prod", "round_": "round", "singlecomplex": "complex64", "sometrue": "any",
    "string_": "bytes_", "str0": "str_", "trapz": "trapezoid", "uint0": "uintp", "unicode_": "str_", "void0": "void",
}


def _in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> np.ndarray:
    return np.isin(np.ravel(ar1), ar2, assume_unique, invert)


def _asfarray(a: Any, dtype: Any = np.float64) -> np.ndarray:
    kind = np.dtype(dtype)
    return np.asarray(a, dtype=kind if np.issubdtype(kind, np.inexact) else np.float64)


def _msort(a: Any) -> np.ndarray:
    return np.sort(a, axis=0)


def _find_common_type(array_types: Any, scalar_types: Any) -> np.dtype:
    return np.result_type(*array_types, *scalar_types)


def _issubclass_(arg1: Any, arg2: Any) -> bool:
    return isinstance(arg1, type) and issubclass(arg1, arg2)


#: Old name -> what it was.
OTHERS = {"NINF": -np.inf, "PZERO": 0.0, "NZERO": -0.0, "asfarray": _asfarray, "find_common_type": _find_common_type,
          "in1d": _in1d, "issubclass_": _issubclass_, "msort": _msort}


def restore() -> list[str]:
    """Gives NumPy the names that it lacks; which ones these were. Nothing is replaced.

    >>> import numpy
    >>> from proa.compat import numpy_names
    >>> found = numpy_names.restore()
    >>> int(numpy.product([2, 3]))
    6
    """
    given = {name: getattr(np, new) for name, new in SAME.items() if hasattr(np, new)} | OTHERS
    lacking = [name for name in given if name not in np.__dict__ and not _has(name)]
    for name in lacking:
        setattr(np, name, given[name])
    return lacking


def _has(name: str) -> bool:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy warns of names that it is going to remove
        return hasattr(np, name)
