"""Loops and branches whose blocks stand in `with` statements: While, Switch, IfElse."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ...core.unique_name import generate
from ...ops.array.creation import assign
from ...ops.array.full import full
from ...ops.core.trace import current_trace
from ...static.building import block_builders
from ...static.ir.block import Block
from ...static.ir.program import Program
from ...static.ir.variable import Variable
from ..layer_helper import LayerHelper
from ..mode import compute, computing, face
from .rank_tables import merge_lod_tensor


def writing() -> contextlib.AbstractContextManager[None]:
    """Within it the default Programs are written, unless operators are computed within `dygraph.guard`."""
    return contextlib.nullcontext() if computing() else compute(False)


class While(block_builders.While):
    """A loop whose body stands in `with loop.block():`, as long as `cond`, a bool variable of one element, is true.

    What the body assigns to variables from before the loop they keep; it must write `cond` too. Gradients flow through
    the rounds, also where 1.8.5 gives others: where a variable is read and overwritten by `assign` in each round.

    >>> import proa.fluid as fluid
    >>> main, layers = fluid.Program(), fluid.layers
    >>> with fluid.program_guard(main):
    ...     i, n = (layers.fill_constant([1], "int64", value) for value in (0, 10))
    ...     going = layers.less_than(i, n)
    ...     loop = layers.While(going)
    ...     with loop.block():
    ...         i = layers.increment(i, 3)
    ...         going = layers.less_than(i, n, cond=going)
    >>> fluid.Executor(fluid.CPUPlace()).run(main, fetch_list=[i])[0].tolist()
    [12]
    """

    def __init__(self, cond: Any, is_test: bool = False, name: str | None = None):
        self.helper = LayerHelper("while", name=name)
        super().__init__(cond, is_test)

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Within it, what is appended is the body."""
        with writing(), super().block():
            yield


class Switch(block_builders.Switch):
    """Branches of which the first whose condition is true runs: `with switch.case(cond):`, `with switch.default():`.

    Conditions are bool variables of one element. What a branch assigns to variables from before, they keep.

    >>> import proa.fluid as fluid
    >>> main, layers = fluid.Program(), fluid.layers
    >>> with fluid.program_guard(main):
    ...     step, rate = fluid.data("step", [1]), layers.fill_constant([1], "float32", 1.0)
    ...     with layers.Switch() as switch:
    ...         with switch.case(step < 5.0):
    ...             _ = layers.assign(step, rate)
    ...         with switch.default():
    ...             _ = layers.assign(step * 2.0, rate)
    """

    def __init__(self, name: str | None = None):
        self.helper = LayerHelper("switch", name=name)
        super().__init__(name)

    def _applied(self, type: str, *values: Any) -> Any:
        return LayerHelper(type).apply(type, *values)

    @contextlib.contextmanager
    def case(self, condition: Any) -> Iterator[None]:
        """A branch that runs where its condition is true, and that of no branch before it."""
        with writing(), super().case(condition):
            yield

    @contextlib.contextmanager
    def default(self) -> Iterator[None]:
        """The branch that runs where no condition is true."""
        with writing(), super().default():
            yield


