"""LoD in a Program: the offsets of sequences whose rows lie one behind the other are Variables beside them.

A Variable whose rows are sequences has one int64 vector of offsets a level, `variable.lod`, the outermost level first:
[0, 2, 5] are two sequences of two and three rows. Operators take them as inputs and give them as results like any other
value (`lod^X` in a signature), so that gradients, branches, loops and compilation need to know nothing of them. What an
operation does to the LoD its operator says (`Operator.lod`); files hold no offsets (`files/lod_codec.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.dtype import int64
from ...ops.core.operator import Operator
from ...ops.core.spec import Spec
from ...ops.program.tensor_arrays import ArraySpec
from .variable import KINDS, OffsetsVariable, Variable

if TYPE_CHECKING:
    from .block import Block

OFFSETS = Spec((-1,), int64)


def new_offsets(block: Block, name: str, of: str, spec: Spec = OFFSETS) -> Any:
    """A variable for one level of the offsets of another one: for those of a list's items a list."""
    if isinstance(spec, ArraySpec):
        made = KINDS["array_offsets"](block, name, OFFSETS.shape, int64, of=of, kind="array")  # type: ignore[call-arg]
    else:
        made = OffsetsVariable(block, name, OFFSETS.shape, int64, of=of)
    block.add_var(made)
    block.program.has_lod = True
    return made


def fed_offsets(variable: Variable) -> None:
    """Gives an input of a Program the offsets, to be fed with it, that its `lod_level` asks for."""
    variable.lod = tuple(new_offsets(variable.block, f"{variable.name}@LOD{level}", variable.name)
                         for level in range(variable.lod_level))


def is_input(variable: Variable) -> bool:
    """Whether a variable gets its value from who runs the Program: it is `data`, or nothing there gives it one."""
    return variable.is_data or not (variable.persistable or variable.block.idx or any(
        variable.name in op.output_arg_names for block in variable.program.blocks for op in block.ops))


def with_offsets(op: Operator, inputs: Sequence[Any]) -> tuple:
    """The inputs of an operator, with the offsets that its signature asks for.

    A variable that was made with a `lod_level` and that is an input, as its first reader tells, gets its offsets now.
    """
    for variable in (v for given in inputs for v in _listed(given)):
        if variable.lod_level and not variable.lod and variable.kind == "tensor" and is_input(variable):
            fed_offsets(variable)
    found = [*inputs, *[None] * (len(op.inputs) - len(inputs))]
    for index, of in op.given_offsets:
        if not found[index]:
            found[index] = [level for variable in _listed(found[of]) for level in variable.lod]
    return tuple(found)


def carry(op: Operator, inputs: Sequence[Any], results: Sequence[Any], attrs: dict[str, Any]) -> None:
    """Gives the results of an operation the LoD that its operator says."""
    for index, of in op.made_offsets:
        variables = list(_listed(results[of]))
        levels = len(results[index]) // max(len(variables), 1)  # those of one, then of the next
        for number, variable in enumerate(variables):
            _hand_over(variable, results[index][number * levels:(number + 1) * levels])
    made = {of for _, of in op.made_offsets} | {index for index, _ in op.made_offsets}
    for index, lod in _shared(op, inputs, results, attrs):
        if index not in made:
            for variable in _listed(results[index]):
                _hand_over(variable, lod)


def _hand_over(variable: Variable, lod: Sequence[Variable]) -> None:
    """Gives a result the LoD that it has: one of an enclosing block gets it as it gets the rows."""
    if variable.kind == "tensor" and variable.block is not variable.program.current_block():
        assign_lod(variable, lod)
    else:
        set_lod(variable, lod)


def _shared(op: Operator, inputs: Sequence[Any], results: Sequence[Any],
            attrs: dict[str, Any]) -> Iterator[tuple[int, Sequence[Variable]]]:
    """Results, by position, with the offsets that they share with inputs."""
    if callable(op.lod):
        yield 0, op.lod(tuple([level for v in _listed(given) for level in v.lod] for given in inputs), attrs)
        return
    first = next(iter(_listed(inputs[0])), None) if inputs else None
    if op.lod == "joined" and first is not None and _is_along_rows(len(first.shape), attrs):
        yield 0, _joined_lod(_listed(inputs[0]))
        return
    if op.lod == "drop" or first is None or not first.lod or loses_rows(op, len(first.shape), attrs):
        return
    aliases = {index for index, _ in op.aliases}
    for index in range(1 if op.lod == "first" else len(results)):
        rows = [variable.shape[:1] for variable in _listed(results[index])]
        if index not in aliases and rows and all(each == first.shape[:1] for each in rows):
            yield index, first.lod


