"""A Program's forward part changed so that its operators compute in the dtypes of a Precision.

Casts are put before operators, once for each value and dtype, and the dtypes of results follow. Variables keep their
names; what is persistable, or read within branches and loops, keeps its dtype too, by a cast behind.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from typing import Any

from ...core.dtype import DType, convert_dtype, float32
from ...ops.amp.autocast import Precision
from ...ops.core.operator import Operator, find, is_declared
from ...ops.core.trace import state, using
from ...ops.core.trace_around import TraceAround
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import reads, sub_block
from ..ir.variable import Variable
from .lists import AutoMixedPrecisionLists

GUARD = "/__use_fp16__/"
_ATTRIBUTE = "op_namescope"


class _Guarded(TraceAround):
    """Marks what the trace inside appends."""

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Appends the operator, marked."""
        block: Block = self.block
        count = len(block.ops)
        result = self.inner.apply(op, inputs, attrs)
        for operation in block.ops[count:]:
            operation.attrs[_ATTRIBUTE] = GUARD
        return result


@contextlib.contextmanager
def fp16_guard() -> Iterator[None]:
    """Marks the operators of a block: with `use_fp16_guard` or `use_amp_guard` only these compute in 16 bits."""
    if state.trace.computes:
        yield
        return
    with using(_Guarded(state.trace)):
        yield


def is_guarded(op: Operation) -> bool:
    """Whether it was appended within `fp16_guard`."""
    return op.attrs.get(_ATTRIBUTE) == GUARD


class _Rewriting:
    """Puts casts into a block."""

    def __init__(self, block: Block, precision: Precision, black_names: frozenset[str],
                 chosen: Callable[[Operation], bool]):
        self.block, self.precision, self.black_names, self.chosen = block, precision, black_names, chosen
        inner = [b for b in block.program.blocks if b is not block]
        self.fixed = {name for b in inner for op in b.ops for name in (*reads(op), *op.output_arg_names)}
        self.casts: dict[tuple[str, DType], str] = {}
        self.ops: list[Operation] = []

    def run(self) -> None:
        """Rewrites all operations."""
        for op in self.block.ops:
            if not is_declared(op.type) or sub_block(op) is not None:
                self._append(op)
                continue
            declared = find(op.type)
            self._cast_inputs(op, declared)
            self._follow(op, declared)
        self.block.ops = self.ops
        self.block.program.version += 1

    def _append(self, op: Operation) -> None:
        self.ops.append(op)
        written = set(op.output_arg_names)
        self.casts = {key: name for key, name in self.casts.items() if key[0] not in written}

    def _cast_inputs(self, op: Operation, declared: Operator) -> None:
        if declared.precision == "keep":
            return
        changed = {declared.inputs[position].name for _, position in declared.aliases}
        slots = [slot.name for slot in declared.inputs if slot.name not in changed]
        slots = slots[:1] if declared.follows_first else slots
        names = [name for slot in slots for name in op.input(slot) if self._may_change(name)]
        if not names:
            return
        wanted = self._dtype_for(op, [self.block.var(name).dtype for name in names])
        for slot in slots:
            op.set_input(slot, [self._cast(name, wanted) if self._may_change(name) else name
                                for name in op.input(slot)])

    def _dtype_for(self, op: Operation, dtypes: list[DType]) -> DType:
        named = not self.black_names.isdisjoint([*op.input_arg_names, *op.output_arg_names])
        return float32 if named or not self.chosen(op) else self.precision.dtype_for(op.type, dtypes)

    def _may_change(self, name: str) -> bool:
        variable = self.block.find_var(name)
        return (variable is not None and variable.kind == "tensor" and variable._dtype is not None
                and variable.dtype.is_floating and variable.dtype.itemsize <= 4)

    def _cast(self, name: str, wanted: DType) -> str:
        variable = self.block.var(name)
        if variable.dtype is wanted:
            return name
        found = self.casts.get((name, wanted))
        if found is None:
            found = self.casts[name, wanted] = self._new(variable, f"{name}.cast_{wanted.name}", wanted).name
            self._append_cast(variable, found, wanted)
        return found

    def _new(self, like: Variable, name: str, dtype: DType) -> Variable:
        name = name if not self.block.has_var(name) else self.block.program.new_name(name)
        return self.block.new_var(name, like.shape, dtype, stop_gradient=like.stop_gradient)

    def _append_cast(self, source: Variable, target: str, dtype: DType) -> None:
        self._append(Operation(self.block, "cast", {"X": [source.name]}, {"Out": [target]},
                               {"in_dtype": source.dtype, "out_dtype": dtype}))

    def _follow(self, op: Operation, declared: Operator) -> None:
        """Appends the operation, its results in the dtypes that its inputs now give them."""
        if op.type == "cast":
            op.attrs["in_dtype"] = self.block.var(op.input("X")[0]).dtype
        found = self._results(op, declared)
        behind = []
        for name, dtype in found:
            variable = self.block.var(name)
            if variable._dtype is dtype or not self._may_change(name) or not dtype.is_floating:
                continue
            if variable.persistable or name in self.fixed:
                made = self._new(variable, f"{name}.before_cast", dtype)
                op.rename_output(name, made.name)
                behind.append((made, variable))
            else:
                variable._dtype = dtype
        self._append(op)
        for made, variable in behind:
            self._append_cast(made, variable.name, variable.dtype)

    def _results(self, op: Operation, declared: Operator) -> list[tuple[str, DType]]:
        """The names of results that are new values, with their dtypes."""
        specs = []
        for slot in declared.inputs:
            values = [self.block.var(name).spec for name in op.input(slot.name)]
            specs.append(values if slot.many else values[0] if values else None)
        attrs = {**declared.defaults, **{k: v for k, v in op.attrs.items() if k in declared.attributes}}
        results = declared.infer_specs(tuple(specs), attrs)
        aliased = {index for index, _ in declared.aliases}
        pairs = []
        for index, (slot, spec) in enumerate(zip(declared.results, results, strict=True)):
            if spec is not None and index not in aliased:
                each = spec if slot.many else [spec]
                pairs += [(name, s.dtype) for name, s in zip(op.output(slot.name), each, strict=False)]
        return pairs


def rewrite(program: Program, precision: Precision, black_names: Collection[str] = (),
            chosen: Callable[[Operation], bool] = lambda op: True) -> None:
    """Casts what the Program's operators compute with; those that are not `chosen` compute in float32."""
    _Rewriting(program.global_block(), precision, frozenset(black_names), chosen).run()


def cast_model_to_fp16(program: Program, amp_lists: AutoMixedPrecisionLists | None = None, use_fp16_guard: bool = True,
                       dest_type: Any = "float16", level: str = "O2", use_promote: bool = False) -> None:
    """Rewrites a Program so that its operators compute in `dest_type`; its parameters stay in float32 and are cast.

    With `use_fp16_guard` only what was appended within `fp16_guard` does. `paddle.static.amp.cast_model_to_fp16`.
    """
    lists = AutoMixedPrecisionLists(dtype=convert_dtype(dest_type).name) if amp_lists is None else amp_lists
    chosen = is_guarded if use_fp16_guard else lambda op: True
    rewrite(program, lists.precision(level, use_promote), lists.black_varnames, chosen)
