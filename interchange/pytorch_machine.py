"""The pickles of PyTorch's files: what they may name, and the tensors that they make of storages.

Knows nothing of where a file keeps its storages.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.byte_reader import ByteReader
from ..core.dtype import convert_dtype
from ..core.pickle_machine import PickleMachine
from ..core.pickle_values import CONSTRUCTORS, Constructor, Unbuilt
from .pytorch_kinds import LAYOUTS, SCHEMES, UNSIGNED, dense, dequantized, widened

__all__ = ["PyTorchMachine", "Storage", "element_type"]

_STORAGES = {"Float": "float32", "Double": "float64", "Half": "float16", "BFloat16": "bfloat16", "Long": "int64",
             "Int": "int32", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool",
             "ComplexFloat": "complex64", "ComplexDouble": "complex128"}
_QUANTIZED = {"QInt8": "int8", "QUInt8": "uint8", "QInt32": "int32"}
_MOST_SHARED, _ALWAYS_SHARED, _ALWAYS_REPEATED = 100, 1 << 24, 1 << 12
_UNTYPED, _PARAMETER = "Untyped", "torch.nn.parameter.Parameter"
_DTYPES = (*_STORAGES.values(), "float8_e4m3fn", "float8_e5m2")


class Storage:
    """The elements of a storage: their dtype, None where each tensor has its own, and its bytes."""

    def __init__(self, dtype: np.dtype | None, data: np.ndarray):
        self.dtype, self.data, self._given = dtype, data, 0

    def give(self, count: int) -> None:
        """Notes the bytes that a tensor takes of it. ValueError where all of them take it too often.

        Each tensor gets elements of its own: a small file could otherwise ask for any amount of memory.
        """
        self._given += count
        _require(self._given <= _MOST_SHARED * self.data.nbytes + _ALWAYS_SHARED,
                 f"tensors repeat a storage of {self.data.nbytes} bytes more than {_MOST_SHARED} times")


class PyTorchMachine(PickleMachine):
    """Runs a file's pickle. `storage(name, kind, count)` gives what the file keeps outside of it."""

    def __init__(self, reader: ByteReader, storage: Callable[[str, str, int], Storage]):
        super().__init__(reader)
        self._storage = storage
        self._storages: dict[str, Storage] = {}

    def kept_outside(self, key: Any) -> Any:
        """A storage, by ("storage", its class, its name, a device, the number of elements[, which part of them])."""
        known = type(key) is tuple and len(key) in (5, 6) and key[0] == "storage" and type(key[1]) is Constructor
        kind = _STORAGE_CLASSES.get(key[1].name) if known else None
        if kind is None or type(key[2]) is not str or not key[2].isalnum() or type(key[4]) is not int or key[4] < 0:
            raise self.unsafe("a value outside of the pickle that is no storage")
        if key[2] not in self._storages:
            self._storages[key[2]] = self._storage(key[2], kind, key[4])
        whole = self._storages[key[2]]
        return whole if len(key) == 5 or key[5] is None else _part_of(whole, key[5])

    def new_object(self) -> None:
        """A Parameter, as PyTorch before 0.4 wrote it: its values are its argument, or come with its state."""
        args, constructor = self.stack.pop(), self.stack.pop()
        if type(constructor) is not Constructor or constructor.name != _PARAMETER or type(args) is not tuple:
            raise self.unsafe(constructor.name if type(constructor) is Constructor else "an object")
        self.stack.append(_parameter(args) if args else _UnbuiltParameter())

    def with_state(self, value: Any, state: Any) -> Any:
        """Versions of modules in a state dict, and whether a Parameter is trained: nothing here needs them."""
        if type(value) is OrderedDict and type(state) is dict and set(state) <= {"_metadata"}:
            return value
        if type(value) is np.ndarray and type(state) is tuple and len(state) == 3:
            return value
        return super().with_state(value, state)


