"""Which globals a function's code names: by its bytecode, which tells them from attributes, keywords and locals.

`self.step(x)` names no global `step`, although `co_names` lists both alike. Knows code objects, nothing else.
"""

from __future__ import annotations

import dis
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType
from typing import Any

from ..identity_cache import IdentityCache

_OF_GLOBALS = {"LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
_GLOBAL = {dis.opmap[name] for name in _OF_GLOBALS & dis.opmap.keys()}
_LOAD_GLOBAL, _EXTENDED, _LOAD_NAME, _STORE_NAME = (
    dis.opmap.get(name, -1) for name in ("LOAD_GLOBAL", "EXTENDED_ARG", "LOAD_NAME", "STORE_NAME"))
_FLAGGED = int(sys.version_info >= (3, 11))  # the argument of LOAD_GLOBAL ends in a bit that is no part of the index
_JUMPS = {*dis.hasjrel, *dis.hasjabs}
_known = IdentityCache()
_probed: Any = None


def global_names(code: CodeType) -> frozenset[str]:
    """The names that the code, or a function, class or comprehension in it, looks up or sets among globals.

    >>> from proa.jit.footprint.global_names import global_names
    >>> sorted(global_names((lambda self, x: self.step(x, mode=scale)).__code__))
    ['scale']
    """
    found = _known.get(code)
    if found is None:
        inner = (global_names(c) for c in code.co_consts if isinstance(c, CodeType))
        found = frozenset(_reader()(code)).union(*inner)
        _known.put(code, found)
    return found


@functools.cache
def _reader() -> Callable[[CodeType], Iterable[str]]:
    """What tells the names: from the bytes, unless this Python is one whose bytes mean something else.

    Then `dis` is asked, which is slower; and where its names for operations are others too, every name that the code
    has counts. That is more than what is looked up among globals, so that a Program is made anew once too often.
    """
    return next(reader for reader in (_own_names, _told_names, _every_name) if _reads(reader))


def _reads(reader: Callable[[CodeType], Iterable[str]]) -> bool:
    """Whether a reader finds what a known function names."""
    if reader is _every_name:
        return True
    try:
        return set(reader(_probe.__code__)) == {"_known", "_probed"}
    except (ValueError, IndexError, TypeError):
        return False


def _probe(value: Any, _reader: Any = None) -> Any:
    """Reads one global and sets another one, among attributes, variables and constants that bear globals' names."""
    global _probed
    for _flagged in value.frozenset(_reader, sys=2.5):
        value._JUMPS = _known.get(_flagged).all_names
    _probed = value
    return value[_reader]


def _told_names(code: CodeType) -> Iterator[str]:
    """As `dis` tells them; every name that a class body looks up counts."""
    for instruction in dis.get_instructions(code):
        if "GLOBAL" in instruction.opname or instruction.opname == "LOAD_NAME":
            yield instruction.argval


def _every_name(code: CodeType) -> Iterable[str]:
    return code.co_names


def all_names(code: CodeType) -> frozenset[str]:
    """The names that the code, or what is defined in it, looks up anywhere but among its own variables."""
    return frozenset(code.co_names).union(*(all_names(c) for c in code.co_consts if isinstance(c, CodeType)))


def _own_names(code: CodeType) -> Iterator[str]:
    """Of one code object; a name of a class body counts, unless the body has surely set it before."""
    bound: set[str] = set()
    straight = True
    for operation, argument in _instructions(code):
        if operation in _GLOBAL:
            yield code.co_names[argument >> _FLAGGED if operation == _LOAD_GLOBAL else argument]
        elif operation == _LOAD_NAME and code.co_names[argument] not in bound:
            yield code.co_names[argument]
        elif operation == _STORE_NAME and straight:
            bound.add(code.co_names[argument])
        elif operation in _JUMPS:
            straight = False


def _instructions(code: CodeType) -> Iterator[tuple[int, int]]:
    """Operations with their arguments."""
    extended = 0
    raw = code.co_code
    for operation, argument in zip(raw[::2], raw[1::2], strict=True):
        argument |= extended
        extended = argument << 8 if operation == _EXTENDED else 0
        yield operation, argument
