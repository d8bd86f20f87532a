"""Values of a Program that are known while it is built: constants (`full`, `assign` of numbers), and what they give.

`paddle.argmax(x, axis=paddle.full([1], 1))` has an attribute to fill, and finds the number here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.core.infer import product
from ...ops.core.operator import find, is_declared
from .block import Block
from .operation import Operation
from .usage import draws, has_effect, writes
from .variable import Variable

_LARGEST = 1000  # elements of what is computed
_MOST_OPERATIONS = 50


def known_value(variable: Variable, block: Block) -> np.ndarray | None:
    """The value of a variable wherever the block is run, which is being written; None where only a run can tell it.

    Of an enclosing block's variables none is known: a loop may change them further on.
    """
    computed = _value(variable.name, block, [_MOST_OPERATIONS]) if variable.block is block else None
    return None if computed is None else np.asarray(computed)


def _value(name: str, block: Block, left: list[int]) -> Any:
    variable = block.vars.get(name)
    if variable is None or variable.persistable or variable.is_data or -1 in variable.shape:
        return None
    makers = [op for op in block.ops if name in writes(op)]
    left[0] -= 1
    if len(makers) != 1 or left[0] < 0 or variable.kind != "tensor" or product(variable.shape) > _LARGEST:
        return None
    return _result(makers[0], name, block, left)


def _result(op: Operation, name: str, block: Block, left: list[int]) -> Any:
    """What an operation computes under a name, of what is known."""
    if "sub_block" in op.attrs or not is_declared(op.type) or draws(op) or has_effect(op):
        return None
    operator = find(op.type)
    if operator.aliases or operator.random:
        return None
    taken: list[Any] = []
    for slot in operator.inputs:
        values = [_value(each, block, left) for each in op.input(slot.name)]
        if any(value is None for value in values):
            return None
        taken.append((values or None) if slot.many else values[0] if values else None)
    attrs = {**operator.defaults, **{k: v for k, v in op.attrs.items() if k in operator.attributes}}
    with np.errstate(all="ignore"):  # as in a run of the Program
        results = operator.kernel_for(np)(np, *taken, **attrs)
    results = results if isinstance(results, tuple) else (results,)
    for slot, result in zip(operator.results, results, strict=True):
        if name in op.output(slot.name):
            return result[op.output(slot.name).index(name)] if slot.many else result
    return None
