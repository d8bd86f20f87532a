"""Blocks that are written in a `with` statement: the body of a `While`, a branch, a step of a recurrence.

What the block's operations write of variables around it is what the operation that runs it gives: `assign(value, x)`,
`increment(i)`, `less_than(i, n, cond=going)`. Functions of functions, `cond` and `while_loop`, stand in
`control_flow.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ...core.dtype import bool_
from ...ops.core.trace import current_trace
from ..ir.block import Block
from ..ir.program import Program
from ..ir.usage import block_reads, block_writes
from ..ir.variable import Variable
from .control_flow import append_branch, append_while


@contextlib.contextmanager
def inner_block(what: str) -> Iterator[Block]:
    """What is appended within goes to a block of its own, which no operation runs yet.

    RuntimeError where operations are computed at once.
    """
    trace = current_trace()
    if trace.computes:
        raise RuntimeError(f"{what} writes a block of a Program, and operations are computed at once now. Use Python's "
                           "own `while`, `if` and `for` here, or call paddle.enable_static() before.")
    program: Program = trace.main
    block = program.create_block()
    try:
        yield block
    except BaseException:
        del program.blocks[block.idx:]
        raise
    finally:
        program.current_block_idx = block.parent_idx


@contextlib.contextmanager
def enclosing_block() -> Iterator[Block]:
    """What is appended within goes to the block around the one that is being written."""
    program: Program = current_trace().main
    block = program.current_block()
    assert block.parent is not None
    program.current_block_idx = block.parent_idx
    try:
        yield block.parent
    finally:
        program.current_block_idx = block.idx


class While:
    """A loop whose body stands in `with loop.block():`, and whose condition the body must compute again.

    `cond`: a bool tensor of one element. Variables from before the loop keep their place: the body writes to them.

    >>> import proa as paddle
    >>> from proa.static.building.block_builders import While
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     i, n = paddle.full([1], 0, "int64"), paddle.full([1], 10, "int64")
    ...     going = i < n
    ...     loop = While(going)
    ...     with loop.block():
    ...         _ = paddle.assign(i + 3, i)
    ...         _ = paddle.assign(i < n, going)
    >>> paddle.static.Executor().run(main, fetch_list=[i])[0].tolist()
    [12]
    """

    def __init__(self, cond: Any, is_test: bool = False, name: str | None = None):
        if not isinstance(cond, Variable):
            raise TypeError(f"While(cond): must be a Variable of a Program. Received {type(cond).__name__}.")
        if cond.dtype is not bool_:
            raise TypeError(f"While(cond): must be a bool tensor. Received dtype {cond.dtype.name}.")
        if any(size != 1 for size in cond.shape):
            raise TypeError(f"While(cond): must have one element. Received shape {list(cond.shape)}.")
        self.cond_var, self.is_test = cond, is_test

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Within it, what is appended is the body."""
        with inner_block("While") as block:
            block.repeats = True
            yield
        if self.cond_var.name not in block_writes(block):
            raise ValueError(f"While: the body never computes its condition {self.cond_var.name!r} again, so it would "
                             "not end. Write to it: less_than(i, n, cond=cond), or assign(i < n, cond).")
        append_while(block, self.cond_var, self.is_test)


@contextlib.contextmanager
def branch(conditions: Sequence[Variable], is_scalar: bool = True) -> Iterator[Block]:
    """A block that runs where all conditions are true; without `is_scalar`, where none of what it reads is empty."""
    with inner_block("A branch") as block:
        yield block
    append_branch(block, conditions, is_scalar, _without_value_before(block) if not is_scalar else ())


def _without_value_before(block: Block) -> list[str]:
    """The names of enclosing blocks that a block writes and does not read."""
    read = set(block_reads(block))
    return [name for name in block_writes(block) if name not in read]
