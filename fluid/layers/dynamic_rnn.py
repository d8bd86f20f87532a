"""DynamicRNN: a recurrence over sequences of different lengths, whose step is written once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from ...core.dtype import convert_dtype
from ...core.unique_name import generate
from ...ops.core.trace import apply, current_trace
from ...ops.sequence.rank_table import lod_rank_table_op
from ...static.building.block_builders import enclosing_block
from ...static.building.tensor_arrays import ArrayVariable
from ...static.ir.variable import Variable
from ..layer_helper import LayerHelper
from .arrays import array_named, array_read, array_write, increment
from .blocks import While, writing
from .comparison import less_than
from .rank_tables import array_to_lod_tensor, shrink_memory


class DynamicRNN:
    """Runs a step, written in `with rnn.block():`, for each item of sequences, the longest first.

    `step_input(x)` gives the step's items of sequences x (a variable with LoD), those of sequences that are long
    enough; `static_input(x)` what belongs to these sequences of a variable that does not change; `memory(…)` a state as
    the step before left it, which `update_memory(before, after)` says; `output(…)` what becomes of the items. `rnn()`
    is that, with the LoD of the inputs.

    >>> import proa.fluid as fluid
    >>> main, layers = fluid.Program(), fluid.layers
    >>> with fluid.program_guard(main):
    ...     x = fluid.data("x", [None, 4], lod_level=1)
    ...     rnn = layers.DynamicRNN()
    ...     with rnn.block():
    ...         item = rnn.step_input(x)
    ...         total = rnn.memory(shape=[4], value=0.0)
    ...         new = total + item
    ...         rnn.update_memory(total, new)
    ...         rnn.output(new)
    ...     print(rnn().lod_level)
    1
    """

    BEFORE_RNN, IN_RNN, AFTER_RNN = range(3)

    def __init__(self, name: str | None = None):
        self.helper = LayerHelper("dynamic_rnn", name=name)
        self.status = self.BEFORE_RNN
        self.lod_rank_table: Any = None
        self.max_seq_len: Any = None
        self.step_idx: Any = None
        self.zero_idx: Any = None
        self.outputs: list[Variable] = []
        self.output_array: list[ArrayVariable] = []
        self.input_array: list[ArrayVariable] = []
        self.mem_dict: dict[str, ArrayVariable] = {}  # the list of a state's values, by the name in the step
        self.mem_link: list[tuple[Variable, ArrayVariable]] = []
        with writing():
            self.cond = self.helper.create_variable_for_type_inference("bool", stop_gradient=True, shape=[1])
        self.while_op = While(self.cond)

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Within it the step is written."""
        if self.status != self.BEFORE_RNN:
            raise ValueError("DynamicRNN.block(): can be written once.")
        with writing():
            self.step_idx = LayerHelper("fill_constant").apply(
                "fill_constant", shape=[1], dtype=convert_dtype("int64"), value=0.0, str_value="0")
            self.status = self.IN_RNN
            with self.while_op.block():
                yield
                if self.lod_rank_table is None:
                    raise ValueError("DynamicRNN: a step needs an input, step_input(x).")
                increment(self.step_idx, 1.0)
                for value, array in self.mem_link:
                    array_write(value, self.step_idx, array)
                less_than(self.step_idx, self.max_seq_len, cond=self.cond)
            self.status = self.AFTER_RNN
            self.outputs = [array_to_lod_tensor(array, self.lod_rank_table) for array in self.output_array]

    def step_input(self, x: Any, level: int = 0) -> Variable:
        """The step's items of sequences x, at a level of its LoD; all inputs must have sequences of equal lengths."""
        self._check_inside("step_input")
        if not isinstance(x, Variable):
            raise TypeError(f"DynamicRNN.step_input(x): must be a Variable. Received {type(x).__name__}.")
        with enclosing_block() as outer:
            if self.lod_rank_table is None:
                self._rank(x, level)
            array: Any = outer.new_var(generate("dynamic_rnn_input_array"), kind="array", stop_gradient=False)
            self._apply("lod_tensor_to_array", x, self.lod_rank_table, out=array)
            self.input_array.append(array)
        return array_read(array, self.step_idx)

    def _rank(self, x: Variable, level: int) -> None:
        """Appends the table of sequences, longest first, and whether there is a first step."""
        with current_trace().naming(lambda slot: generate("lod_rank_table")):
            self.lod_rank_table = apply(lod_rank_table_op, x, None, level=level)[0]
        self.max_seq_len = self._named("dynamic_rnn_max_seq_len")
        self._apply("max_sequence_len", self.lod_rank_table, out=self.max_seq_len)
        less_than(self.step_idx, self.max_seq_len, cond=self.cond)

    def _named(self, key: str) -> Variable:
        return current_trace().block.new_var(generate(key), (), "int64", stop_gradient=False)

    def _apply(self, type: str, *inputs: Any, out: Any, **attrs: Any) -> None:
        self.helper.apply(type, *inputs, out=out, **attrs)

    def static_input(self, x: Any) -> Variable:
        """What of x belongs to the step's sequences: its sequences, or its rows where it has no LoD."""
        self._check_inside("static_input")
        if not isinstance(x, Variable):
            raise TypeError(f"DynamicRNN.static_input(x): must be a Variable. Received {type(x).__name__}.")
        if self.lod_rank_table is None:
            raise RuntimeError("DynamicRNN.static_input(): must stand behind step_input(), which says which sequences "
                               "there are.")
        return self._shrunk(self._reordered(x, "dynamic_rnn_static_input_reordered"))

    def _reordered(self, x: Variable, key: str) -> Variable:
        with enclosing_block() as outer:
            made = outer.new_var(generate(key), x.shape, x.dtype, stop_gradient=x.stop_gradient)
            self._apply("reorder_lod_tensor_by_rank", x, self.lod_rank_table, out=made)
        return made

    def _shrunk(self, x: Variable) -> Variable:
        made: Variable = shrink_memory(x, self.step_idx, self.lod_rank_table)
        return made

    def memory(self, init: Any = None, shape: Sequence[int] | None = None, value: float = 0.0,
               need_reorder: bool = False, dtype: Any = "float32") -> Variable:
        """A state as the step before left it, at first `init` (a row a sequence), or `value` in rows of a shape.

        `need_reorder`: the rows of `init` are in the sequences' order, as almost always; not in that of their lengths.
        """
        self._check_inside("memory")
        if init is not None and not isinstance(init, Variable):
            raise TypeError(f"DynamicRNN.memory(init): must be a Variable. Received {type(init).__name__}.")
        if not self.input_array:
            raise ValueError("DynamicRNN.memory(): must stand behind step_input(), which says how many sequences there "
                             "are.")
        if init is None and shape is None:
            raise ValueError("DynamicRNN.memory: give init, or the shape of a row.")
        zero = self._zero_idx()
        if init is None:
            init = self._filled([int(n) for n in shape or ()], value, dtype)
        elif need_reorder:
            init = self._reordered(init, "dynamic_rnn_mem_init_reordered")
        with enclosing_block():
            array = array_named(generate("dynamic_rnn_mem_array"))
            array.write(zero, init)
        found = self._shrunk(array_read(array, self.step_idx))
        self.mem_dict[found.name] = array
        return found

    def _zero_idx(self) -> Variable:
        if self.zero_idx is None:
            with enclosing_block():
                self.zero_idx = self._named("zero_idx")
                self._apply("fill_constant", out=self.zero_idx, shape=[1], dtype=convert_dtype("int64"), value=0.0)
        found: Variable = self.zero_idx
        return found

    def _filled(self, shape: list[int], value: float, dtype: Any) -> Variable:
        with enclosing_block() as outer:
            made = outer.new_var(generate("mem_init"), [-1, *shape], dtype, stop_gradient=False)
            first = self.input_array[0].read(self.zero_idx)
            self._apply("fill_constant_batch_size_like", first, out=made, shape=[-1, *shape],
                        dtype=convert_dtype(dtype), value=float(value), input_dim_idx=0, output_dim_idx=0)
        return made

    def update_memory(self, ex_mem: Any, new_mem: Any) -> None:
        """Says what a state becomes."""
        self._check_inside("update_memory")
        for what, given in (("ex_mem", ex_mem), ("new_mem", new_mem)):
            if not isinstance(given, Variable):
                raise TypeError(f"DynamicRNN.update_memory({what}): must be a Variable. Received "
                                f"{type(given).__name__}.")
        if ex_mem.name not in self.mem_dict:
            raise ValueError("DynamicRNN.update_memory(ex_mem): must be what memory() gave.")
        self.mem_link.append((new_mem, self.mem_dict[ex_mem.name]))

    def output(self, *outputs: Any) -> None:
        """Makes values of the step outputs."""
        self._check_inside("output")
        for each in outputs:
            if not isinstance(each, Variable):
                raise TypeError(f"DynamicRNN.output: each must be a Variable. Received {type(each).__name__}.")
            with enclosing_block():
                array = array_named(generate(f"{self.helper.name}_output_array_{each.name}"))
            array_write(each, self.step_idx, array)
            self.output_array.append(array)

    def __call__(self) -> Any:
        """The outputs, with the LoD of the inputs: one, or a list."""
        if self.status != self.AFTER_RNN:
            raise ValueError("DynamicRNN(): the result is there behind `with rnn.block():`.")
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs

    def _check_inside(self, what: str) -> None:
        if self.status != self.IN_RNN:
            raise ValueError(f"DynamicRNN.{what}(): must stand in `with rnn.block():`.")


__all__ = ["DynamicRNN"]
