"""The pickle machine for files from strangers: its stack, its memo, and what it refuses.

What an opcode does to it stands in `pickle_opcodes.py`.

It does not use `pickle.Unpickler`: no global is imported, nothing that a file names is called, sizes are checked
before memory is taken, and every failure knows its byte offset. Knows nothing of paths or of state dicts.
"""

from __future__ import annotations

import pickle
import pickletools
from collections.abc import Mapping
from typing import Any

from .byte_reader import ByteReader
from .files import CorruptFileError
from .pickle_opcodes import HANDLERS
from .pickle_values import CONSTRUCTORS, Constructor, Unbuilt, UnbuiltArray

_STOP = pickle.STOP[0]
_OPCODE_NAMES = {ord(opcode.code): opcode.name for opcode in pickletools.opcodes}


class UnsafePickleError(pickle.UnpicklingError):
    """A pickle asks for something that is not plain data; it was refused, and nothing of it was run.

    `file` names the file, `place` is the byte offset, `name` is what was refused: `os.system`, say.

    Fix: if you made the file, save a state dict, or numbers, strings, containers and NumPy arrays. If someone else
    made it, do not open it with `pickle` either.
    """

    def __init__(self, file: str, place: int, name: str):
        super().__init__(file, place, name)
        self.file = file
        self.place = place
        self.name = name

    def __str__(self) -> str:
        return (
            f"{self.file} asks at byte {self.place} for {self.name}, which was refused; nothing was run. Only numbers, "
            "strings, containers of them and NumPy arrays are loaded, such as those of a state_dict()."
        )


class PickleMachine:
    """Runs one pickle. `run()` returns the value on top of the stack at its end; its items are not yet checked."""

    constructors: Mapping[str, Constructor] = CONSTRUCTORS
    """The globals that a file may name. A format with others has a machine of its own."""

    def __init__(self, reader: ByteReader):
        self.reader = reader
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.opcode_position = reader.position

    def run(self) -> Any:
        """The value of the pickle; the reader then stands behind it."""
        reader = self.reader
        if reader.remaining < 2 or reader.take(1) != pickle.PROTO:
            kind = reader.kind()
            raise reader.corrupt(f"this is not a pickle of protocol 2 to 5{kind and f'; {kind}'}", self.opcode_position)
        HANDLERS[pickle.PROTO[0]](self)
        code = 0
        while code != _STOP:
            self.opcode_position = reader.position
            code = reader.take(1)[0]
            self._step(code)
        return self.stack.pop()

    def _step(self, code: int) -> None:
        handler = HANDLERS.get(code)
        if handler is None:
            raise self._refused_opcode(code)
        try:
            handler(self)
        except CorruptFileError:
            raise
        except ValueError as error:
            raise self.reader.corrupt(str(error), self.opcode_position) from error
        except IndexError as error:
            raise self.reader.corrupt("the pickle's stack is empty", self.opcode_position) from error

    def _refused_opcode(self, code: int) -> Exception:
        if code not in _OPCODE_NAMES:
            return self.reader.corrupt(f"{code:#04x} is no opcode of a pickle", self.opcode_position)
        return self.unsafe(f"the pickle opcode {_OPCODE_NAMES[code]}")

    def unsafe(self, name: str) -> UnsafePickleError:
        """The error that refuses `name` here."""
        return UnsafePickleError(self.reader.name, self.opcode_position, name)

    def pop_mark(self) -> list[Any]:
        """The items above the last mark, taken off the stack."""
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def top(self, *types: type) -> Any:
        """The top of the stack, which must be of one of `types`."""
        value = self.stack[-1]
        if not isinstance(value, types):
            raise ValueError(f"a {type(value).__name__} stands where a {types[0].__name__} is needed")
        return value

    def memoize(self, key: int) -> None:
        """Keeps the top of the stack under `key`."""
        value = self.stack[-1]
        if isinstance(value, Unbuilt):
            value.memo_keys.append(key)
        self.memo[key] = value

    def recall(self, key: int) -> None:
        """Pushes what was kept under `key`."""
        if key not in self.memo:
            raise ValueError(f"the pickle refers to item {key}, which is not there")
        self.stack.append(self.memo[key])

    def push_global(self, name: str) -> None:
        """Pushes the constructor that stands for the global `name`, or refuses it."""
        if name not in self.constructors:
            raise self.unsafe(name)
        self.stack.append(self.constructors[name])

    def kept_outside(self, key: Any) -> Any:
        """The value that the file keeps elsewhere, under `key`; a plain pickle has no such values."""
        raise self.unsafe("a value that is kept outside of the pickle")

    def new_object(self) -> None:
        """Makes an object of a class and arguments on the stack: plain data has none."""
        raise self._refused_opcode(pickle.NEWOBJ[0])

    def with_state(self, value: Any, state: Any) -> Any:
        """A finished value that is given attributes: plain data has none."""
        raise self.unsafe(f"a state for a {type(value).__name__}")

    def in_array_state(self) -> bool:
        """True where the next bytes are the elements of an array."""
        start = self.marks[-1] if self.marks else 0
        return 0 < start <= len(self.stack) and isinstance(self.stack[start - 1], UnbuiltArray)
