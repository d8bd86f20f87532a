"""Element types: their names, their NumPy counterparts, their numbers in Paddle's files, and how two of them meet.

Knows nothing of tensors. A `DType` is a singleton: compare with `==` or `is`, or with its name.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np


class DType:
    """One element type, such as `float32`.

    It equals its own name and its NumPy dtype, and NumPy accepts it wherever a dtype is expected.

    >>> from proa.core.dtype import float32
    >>> float32 == "float32", float32.itemsize
    (True, 4)
    """

    __slots__ = ("name", "number", "kind", "is_differentiable", "dtype")

    dtype: np.dtype
    """The NumPy dtype of the arrays that hold such elements (NumPy itself looks this attribute up)."""

    def __init__(self, name: str, number: int, kind: str):
        self.name = name
        self.number = number  # VarType.Type of framework.proto
        self.kind = kind  # b: bool, i: integer, f: floating, c: complex
        self.is_differentiable = kind in "fc"  # where a gradient makes sense; asked for at most calls

    def __getattr__(self, name: str) -> np.dtype:
        if name != "dtype":
            raise AttributeError(name)
        self.dtype = _numpy_dtype(self.name)  # once, and not before it is asked for: bfloat16 needs a package
        return self.dtype

    @property
    def itemsize(self) -> int:
        """Bytes an element."""
        return self.dtype.itemsize

    @property
    def value(self) -> int:
        """Its number in Paddle's files, as `int()` of it is."""
        return self.number

    def __int__(self) -> int:
        return self.number

    @property
    def is_floating(self) -> bool:
        """True for float16, bfloat16, float32 and float64, and for floats of 8 bits."""
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        """True for complex64 and complex128."""
        return self.kind == "c"

    @property
    def is_integer(self) -> bool:
        """True for the integers; bool is not one."""
        return self.kind == "i"

    def wrapped(self, value: int) -> int:
        """The integer that an element of this integer dtype holds of `value`: its lowest bits.

        >>> from proa.core.dtype import int8, uint8
        >>> uint8.wrapped(-1), int8.wrapped(200), int8.wrapped(5)
        (255, -56, 5)
        """
        bits = 8 * self.itemsize
        low = int(value) & ((1 << bits) - 1)
        return low - (1 << bits) if self.dtype.kind == "i" and low >> (bits - 1) else low

    @property
    def name_in_files(self) -> str:
        """Its name in framework.proto: FP32 of float32."""
        return _IN_FILES.get(self.name, self.name.upper())

    def __repr__(self) -> str:
        return _SHOWN[0](self)

    def __str__(self) -> str:
        return repr(self)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, DType):
            return False
        if isinstance(other, str):
            return self.name == other.removeprefix("paddle.") or repr(self) == other
        if isinstance(other, (np.dtype, type)):
            key = _numpy_key(other)
            return key is not None and self is _FROM_NUMPY.get(key)
        return False

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self):
        return convert_dtype, (self.name,)

    def __deepcopy__(self, memo):
        return self


_IN_FILES = {"bfloat16": "BF16", "float16": "FP16", "float32": "FP32", "float64": "FP64"}
_SHOWN: list[Callable[[DType], str]] = [lambda dtype: f"paddle.{dtype.name}"]


def show_dtypes_as(shown: Callable[[DType], str]) -> None:
    """From now on, in this process, `str` and `repr` of a dtype are what this function gives."""
    _SHOWN[0] = shown


_OF_ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e5m2")


def _numpy_dtype(name: str) -> np.dtype:
    if name not in _OF_ML_DTYPES:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError(
            f"{name} arrays need the package ml_dtypes, which is not installed: pip install 'proa[bfloat16]'."
        ) from error
    return np.dtype(getattr(ml_dtypes, name))


bool_ = DType("bool", 0, "b")
int16 = DType("int16", 1, "i")
int32 = DType("int32", 2, "i")
int64 = DType("int64", 3, "i")
float16 = DType("float16", 4, "f")
float32 = DType("float32", 5, "f")
float64 = DType("float64", 6, "f")
uint8 = DType("uint8", 20, "i")
int8 = DType("int8", 21, "i")
bfloat16 = DType("bfloat16", 22, "f")
complex64 = DType("complex64", 23, "c")
complex128 = DType("complex128", 24, "c")

# Of later Paddle's: tensors of 8-bit floats are stored, moved and cast, as in files of other packages.
float8_e4m3fn = DType("float8_e4m3fn", 32, "f")
float8_e5m2 = DType("float8_e5m2", 33, "f")

DTYPES = (bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)
_FROM_NAME = {d.name: d for d in (*DTYPES, float8_e4m3fn, float8_e5m2)} \
    | {"float": float64, "double": float64, "half": float16, "int": int64, "long": int64, "uint16": bfloat16,
       "byte": int8, "ubyte": uint8, "short": int16, "intc": int32, "longlong": int64, "single": float32}
_FROM_NUMBER = {d.number: d for d in DTYPES}


