"""All functions but ufuncs: their arguments are bound to CuPy's parameters, and NumPy computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import ndarray, supported, unwrapped, wrapped
from .facts import BFLOAT16, FACTS, bind

#: Functions that give Python's own values, in CuPy too.
_PLAIN = {"ndim", "size", "shape", "isscalar", "iscomplexobj", "isrealobj", "isfortran", "shares_memory",
          "may_share_memory", "can_cast", "result_type", "min_scalar_type", "common_type", "array_repr", "array_str"}
#: Functions of NumPy's that give Python's values where CuPy gives arrays without dimensions.
_ZERO_DIMENSIONAL = {"count_nonzero", "array_equal", "array_equiv", "allclose"}
#: Functions whose NumPy arrays CuPy takes, as a way to the device.
_FROM_HOST = {"array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"}
#: Functions that the wheel does not say to have bfloat16: those that sort, search, run along, find places, draw.
_NOT_OF_BFLOAT16 = {"argmax", "argmin", "argpartition", "argsort", "bincount", "convolve", "correlate", "cumprod",
                    "cumsum", "digitize", "einsum", "histogram", "interp", "lexsort", "median", "msort", "partition",
                    "percentile", "quantile", "searchsorted", "sort", "std", "unique", "var"}


def refuse_bfloat16(where: str, name: str, args: Any) -> None:
    """TypeError for arrays of bfloat16 where CuPy does not say that it takes them."""
    if name in _NOT_OF_BFLOAT16 or where in ("cupy.linalg", "cupy.fft"):
        for value in args:
            parts = value if isinstance(value, (list, tuple)) else [value]
            if any(isinstance(part, ndarray) and part.dtype == BFLOAT16 for part in parts):
                raise TypeError(f"{where}.{name}: not known to take bfloat16")


def function(where: str, name: str) -> Callable[..., Any]:
    """A function of CuPy's by the name of its module and its own."""
    own = OWN.get((where, name))

    def call(*args: Any, **kwargs: Any) -> Any:
        bind(where, name, args, kwargs)
        refuse_bfloat16(where, name, [*args, *kwargs.values()])
        if own is not None:
            with np.errstate(all="ignore"):
                return own(*args, **kwargs)
        if name in _FROM_HOST:
            return _made(name, *args, **kwargs)
        out = kwargs.get("out")
        host = _host_function(where, name)
        with np.errstate(all="ignore"):
            result = host(*map(unwrapped, args), **{k: unwrapped(v) for k, v in kwargs.items()})
        if out is not None:
            return out
        if name in _PLAIN:
            return result
        return wrapped(np.asarray(result)) if name in _ZERO_DIMENSIONAL else wrapped(result)

    call.__name__ = name
    return call


def _host_function(where: str, name: str) -> Callable[..., Any]:
    module: Any = np
    for part in where.split(".")[1:]:
        module = getattr(module, part)
    found = getattr(module, name, None)
    if found is None:
        raise NotImplementedError(f"The stand-in has no {where}.{name}.")
    return found


def _made(name: str, a: Any, dtype: Any = None, order: Any = None, copy: Any = None, subok: bool = False,
          ndmin: int = 0, blocking: bool = False) -> ndarray:
    """An array of the device, of host or device arrays, numbers, or lists of either."""
    if isinstance(a, ndarray):
        make = np.array if name == "array" and copy is not False else np.asanyarray  # which copies where it must
        order = {"ascontiguousarray": "C"}.get(name, "K") if order in (None, "K") else order
        host = make(a._host, dtype, order=order)
        host = host[(None,) * (ndmin - host.ndim)] if ndmin > host.ndim else host
        supported(host.dtype)
        return a if host is a._host else wrapped(host)
    host = np.array(_plain(a), dtype, ndmin=ndmin)
    supported(host.dtype)
    return wrapped(host)


def _plain(value: Any) -> Any:
    if isinstance(value, ndarray):
        return value._host
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def _where(condition: Any, x: Any = None, y: Any = None) -> Any:
    if x is None and y is None:
        return wrapped(np.nonzero(unwrapped(condition)))
    if isinstance(condition, (bool, list)):
        raise TypeError(f"where(condition): {type(condition).__name__} has no astype")
    for value in (x, y):
        if not isinstance(value, (ndarray, bool, int, float, complex, np.generic)):
            raise TypeError(f"Unsupported type {type(value)}")
    return wrapped(np.where(unwrapped(condition), unwrapped(x), unwrapped(y)))


def _clip(a: Any, a_min: Any, a_max: Any, out: Any = None) -> Any:
    if not isinstance(a, ndarray):
        raise TypeError(f"clip(a): {type(a)} is no cupy.ndarray")
    return wrapped(np.clip(a._host, unwrapped(a_min), unwrapped(a_max)))


def _bincount(x: ndarray, weights: Any = None, minlength: Any = None) -> ndarray:
    if not isinstance(x, ndarray):
        raise TypeError("bincount(x): not a cupy.ndarray")
    return wrapped(np.bincount(x._host, unwrapped(weights), minlength or 0))


def _lexsort(keys: Any) -> ndarray:
    if not isinstance(keys, ndarray):
        raise AttributeError(f"'{type(keys).__name__}' object has no attribute 'ndim'")
    if keys.ndim > 2:
        raise NotImplementedError("Keys with the rank of three or more is not supported in lexsort")
    return wrapped(np.lexsort(keys._host))


def _all_arrays(name: str) -> Callable[..., Any]:
    """Of functions that join arrays: all of them must be the device's."""
    host = getattr(np, name)

    def call(tup: Any, *args: Any, **kwargs: Any) -> ndarray:
        parts = list(tup)
        if not all(isinstance(part, ndarray) for part in parts):
            raise TypeError("Only cupy arrays can be concatenated")
        return wrapped(host([part._host for part in parts], *args, **kwargs))

    return call


