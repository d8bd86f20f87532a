"""LoD between a Program and its file, which holds no offsets: there an operation finds them with its inputs' rows.

Operations of gradients take the offsets of values that they do not take themselves. They carry an attribute that says
whose offsets these are.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...ops.core.operator import Operator, find, is_declared
from ...ops.core.spec import Spec
from ...ops.program.tensor_arrays import ArraySpec, write_op
from ..ir.block import Block
from ..ir.lod import assign_lod, carry, fed_offsets, new_offsets, own_lod, select_lod, set_lod, with_offsets
from ..ir.operation import Operation
from ..ir.program import Program
from ..ir.usage import block_reads, block_writes, sub_block
from ..ir.variable import Variable
from .decomposed import take_apart

WHOSE = "whose_lod"
"""An attribute in files: slot, variable and level of each of the offsets that an operation takes, by tabs."""
_ALL = "*"  # in place of a level: all of them; only where a Program gets other levels


def to_file(program: Program) -> Program:
    """The Program as files have it: itself where it has no LoD, otherwise a copy of it."""
    if not program.has_lod:
        return program
    result = copy.deepcopy(program)
    owners: dict[str, tuple[str, int]] = {}  # the first variable that has them: it has them when others read them
    for variable in (variable for block in result.blocks for variable in block.vars.values()):
        for level, offsets in enumerate(variable.lod):
            owners.setdefault(offsets.name, (variable.name, level))
    for block in result.blocks:
        block.ops = [op for op in block.ops if not _makes_offsets_alone(op)]
        for op in block.ops:
            _say_whose(op, owners)
            _leave_out_offsets(op)
    for block in result.blocks:
        block.vars = {name: variable for name, variable in block.vars.items() if not variable.is_offsets}
    return result


def _say_whose(op: Operation, owners: dict[str, tuple[str, int]]) -> None:
    """Notes offsets that whoever reads the file would not find with the operation's inputs."""
    if not is_declared(op.type) or find(op.type).runs_block or find(op.type) is write_op:
        return  # of a list that is written its own offsets are the ones
    slots, said, in_gradient = find(op.type).inputs, [], op._is_backward_op()
    implied = {slot.name: [level.name for name in op.input(slot.offsets_of) for level in op.block.var(name).lod]
               for slot in slots if slot.offsets_of}
    for slot in slots:
        names = op.input(slot.name)
        if names and (in_gradient or names != implied.get(slot.name)) and _are_offsets(op.block, names):
            said += ["\t".join((slot.name, *map(str, owners[name]))) for name in names if name in owners]
    if said:
        op.attrs[WHOSE] = said


def _take_whose(block: Block, op: Operation) -> None:
    for text in op.attrs.pop(WHOSE, ()):
        slot, name, level = text.split("\t")
        lod = block.var(name).lod
        op.set_input(slot, [*op.input(slot), *(each.name for each in (lod if level == _ALL else [lod[int(level)]]))])


def _leave_out_offsets(op: Operation) -> None:
    for side in (op.inputs, op.outputs):
        for slot, names in list(side.items()):
            kept = [name for name in names if not _are_offsets(op.block, [name])]
            if names and not kept:
                del side[slot]
            else:
                side[slot] = kept
    op._reads = op._writes = None


def _are_offsets(block: Block, names: list[str]) -> bool:
    found = [block.find_var(name) for name in names]
    return bool(found) and all(variable is not None and variable.is_offsets for variable in found)


def _makes_offsets_alone(op: Operation) -> bool:
    return _are_offsets(op.block, op.output_arg_names)


def from_file(program: Program, source: str = "") -> None:
    """Puts offsets beside the variables of a Program that was read, as building it would have done.

    Operations that stand for several others are taken apart on the way. `source`: what errors call the file.
    """
    block = program.global_block()
    written = {name for each in program.blocks for op in each.ops if op.type != "feed" for name in op.output_arg_names}
    for variable in list(block.vars.values()):
        if variable.lod_level and variable.kind == "tensor" and not variable.persistable \
                and variable.name not in written:
            fed_offsets(variable)
    if program.has_lod or any(_has_slots(op) for each in program.blocks for op in each.ops):
        _complete(block, set(), source)


def with_levels(program: Program, levels: Mapping[str, int]) -> Program:
    """A copy of a Program, as building it would have made it with these numbers of levels for inputs by name.

    Raises ValueError where an operator does not take so many.
    """
    result = to_file(program)
    for block, before in zip(result.blocks, program.blocks, strict=True):
        for op in block.ops:
            if WHOSE in op.attrs:
                op.attrs[WHOSE] = _whatever_levels(before, op.attrs[WHOSE])
        for name, variable in block.vars.items():
            variable.lod, variable.lod_level = (), levels.get(name, variable.lod_level)
    result.has_lod = False
    result.plans.clear()
    from_file(result)
    for block, before in zip(result.blocks, program.blocks, strict=True):
        _named_after(block, before)
    return result


def _named_after(block: Block, before: Block) -> None:
    """Gives what has no LoD that of the first variable whose it had before: gradients have that of what they are of."""
    owners: dict[tuple[str, ...], str] = {}
    for name, variable in before.vars.items():
        if variable.lod and not variable.is_offsets:
            owner = owners.setdefault(tuple(level.name for level in variable.lod), name)
            if not block.vars[name].lod:
                set_lod(block.vars[name], block.vars[owner].lod)