class _ByArraysDtype(dict[np.dtype, DType]):
    """What arrays' dtypes mean; one that is missing is looked for once."""

    def __missing__(self, dtype: np.dtype) -> DType:
        if dtype.name not in _OF_ML_DTYPES:
            raise TypeError(
                f"An array of dtype {dtype} cannot become a Tensor. "
                f"Convert it first to one of: {', '.join(d.name for d in DTYPES)}.")
        return self.setdefault(dtype, _FROM_NAME[dtype.name])


_FROM_NUMPY = _ByArraysDtype({np.dtype(d.name): d for d in DTYPES if d.name != "bfloat16"})
_FROM_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}


def _numpy_key(value: Any) -> np.dtype | None:
    try:
        return np.dtype(value)
    except TypeError:
        return None


from_numpy_dtype: Callable[[np.dtype], DType] = _FROM_NUMPY.__getitem__
"""The DType of an array's dtype; TypeError for one that tensors cannot hold (strings, objects, uint16…)."""


def from_number(number: int) -> DType:
    """The DType with this number in framework.proto's VarType."""
    found = _FROM_NUMBER.get(number)
    if found is None:
        raise TypeError(f"{number} is not the number of an element type that is known here.")
    return found


def convert_dtype(dtype: Any) -> DType:
    """The DType that a user means by a DType, a name ('float32'), a NumPy dtype or scalar type, or a Python type.

    `float` and 'float' are float64, as in NumPy; 'uint16', or NumPy's, is how Paddle names bfloat16.

    >>> from proa.core.dtype import convert_dtype
    >>> convert_dtype("float32") is convert_dtype("paddle.float32")
    True
    """
    if isinstance(dtype, DType):
        return dtype
    if type(dtype) is str and dtype in _FROM_NAME:
        return _FROM_NAME[dtype]
    if isinstance(dtype, str):
        found = _FROM_NAME.get(dtype.removeprefix("paddle."))
    elif isinstance(dtype, int):
        raise TypeError(f"dtype must be a dtype or its name, 'float32' say. Received {dtype!r}. A shape of several "
                        "sizes, or several dimensions, are given as a list, [2, 3].")
    elif dtype in _FROM_PYTHON:
        found = _FROM_PYTHON[dtype]
    else:
        key = _numpy_key(dtype)
        found = None if key is None else bfloat16 if key == np.uint16 else from_numpy_dtype(key)
    if found is None:
        raise TypeError(f"dtype must be one of {', '.join(d.name for d in DTYPES)}. Received {dtype!r}.")
    return found


def dtype_or_that_of(value: Any) -> DType:
    """The DType that a user means, or that of the tensor or variable given in its place."""
    held = getattr(value, "dtype", None)  # that of NumPy's scalar types describes their instances
    return held if isinstance(held, DType) else convert_dtype(value)


_default = [float32]


told_of_default: list[Callable[[], None]] = []  # what is called where the default dtype becomes another one


def set_default_dtype(d: Any) -> None:
    """Sets the dtype that Python floats and new parameters get: float16, bfloat16, float32 or float64.

    >>> import proa as paddle
    >>> paddle.set_default_dtype("float64")
    >>> paddle.to_tensor(1.0).dtype.name
    'float64'
    >>> paddle.set_default_dtype("float32")
    """
    dtype = None if d is None else convert_dtype(d)
    if dtype is None or not dtype.is_floating:
        raise TypeError(f"set_default_dtype(d): d must be a floating dtype. Received {d!r}.")
    if dtype is not _default[0]:
        _default[0] = dtype
        for told in told_of_default:
            told()


def get_default_dtype() -> str:
    """The name of the dtype that Python floats and new parameters get.

    >>> import proa as paddle
    >>> paddle.get_default_dtype()
    'float32'
    """
    return _default[0].name


def get_default_dtype_object() -> DType:
    """As `get_default_dtype`, the DType itself."""
    return _default[0]


_FLOAT_ORDER = {float8_e4m3fn: 0, float8_e5m2: 0, float16: 1, bfloat16: 1, float32: 2, float64: 3}


@functools.lru_cache(None)
def promote(a: DType, b: DType) -> DType:
    """The dtype in which an operation of `a` with `b` is computed.

    The higher kind wins (bool < integer < floating < complex), and within a kind the wider one; an integer takes
    over the float's width and never widens it; uint8 with a signed integer gives a signed one that holds both;
    float16 with bfloat16 gives float32. PaddlePaddle 2.6.2 takes the left operand's dtype in several of these
    cases, which silently truncates floats to integers: docs/differences.md.

    >>> from proa.core.dtype import promote, int64, float32
    >>> promote(int64, float32)
    paddle.float32
    """
    if a is b:
        return a
    order = "bifc"
    if a.kind != b.kind:
        low, high = sorted((a, b), key=lambda d: order.index(d.kind))
        if high.kind == "c" and low is float64:
            return complex128
        return high
    if a.kind == "f" and _FLOAT_ORDER[a] == _FLOAT_ORDER[b]:
        return float32
    if a.kind == "f":
        return max(a, b, key=lambda d: _FLOAT_ORDER[d])
    return from_numpy_dtype(np.promote_types(a.dtype, b.dtype))
