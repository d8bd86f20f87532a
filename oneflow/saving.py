"""`flow.save` and `flow.load`: tensors, and containers of them and of numbers and strings, in OneFlow's folders.

A folder holds `pickled_data`, a pickle in which each tensor is the name of a folder beside it, with its values in `out`
and shape and dtype in `meta`. It is written last, so that a folder with it is whole. Reading runs nothing that the
pickle contains: it knows these tensors and plain data. OneFlow 0.6's folders, which have a `snapshot_done`, are read
too.
"""

from __future__ import annotations

import errno
import os
import pickle
import re
import shutil
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..core.byte_reader import open_reader
from ..core.files import CorruptFileError, atomic_group, atomic_write
from ..core.pickle_machine import PickleMachine
from ..core.pickle_values import Constructor, Unbuilt
from . import checkpoint
from .functions import creation
from .snapshot import layout, reading
from .snapshot.reading import StoredValue
from .snapshot.writing import write_values
from .tensors import Parameter, Tensor
from .variable_values import VariableValue

PICKLE = "pickled_data"
_VERSION = 1
_SCALARS = (bool, int, float, complex, str, bytes, type(None), np.ndarray, np.generic)
_OWN_NAME = re.compile(r"[A-Za-z0-9_.\-]*tensor_[0-9]+")
_DEPTH = 100
_OF_VARIABLES = (VariableValue, StoredValue)


# Writing

class _Stored:
    """What stands for a tensor in the pickle."""

    def __init__(self, name: str, kind: str):
        self.state, self.kind = {"path": name}, kind


class _Class:
    """What stands for a class of OneFlow's in the pickle."""

    def __init__(self, module: str, name: str):
        self.module, self.name = module, name


_CLASSES = {"Tensor": _Class("oneflow", "Tensor"), "Parameter": _Class("oneflow.nn", "Parameter")}


_Pickler: Any = pickle._Pickler


class _Writer(_Pickler):
    """Writes OneFlow's names for what stands for its tensors."""

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        """Writes an object."""
        if isinstance(obj, _Class):
            known = self.memo.get(id(obj))
            if known is not None:
                self.write(self.get(known[0]))
                return
            super().save(obj.module)
            super().save(obj.name)
            self.write(pickle.STACK_GLOBAL)
            self.memoize(obj)
        elif isinstance(obj, _Stored):
            known = self.memo.get(id(obj))
            if known is not None:
                self.write(self.get(known[0]))
                return
            self.save(_CLASSES[obj.kind])
            self.write(pickle.EMPTY_TUPLE + pickle.NEWOBJ)
            self.memoize(obj)
            self.save(obj.state)
            self.write(pickle.BUILD)
        else:
            super().save(obj, save_persistent_id)


def save(obj: Any, path: str | os.PathLike[str], global_dst_rank: int | None = None) -> None:
    """Writes an object, such as `module.state_dict()`, into a folder; one that is there already holds it afterwards.

    A dict of variables' values (`get_all_variables`, `checkpoint.get`) becomes a snapshot, as in OneFlow 0.6:
    `checkpoint.save`. Raises TypeError for anything else but tensors, arrays, numbers, strings, and lists, tuples and
    dicts of these.

    >>> import os, tempfile
    >>> import proa.oneflow as flow
    >>> place = os.path.join(tempfile.mkdtemp(), "model")
    >>> flow.save({"weight": flow.ones(2), "epoch": 3}, place)
    >>> flow.load(place)["weight"].tolist(), flow.load(place)["epoch"]
    ([1.0, 1.0], 3)
    """
    if isinstance(obj, Mapping) and obj and all(isinstance(value, _OF_VARIABLES) for value in obj.values()):
        checkpoint.save(path, obj)
        return
    folder = os.fspath(path)
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise NotADirectoryError(errno.ENOTDIR, "flow.save(path): a folder is written, and this is none", folder)
    used = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    tensors: dict[str, Any] = {}
    seen: dict[int, _Stored] = {}
    plain = _plain(obj, tensors, seen, used, 0)
    os.makedirs(folder, exist_ok=True)
    made = [os.path.join(folder, name) for name in tensors]
    try:
        with atomic_group() as group:
            for name, tensor in tensors.items():
                os.mkdir(os.path.join(folder, name))
                array = tensor.numpy()
                with group.open(layout.values_path(folder, name)) as file:
                    write_values(file, array)
                with group.open(layout.meta_path(folder, name)) as file:
                    file.write(layout.meta_text(array.shape, tensor.dtype).encode())
        with atomic_write(os.path.join(folder, PICKLE)) as file:
            _Writer(file, 4).dump({"protocol_version": _VERSION, "data": plain})
    except BaseException:
        for place in made:
            shutil.rmtree(place, ignore_errors=True)
        raise
    for name in used - tensors.keys():  # tensors of what the folder held before
        if _OWN_NAME.fullmatch(name) and os.path.isfile(layout.values_path(folder, name)):
            shutil.rmtree(os.path.join(folder, name), ignore_errors=True)


