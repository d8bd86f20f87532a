"""The array class: what `cupy.ndarray` has and nothing else, computed by NumPy on an array that nobody else sees."""

from __future__ import annotations

import functools
import operator
import warnings
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np

from .facts import BFLOAT16, FACTS, bind


class UndefinedOnDevice(AssertionError):
    """CuPy would compute something here, but not always the same."""


_owners: weakref.WeakValueDictionary[int, ndarray] = weakref.WeakValueDictionary()


class ndarray:
    """An array that stands for one on a device."""

    __slots__ = ("_host", "base", "__weakref__")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, shape: Any, dtype: Any = float):
        self._host, self.base = np.empty(shape, supported(np.dtype(dtype))), None

    # What it refuses, and how it meets NumPy's functions

    def __array__(self, dtype: Any = None, copy: Any = None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy "
                        "array explicitly.")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .namespace import namespace

        name = ufunc.__name__
        if method != "__call__" or name not in FACTS["cupy"] or any(
                hasattr(x, "__array_ufunc__") and not isinstance(x, (ndarray, np.ndarray, np.generic)) for x in inputs):
            return NotImplemented
        if "out" in kwargs:
            (kwargs["out"],) = kwargs["out"]
        return getattr(namespace, name)(*inputs, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from .namespace import namespace

        try:
            module = functools.reduce(getattr, func.__module__.split(".")[1:], namespace)
            own = getattr(module, func.__name__)
        except AttributeError:
            return NotImplemented
        if own is func or not {ndarray, np.ndarray}.issuperset(types):
            return NotImplemented
        return own(*args, **kwargs)

    # The names that cupy.ndarray has, and no others

    def __getattr__(self, name: str) -> Any:
        fact = FACTS["ndarray"].get(name)
        if fact is None or fact == "special":
            raise AttributeError(f"'cupy.ndarray' object has no attribute {name!r}")
        if fact == "attribute":
            return _attribute(self, name)
        return functools.partial(_method, self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ndarray.__slots__:
            object.__setattr__(self, name, value)
        elif name in ("real", "imag"):
            setattr(self._host, name, unwrapped(value))
        elif name == "shape":
            self._host = self._host.view()
            self._host.shape = value
        else:
            raise AttributeError(f"attribute {name!r} of 'cupy.ndarray' objects is not writable")

    # To the host, asked for

    def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> np.ndarray:
        """A copy for NumPy."""
        copy = np.array(self._host, order=order)
        if out is None:
            return copy
        out[...] = copy
        return out

    def item(self) -> Any:
        """The only element as Python's number."""
        if self._host.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._host.item()

    def tolist(self) -> Any:
        """The elements as lists of Python's numbers."""
        return self._host.tolist()

    def tobytes(self, order: str = "C") -> bytes:
        """The elements as bytes."""
        return self._host.tobytes(order)

    def __bool__(self) -> bool:
        return bool(self._host)

    def __int__(self) -> int:
        return int(self._host)

    def __float__(self) -> float:
        return float(self._host)

    def __complex__(self) -> complex:
        return complex(self._host)

    def __repr__(self) -> str:
        return f"stand_in.{self._host!r}"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.get(), spec)

    # Copies

    def __copy__(self) -> ndarray:
        return wrapped(self._host.copy())

    def __deepcopy__(self, memo: Any) -> ndarray:
        return wrapped(self._host.copy())

    def __reduce__(self) -> tuple:
        return wrapped, (self.get(),)

    # Indexing

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Any:
        if not self._host.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[n] for n in range(len(self)))

    def __getitem__(self, slices: Any) -> ndarray:
        index, _ = prepared(slices, self._host.shape)
        return wrapped(self._host[index if Ellipsis in [i for i in index if i is Ellipsis] else (*index, ...)])

    def __setitem__(self, slices: Any, value: Any) -> None:
        index, arrays = prepared(slices, self._host.shape)
        if isinstance(value, np.ndarray) and not arrays:
            if value.ndim and not (slices == slice(None) and value.shape == self.shape and value.dtype == self.dtype):
                raise TypeError("non-scalar numpy.ndarray cannot be used for fill")
        elif isinstance(value, (list, tuple)) and not arrays:
            raise TypeError("a list cannot be used for fill")
        value = value._host if isinstance(value, ndarray) else np.asarray(value)
        refuse_undefined(self._host.shape, index, value)
        self._host[index] = value.astype(self._host.dtype)


def refuse_undefined(shape: tuple, index: tuple, value: np.ndarray) -> None:
    """Raises where two values would be written to one place."""
    if not any(isinstance(i, np.ndarray) and i.dtype.kind in "iu" for i in index):
        return
    places = np.arange(int(np.prod(shape))).reshape(shape)[index]
    values = np.broadcast_to(value, places.shape).reshape(-1)
    order = np.argsort(places, axis=None, kind="stable")
    same = places.reshape(-1)[order][1:] == places.reshape(-1)[order][:-1]
    differ = values[order][1:] != values[order][:-1]
    if bool((same & differ).any()):
        raise UndefinedOnDevice("Different values are written to one place: CuPy stores any of them.")