def _whatever_levels(block: Block, texts: Sequence[str]) -> list[str]:
    """What says whose offsets an operation takes, where variables get other levels: all, or from the last."""
    found: dict[tuple[str, str], list[int]] = {}
    for text in texts:
        slot, name, level = text.split("\t")
        found.setdefault((slot, name), []).append(int(level))
    said = []
    for (slot, name), numbers in found.items():
        count = len(block.var(name).lod)
        said += [(slot, name, _ALL)] if numbers == [*range(count)] else [(slot, name, str(n - count)) for n in numbers]
    return ["\t".join(each) for each in said]


def _has_slots(op: Operation) -> bool:
    return is_declared(op.type) and bool(find(op.type).given_offsets or find(op.type).made_offsets)


def _complete(block: Block, known: set[str], source: str) -> None:
    """Gives the operations of a block, and of those that it runs, the offsets that they read and make."""
    operations, block.ops = block.ops, []
    program, current = block.program, block.program.current_block_idx
    program.current_block_idx = block.idx
    for op in operations:
        inner = sub_block(op)
        if inner is not None:
            for name in block_writes(inner) if op.type == "while" else ():
                own_lod(block.var(name))
            _complete(inner, known, source)
        if take_apart(op, source):
            known.update(op.output_arg_names)
            continue
        block.ops.append(op)
        if inner is not None:
            _complete_control_flow(op, inner)
        elif is_declared(op.type):
            _complete_operation(block, op, find(op.type), known)
        known.update(op.output_arg_names)
    program.current_block_idx = current


def _complete_control_flow(op: Operation, inner: Block) -> None:
    """Names the offsets that a branch or loop reads and writes among what its operation does."""
    def offsets(names: Iterable[str]) -> list[str]:
        return [name for name in names if _are_offsets(op.block, [name])]

    written = offsets(block_writes(inner))
    read = dict.fromkeys([*offsets(block_reads(inner)), *written])
    slot = {"conditional_block": "Input", "recurrent": "parameters"}.get(op.type, "X")
    if read:
        op.set_input(slot, [*op.input(slot), *read])
    if written:
        op.set_output("Out", [*op.output("Out"), *written])


def _complete_operation(block: Block, op: Operation, operator: Operator, known: set[str]) -> None:
    _take_whose(block, op)
    if any(block.find_var(name) is None for name in (*op.input_arg_names, *op.output_arg_names)):
        return  # a file that does not have the variables: whoever runs it will say so
    inputs: Any = with_offsets(operator, [_values(block, op.input(slot.name), slot.many) for slot in operator.inputs])
    for index, _ in operator.given_offsets:
        op.set_input(operator.inputs[index].name, [level.name for level in inputs[index]])
    results: Any = [_values(block, op.output(slot.name), slot.many) for slot in operator.results]
    if results and results[0] is None:
        return  # a file that lacks the result, as above
    _declare_ranks(op, operator, inputs, results)
    if operator is write_op and results[0].is_list:
        op.set_input("array_lod", [level.name for level in results[0].levels_for(inputs[0].lod)])
        op.set_output("out_lod", op.input("array_lod"))
        return
    for index, of in operator.made_offsets:
        if results[of] is not None:
            results[index] = _made_offsets(block, op, operator, index, inputs)
    if op.type == "assign" and (results[0].block is not block or not known.isdisjoint(op.output_arg_names)):
        assign_lod(results[0], inputs[0].lod)
    elif op.type == "select_input":
        (first, second), mask = inputs
        select_lod(results[0], first.lod, second.lod, mask)
    else:
        carry(operator, inputs, results, op.attrs)


def _declare_ranks(op: Operation, operator: Operator, inputs: tuple, results: list[Any]) -> None:
    """Declares results of which the file says nothing: 1.8.5 knows no shape behind `beam_search_decode`."""
    if all(not isinstance(made, Variable) or 0 not in (made.shape or (0,)) for made in results):
        return
    try:
        specs = _inferred(op, operator, inputs)
    except (ValueError, TypeError, IndexError):  # the run itself will tell the user, with the place
        return
    for made, spec in zip(results, specs, strict=True):
        if isinstance(made, Variable) and isinstance(spec, Spec) and not isinstance(spec, ArraySpec):
            made.shape, made._dtype = spec.shape, spec.dtype


def _inferred(op: Operation, operator: Operator, inputs: tuple) -> tuple:
    """What an operator's rule says of an operation."""
    def spec(value: Variable | list[Variable] | None) -> object:
        return [v.spec for v in value] if isinstance(value, list) else None if value is None else value.spec

    attrs = {**operator.defaults, **{k: v for k, v in op.attrs.items() if k in operator.attributes}}
    return operator.infer_specs(tuple(map(spec, inputs)), attrs)


def _made_offsets(block: Block, op: Operation, operator: Operator, index: int, inputs: tuple) -> list[Variable]:
    """Variables for the offsets that an operation gives: as many as its rule says."""
    levels = _inferred(op, operator, inputs)[index]
    of = operator.results[index].offsets_of or ""
    made = [new_offsets(block, block.program.new_name("lod"), of, level) for level in levels]
    op.set_output(operator.results[index].name, [level.name for level in made])
    return made


def _values(block: Block, names: list[str], many: bool) -> Variable | list[Variable] | None:
    found = [block.var(name) for name in names if block.find_var(name) is not None]
    return found if many else found[0] if found else None