class _UnbuiltParameter(Unbuilt):
    """A Parameter whose values come with its state: (values, gradient, hooks, is trained, is for reading alone)."""

    def build(self, state: Any) -> np.ndarray:
        """The values."""
        _require(type(state) is tuple and len(state) == 5, "a parameter has a state of unknown form")
        return _parameter(state)


def _part_of(storage: Storage, part: Any) -> Storage:
    """The elements of a storage that another one begins within it: (its name, the first one, how many)."""
    known = type(part) is tuple and len(part) == 3 and all(type(n) is int and n >= 0 for n in part[1:])
    _require(known and storage.dtype is not None, "a part of a storage has an unknown form")
    size, (_, first, count) = storage.dtype.itemsize, part  # type: ignore[union-attr]
    _require((first + count) * size <= storage.data.nbytes, "a part of a storage reaches beyond it")
    return Storage(storage.dtype, storage.data[first * size:(first + count) * size])


def element_type(kind: str) -> np.dtype | None:
    """The dtype of a kind of storages; None where each tensor has its own."""
    return None if kind == _UNTYPED else _numpy_dtype({**_STORAGES, **_QUANTIZED}[kind])


def _numpy_dtype(name: str) -> np.dtype:
    return convert_dtype(name).dtype


def _require(condition: bool, reason: str) -> None:
    if not condition:
        raise ValueError(reason)


def _tensor(args: tuple) -> np.ndarray:
    """`_rebuild_tensor_v2(storage, offset, size, stride, requires_grad, hooks[, metadata])`; without the last, v1."""
    _require(len(args) >= 4 and type(args[0]) is Storage, "a tensor is made from something other than a storage")
    storage, offset, size, stride = args[:4]
    _require(storage.dtype is not None, "a tensor has no dtype")
    return _as_marked(_elements(storage, storage.dtype, offset, size, stride), args[6:])


def _as_marked(array: np.ndarray, marks: tuple) -> np.ndarray:
    """The values of a tensor whose storage holds their conjugates, or their opposites: what `x.conj()` left to do."""
    if not marks or marks[0] is None:
        return array
    _require(type(marks[0]) is dict and set(marks[0]) <= {"conj", "neg"}, "a tensor has marks of unknown form")
    array = array.conj() if marks[0].get("conj") else array
    return -array if marks[0].get("neg") else array


def _no_values(args: tuple) -> Any:
    raise ValueError("a tensor on PyTorch's device 'meta' has a shape and no values. Save one that has")


def _nested(args: tuple) -> Any:
    raise ValueError("a nested tensor holds tensors of several shapes, which no array does. Save a list: x.unbind()")


def _tensor_of_dtype(args: tuple) -> np.ndarray:
    """`_rebuild_tensor_v3`: the same, and a dtype behind the hooks, of a storage that has none."""
    known = len(args) >= 7 and type(args[0]) is Storage and type(args[6]) is Constructor
    _require(known, "a tensor is made from something other than a storage and a dtype")
    _require(args[6].name in _DTYPE_NAMES, f"a tensor is of {args[6].name}, which there is nothing like here")
    name = _DTYPE_NAMES[args[6].name]
    if name in UNSIGNED:  # which Paddle's dtypes lack: its uint16 is bfloat16
        return widened(_elements(args[0], np.dtype(name), *args[1:4]))
    return _as_marked(_elements(args[0], _numpy_dtype(name), *args[1:4]), args[7:])


def _quantized_tensor(args: tuple) -> np.ndarray:
    """`_rebuild_qtensor(storage, offset, size, stride, scheme, requires_grad, hooks)`, as floating point numbers."""
    _require(len(args) >= 5, "a tensor is made from something other than a storage")
    return dequantized(_tensor(args[:4]), args[4])


def _layout(args: tuple) -> str:
    _require(len(args) == 1 and args[0] in LAYOUTS, "a tensor has an unknown layout")
    return args[0]