def _einsum(*operands: Any, **kwargs: Any) -> ndarray:
    unknown = set(kwargs) - {"dtype", "optimize"}
    if unknown:
        raise TypeError(f"einsum() got unexpected keyword arguments {sorted(unknown)}")
    return wrapped(np.einsum(*map(unwrapped, operands), **kwargs))


def _matmul(*args: Any, out: Any = None, **kwargs: Any) -> Any:
    for value in args:
        if not isinstance(value, ndarray):
            raise TypeError(f"Unsupported type {type(value)} in matmul")
    result = np.matmul(args[0]._host, args[1]._host, **kwargs)
    if out is None:
        return wrapped(result)
    out._host[...] = result
    return out


def _astype(array: ndarray, dtype: Any, order: str = "K", casting: Any = None, subok: Any = None,
            copy: bool = True) -> ndarray:
    dtype = supported(np.dtype(dtype))
    if dtype == array.dtype and not copy:
        return array
    with np.errstate(all="ignore"):
        host = array._host
        if host.dtype.kind == "c" and dtype.kind != "c":
            host = host if dtype.kind == "b" else host.real
        return wrapped(host.astype(dtype))


def _fill(array: ndarray, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.shape:
        raise ValueError("non-scalar numpy.ndarray cannot be used for fill")
    array._host[...] = value._host if isinstance(value, ndarray) else value


def _sorted_by(how: Callable[..., Any]) -> Callable[..., Any]:
    def call(a: ndarray, axis: Any = -1, kind: Any = None) -> Any:
        if kind not in (None, "stable"):
            raise ValueError(f"kind can only be None or 'stable': {kind!r}")
        return how(a, axis)

    return call


def _repeat(a: ndarray, repeats: Any, axis: Any = None) -> ndarray:
    if isinstance(repeats, (ndarray, np.ndarray)):
        raise ValueError("cupy.ndarray cannot be specified as `repeats` argument.")
    return wrapped(np.repeat(a._host, repeats, axis))


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> ndarray:
    if not isinstance(a, ndarray) or not isinstance(v, (ndarray, int, float, complex)):
        raise NotImplementedError("Only int or ndarray are supported for a and v")
    return wrapped(np.searchsorted(a._host, unwrapped(v), side, unwrapped(sorter)))


def _eig(a: ndarray) -> tuple:
    raise RuntimeError("geev is not available")  # in cuSOLVER of older versions of CUDA


def _asnumpy(a: Any, *args: Any, **kwargs: Any) -> np.ndarray:
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def _sort_in_place(a: ndarray, axis: int) -> None:
    if not a._host.flags.c_contiguous:
        raise NotImplementedError("Sorting non-contiguous array is not supported.")
    a._host.sort(axis, kind="stable")


def _arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> ndarray:
    for value in (start, stop, step):
        if isinstance(value, ndarray):
            raise TypeError("arange: the ends must be numbers of the host")
    return wrapped(np.arange(start, step=step, dtype=dtype) if stop is None else np.arange(start, stop, step, dtype))


def _decomposition(name: str) -> Callable[..., Any]:
    """Of matrices: no 16-bit floats; NaN where NumPy raises, unless `errstate(linalg="raise")` is in force."""
    host = getattr(np.linalg, name)

    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        from .namespace import errstate

        arrays = [v for v in (a, *args) if isinstance(v, ndarray)]
        if any(v.dtype == np.float16 for v in arrays):
            raise TypeError("array type float16 is unsupported in linalg")
        try:
            result = host(*map(unwrapped, (a, *args)), **kwargs)
        except np.linalg.LinAlgError:
            if errstate.linalg == "raise" or name not in ("inv", "solve", "cholesky", "matrix_power"):
                raise
            return wrapped(np.full_like(unwrapped(arrays[-1]), np.nan))
        return wrapped(tuple(result) if isinstance(result, tuple) else result)

    return call


OWN: dict[tuple[str, str], Callable[..., Any]] = {
    ("cupy", "where"): _where, ("cupy", "clip"): _clip, ("cupy", "bincount"): _bincount,
    ("cupy", "lexsort"): _lexsort, ("cupy", "einsum"): _einsum, ("cupy", "matmul"): _matmul,
    ("cupy", "repeat"): _repeat, ("cupy", "searchsorted"): _searchsorted,
    ("cupy", "asnumpy"): _asnumpy, ("cupy", "arange"): _arange,
    ("cupy", "sort"): _sorted_by(lambda a, axis: wrapped(np.sort(a._host, axis, kind="stable"))),
    ("cupy", "argsort"): _sorted_by(lambda a, axis: wrapped(np.argsort(a._host, axis, kind="stable"))),
    **{("cupy", name): _all_arrays(name) for name in ("concatenate", "stack", "hstack", "vstack", "dstack")},
    **{("cupy.linalg", name): _decomposition(name) for name in FACTS["cupy.linalg"]
       if callable(getattr(np.linalg, name, None))
       and name not in ("LinAlgError", "norm", "multi_dot", "trace", "diagonal")},
    ("cupy.fft", "rfftn"): lambda a, **kwargs: wrapped(np.fft.rfftn(a._host.real, **kwargs)),  # of complex ones, too
    ("cupy.linalg", "eig"): _eig, ("cupy.linalg", "eigvals"): _eig,
}

METHODS: dict[str, Callable[..., Any]] = {
    "repeat": _repeat, "searchsorted": _searchsorted, "astype": _astype, "fill": _fill,
    "sort": _sorted_by(_sort_in_place),
    "argsort": _sorted_by(lambda a, axis: wrapped(np.argsort(a._host, axis, kind="stable"))),
}
