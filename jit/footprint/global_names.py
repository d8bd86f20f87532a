"""Which globals a function's code names: by its bytecode, which tells them from attributes, keywords and locals.

`self.step(x)` names no global `step`, although `co_names` lists both alike. Knows code objects, nothing else.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from types import CodeType

from ..identity_cache import IdentityCache

_OF_GLOBALS = {"LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS"}
_GLOBAL = {dis.opmap[name] for name in _OF_GLOBALS & dis.opmap.keys()}
_LOAD_GLOBAL, _EXTENDED = dis.opmap["LOAD_GLOBAL"], dis.opmap["EXTENDED_ARG"]
_LOAD_NAME, _STORE_NAME = dis.opmap["LOAD_NAME"], dis.opmap["STORE_NAME"]
_FLAGGED = int(sys.version_info >= (3, 11))  # the argument of LOAD_GLOBAL ends in a bit that is no part of the index
_JUMPS = {*dis.hasjrel, *dis.hasjabs}
_known = IdentityCache()


def global_names(code: CodeType) -> frozenset[str]:
    """The names that the code, or a function, class or comprehension in it, looks up or sets among globals.

    >>> from proa.jit.footprint.global_names import global_names
    >>> sorted(global_names((lambda self, x: self.step(x, mode=scale)).__code__))
    ['scale']
    """
    found = _known.get(code)
    if found is None:
        inner = (global_names(c) for c in code.co_consts if isinstance(c, CodeType))
        found = frozenset(_own_names(code)).union(*inner)
        _known.put(code, found)
    return found


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