def _elements(storage: Storage, dtype: np.dtype, offset: Any, size: Any, stride: Any) -> np.ndarray:
    """The elements of a tensor, in row-major order; ValueError where it reaches beyond its storage."""
    sizes_fit = type(size) is tuple and type(stride) is tuple and len(size) == len(stride) <= 64
    _require(sizes_fit and all(type(n) is int and n >= 0 for n in (offset, *size, *stride)),
             f"a tensor of shape {size!r} has the strides {stride!r} and the offset {offset!r}")
    flat = storage.data[:storage.data.nbytes // dtype.itemsize * dtype.itemsize].view(dtype)
    count, last = 1, offset
    for length, step in zip(size, stride, strict=True):
        count, last = count * length, last + (length - 1) * step
    if count == 0:
        return np.empty(size, dtype.type)
    _require(last < flat.size, f"a tensor reaches to element {last} of a storage of {flat.size}")
    _require(count <= _MOST_SHARED * flat.size + _ALWAYS_REPEATED,
             f"a tensor of shape {size} repeats the {flat.size} elements of its storage")
    storage.give(count * dtype.itemsize)
    strides = tuple(step * dtype.itemsize for step in stride)
    view: np.ndarray = np.ndarray(size, dtype, storage.data, offset * dtype.itemsize, strides)
    if dtype.kind == "b":
        _require(bool(flat.view(np.uint8).max() <= 1), "a bool tensor holds a byte that is neither 0 nor 1")
    return np.array(view, dtype.type, order="C")


def _parameter(args: tuple) -> np.ndarray:
    _require(bool(args) and isinstance(args[0], np.ndarray), "a parameter is made from something other than a tensor")
    return args[0]


def _size(args: tuple) -> tuple:
    _require(len(args) == 1 and type(args[0]) in (list, tuple), "torch.Size is made from one list")
    return tuple(args[0])


def _counter(args: tuple) -> dict:
    """`collections.Counter`, which MultiStepLR's state holds, as a dict."""
    _require(len(args) <= 1 and all(type(counted) is dict for counted in args), "a Counter is made from one dict")
    return dict(*args)


def _device(args: tuple) -> str:
    _require(0 < len(args) <= 2 and type(args[0]) is str, "torch.device is made from a name")
    return ":".join(str(part) for part in args)


def _no_call(args: tuple) -> Any:
    raise ValueError("a class of storages, or a dtype, is called")


_STORAGE_CLASSES = {f"torch.{kind}Storage": kind for kind in (*_STORAGES, *_QUANTIZED)} | {
    "torch.storage.UntypedStorage": _UNTYPED}
_DTYPE_NAMES = {f"torch.{name}": name for name in (*_DTYPES, *UNSIGNED)}
_OTHER_DTYPES = tuple(f"torch.{name}" for name in (
    "complex32", "bits8", "bits16", "bits1x8", "bits2x4", "bits4x2", "float8_e4m3fnuz", "float8_e5m2fnuz",
    "float8_e8m0fnu", "float4_e2m1fn_x2"))
_MAKERS: dict[str, Callable[[tuple], Any]] = {
    "torch._utils._rebuild_tensor": _tensor, "torch._utils._rebuild_tensor_v2": _tensor,
    "torch._utils._rebuild_tensor_v3": _tensor_of_dtype, "torch._utils._rebuild_qtensor": _quantized_tensor,
    "torch._utils._rebuild_meta_tensor_no_storage": _no_values, "torch._utils._rebuild_nested_tensor": _nested,
    "torch._utils._rebuild_sparse_tensor": dense, "torch.serialization._get_layout": _layout,
    "torch._utils._rebuild_parameter": _parameter, "torch._utils._rebuild_parameter_with_state": _parameter,
    _PARAMETER: _parameter,
    "torch.Size": _size, "torch.device": _device, "collections.Counter": _counter,
    **dict.fromkeys((*_OTHER_DTYPES, *_STORAGE_CLASSES, *_DTYPE_NAMES, *map("torch.{}".format, SCHEMES)), _no_call),
}
PyTorchMachine.constructors = {**CONSTRUCTORS, **{name: Constructor(name, make) for name, make in _MAKERS.items()}}