class IfElse:
    """Rows for which a condition is true go one way, the others another, and are put together again.

    `cond`: a bool variable [N, 1]. In `with ie.true_block():` and `with ie.false_block():`, `ie.input(x)` gives the
    rows of x [N, …] that go that way, and `ie.output(…)` takes what they become; `ie()` is the list of outputs [N, …].
    A block that no row enters does not run.

    >>> import proa.fluid as fluid
    >>> main, layers = fluid.Program(), fluid.layers
    >>> with fluid.program_guard(main):
    ...     x = fluid.data("x", [None, 1])
    ...     ie = layers.IfElse(layers.less_than(x, layers.fill_constant([1], "float32", 0.0)))
    ...     with ie.true_block():
    ...         ie.output(ie.input(x) * -1.0)
    ...     with ie.false_block():
    ...         ie.output(ie.input(x) * 10.0)
    ...     y, = ie()
    """

    OUT_IF_ELSE_BLOCKS, IN_IF_ELSE_TRUE_BLOCKS, IN_IF_ELSE_FALSE_BLOCKS = range(3)

    def __init__(self, cond: Any, name: str | None = None):
        if not isinstance(cond, Variable):
            raise TypeError(f"IfElse(cond): must be a bool Variable. Received {type(cond).__name__}.")
        self.helper = LayerHelper("ifelse", name=name)
        self.cond, self.status = cond, self.OUT_IF_ELSE_BLOCKS
        self.input_table: dict[str, tuple[Variable, Variable]] = {}  # by the name of the whole: where true, where false
        self.output_table: tuple[list[Variable], list[Variable]] = [], []  # of the true block, of the false one

    @contextlib.contextmanager
    def _block(self, status: int) -> Iterator[None]:
        if self.status != self.OUT_IF_ELSE_BLOCKS:
            raise ValueError("IfElse: one of its blocks cannot stand in the other.")
        if self.output_table[status - 1]:
            raise ValueError("IfElse: each of its blocks can be written once.")
        self.status = status
        try:
            with writing(), block_builders.branch([self.cond], is_scalar=False):
                yield
                if not self.output_table[status - 1]:
                    raise ValueError("IfElse: each of its blocks must have outputs, ie.output(…).")
        finally:
            self.status = self.OUT_IF_ELSE_BLOCKS

    def true_block(self) -> contextlib.AbstractContextManager[None]:
        """Within it stands what becomes of rows for which the condition is true."""
        return self._block(self.IN_IF_ELSE_TRUE_BLOCKS)

    def false_block(self) -> contextlib.AbstractContextManager[None]:
        """Within it stands what becomes of the other rows."""
        return self._block(self.IN_IF_ELSE_FALSE_BLOCKS)

    def input(self, x: Any) -> Variable:
        """The rows of x that enter the block."""
        self._check_inside("input")
        if x.name not in self.input_table:
            with block_builders.enclosing_block() as outer:
                parts = [outer.new_var(generate(f"ifelse_input{self.helper.name}"), x.shape, x.dtype,
                                       stop_gradient=x.stop_gradient) for _ in range(2)]
                self.helper.append_op("split_lod_tensor", {"X": x, "Mask": self.cond},
                                      {"OutTrue": parts[0], "OutFalse": parts[1]}, {"level": 0})
            self.input_table[x.name] = parts[0], parts[1]
        return self.input_table[x.name][self.status - 1]

    def output(self, *outs: Any) -> None:
        """What the rows become: as many values in both blocks, of one number of rows each."""
        self._check_inside("output")
        block: Block = current_trace().block
        assert block.parent is not None
        for out in outs:
            if not isinstance(out, Variable):
                raise TypeError(f"IfElse.output: each must be a Variable. Received {type(out).__name__}.")
            outer = block.parent.new_var(generate(f"{self.helper.name}_output"), out.shape, out.dtype,
                                         stop_gradient=out.stop_gradient)
            self.output_table[self.status - 1].append(outer)
            assign(out, outer)

    def __call__(self) -> list[Any]:
        """The outputs of both blocks, in the order of the rows that entered."""
        if self.status != self.OUT_IF_ELSE_BLOCKS:
            raise ValueError("IfElse(): the result is there behind its blocks.")
        true, false = self.output_table
        if not true and not false:
            raise ValueError("IfElse(): write true_block or false_block before.")
        if not true or not false:
            return [*true, *false]
        if len(true) != len(false):
            raise ValueError(f"IfElse: both blocks must have equally many outputs. Received {len(true)} and "
                             f"{len(false)}.")
        with writing():
            return [merge_lod_tensor(a, b, x=self.cond, mask=self.cond, level=0)
                    for a, b in zip(true, false, strict=True)]

    def _check_inside(self, what: str) -> None:
        if self.status == self.OUT_IF_ELSE_BLOCKS:
            raise ValueError(f"IfElse.{what}(): must stand in true_block or false_block.")


@contextlib.contextmanager
def WhileGuard(while_op: While) -> Iterator[None]:
    """Within it, what is appended is the body of the loop, as in `with while_op.block():`."""
    with while_op.block():
        yield


@contextlib.contextmanager
def BlockGuard(main_program: Any) -> Iterator[None]:
    """Within it, what is appended goes to a further block of the Program, which no operation runs yet."""
    if not isinstance(main_program, Program):
        raise TypeError(f"BlockGuard(main_program): must be a Program. Received {type(main_program).__name__}.")
    block = main_program.create_block()
    try:
        yield
    finally:
        main_program.current_block_idx = block.parent_idx


@face
def select_output(input: Any, outputs: Sequence[Any], mask: Any) -> Sequence[Any]:
    """Writes the input to the one of `outputs` whose number `mask`, an int32 Variable of one element, is."""
    for number, output in enumerate(outputs):
        output.shape = input.shape
        # a value where the branch does not run
        LayerHelper("select_output").apply("fill_zeros_like", input, out=output)
        with block_builders.branch([mask == full([1], number, mask.dtype)]):
            assign(input, output)
    return outputs


@face
def select_input(inputs: Sequence[Any], mask: Any) -> Any:
    """The one of `inputs` whose number `mask`, an int32 Variable of one element, is; the others need no value."""
    return LayerHelper("select_input").apply("select_input", list(inputs), mask)


__all__ = ["IfElse", "Switch", "While"]
