"""The entry of a kernel as a function of Python written in C: reading its arguments.

A call costs little more than that of a builtin function: arguments are read by the machine code itself. Arrays are not
looked at but for the address of their data; numbers that are none raise TypeError.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from llvmlite import ir

_POINTER = ir.IntType(8).as_pointer()
_I32, _I64 = ir.IntType(32), ir.IntType(64)
_API = {
    "PyLong_AsLongLong": (_I64, [_POINTER]), "PyFloat_AsDouble": (ir.DoubleType(), [_POINTER]),
    "PyErr_Occurred": (_POINTER, []), "PyErr_BadArgument": (_I32, []),
    "PyEval_SaveThread": (_POINTER, []), "PyEval_RestoreThread": (ir.VoidType(), [_POINTER]),
    "Py_IncRef": (ir.VoidType(), [_POINTER]),
}


class Python:
    """Calls of Python's C API, emitted where `builder` stands."""

    def __init__(self, module: Any, builder: Any):
        self.module, self.builder = module, builder

    def _call(self, name: str, *arguments: Any) -> Any:
        result, parameters = _API[name]
        function = self.module.globals.get(name) or ir.Function(self.module, ir.FunctionType(result, parameters), name)
        return self.builder.call(function, arguments)

    def argument(self, given: Any, index: int, kind: str, want: Any, data_offset: int) -> Any:
        """An argument as the kernel takes it: an array's data pointer, or a number of the type it wants."""
        builder = self.builder
        value = builder.load(builder.gep(given, [ir.Constant(_I64, index)]))
        if kind.endswith("*"):
            address = builder.gep(value, [ir.Constant(_I64, data_offset)])
            return builder.load(builder.bitcast(address, want.as_pointer()))
        if isinstance(want, ir.IntType):
            return self._call("PyLong_AsLongLong", value)
        number = self._call("PyFloat_AsDouble", value)
        return number if number.type == want else builder.fptrunc(number, want)

    def has_failed(self) -> Any:
        """Whether an exception is set."""
        return self.builder.icmp_unsigned("!=", self._call("PyErr_Occurred"), ir.Constant(_POINTER, None))

    def refuse(self) -> None:
        """Returns with a TypeError."""
        self._call("PyErr_BadArgument")
        self.builder.ret(ir.Constant(_POINTER, None))

    @contextlib.contextmanager
    def others_running(self) -> Iterator[None]:
        """Other threads of Python run while what is emitted in the block does."""
        state = self._call("PyEval_SaveThread")
        yield
        self._call("PyEval_RestoreThread", state)

    def new(self, value: Any) -> Any:
        """A new reference to an object."""
        self._call("Py_IncRef", value)
        return value


def names() -> Iterable[str]:
    """The functions that entries call."""
    return _API
