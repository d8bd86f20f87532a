"""StaticRNN: a recurrence over the first dimension, whose step is written once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ...core.unique_name import generate
from ...ops.core.trace import current_trace
from ...static.building.block_builders import enclosing_block, inner_block
from ...static.ir.block import Block
from ...static.ir.usage import block_reads
from ...static.ir.variable import Variable
from ..layer_helper import LayerHelper
from .blocks import writing


class _Memory(NamedTuple):
    """What a state begins with, what it was at the step before, and what it becomes."""

    init: Variable
    before: Variable
    after: Variable | None = None


def _move_out(value: Variable, what: str) -> None:
    """Puts what a value is computed by in the step, as a part of a variable that is taken there, before the recurrence.

    ValueError for one that the step computes of its inputs or states.
    """
    block = current_trace().block
    if value.block is not block:
        return
    made = next((op for op in reversed(block.ops) if value.name in op.output_arg_names), None)
    if made is None:
        raise ValueError(f"StaticRNN.{what}: must be there before the steps. {value.name!r} is of the step.")
    for name in made.input_arg_names:
        if name in block.vars:
            _move_out(block.vars[name], what)
    with enclosing_block() as outer:
        block.ops.remove(made)
        outer.ops.append(made)
        made.block = outer
        for name in made.output_arg_names:
            outer.add_var(block.vars.pop(name))
    block.program.version += 1


class StaticRNN:
    """Runs a step, written in `with rnn.step():`, for each item of its inputs along the first dimension.

    `step_input(x)` is the item of x [T, …]; `memory(…)` a state as the step before left it, which
    `update_memory(before, after)` says; `step_output(y)` and `output(…)` give y of all steps, [T, …], which `rnn()` is.

    >>> import proa.fluid as fluid
    >>> main, layers = fluid.Program(), fluid.layers
    >>> with fluid.program_guard(main):
    ...     x = fluid.data("x", [3, 2, 4])
    ...     rnn = layers.StaticRNN()
    ...     with rnn.step():
    ...         item = rnn.step_input(x)
    ...         total = rnn.memory(shape=[-1, 4], batch_ref=item)
    ...         rnn.update_memory(total, total + item)
    ...         rnn.step_output(total)
    ...     print(rnn().shape)
    (3, 2, 4)
    """

    BEFORE_RNN_BLOCK, IN_RNN_BLOCK, AFTER_RNN_BLOCK = range(3)

    def __init__(self, name: str | None = None):
        self.helper = LayerHelper("static_rnn", name=name)
        self.memories: dict[str, _Memory] = {}  # by the name in the step of what was before
        self.inputs: list[Variable] = []
        self.outputs: list[Variable] = []
        self.status = self.BEFORE_RNN_BLOCK
        self.seq_len: int | None = None

    @contextlib.contextmanager
    def step(self) -> Iterator[None]:
        """Within it the step is written."""
        if self.status != self.BEFORE_RNN_BLOCK:
            raise ValueError("StaticRNN.step(): can be written once.")
        self.status = self.IN_RNN_BLOCK
        with writing():
            with inner_block("StaticRNN") as block:
                yield
                states = [self._left(self._updated(memory)) for memory in self.memories.values()]
            self.status = self.AFTER_RNN_BLOCK
            self._append(block, states)

    def step_input(self, x: Any) -> Variable:
        """The item of x [T, …] of the step; T must be known, and the same for all inputs."""
        self._check_inside("step_input")
        if not isinstance(x, Variable):
            raise TypeError(f"StaticRNN.step_input(x): must be a Variable. Received {type(x).__name__}.")
        if self.seq_len not in (None, -1, x.shape[0]) and x.shape[0] != -1:
            raise ValueError(f"StaticRNN.step_input(x): all must have as many steps. Received {self.seq_len} and "
                             f"{x.shape[0]}.")
        self.seq_len = x.shape[0]
        self.inputs.append(x)
        return current_trace().block.new_var(x.name, x.shape[1:], x.dtype, stop_gradient=x.stop_gradient)

    def memory(self, init: Any = None, shape: Sequence[int] | None = None, batch_ref: Any = None,
               init_value: float = 0.0, init_batch_dim_idx: int = 0, ref_batch_dim_idx: int = 1) -> Variable:
        """A state as the step before left it, at first `init`, or `init_value` in a shape.

        Of the shape the size at `init_batch_dim_idx` is that of `batch_ref` at `ref_batch_dim_idx`: of a step input,
        which is meant as a whole there, steps first.
        """
        self._check_inside("memory")
        if init is None:
            init = self._filled(shape, batch_ref, init_value, init_batch_dim_idx, ref_batch_dim_idx)
        if not isinstance(init, Variable):
            raise TypeError(f"StaticRNN.memory(init): must be a Variable. Received {type(init).__name__}.")
        _move_out(init, "memory(init)")
        before = current_trace().block.new_var(generate(f"{self.helper.name}@mem"), init.shape, init.dtype,
                                               stop_gradient=False)
        self.memories[before.name] = _Memory(init, before)
        return before

    def _filled(self, shape: Sequence[int] | None, batch_ref: Any, value: float, at: int, of: int) -> Variable:
        if shape is None or batch_ref is None:
            raise ValueError("StaticRNN.memory: give init, or shape and batch_ref.")
        with enclosing_block() as outer:
            whole = outer.find_var(batch_ref.name)
            if whole is None:
                raise ValueError("StaticRNN.memory(batch_ref): must be a step input, or made before the step. "
                                 f"Received {batch_ref.name!r}, which the step computes.")
            made = outer.new_var(generate(f"{self.helper.name}@memory_boot"), shape, batch_ref.dtype,
                                 stop_gradient=False)
            self.helper.append_op("fill_constant_batch_size_like", {"Input": whole}, {"Out": made}, {
                "shape": list(shape), "dtype": made.dtype, "value": float(value), "input_dim_idx": of,
                "output_dim_idx": at})
        return made

    def update_memory(self, mem: Any, var: Any) -> None:
        """Says what a state becomes."""
        if not isinstance(mem, Variable) or mem.name not in self.memories:
            raise TypeError("StaticRNN.update_memory(mem): must be what memory() gave.")
        if not isinstance(var, Variable):
            raise TypeError(f"StaticRNN.update_memory(var): must be a Variable. Received {type(var).__name__}.")
        self.memories[mem.name] = self.memories[mem.name]._replace(after=var)

    def _updated(self, memory: _Memory) -> Variable:
        if memory.after is None:
            raise ValueError("StaticRNN: update_memory(mem, var) must say of each memory what it becomes.")
        return memory.after

    def _left(self, value: Variable) -> Variable:
        """A value of the step under the name by which it leaves it."""
        made: Variable = self.helper.apply("rnn_memory_helper", value, dtype=value.dtype)
        return made

    def step_output(self, o: Any) -> None:
        """Makes a value of the step an output."""
        self._check_inside("step_output")
        if not isinstance(o, Variable):
            raise TypeError(f"StaticRNN.step_output(o): must be a Variable. Received {type(o).__name__}.")
        inner = self._left(o)
        with enclosing_block() as outer:
            self.outputs.append(outer.new_var(inner.name, [self.seq_len, *inner.shape], inner.dtype,
                                              stop_gradient=inner.stop_gradient))

    def output(self, *outputs: Any) -> None:
        """Makes values of the step outputs."""
        for each in outputs:
            self.step_output(each)

    def _append(self, block: Block, states: list[Variable]) -> None:
        parent = block.parent
        assert parent is not None
        if not self.inputs:
            raise ValueError("StaticRNN: a step needs an input, step_input(x).")
        taken = {v.name for v in self.inputs} | {memory.init.name for memory in self.memories.values()}
        scopes = parent.new_var(generate("_generated_var"), kind="scopes")
        parent.append("recurrent", {
            "inputs": [v.name for v in self.inputs],
            "initial_states": [memory.init.name for memory in self.memories.values()],
            "parameters": [name for name in block_reads(block) if name not in taken],
        }, {
            "outputs": [v.name for v in self.outputs], "step_scopes": [scopes.name],
        }, {
            "ex_states": list(self.memories), "states": [v.name for v in states], "has_states": bool(states),
            "sub_block": block.idx, "reverse": False, "is_train": True, "skip_eager_deletion_vars": []})

    def __call__(self) -> Any:
        """The outputs of all steps: one, or a list."""
        if self.status != self.AFTER_RNN_BLOCK:
            raise ValueError("StaticRNN(): the result is there behind `with rnn.step():`.")
        if not self.outputs:
            raise ValueError("StaticRNN(): the step has no output, step_output(y).")
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs

    def _check_inside(self, what: str) -> None:
        if self.status != self.IN_RNN_BLOCK:
            raise ValueError(f"StaticRNN.{what}(): must stand in `with rnn.step():`.")


__all__ = ["StaticRNN"]
