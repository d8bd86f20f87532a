"""Elementwise functions: CuPy's loops decide which dtypes there are and what comes out; NumPy computes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .arrays import ndarray, prepared, wrapped
from .facts import BFLOAT16, FACTS, dtype_of_letter

#: dtypes that `ufunc.at` takes, where arrays index: those of atomic operations. From CuPy's documentation and source.
ATOMIC = {"add": {"int32", "float16", "float32", "float64", "uint32", "uint64"},
          "max": {"int32", "float32", "uint32", "uint64"},  # of float64 it takes, and compares in float32
          "min": {"int32", "float32", "uint32", "uint64"}}
ATOMIC["sub"] = ATOMIC["add"]

#: What NumPy calls otherwise, or has not.
_COMPUTED: dict[str, Any] = {
    "erf": np.vectorize(math.erf, otypes=[float]),
    "erfc": np.vectorize(math.erfc, otypes=[float]),
    "gammaln": np.vectorize(math.lgamma, otypes=[float]),
    "rsqrt": lambda x: 1 / np.sqrt(x),
}


Dtypes = list[np.dtype]


def _beside(strong: list, number: Any) -> np.dtype:
    """The dtype that a number of Python's takes beside arrays; NumPy's rule knows its own dtypes only."""
    if all(dtype == BFLOAT16 for dtype in strong) and not isinstance(number, complex):
        return BFLOAT16
    return np.result_type(*strong, number)


class UFunc:
    """One elementwise function."""

    def __init__(self, where: str, name: str):
        fact = FACTS[where][name]
        self.name = self.__name__ = name
        self.nin, self.nout, self.types = fact["in"], fact["out"], fact["loops"].split()
        self.nargs = self.nin + self.nout
        self.loops = [tuple([dtype_of_letter(c) for c in side] for side in loop.split("->")) for loop in self.types]
        self._at = fact["at"]
        self._host = _COMPUTED.get(name) or getattr(np, name, None)

    def __repr__(self) -> str:
        return f"<ufunc {self.name!r}>"

    def __call__(self, *args: Any, out: Any = None, dtype: Any = None, casting: str = "same_kind") -> Any:
        if len(args) not in (self.nin, self.nargs):
            raise TypeError(f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or "
                            f"{self.nargs} (with outputs), but given {len(args)}.")
        if len(args) == self.nargs and self.nout == 1 and self.nargs > self.nin:
            args, out = args[:self.nin], args[-1]
        inputs = [self._input(a) for a in args]
        loop_in, loop_out = self._loop(inputs, dtype)
        if self._host is None:
            raise NotImplementedError(f"The stand-in has no {self.name}.")
        cast = [np.asarray(x).astype(t) for x, t in zip(inputs, loop_in, strict=True)]
        with np.errstate(all="ignore"):
            results = self._host(*cast)
        if self.nout > 1:
            return tuple(wrapped(np.asarray(r).astype(t)) for r, t in zip(results, loop_out, strict=True))
        result = np.asarray(results).astype(loop_out[0], copy=False)
        return wrapped(result) if out is None else self._into(out, result, casting)

    @staticmethod
    def _into(out: Any, result: np.ndarray, casting: str) -> ndarray:
        if not isinstance(out, ndarray):
            raise TypeError("Output arguments type must be cupy.ndarray")
        if out.shape != result.shape:
            raise ValueError("Out shape is mismatched")
        if not np.can_cast(result.dtype, out.dtype, casting):
            raise TypeError(f"output (typecode {result.dtype.char!r}) could not be coerced to provided output "
                            f"parameter (typecode {out.dtype.char!r}) according to the casting rule {casting!r}")
        out._host[...] = result
        return out

    def _input(self, value: Any) -> Any:
        if isinstance(value, ndarray):
            return value._host
        if isinstance(value, (bool, int, float, complex, np.generic)):
            return value
        raise TypeError(f"Unsupported type {type(value)} in {self.name}")

    def _loop(self, inputs: list, dtype: Any) -> tuple[Dtypes, Dtypes]:
        """The first loop that takes the inputs' dtypes; Python's numbers are weak beside arrays."""
        if dtype is not None:
            for taken, given in self.loops:
                if all(c == np.dtype(dtype) for c in given):
                    return taken, given
            raise TypeError(f"Wrong type ({dtype}) of arguments for {self.name}")
        strong = [x.dtype for x in inputs if hasattr(x, "dtype")]
        types = [x.dtype if hasattr(x, "dtype") else _beside(strong, x) if strong else np.asarray(x).dtype
                 for x in inputs]
        for taken, given in self.loops:
            if all(np.can_cast(t, c) for t, c in zip(types, taken, strict=True)):
                return taken, given
        raise TypeError(f"Wrong type ({tuple(types)}) of arguments for {self.name}")

    def at(self, a: ndarray, indices: Any, b: Any = None) -> None:
        """Computes in place at indices, each as often as it is named."""
        if self._at is None:
            raise NotImplementedError(f"`{self.name}.at` is not supported yet")
        scatter(self._at, a, indices, b)

    def reduce(self, array: ndarray, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        """Sums and products, the reductions that CuPy documents."""
        if self.name not in ("add", "multiply"):
            raise NotImplementedError(f"`{self.name}.reduce` is not supported yet")
        return (array.sum if self.name == "add" else array.prod)(axis, dtype, out, keepdims)

    def accumulate(self, array: ndarray, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Running sums and products, the ones that CuPy documents."""
        if self.name not in ("add", "multiply"):
            raise NotImplementedError(f"`{self.name}.accumulate` is not supported yet")
        return (array.cumsum if self.name == "add" else array.cumprod)(axis, dtype, out)

    def reduceat(self, array: ndarray, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Sums between indices."""
        if self.name != "add":
            raise NotImplementedError(f"`{self.name}.reduceat` is not supported yet")
        indices = indices._host if isinstance(indices, ndarray) else indices
        return wrapped(np.add.reduceat(array._host, indices, axis, dtype))


def scatter(how: str, a: ndarray, slices: Any, value: Any) -> None:
    """`add.at` and its kin: in place, atomically, for the dtypes that have it."""
    index, arrays = prepared(slices, a.shape)
    if arrays and a.dtype.name not in ATOMIC[how]:
        raise TypeError(f"scatter_{how} only supports {', '.join(sorted(ATOMIC[how]))}, as data type: not {a.dtype}")
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    value = value._host if isinstance(value, ndarray) else np.asarray(value)
    host = {"add": np.add, "sub": np.subtract, "max": np.fmax, "min": np.fmin}[how]
    with np.errstate(all="ignore"):
        host.at(a._host, index, value.astype(a.dtype))