def prepared(slices: Any, shape: tuple[int, ...]) -> tuple[tuple, int]:
    """The index for NumPy, and how many arrays are in it; integers that are out of bounds wrap, as CuPy's do."""
    if isinstance(slices, list):
        if not all(isinstance(s, int) for s in slices):
            warnings.warn("Using a non-tuple sequence for multidimensional indexing is deprecated.", FutureWarning,
                          stacklevel=3)
        slices = (slices,)
    index = list(slices) if isinstance(slices, tuple) else [slices]
    arrays = masks = 0
    for n, s in enumerate(index):
        if isinstance(s, (list, bool, np.bool_)):
            s = np.asarray(s, np.int32) if isinstance(s, list) and not s else np.asarray(s)
        if isinstance(s, ndarray):
            s = s._host
        if isinstance(s, np.ndarray):
            if s.dtype.kind not in "iub":
                raise IndexError(f"arrays used as indices must be of integer or boolean type. (actual: {s.dtype})")
            arrays += 1
            masks += s.dtype.kind == "b"
            index[n] = s
        elif isinstance(s, slice):
            for part in (s.start, s.stop, s.step):
                if part is not None:
                    operator.index(part)
        elif s is not None and s is not Ellipsis:
            operator.index(s)
    if masks and arrays != 1:
        raise ValueError("currently, CuPy only supports slices that consist of one boolean array.")
    if arrays and not masks and any(isinstance(s, np.integer) for s in index):
        raise IndexError("only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
                         "arrays are valid indices")
    return (tuple(index) if masks else _wrapped_around(index, shape)), arrays


def _wrapped_around(index: list, shape: tuple[int, ...]) -> tuple:
    taken = sum(s is not None and s is not Ellipsis for s in index)
    axis = 0
    for n, s in enumerate(index):
        if s is Ellipsis:
            axis += len(shape) - taken
        elif s is not None:
            if isinstance(s, np.ndarray) and axis < len(shape) and shape[axis]:
                index[n] = np.mod(s.astype(np.int64), shape[axis])
            axis += 1
    return tuple(index)


def supported(dtype: np.dtype) -> np.dtype:
    """The dtype; ValueError for one that CuPy does not have."""
    if dtype != BFLOAT16 and (dtype.kind not in "biufc" or dtype.char in "gG"):
        raise ValueError(f"Unsupported dtype {dtype}")
    return dtype


def wrapped(value: Any) -> Any:
    """What NumPy computed, as CuPy would give it: arrays of the device, also where NumPy gives a scalar."""
    if isinstance(value, (np.ndarray, np.generic)):
        array = ndarray.__new__(ndarray)
        array._host = host = np.asarray(value)
        supported(host.dtype)
        owner = host
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        array.base = _owners.get(id(owner))
        if array.base is None:
            _owners[id(owner)] = array
        return array
    if isinstance(value, (tuple, list)):
        return type(value)(map(wrapped, value)) if type(value) in (tuple, list) else tuple(map(wrapped, value))
    return value


def unwrapped(value: Any) -> Any:
    """The NumPy arrays of device arrays, also in lists; TypeError for a NumPy array, which CuPy refuses."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}: a NumPy array where CuPy takes arrays of the device.")
    if type(value) in (list, tuple):
        return type(value)(map(unwrapped, value))
    return value


def _attribute(array: ndarray, name: str) -> Any:
    host = array._host
    if name == "T":
        return array if host.ndim < 2 else wrapped(host.T)
    if name == "mT":
        return wrapped(host.mT)
    if name == "real":
        return wrapped(host.real) if host.dtype.kind == "c" else array
    if name == "imag":
        return wrapped(host.imag if host.dtype.kind == "c" else np.zeros_like(host))
    if name == "device":
        return SimpleNamespace(id=0)
    if name == "data":
        return SimpleNamespace(ptr=host.ctypes.data)
    if name == "flags":
        return SimpleNamespace(c_contiguous=host.flags.c_contiguous, f_contiguous=host.flags.f_contiguous,
                               owndata=array.base is None)
    if name in ("shape", "dtype", "ndim", "size", "strides", "nbytes", "itemsize"):
        return getattr(host, name)
    raise NotImplementedError(f"The stand-in has no ndarray.{name}.")


_IN_PLACE = {"fill", "sort", "partition", "put"}


def _method(array: ndarray, name: str, *args: Any, **kwargs: Any) -> Any:
    bind("ndarray", name, args, kwargs)
    from .functions import METHODS, refuse_bfloat16

    refuse_bfloat16("ndarray", name, [array, *args])
    if name in METHODS:
        return METHODS[name](array, *args, **kwargs)
    out = kwargs.get("out")
    result = getattr(array._host, name)(*map(unwrapped, args), **{k: unwrapped(v) for k, v in kwargs.items()})
    if name in _IN_PLACE:
        return None
    return out if out is not None else wrapped(result)


def _install_operators() -> None:
    """`x + y` and its kin, by the functions of the namespace."""

    def binary(name: str, reverse: bool = False, in_place: bool = False) -> Any:
        def method(self: ndarray, other: Any) -> Any:
            from .namespace import namespace

            if not isinstance(other, (ndarray, np.ndarray, np.generic, int, float, complex)):
                return NotImplemented
            function = getattr(namespace, name)
            pair = (other, self) if reverse else (self, other)
            return function(*pair, out=self) if in_place else function(*pair)

        return method

    def unary(name: str) -> Any:
        def method(self: ndarray) -> Any:
            from .namespace import namespace

            return getattr(namespace, name)(self)

        return method

    names = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "true_divide", "floordiv": "floor_divide",
             "mod": "remainder", "pow": "power", "matmul": "matmul", "and": "bitwise_and", "or": "bitwise_or",
             "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift", "divmod": "divmod"}
    for short, name in names.items():
        setattr(ndarray, f"__{short}__", binary(name))
        setattr(ndarray, f"__r{short}__", binary(name, reverse=True))
        if f"__i{short}__" in FACTS["ndarray"]:
            setattr(ndarray, f"__i{short}__", binary(name, in_place=True))
    for short, name in {"eq": "equal", "ne": "not_equal", "lt": "less", "le": "less_equal", "gt": "greater",
                        "ge": "greater_equal"}.items():
        setattr(ndarray, f"__{short}__", binary(name))
    for short, name in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
        setattr(ndarray, f"__{short}__", unary(name))


_install_operators()
