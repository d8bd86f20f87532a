"""What a pickle may name: for each allowed global, the function here that builds the value it stands for.

No global is ever looked up, and neither NumPy's nor Paddle's own constructors are called with what a file says: the
functions below check their arguments and build plain values. They raise ValueError for arguments that make no sense.
Knows nothing of bytes and opcodes (`pickle_machine`) and of files (`safe_pickle`).
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

_DTYPE_CODE = re.compile(r"[<>=|]?(b1|[iu][1248]|f[248]|c8|c16|[SU][0-9]{1,7})")
_KEY_TYPES = (str, bytes, int, float, complex, type(None), np.number, np.bool_)
_MAXIMUM_DIMENSION = 1 << 62
_LAST_CODE_POINT = 0x10FFFF


class Constructor(NamedTuple):
    """An allowed global: its name in the file, and what makes a value from the arguments that the file gives it."""

    name: str
    make: Callable[[tuple], Any]


class Unbuilt:
    """An object of which the file has yet to give the state."""

    def __init__(self) -> None:
        self.memo_keys: list[int] = []

    def build(self, state: Any) -> Any:
        """The finished value."""
        raise NotImplementedError


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def check_key(key: Any) -> None:
    """Raises ValueError unless `key` is safe to hash: a scalar, or a tuple of scalars."""
    for item in key if type(key) is tuple else (key,):
        _require(isinstance(item, _KEY_TYPES), f"a key is of type {type(item).__name__}, which is no scalar")


def _text(value: Any) -> str:
    return value.decode("latin1") if isinstance(value, bytes) else value


class UnbuiltDType(Unbuilt):
    """A dtype whose byte order comes with its state."""

    def __init__(self, code: str):
        super().__init__()
        self.code = code

    def build(self, state: Any) -> np.dtype:
        """The dtype; the state is (version, byte order, subarray, names, fields, item size, alignment, flags)."""
        _require(type(state) is tuple and len(state) == 8, "a dtype has a state of unknown form")
        _require(all(part is None for part in state[2:5]), "a structured dtype is not allowed")
        order = _text(state[1])
        _require(order in ("<", ">", "|", "="), f"{order!r} is no byte order")
        dtype = np.dtype(order + self.code.lstrip("<>=|"))
        _require(state[5] in (-1, dtype.itemsize), f"a dtype {dtype} cannot have {state[5]} bytes an element")
        return dtype


def _make_dtype(args: tuple) -> UnbuiltDType:
    code = _text(args[0]) if args else None
    _require(isinstance(code, str) and _DTYPE_CODE.fullmatch(code) is not None, f"dtype {code!r} is not allowed")
    return UnbuiltDType(code)  # type: ignore[arg-type]


class UnbuiltArray(Unbuilt):
    """An array whose shape and elements come with its state."""

    def build(self, state: Any) -> np.ndarray:
        """The array; the state is (version, shape, dtype, is in Fortran order, elements)."""
        _require(type(state) is tuple and len(state) == 5, "an array has a state of unknown form")
        _, shape, dtype, fortran, data = state
        return build_array(data, dtype, shape, "F" if fortran else "C")


def _as_bytes_array(data: Any) -> np.ndarray:
    """The elements as a writable uint8 array: what the machine read as one is taken over, anything else is copied."""
    if type(data) is np.ndarray:
        _require(data.dtype == np.uint8 and data.ndim == 1, "an array's elements are not bytes")
        return data
    if isinstance(data, str):  # written by Python 2
        data = data.encode("latin1")
    _require(isinstance(data, (bytes, bytearray)), f"an array's elements are not bytes but {type(data).__name__}")
    return np.frombuffer(data, np.uint8).copy()


def _check_shape(shape: Any) -> None:
    _require(type(shape) is tuple, "an array's shape is not a tuple")
    for size in shape:
        _require(type(size) is int and 0 <= size < _MAXIMUM_DIMENSION, f"{size!r} is no size of a dimension")


def _check_elements(array: np.ndarray) -> None:
    """Bytes that are no element of the dtype would be undefined behaviour later: refuse them."""
    if not array.size or not array.dtype.itemsize:
        return
    if array.dtype.kind == "b":
        _require(bool(array.view(np.uint8).max() <= 1), "a bool array holds a byte that is neither 0 nor 1")
    if array.dtype.kind == "U":
        _require(array.view(f"{array.dtype.byteorder}u4").max() <= _LAST_CODE_POINT, "a string array is no Unicode")


def build_array(data: Any, dtype: Any, shape: Any, order: Literal["C", "F"]) -> np.ndarray:
    """A writable array in native byte order; ValueError where the shape and the number of bytes disagree."""
    _require(isinstance(dtype, np.dtype), "an array's dtype is missing or is not a plain one")
    _check_shape(shape)
    payload = _as_bytes_array(data)
    size = dtype.itemsize
    for length in shape:
        size *= length
    _require(size == payload.nbytes, f"shape {shape} of {dtype} needs {size} bytes, {payload.nbytes} are there")
    _check_elements(payload.view(dtype) if size else payload)
    try:
        array = np.ndarray(shape, dtype, payload, order=order)
    except (OverflowError, TypeError) as error:
        raise ValueError(f"shape {shape} is impossible: {error}") from error
    return array if dtype.isnative else array.astype(dtype.newbyteorder("="))


def _make_array(args: tuple) -> UnbuiltArray:
    _require(len(args) == 3 and args[0] is _NDARRAY, "an array is made from something other than numpy.ndarray")
    return UnbuiltArray()


def _make_array_from_buffer(args: tuple) -> np.ndarray:
    _require(len(args) == 4 and args[3] in ("C", "F"), "_frombuffer has unknown arguments")
    return build_array(*args)


def _make_scalar(args: tuple) -> Any:
    _require(len(args) == 2, "a NumPy scalar needs a dtype and its bytes")
    return build_array(args[1], args[0], (), "C")[()]


def _make_bytes(args: tuple) -> bytes:
    _require(args == (), "bytes() is allowed without arguments only")
    return b""


def _make_encoded(args: tuple) -> bytes:
    _require(len(args) == 2 and isinstance(args[0], str), "_codecs.encode is allowed for a str only")
    _require(args[1] in ("latin1", "latin-1"), "_codecs.encode is allowed with latin1 only")
    return args[0].encode("latin1")


def _make_bytearray(args: tuple) -> bytearray:
    if len(args) == 2:
        return bytearray(_make_encoded(args))
    _require(args == () or len(args) == 1 and isinstance(args[0], bytes), "bytearray() is allowed from bytes only")
    return bytearray(*args)


def _one_sequence(args: tuple) -> list | tuple:
    """The list or tuple that a container is made from; an empty one where nothing is given."""
    _require(len(args) <= 1, "a container is made from one list")
    items = args[0] if args else ()
    _require(type(items) in (list, tuple), "a container is made from something other than a list")
    return items


def _make_tuple(args: tuple) -> tuple:
    return tuple(_one_sequence(args))


def _make_set(args: tuple) -> set:
    items = _one_sequence(args)
    for item in items:
        check_key(item)
    return set(items)


def _make_frozenset(args: tuple) -> frozenset:
    return frozenset(_make_set(args))


def _make_complex(args: tuple) -> complex:
    _require(len(args) == 2 and all(type(part) is float for part in args), "complex() needs two floats")
    return complex(*args)


def _make_ordered_dict(args: tuple) -> OrderedDict:
    result: OrderedDict = OrderedDict()
    for pair in _one_sequence(args):
        _require(type(pair) in (list, tuple) and len(pair) == 2, "an OrderedDict is made from pairs")
        check_key(pair[0])
        result[pair[0]] = pair[1]
    return result


def _make_slice(args: tuple) -> slice:
    known = len(args) == 3 and all(bound is None or type(bound) is int for bound in args)
    _require(known, "slice() needs three integers or None")
    return slice(*args)


def _make_lod_tensor(args: tuple) -> np.ndarray:
    """`paddle.save` writes a LoDTensor as eval("data", {"data": array}): just that is read, as the array."""
    known = len(args) == 2 and args[0] == "data" and type(args[1]) is dict and list(args[1]) == ["data"]
    array = args[1]["data"] if known else None
    _require(isinstance(array, np.ndarray), "eval stands for something other than Paddle's LoDTensor")
    return array  # type: ignore[return-value]


def _no_call(args: tuple) -> Any:
    raise ValueError("numpy.ndarray is called directly")


_NDARRAY = Constructor("numpy.ndarray", _no_call)
_BUILTINS: dict[str, Callable[[tuple], Any]] = {
    "bytes": _make_bytes,
    "bytearray": _make_bytearray,
    "tuple": _make_tuple,
    "set": _make_set,
    "frozenset": _make_frozenset,
    "complex": _make_complex,
    "slice": _make_slice,
    "eval": _make_lod_tensor,
}
_ARRAYS: dict[str, Callable[[tuple], Any]] = {
    "multiarray._reconstruct": _make_array,
    "multiarray.scalar": _make_scalar,
    "numeric._frombuffer": _make_array_from_buffer,
}


def _all_constructors() -> dict[str, Constructor]:
    makers: dict[str, Callable[[tuple], Any]] = {
        "numpy.dtype": _make_dtype, "collections.OrderedDict": _make_ordered_dict, "_codecs.encode": _make_encoded}
    for module in ("builtins", "__builtin__"):  # Python 3 and 2
        makers |= {f"{module}.{name}": make for name, make in _BUILTINS.items()}
    for module in ("numpy.core", "numpy._core"):  # NumPy 1 and 2
        makers |= {f"{module}.{name}": make for name, make in _ARRAYS.items()}
    return {name: Constructor(name, make) for name, make in makers.items()} | {_NDARRAY.name: _NDARRAY}


CONSTRUCTORS = _all_constructors()
