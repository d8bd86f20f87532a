"""Recomputation in a compiled training step: the backward half computes marked parts of the forward half again.

The operations that a call of `recompute` appended carry its number (`SEGMENT`). What only they read is not kept from
the forward half to the backward half: the operations that make it are put into the latter, each right before its first
use. What crosses the border of a part is kept, and so are random numbers, loops and branches. Knows operations by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...ops.core.operator import find
from ...ops.core.trace import state
from ...static.ir.operation import Operation
from ...static.ir.usage import has_effect, reads, sub_block, writes

SEGMENT = "recompute_segment"  # the attribute that numbers the parts


def run_marked(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """Runs a function under a program trace, and marks what it appends as one part to be computed again."""
    block = state.trace.block
    begin = len(block.ops)
    result = function(*args, **kwargs)
    for op in block.ops[begin:]:
        op.attrs[SEGMENT] = begin
    return result


def _can_repeat(op: Operation) -> bool:
    """Whether an operation gives the same again, and changes nothing else."""
    return sub_block(op) is None and not has_effect(op) and not find(op.type).random


def _aliased_names(op: Operation) -> set[str]:
    """The variables to which an operation gives a new value."""
    operator = find(op.type)
    return {name for index, _ in operator.aliases for name in op.output(operator.results[index].name)}


def _makers(forward: Sequence[Operation], outputs: set[str], backward: Sequence[Operation]) -> dict[str, Operation]:
    """By name, the operations that can make again what only their own part reads, and nothing writes anew."""
    makers: dict[str, Operation] = {}
    crossing = set(outputs)
    read_later = {name for op in backward for name in reads(op)}
    last = {name: number for number, op in enumerate(forward) for name in writes(op)}
    for number, op in enumerate(forward):
        segment = op.attrs.get(SEGMENT)
        crossing.update(name for name in reads(op) if name in makers and makers[name].attrs[SEGMENT] != segment)
        changed = _aliased_names(op)
        is_again = segment is not None and _can_repeat(op) and not changed & read_later and not any(
            last.get(name, 0) > number for name in reads(op) if name not in changed)
        if is_again:
            makers.update((name, op) for name in writes(op) if name not in changed and last[name] == number)
    return {name: op for name, op in makers.items() if name not in crossing}


def _repeated(op: Operation) -> Operation:
    """The operation again, leaving the variables alone to which it gave a new value."""
    changed = _aliased_names(op)
    outputs = {slot: [f"{name}@RECOMPUTED" if name in changed else name for name in names]
               for slot, names in op.outputs.items()}
    return Operation(op.block, op.type, op.inputs, outputs, op.attrs, op.source)


def with_recomputed(forward: Sequence[Operation], backward: Sequence[Operation],
                    outputs: Sequence[str]) -> tuple[list[Operation], set[str]]:
    """The backward operations with what is to be computed again, and the names to be read as they were before forward.

    `outputs`: what the forward half gives in any case.
    """
    makers = _makers(forward, set(outputs), backward)
    if not makers:
        return list(backward), set()
    order = {id(op): number for number, op in enumerate(forward)}
    done: set[int] = set()
    extended: list[Operation] = []
    original: set[str] = set()
    for op in backward:
        needed = _needed(op, makers, done)
        for again in sorted(needed, key=lambda op: order[id(op)]):
            original |= _aliased_names(again)
            extended.append(_repeated(again))
        extended.append(op)
    return extended, original


def _needed(op: Operation, makers: dict[str, Operation], done: set[int]) -> list[Operation]:
    """The operations that `op` needs, directly or not, and that are not there yet."""
    found = []
    stack = list(reads(op))
    while stack:
        maker = makers.get(stack.pop())
        if maker is not None and id(maker) not in done:
            done.add(id(maker))
            found.append(maker)
            stack.extend(reads(maker))
    return found
