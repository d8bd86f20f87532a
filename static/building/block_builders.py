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
from ...ops.core.operator import find
from ...ops.core.trace import apply, current_trace
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


class Switch:
    """Branches of which the first whose condition is true runs: `with switch.case(cond):`, `with switch.default():`.

    Conditions are bool variables of one element. What a branch assigns to variables from before, they keep.

    >>> import proa as paddle
    >>> from proa.static.nn.control_flow import Switch
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     step, rate = paddle.static.data("step", [1]), paddle.full([1], 1.0)
    ...     with Switch() as switch:
    ...         with switch.case(step < 5.0):
    ...             _ = paddle.assign(step, rate)
    ...         with switch.default():
    ...             _ = paddle.assign(step * 2.0, rate)
    >>> paddle.static.Executor().run(main, feed={"step": [7.0]}, fetch_list=[rate])[0].tolist()
    [14.0]
    """

    def __init__(self, name: str | None = None):
        self.inside_scope = False
        self.pre_not_conditions: list[Variable] = []  # that no branch so far runs, after each of them

    def __enter__(self) -> Switch:
        self.inside_scope = True
        return self

    def __exit__(self, *failure: Any) -> None:
        self.inside_scope = False

    def _applied(self, type: str, *values: Any) -> Any:
        """The result of an operator."""
        return apply(find(type), *values)

    @contextlib.contextmanager
    def case(self, condition: Any) -> Iterator[None]:
        """A branch that runs where its condition is true, and that of no branch before it."""
        self._check_inside("case")
        if not isinstance(condition, Variable):
            raise TypeError(f"Switch.case(condition): must be a bool Variable. Received {type(condition).__name__}.")
        fails = self._applied("logical_not", condition)
        if self.pre_not_conditions:
            before = self.pre_not_conditions[-1]
            fails = self._applied("logical_and", before, fails)
            condition = self._applied("logical_and", before, condition)
        self.pre_not_conditions.append(fails)
        with branch([condition]):
            yield

    @contextlib.contextmanager
    def default(self) -> Iterator[None]:
        """The branch that runs where no condition is true."""
        self._check_inside("default")
        if not self.pre_not_conditions:
            raise ValueError("Switch.default(): there must be a case before it.")
        with branch([self.pre_not_conditions[-1]]):
            yield

    def _check_inside(self, what: str) -> None:
        if not self.inside_scope:
            raise ValueError(f"Switch.{what}(): must stand within `with Switch() as switch:`.")


class ConditionalBlock:
    """A branch that stands in `with ConditionalBlock([cond], is_scalar_condition=True).block():`.

    It runs where all conditions, bool variables of one element, are true; without `is_scalar_condition`, where none of
    the variables `inputs` is empty. What it assigns to variables from before, they keep.
    """

    def __init__(self, inputs: Sequence[Variable], is_scalar_condition: bool = False, name: str | None = None):
        for value in inputs:
            if not isinstance(value, Variable):
                raise TypeError(f"ConditionalBlock(inputs): must be Variables. Received {type(value).__name__}.")
        self.inputs, self.is_scalar_condition = list(inputs), is_scalar_condition

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Within it, what is appended is the branch."""
        with branch(self.inputs, self.is_scalar_condition):
            yield


def _without_value_before(block: Block) -> list[str]:
    """The names of enclosing blocks that a block writes and does not read."""
    read = set(block_reads(block))
    return [name for name in block_writes(block) if name not in read]
