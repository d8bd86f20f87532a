"""Copies of blocks, as `copy.deepcopy` would make them.

A Program has hundreds of objects, and `copy.deepcopy` asks each how it is copied.
"""

from __future__ import annotations

import copy
from typing import Any

from ...core.dtype import DType
from .block import Block
from .operation import Operation

_ATOMS = frozenset({str, int, float, bool, type(None), DType})


def _copied(value: Any, memo: dict) -> Any:
    """What stands for an attribute's value in a copy."""
    kind = type(value)
    if kind in _ATOMS or kind is tuple and all(type(item) in _ATOMS for item in value):
        return value
    if kind is list and all(type(item) in _ATOMS for item in value):
        return list(value)
    return copy.deepcopy(value, memo)


def _copied_of_variable(key: str, value: Any, memo: dict) -> Any:
    """What stands for a variable's attribute in a copy."""
    if id(value) in memo:
        return memo[id(value)]
    if key != "view_of" or value is None:
        return _copied(value, memo)
    base, changes, op, attrs, others = value
    return (memo[id(base)] if id(base) in memo else copy.deepcopy(base, memo), changes, op,
            {name: _copied(each, memo) for name, each in attrs.items()},
            copy.deepcopy(others, memo) if others else others)


def bare_copy(block: Block, memo: dict) -> Block:
    """A block to be filled, with variables to be filled: these, and operations, refer to it and to each other."""
    made = memo[id(block)] = Block.__new__(Block)
    made.vars = {}
    for name, variable in block.vars.items():
        made.vars[name] = memo[id(variable)] = type(variable).__new__(type(variable))
    return made


def fill_copy(block: Block, made: Block, memo: dict) -> None:
    """Fills what `bare_copy` made, once all the blocks have theirs in `memo`."""
    for name, variable in block.vars.items():
        made.vars[name].__dict__.update({key: _copied_of_variable(key, value, memo)
                                         for key, value in variable.__dict__.items()})
    made.ops = []
    for op in block.ops:
        attrs = {key: _copied(value, memo) for key, value in op.attrs.items()}
        made.ops.append(Operation(memo[id(op.block)], op.type, op.inputs, op.outputs, attrs, op.source, op.inferred))
    for key, value in block.__dict__.items():
        if key not in ("vars", "ops"):
            made.__dict__[key] = memo[id(value)] if id(value) in memo else _copied(value, memo)
