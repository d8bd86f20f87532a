"""`paddle.grad` inside of an `if` or a loop that a tensor decides: which operations of the block it walks through.

The gradient's operations are appended to the block, and may go on through what is around a branch, as long as all that
is read there is what it was. In a loop every way from the inputs to the outputs must lie in the block, and the inputs
too, for what is around it may be what an earlier turn has computed from them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.usage import reads, writes
from ..ir.variable import Variable


def operations_within(block: Block, targets: Sequence[Variable], inputs: Sequence[Variable]) -> list[Operation]:
    """The operations that compute the targets: of the block, and in a branch of those around it.

    RuntimeError where gradients would reach beyond them.
    """
    found = _leading_to(block.ops, {v.name for v in targets})
    made = Counter(name for op in block.ops for name in writes(op))
    around = {v.name for v in inputs} - made.keys()
    read = _from_outside(found)
    changed = any(name in made for name in read) or any(made[name] > 1 for op in found for name in writes(op))
    staged = any("sub_block" in op.attrs for op in found)
    beyond = {v.name for v in targets} - {v.name for v in inputs} - made.keys()
    reaches = around and _is_in_loop(block) or not (_depending(block, around) - around).isdisjoint(read)
    if changed or staged or beyond or reaches:
        around_too = None if _is_in_loop(block) else _through_branches(block, targets)
        if around_too is None:
            raise RuntimeError(
                "grad(outputs, inputs): inside of an `if` or a loop that a tensor decides, gradients cannot be asked "
                "for that reach beyond it, through a loop, another branch or a value that changed in place. Compute "
                "the outputs from the inputs inside, and in a loop give it inputs of the same turn (x.detach() with "
                "stop_gradient=False), or ask before or after.")
        return around_too
    return found


def _through_branches(block: Block, targets: Sequence[Variable]) -> list[Operation] | None:
    """Those of a branch and of all blocks around it; None where they hold blocks, or a value of theirs has changed."""
    ops: list[Operation] = []
    each: Block | None = block
    while each is not None:
        ops[:0] = each.ops
        each = each.parent
    found = _leading_to(ops, {v.name for v in targets})
    made = Counter(name for op in ops for name in writes(op))
    is_changed = any(name in made for name in _from_outside(found)) or any(
        made[name] > 1 for op in found for name in writes(op))
    return None if is_changed or any("sub_block" in op.attrs for op in found) else found


def _from_outside(ops: Sequence[Operation]) -> set[str]:
    """The names that operations read before any of them writes them."""
    found: set[str] = set()
    written: set[str] = set()
    for op in ops:
        found.update(set(reads(op)) - written)
        written.update(writes(op))
    return found


def _leading_to(ops: Sequence[Operation], names: set[str]) -> list[Operation]:
    found = []
    for op in reversed(ops):
        if not names.isdisjoint(writes(op)):
            found.append(op)
            names.update(reads(op))
    return found[::-1]


def _is_in_loop(block: Block | None) -> bool:
    return block is not None and (block.repeats or _is_in_loop(block.parent))


def _depending(block: Block, names: set[str]) -> set[str]:
    """What is computed from names, with a gradient, in the blocks around a block."""
    found, around = set(names), []
    outer = block.parent
    while outer is not None:
        around.append(outer)
        outer = outer.parent
    for each in reversed(around):
        for op in each.ops:
            if not found.isdisjoint(reads(op)):
                found.update(n for n in writes(op) if (v := each.find_var(n)) is None or not v.stop_gradient)
    return found
