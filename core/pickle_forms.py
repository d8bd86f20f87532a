"""The few names that a pickle of ours may refer to, and what each means here.

Nothing is looked up in a module: a name that is not in the table is refused, and a name that is in it stands for a
function of this file that takes the pickle's arguments, checks them, and builds a plain value. Knows nothing of files.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

_DTYPE_NAME = re.compile(r"b1|[iu][1248]|f[248]|c8|c16|[SU][0-9]{1,6}")
_MOST_DIMENSIONS = 32


class Form:
    """A name that a pickle referred to; calling it gives the value that the pickle means."""

    __slots__ = ("name", "call")

    def __init__(self, name: str, call: Callable[[tuple], Any]):
        self.name, self.call = name, call


class Draft:
    """A dtype or an array of which the pickle has yet to give the state; `keys` is where it is remembered."""

    __slots__ = ("finish", "keys")

    def __init__(self, finish: Callable[[Any], Any]):
        self.finish = finish
        self.keys: list[int] = []


def find_form(module: str, name: str) -> Form | None:
    """What a name in a pickle stands for; None for one that is refused."""
    module = {"__builtin__": "builtins"}.get(module, module)
    if module.startswith("numpy.core."):
        module = "numpy._core." + module.removeprefix("numpy.core.")
    return _FORMS.get(f"{module}.{name}")


def _arguments(args: tuple, *kinds: Any) -> tuple:
    if len(args) != len(kinds) or not all(map(isinstance, args, kinds)):
        wanted = ", ".join(getattr(kind, "__name__", str(kind)) for kind in kinds)
        raise ValueError(f"arguments of the types ({wanted}) should stand here, not ({_types(args)})")
    return args


def _types(args: tuple) -> str:
    return ", ".join(type(a).__name__ for a in args)


def _sequence(kind: Callable[..., Any]) -> Callable[[tuple], Any]:
    def build(args: tuple) -> Any:
        if not args:
            return kind()
        (items,) = _arguments(args, (list, tuple))
        return kind(items)

    return build


def _hashed(kind: Callable[..., Any]) -> Callable[[tuple], Any]:
    build = _sequence(kind)

    def checked(args: tuple) -> Any:
        for item in args[0] if args else ():
            check_key(item)
        return build(args)

    return checked


def check_key(key: Any, depth: int = 4) -> None:
    """ValueError for a dict key or set member that is not plain: hashing a tuple nested a million deep would crash."""
    if type(key) is tuple:
        if depth == 0:
            raise ValueError("a key is a tuple nested too deeply")
        for item in key:
            check_key(item, depth - 1)


def _bytes(kind: Callable[..., Any]) -> Callable[[tuple], Any]:
    def build(args: tuple) -> Any:
        if not args:
            return kind()
        return kind(_encode(args) if isinstance(args[0], str) else as_bytes(args[0]))

    return build


def as_bytes(value: Any) -> Any:
    """The bytes of a pickle's data: bytes, or the text that Python 2 and protocol 2 have for them."""
    if isinstance(value, str):
        return value.encode("latin-1")
    if isinstance(value, (bytes, bytearray, np.ndarray)):
        return value
    raise ValueError(f"bytes should stand here, not {type(value).__name__}")


def _encode(args: tuple) -> bytes:
    text, encoding = _arguments(args, str, str)
    if encoding not in ("latin1", "latin-1"):
        raise ValueError(f"bytes are written as latin1 text, not {encoding!r}")
    return text.encode("latin-1")


def _ordered_dict(args: tuple) -> OrderedDict:
    pairs = _arguments(args, (list, tuple))[0] if args else ()
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError("an OrderedDict is made of pairs")
        check_key(pair[0])
    return OrderedDict(pairs)


def _complex(args: tuple) -> complex:
    real, imaginary = _arguments(args, (int, float), (int, float))
    return complex(real, imaginary)


def _slice(args: tuple) -> slice:
    bound = (int, type(None))
    return slice(*_arguments(args, bound, bound, bound))


def _tensor_data(args: tuple) -> np.ndarray:
    """Paddle writes a LoDTensor as the call eval('data', {'data': array}); nothing is evaluated here."""
    if len(args) == 2 and args[0] == "data" and isinstance(args[1], dict) and list(args[1]) == ["data"]:
        (data,) = args[1].values()
        if type(data) is np.ndarray:
            return data
    raise ValueError("a call of eval is read in the one form that Paddle writes for a LoDTensor")