def _is_along_rows(rank: int, attrs: dict[str, Any]) -> bool:
    return attrs.get("axis", 0) in (0, -rank)


def _joined_lod(variables: Sequence[Variable]) -> list[Variable]:
    """The offsets of several variables' sequences behind each other; none unless each has as many levels."""
    first = variables[0]
    if any(len(each.lod) != len(first.lod) for each in variables):
        return []
    block, joined = first.program.current_block(), []
    for levels in zip(*(each.lod for each in variables), strict=True):
        joined.append(new_offsets(block, block.program.new_name("lod"), first.name))
        block.append("joined_offsets", {"Offsets": [level.name for level in levels]}, {"Out": [joined[-1].name]}, {})
    return joined


def loses_rows(op: Operator, rank: int, attrs: dict[str, Any]) -> bool:
    """Whether by its attributes an operation has other rows than an input with so many dimensions."""
    if op.lod == "joined":
        return _is_along_rows(rank, attrs)
    if op.lod != "rows":
        return False
    reduced = attrs.get("dim")
    return bool(attrs.get("reduce_all")) or not reduced or 0 in reduced or -rank in reduced


def set_lod(variable: Variable, lod: Sequence[Variable]) -> None:
    """Makes these the offsets of a variable."""
    variable.lod, variable.lod_level = tuple(lod), len(lod)


def assign_lod(variable: Variable, lod: Sequence[Variable]) -> None:
    """Gives a variable that keeps its name the offsets of what it is assigned.

    In its own block it has these from there on. One of an enclosing block has offsets of its own then, which are
    assigned to as its rows are. NotImplementedError in a loop that has read others of it before.
    """
    block = variable.program.current_block()
    if [*map(id, lod)] == [*map(id, variable.lod)]:
        return
    if variable.block is block:
        set_lod(variable, lod)
        return
    if len(variable.lod) != len(lod) or not _owns(variable):
        read = {name for op in block.ops for name in op.input_arg_names}
        if block.repeats and any(level.name in read for level in variable.lod):
            raise NotImplementedError(
                f"{variable.name!r} is given other sequences in a loop, after its LoD has been read there: the second "
                "round would read the first one's. Keep it in an array (create_array, array_write, array_read).")
        _take_own(variable, len(lod))
    for level, value in zip(variable.lod, lod, strict=True):
        block.append("assign", {"X": [value.name]}, {"Out": [level.name]}, {})


def own_lod(variable: Variable) -> None:
    """Gives a variable that a loop assigns to, and that has offsets, such as no other one has."""
    if variable.lod and variable.kind == "tensor" and not _owns(variable):
        _take_own(variable, len(variable.lod))


def _owns(variable: Variable) -> bool:
    return all(isinstance(level, OffsetsVariable) and level.of == variable.name for level in variable.lod)


def _take_own(variable: Variable, levels: int) -> None:
    """Makes offsets of a variable's own in its block, with the values of those that it has, or [0]: no sequences."""
    block, old = variable.block, variable.lod
    made = [new_offsets(block, block.program.new_name("lod"), variable.name) for _ in range(levels)]
    for number, level in enumerate(made):
        if len(old) == levels:
            block.append("assign", {"X": [old[number].name]}, {"Out": [level.name]}, {})
        else:
            none = {"shape": [1], "dtype": int64, "values": np.zeros(1, "int64")}
            block.append("assign_value", {}, {"Out": [level.name]}, none)
    set_lod(variable, made)


def select_lod(variable: Variable, lod: Sequence[Variable], other: Sequence[Variable], mask: Variable) -> None:
    """Gives a variable the offsets `lod` where the mask is 0, and `other` where it is 1; none unless both have some."""
    block = variable.block
    if not lod or len(lod) != len(other):
        return
    made = [new_offsets(block, block.program.new_name("lod"), variable.name) for _ in lod]
    for level, *pair in zip(made, lod, other, strict=True):
        block.append("select_input", {"X": [v.name for v in pair], "Mask": [mask.name]}, {"Out": [level.name]}, {})
    set_lod(variable, made)


def _listed(value: Any) -> list[Variable]:
    return [] if value is None else list(value) if isinstance(value, (list, tuple)) else [value]
