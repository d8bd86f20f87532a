"""From a snapshot to a state dict of Paddle's form and back, by a table of names.

A snapshot's files tell neither shape nor dtype, and a dense layer's weight is (units, inputs) there and (inputs, units)
in Paddle. So the table says beside the names what is not in the files, or a model does, whose values are the pattern.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...core.dtype import DType, convert_dtype, from_numpy_dtype
from ...dygraph.tensor import Tensor, new_tensor
from . import layout
from .reading import StoredValue, check_folder, list_variables
from .writing import write_snapshot

_SHAPE = re.compile(r"[0-9]+(x[0-9]+)*")


@dataclass(frozen=True)
class TableEntry:
    """What a table of names says of one value: the state dict's `key`, and of the snapshot's file `shape` and `dtype`.

    `shape` and `dtype` are None where a `meta` file or a model tells them. `transpose`: the file has the dimensions in
    the opposite order, as the weight of a dense layer.
    """

    key: str
    shape: tuple[int, ...] | None = None
    dtype: DType | None = None
    transpose: bool = False


def read_table(lines: str | os.PathLike[str] | Iterable[str]) -> dict[str, TableEntry]:
    """A table of names: of a file's path, or of its lines.

    A line has the variable's name in the snapshot, the key in the state dict, and behind them, where it is needed and
    in any order, the dtype, the shape of the values in the snapshot (`512x784`, `scalar`) and `transpose`, for a value
    whose dimensions are in the opposite order in the state dict. What follows a # is a remark.

    >>> import proa.oneflow as flow
    >>> flow.snapshot.read_table(["dense1-weight  fc.weight  float32  512x784  transpose"])["dense1-weight"].shape
    (512, 784)
    """
    if isinstance(lines, (str, os.PathLike)):
        with open(lines, encoding="utf-8") as file:
            return _entries(file, os.fspath(lines))
    return _entries(lines, "the table")


def _entries(lines: Iterable[str], source: str) -> dict[str, TableEntry]:
    table: dict[str, TableEntry] = {}
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        where = f"{source}, line {number}"
        if len(words) < 2:
            raise ValueError(f"{where}: a line has a variable's name and a key. Received {line.strip()!r}.")
        if words[0] in table:
            raise ValueError(f"{where}: the variable {words[0]!r} is in the table already.")
        table[words[0]] = TableEntry(words[1], *_details(words[2:], where))
    return table


def _details(words: list[str], where: str) -> tuple[tuple[int, ...] | None, DType | None, bool]:
    shape: tuple[int, ...] | None = None
    dtype: DType | None = None
    transpose = False
    for word in words:
        if word == "transpose":
            transpose = True
        elif word == "scalar":
            shape = ()
        elif _SHAPE.fullmatch(word):
            shape = tuple(int(size) for size in word.split("x"))
        else:
            try:
                dtype = convert_dtype(word)
            except TypeError:
                raise ValueError(f"{where}: behind the names stand a dtype, a shape such as 512x784 or 'scalar', and "
                                 f"'transpose'. Received {word!r}.") from None
    return shape, dtype, transpose


def state_dict_of_snapshot(path: str | os.PathLike[str], table: Mapping[str, Any],
                           like: Any = None) -> dict[str, Tensor]:
    """A state dict with the values of a snapshot, for `set_state_dict` and `paddle.save`.

    `table` maps names in the snapshot to keys: `{"dense1-weight": "fc.weight"}`, or to a `TableEntry` that also tells
    shape and dtype in the file and whether to transpose; `read_table` reads one. Shape and dtype come from the entry,
    the snapshot's `meta` files, or from the value of that key in `like`, a Layer or a state dict. Variables that are
    not in the table are left out. Raises KeyError for a variable that the snapshot does not have, and ValueError where
    shape or dtype are not known or do not fit.

    >>> import os, tempfile, numpy as np, proa as paddle, proa.oneflow as flow
    >>> folder = tempfile.mkdtemp()
    >>> os.mkdir(os.path.join(folder, "dense-weight"))
    >>> np.arange(6, dtype="float32").tofile(os.path.join(folder, "dense-weight", "out"))
    >>> layer = paddle.nn.Linear(2, 3, bias_attr=False)
    >>> table = flow.snapshot.read_table(["dense-weight weight transpose"])
    >>> _ = layer.set_state_dict(flow.snapshot.state_dict_of_snapshot(folder, table, like=layer))
    >>> layer.weight.numpy().tolist()
    [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
    """
    caller = "state_dict_of_snapshot"
    folder = check_folder(path, caller)
    entries, pattern = _checked(table, caller), _pattern(like, caller)
    there = set(list_variables(folder))
    missing = [name for name in entries if name not in there]
    if missing:
        raise KeyError(f"{caller}({folder!r}): the table has variables that are not in the snapshot: "
                       f"{', '.join(map(repr, missing))}. There are {', '.join(map(repr, sorted(there)))}.")
    chosen = {name: _stored(folder, name, entry, pattern.get(entry.key), caller) for name, entry in entries.items()}
    state = {}
    for name, entry in entries.items():
        array = chosen[name].numpy()
        state[entry.key] = new_tensor(np.ascontiguousarray(array.T) if entry.transpose else array)
    return state


def _stored(folder: str, name: str, entry: TableEntry, like: Any, caller: str) -> StoredValue:
    """The stored value with the shape and dtype that entry, `meta` file and pattern agree about."""
    place = os.path.join(folder, name)
    shape, dtype = entry.shape, entry.dtype
    if like is not None:
        expected = tuple(like.shape)[::-1] if entry.transpose else tuple(like.shape)
        if shape is not None and shape != expected:
            raise ValueError(f"{caller}: the table gives {name!r} the shape {list(shape)}; {entry.key!r} has "
                             f"{list(like.shape)}{', which is transposed' if entry.transpose else ''}.")
        shape, dtype = expected, dtype or _dtype(like)
    stored = StoredValue(place)
    if stored.has_meta_info:
        return stored if shape is None and dtype is None else \
            stored.of(stored.shape if shape is None else shape, stored.dtype if dtype is None else dtype)
    if shape is None or dtype is None:
        raise ValueError(f"{caller}: the file {stored.file_path} has {stored.nbytes} bytes and does not tell its "
                         f"{'shape' if shape is None else 'dtype'}. Give both in the table "
                         f"('{name} {entry.key} float32 2x3'), or give a model or a state dict as `like`.")
    return stored.of(shape, dtype)


def snapshot_of_state_dict(state: Mapping[str, Any], path: str | os.PathLike[str], table: Mapping[str, Any],
                           later_form: bool = False) -> None:
    """Writes the values of a state dict as a snapshot, which `CheckPoint.load` reads: the other way around.

    `table` is that of `state_dict_of_snapshot`; an entry that tells shape or dtype has to agree with what is written.
    Keys that are not in the table are left out. `later_form` writes a `meta` file beside each value, as
    `flow.checkpoint.save` does. The folder is empty or not there yet, and is written as a whole or not at all. Raises
    KeyError for a key that the state dict does not have.

    >>> import os, tempfile, proa as paddle, proa.oneflow as flow
    >>> folder = os.path.join(tempfile.mkdtemp(), "snapshot")
    >>> table = flow.snapshot.read_table(["dense-weight weight transpose", "dense-bias bias"])
    >>> flow.snapshot.snapshot_of_state_dict(paddle.nn.Linear(2, 3).state_dict(), folder, table)
    >>> sorted(os.listdir(folder)), os.path.getsize(os.path.join(folder, "dense-weight", "out"))
    (['dense-bias', 'dense-weight', 'snapshot_done'], 24)
    """
    caller = "snapshot_of_state_dict"
    entries = _checked(table, caller)
    missing = [entry.key for entry in entries.values() if entry.key not in state]
    if missing:
        raise KeyError(f"{caller}: the table has keys that are not in the state dict: {', '.join(map(repr, missing))}. "
                       f"There are {', '.join(repr(key) for key in state)}.")

    def value_of(name: str) -> np.ndarray:
        entry = entries[name]
        array = _array(state[entry.key])
        array = array.T if entry.transpose else array
        if entry.shape not in (None, array.shape) or entry.dtype not in (None, from_numpy_dtype(array.dtype)):
            told = [str(list(entry.shape))] if entry.shape is not None else []
            told += [entry.dtype.name] if entry.dtype is not None else []
            raise ValueError(f"{caller}: the table gives {name!r} {' '.join(told)}; {entry.key!r}"
                             f"{', transposed,' if entry.transpose else ''} has {list(array.shape)} {array.dtype}.")
        return array

    write_snapshot(path, list(entries), value_of, caller, later_form)


def describe(path: str | os.PathLike[str]) -> list[str]:
    """A line for each variable of a snapshot: its name and what its files tell, in the form of a table's remarks.

    ValueError where the folder holds no variable.
    """
    folder = check_folder(path, "describe")
    lines = []
    for name in list_variables(folder):
        stored = StoredValue(os.path.join(folder, name))
        told = f"  {stored.dtype.name} {'x'.join(map(str, stored.shape)) or 'scalar'}" if stored.has_meta_info else ""
        lines.append(f"{name}{told}  # {stored.nbytes} bytes")
    if not lines:
        raise ValueError(f"{folder!r} is no snapshot: none of the folders in it holds a variable's values.")
    return lines


def _checked(table: Mapping[str, Any], caller: str) -> dict[str, TableEntry]:
    if not isinstance(table, Mapping) or not table:
        raise TypeError(f"{caller}(table): a dict from the names in the snapshot to keys is expected. "
                        f"Received {table!r}.")
    entries: dict[str, TableEntry] = {}
    keys: dict[str, str] = {}
    for name, given in table.items():
        entry = given if isinstance(given, TableEntry) else TableEntry(given)
        if not isinstance(entry.key, str):
            raise TypeError(f"{caller}(table): to {name!r} belongs a key or a TableEntry. Received {given!r}.")
        if entry.key in keys:
            raise ValueError(f"{caller}(table): {name!r} and {keys[entry.key]!r} have the same key {entry.key!r}.")
        keys[entry.key] = layout.check_name(name, caller)
        entries[name] = entry
    return entries


def _pattern(like: Any, caller: str) -> Mapping[str, Any]:
    state = like.state_dict() if callable(getattr(like, "state_dict", None)) else like
    if state is None:
        return {}
    if not isinstance(state, Mapping):
        raise TypeError(f"{caller}(like): a Layer or a state dict is expected. Received {like!r}.")
    return state


def _array(value: Any) -> np.ndarray:
    return np.asarray(value.numpy() if callable(getattr(value, "numpy", None)) else value)


def _dtype(value: Any) -> DType:
    return convert_dtype(value.dtype)