def _plain(obj: Any, tensors: dict[str, Any], seen: dict[int, _Stored], used: set[str], depth: int) -> Any:
    """The object with names in the place of tensors."""
    if depth > _DEPTH:
        raise TypeError(f"flow.save(obj): nested more than {_DEPTH} deep.")
    if isinstance(obj, Tensor):
        if id(obj) not in seen:
            number = len(tensors)
            while f"tensor_{number}" in used or f"tensor_{number}" in tensors:
                number += 1
            tensors[f"tensor_{number}"] = obj
            seen[id(obj)] = _Stored(f"tensor_{number}", "Parameter" if isinstance(obj, Parameter) else "Tensor")
        return seen[id(obj)]
    if isinstance(obj, _SCALARS) and not (isinstance(obj, np.ndarray) and obj.dtype.hasobject):
        return obj
    if isinstance(obj, Mapping):
        made: Any = OrderedDict() if isinstance(obj, OrderedDict) else {}
        for key, value in obj.items():
            if not isinstance(key, (str, int, float, bool, bytes, tuple, type(None))):
                raise TypeError(f"flow.save(obj): keys are strings and numbers. Received {type(key).__name__}.")
            made[key] = _plain(value, tensors, seen, used, depth + 1)
        return made
    if isinstance(obj, (list, tuple)):
        parts = [_plain(value, tensors, seen, used, depth + 1) for value in obj]
        return tuple(parts) if isinstance(obj, tuple) else parts
    raise TypeError(f"flow.save(obj): holds tensors, arrays, numbers, strings, lists, tuples and dicts. Received "
                    f"{type(obj).__name__}. Save module.state_dict() of a module, and optimizer.state_dict() of an "
                    "optimizer.")


# Reading

class _Named(Unbuilt):
    """A tensor of a pickle, whose state names its folder."""

    def build(self, state: Any) -> Any:
        """The name."""
        name = state.get("path") if isinstance(state, dict) else None
        if not isinstance(name, str) or name in ("", ".", "..") or "/" in name or os.sep in name:
            raise ValueError("a tensor names no folder beside the pickle")
        return _Found(name)


class _Found:
    def __init__(self, name: str):
        self.name = name


_TENSORS = {name: Constructor(name, lambda args: _Named()) for name in (
    "oneflow.Tensor", "oneflow.nn.Parameter", "oneflow.nn.parameter.Parameter",
    "oneflow._oneflow_internal.Tensor", "oneflow.framework.tensor.Tensor")}


class _Machine(PickleMachine):
    """Knows tensors besides plain data."""

    def push_global(self, name: str) -> None:
        """Pushes what makes a tensor, or what plain data is made of."""
        if name in _TENSORS:
            self.stack.append(_TENSORS[name])
        else:
            super().push_global(name)

    def _step(self, code: int) -> None:
        if code == pickle.NEWOBJ[0]:
            self._new_object()
        elif code == pickle.BUILD[0] and len(self.stack) > 1 and type(self.stack[-2]) is OrderedDict:
            self.stack.pop()  # attributes of a state dict, such as _metadata, which nothing here reads
        else:
            super()._step(code)

    def _new_object(self) -> None:
        if len(self.stack) < 2 or type(self.stack[-2]) is not Constructor or self.stack[-2].name not in _TENSORS:
            raise self.unsafe("an object of another class than OneFlow's tensors")
        self.stack.pop()
        self.stack.append(self.stack.pop().make(()))


def load(path: str | os.PathLike[str], global_src_rank: int | None = None, map_location: Any = None, *,
         support_pytorch_format: bool = True) -> Any:
    """What `flow.save` wrote, here or in OneFlow; of a snapshot's folder its variables by name.

    Those of `CheckPoint.save`, whose files tell no shapes, are values as of `checkpoint.get`, for `load_variables`.
    `map_location`: the device of the tensors. Raises CorruptFileError for a damaged file, UnsafePickleError for a
    pickle of anything but tensors and plain data, and FileNotFoundError.
    """
    folder = os.fspath(path)
    if os.path.isfile(folder):
        raise NotADirectoryError(errno.ENOTDIR, "flow.load(path): reads the folders that flow.save writes, and this is "
                                 "a file. Turn files of PyTorch's into such a folder: flow.save of a dict of "
                                 "flow.tensor(value.numpy())", folder)
    reading.check_folder(folder, "flow.load")
    place = os.path.join(folder, PICKLE)
    if not os.path.lexists(place):
        return _snapshot(folder, map_location)
    with open_reader(place) as reader:
        machine = _Machine(reader)
        value = machine.run()
    if not isinstance(value, dict) or value.get("protocol_version") != _VERSION or "data" not in value:
        raise CorruptFileError(place, 0, f"it is no pickle of flow.save's (protocol_version {_VERSION})")
    found: dict[str, Any] = {}

    def tensor_of(name: str) -> Any:
        if name not in found:
            found[name] = _tensor(StoredValue(os.path.join(folder, name)), map_location)
        return found[name]

    return _restored(value["data"], tensor_of, place, 0)


def _restored(value: Any, tensor_of: Callable[[str], Any], place: str, depth: int) -> Any:
    """The value with tensors in the place of their names."""
    if depth > _DEPTH:
        raise CorruptFileError(place, 0, f"it is nested more than {_DEPTH} deep")
    if isinstance(value, _Found):
        return tensor_of(value.name)
    if isinstance(value, dict):
        return type(value)((key, _restored(item, tensor_of, place, depth + 1)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return type(value)(_restored(item, tensor_of, place, depth + 1) for item in value)
    if isinstance(value, (*_SCALARS, set, frozenset)) and not (isinstance(value, np.ndarray) and value.dtype.hasobject):
        return value
    raise CorruptFileError(place, 0, f"it holds a {type(value).__name__}, which is neither a tensor nor plain data")


def _tensor(stored: StoredValue, device: Any) -> Any:
    return creation.tensor(stored.numpy(), stored.dtype, device)


def _snapshot(folder: str, device: Any) -> dict[str, Any]:
    """The variables of a snapshot: tensors, where `meta` files tell shapes and dtypes."""
    if not reading.is_whole(folder):
        raise FileNotFoundError(errno.ENOENT, f"flow.load(path): the folder has neither a {PICKLE!r} nor the mark of a "
                                f"whole snapshot, {layout.DONE!r}", folder)
    return {name: _tensor(stored, device) if stored.has_meta_info else stored
            for name, stored in checkpoint.stored_values(folder).items()}