def _dtype(args: tuple) -> Draft:
    name = args[0] if args else None
    if not isinstance(name, str) or not _DTYPE_NAME.fullmatch(name):
        shown = f"the dtype {name!r}" if isinstance(name, str) else "a dtype that is no name"
        raise ValueError(f"{shown} is not read: arrays hold numbers, bools or text, never Python objects or records")
    return Draft(lambda state: _finish_dtype(np.dtype(name), state))


def _finish_dtype(dtype: np.dtype, state: Any) -> np.dtype:
    plain = isinstance(state, tuple) and len(state) in (8, 9) and state[0] in (3, 4)
    if not plain or state[2:5] != (None, None, None) or state[1] not in ("<", ">", "|", "="):
        raise ValueError("the dtype has fields, a shape or a form that is not read")
    return dtype.newbyteorder(">") if state[1] == ">" else dtype


def _reconstruct(args: tuple) -> Draft:
    kind = args[0] if args else None
    if not isinstance(kind, Form) or kind.name != "numpy.ndarray":
        raise ValueError("an array of a class other than numpy.ndarray is not read")
    return Draft(_finish_array)


def _finish_array(state: Any) -> np.ndarray:
    if not isinstance(state, tuple) or len(state) not in (4, 5):
        raise ValueError("the state of an array is a tuple of version, shape, dtype, order and data")
    shape, dtype, fortran, data = state[-4:]
    if isinstance(data, list):
        raise ValueError("arrays of Python objects are not read")
    return make_array(shape, dtype, "F" if fortran else "C", as_bytes(data))


def make_array(shape: Any, dtype: Any, order: str, data: Any) -> np.ndarray:
    """An array that may be written to, of native byte order; ValueError when shape, dtype and data do not agree."""
    sizes = isinstance(shape, tuple) and all(type(n) is int and n >= 0 for n in shape)
    if not sizes or len(shape) > _MOST_DIMENSIONS or not isinstance(dtype, np.dtype):
        raise ValueError("the shape or the dtype of an array is damaged")
    count = 1
    for size in shape:
        count *= size
    if count * dtype.itemsize != len(data):
        raise ValueError(f"an array of shape {shape} and dtype {dtype} does not have {len(data)} bytes")
    if count == 0 or dtype.itemsize == 0:
        return np.zeros(shape, dtype, order)  # type: ignore[call-overload]
    if isinstance(data, np.ndarray):
        flat = data.view(dtype)
    else:
        flat = np.frombuffer(data if isinstance(data, bytearray) else bytearray(data), dtype)
    return _sound(flat).reshape(shape, order=order)  # type: ignore[call-overload]


def _sound(flat: np.ndarray) -> np.ndarray:
    if not flat.dtype.isnative:
        flat = flat.astype(flat.dtype.newbyteorder("="))
    if flat.dtype.kind == "b" and flat.view(np.uint8).max() > 1:
        raise ValueError("a bool is neither 0 nor 1")
    if flat.dtype.kind == "U" and flat.view(np.uint32).max() > 0x10FFFF:
        raise ValueError("a character is none")
    return flat


def _scalar(args: tuple) -> np.generic:
    dtype, data = _arguments(args, np.dtype, (bytes, str))
    return make_array((), dtype, "C", as_bytes(data))[()]


def _from_buffer(args: tuple) -> np.ndarray:
    data, dtype, shape, order = _arguments(args, (bytes, bytearray), np.dtype, tuple, str)
    return make_array(shape, dtype, "F" if order == "F" else "C", data)


def _not_called(args: tuple) -> Any:
    raise ValueError("numpy.ndarray is not called in files")


_FORMS = {name: Form(name, call) for name, call in {
    "builtins.tuple": _sequence(tuple),
    "builtins.list": _sequence(list),
    "builtins.set": _hashed(set),
    "builtins.frozenset": _hashed(frozenset),
    "builtins.bytes": _bytes(bytes),
    "builtins.bytearray": _bytes(bytearray),
    "builtins.complex": _complex,
    "builtins.slice": _slice,
    "builtins.eval": _tensor_data,
    "collections.OrderedDict": _ordered_dict,
    "_codecs.encode": _encode,
    "numpy.dtype": _dtype,
    "numpy.ndarray": _not_called,
    "numpy._core.multiarray._reconstruct": _reconstruct,
    "numpy._core.multiarray.scalar": _scalar,
    "numpy._core.numeric._frombuffer": _from_buffer,
}.items()}
