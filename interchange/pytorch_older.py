"""PyTorch's files of before 1.6: five pickles, and behind them the elements of all storages.

The pickles are a number that marks the format, its version, the machine that wrote it, the value, and the names of the
storages in their order. A storage is its number of elements (int64) and the elements. How large an element is stands in
the value's pickle alone: it is run once to find the storages, and once more with them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.byte_reader import ByteReader, open_reader
from ..core.pickle_machine import PickleMachine
from ..core.safe_pickle import check_plain
from .pytorch_machine import PyTorchMachine, Storage, element_type

__all__ = ["BEGINS_WITH", "load_older"]

BEGINS_WITH = bytes.fromhex("80028a0a6cfc9c46f9206aa85019")  # the first pickle: the mark
_VERSION = 1001


def load_older(name: str) -> Any:
    """What `torch.save` wrote before 1.6, or since then with `_use_new_zipfile_serialization=False`."""
    with open_reader(name) as reader:
        PickleMachine(reader).run()
        version, system = PickleMachine(reader).run(), PickleMachine(reader).run()
        if version != _VERSION or type(system) is not dict:
            raise reader.corrupt(f"this is version {version!r} of PyTorch's older format, and {_VERSION} is known")
        start = reader.position
        found = _storages_of(reader)
        names = PickleMachine(reader).run()
        if type(names) is not list or any(type(key) is not str for key in names) or sorted(names) != sorted(found):
            raise reader.corrupt("the storages that follow are not those of the tensors")
        order = "<" if system.get("little_endian", True) else ">"
        storages = {key: _read(reader, *found[key], order) for key in names}
    with open(name, "rb") as file:
        file.seek(start)
        pickle = ByteReader(file, name)
        machine = PyTorchMachine(pickle, lambda key, kind, count: storages[key])
        value = machine.run()
        check_plain(value, pickle, machine, start)
        return value


def _storages_of(reader: ByteReader) -> dict[str, tuple[str, int]]:
    """The kind and number of elements of each storage that the next pickle names."""
    found: dict[str, tuple[str, int]] = {}

    def note(name: str, kind: str, count: int) -> Storage:
        found[name] = kind, count
        return Storage(element_type(kind), np.empty(0, np.uint8))

    _Looking(reader, note).run()
    return found


def _read(reader: ByteReader, kind: str, count: int, order: Any) -> Storage:
    """The next storage."""
    own = element_type(kind)
    there = reader.integer(8, signed=True)
    if there != count:
        raise reader.corrupt(f"a storage of {there} elements stands where one of {count} is needed")
    return Storage(own and own.newbyteorder(order), reader.take_array(count * (own.itemsize if own else 1)))


def _nothing(args: tuple) -> np.ndarray:
    return np.empty(0)


class _Looking(PyTorchMachine):
    """Runs a pickle for the storages that it names: its tensors have no elements."""

    def kept_outside(self, key: Any) -> Any:
        """A storage, of whose parts nothing is asked."""
        return super().kept_outside(key[:5] if type(key) is tuple else key)


_Looking.constructors = {name: known._replace(make=_nothing) if "_rebuild_" in name else known
                         for name, known in PyTorchMachine.constructors.items()}
