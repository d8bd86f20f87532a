"""Programs from Programs: for evaluation, and pruned to what an inference needs."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...core.errors import ArgumentError
from ...ops.core.operator import Operator, find, is_declared, unknown_to_paddle
from .block import Block
from .frame import append_fetch_ops, prepend_feed_ops
from .mixed_dtypes import cast_mixed_dtypes
from .operation import BACKWARD_ROLE, OPTIMIZE_ROLE, SCHEDULE_ROLE, SERVERS_ROLE, Operation
from .program import Program
from .usage import needed_operations, reads, sub_block, without_gradient, writes
from .variable import Variable

_LOSS_ROLE = 256
_OF_TRAINING = BACKWARD_ROLE | OPTIMIZE_ROLE | SCHEDULE_ROLE | SERVERS_ROLE
_NO_STATE: Mapping[str, str] = MappingProxyType({})


def for_evaluation(program: Program, custom_gradients: bool = False, framed: bool = True,
                   fetched: Collection[str] = ()) -> Program:
    """A copy in which dropout and batch norm behave as in evaluation, without updates, gradients and their variables.

    Gradients that the forward pass itself reads, as a penalty on them does, stay, and those that are `fetched`.

    With `custom_gradients` it keeps what says how a part of it is to be differentiated, should it be fine-tuned.
    Without `framed` it has no feed and fetch operations either.
    """
    return made_for_evaluation(copy.deepcopy(program) if framed else unframed(program), custom_gradients,
                               fetched)


def made_for_evaluation(result: Program, custom_gradients: bool = False, fetched: Collection[str] = ()) -> Program:
    """The same done to the Program that is given, which nobody else has."""
    before = _mentioned(result)
    for block in result.blocks:
        block.ops = _of_evaluation(block.ops, fetched)
        if not custom_gradients:
            block.ops = [kept for op in block.ops for kept in without_gradient(op)]
        if fetched:
            _check_modes(block.ops)
    read = {name for block in result.blocks for op in block.ops for name in op.input_arg_names}
    for block in result.blocks:
        for op in block.ops:
            _evaluate(op, read)
    gone = before - _mentioned(result)
    for block in result.blocks:
        block.vars = {name: v for name, v in block.vars.items() if name not in gone or v.is_parameter or v.is_data}
    result.host_values = {name: held for name, held in result.host_values.items() if name not in gone}
    result.version += 1
    return result


def _mentioned(program: Program) -> set[str]:
    """The names that operations read and write."""
    return {name for block in program.blocks for op in block.ops
            for name in (*op.input_arg_names, *op.output_arg_names)}


def _of_evaluation(ops: list[Operation], fetched: Collection[str]) -> list[Operation]:
    """The operations without those of training, but for gradients that what stays reads, a penalty on them say."""
    kept: list[Operation] = []
    read = set(fetched)
    for op in reversed(ops):
        is_read = _role(op) & ~_LOSS_ROLE == BACKWARD_ROLE and not read.isdisjoint(op.output_arg_names)
        if is_read or not _is_training_only(op):
            kept.append(op)
            read.update(op.input_arg_names)
    return kept[::-1]


def _check_modes(ops: Sequence[Operation]) -> None:
    """NotImplementedError where a gradient reads what an operator gives for it in training alone, a mask say."""
    read = {name for op in ops if _role(op) & ~_LOSS_ROLE == BACKWARD_ROLE for name in op.input_arg_names}
    for op in ops:
        if op.attrs.get("is_test") is False and not op.attrs.get("use_global_stats") and is_declared(op.type) \
                and _has_modes(find(op.type)):
            beside = [name for slot in find(op.type).results[1:] for name in op.output(slot.name)]
            if not read.isdisjoint(beside):
                raise NotImplementedError(
                    f"A gradient that is fetched is that of {op.type} in training, and a saved model is one of "
                    "evaluation. Ask for the gradient in main.clone(for_test=True), and save that.")


def _role(op: Operation) -> int:
    role = op.attrs.get("op_role", 0)
    return role if isinstance(role, int) else 0


def _is_training_only(op: Operation) -> bool:
    return bool(_role(op) & ~_LOSS_ROLE & _OF_TRAINING)


def _evaluate(op: Operation, read: set[str]) -> None:
    """Sets the mode, unless all that it changes is that something which is read is not computed, as eigenvectors."""
    if is_declared(op.type) and not _has_modes(find(op.type)) and not read.isdisjoint(
            name for slot in find(op.type).results[1:] for name in op.output(slot.name)):
        return
    if "is_test" in op.attrs or (is_declared(op.type) and "is_test" in find(op.type).attributes):
        op.set_attr("is_test", True)


def in_training(program: Program, kept: Program) -> list[Operation]:
    """The operations of a Program that draw at random or take a batch's own statistics, and do neither in `kept`, a
    copy of it for evaluation, which has them too.
    """
    made = {name for block in kept.blocks for op in block.ops for name in writes(op)}
    return [op for block in program.blocks for op in block.ops if op.attrs.get("is_test") is False
            and sub_block(op) is None and not made.isdisjoint(op.output_arg_names) and _has_modes(find(op.type))
            and not op.attrs.get("use_global_stats") and op.attrs.get("dropout_prob", 1) != 0]


def _has_modes(operator: Operator) -> bool:
    """Whether `is_test` changes what it computes: what it draws, or which statistics it takes and moves."""
    return operator.random or bool(operator.aliases)


def for_inference(program: Program, feeds: Sequence[str], fetches: Sequence[str],
                  state: Mapping[str, str] = _NO_STATE) -> Program:
    """A copy for evaluation that holds only what the fetched values need of the fed ones, framed by feed and fetch.

    `state`: the names of persistable values that each run is to change, with those of what they become; such a value
    is changed where the fetched ones need it. Gradients of the user's own stay, and what they need, unless PaddlePaddle
    has no operator for that. An operator on floats of several dtypes stands between casts. Raises ValueError, naming
    them, when the fetched values need values that are neither fed nor persistable.
    """
    result = _pruned(for_evaluation(program, custom_gradients=True, fetched=fetches), feeds, fetches, state)
    if _only_here(result):
        without = _pruned(for_evaluation(program, fetched=fetches), feeds, fetches, state)
        more = [kind for kind in _only_here(result) if kind not in _only_here(without)]
        if more:
            warnings.warn("The gradients of PyLayers are left out of the model: they need operators that only proa has "
                          f"({', '.join(more)}). Where it is fine-tuned, no gradient flows there.", stacklevel=2)
            result = without
    cast_mixed_dtypes(result, fetches)
    prepend_feed_ops(result, feeds)
    append_fetch_ops(result, fetches)
    result.version += 1
    return result


def pruned_to(program: Program, fed: Any, targets: Any) -> Program:
    """A copy with the operations that the targets need of the fed values, and no others.

    `targets`: Variables, names and operations, one or several; an operation is there itself. Raises TypeError for
    something else, ValueError for a target that is not there, and for a fed value that is no name.
    """
    for name in fed:
        if not isinstance(name, str):
            raise ValueError(f"_prune_with_input(feeded_var_names): must be names. Received {name!r}.")
    wanted: set[str] = set()
    kept: set[int] = set()
    block = program.global_block()
    for target in targets if isinstance(targets, (list, tuple)) else [targets]:
        if isinstance(target, Operation):
            kept.add(target.idx)
        elif isinstance(target, (str, Variable)):
            wanted.add(block.var(target if isinstance(target, str) else target.name).name)
        else:
            raise ArgumentError(f"targets: must be Variables, names or operations. Received {type(target).__name__}.")
    result = copy.deepcopy(program)
    block, known = result.global_block(), set(fed)
    ops = []
    for number, op in reversed([*enumerate(block.ops)]):
        if number in kept or not (wanted - known).isdisjoint(writes(op)):
            ops.append(op)
            wanted.update(reads(op))
    block.ops = ops[::-1]
    used = {name for op in ops for name in (*reads(op), *writes(op))} | wanted | known
    block.vars = {name: v for name, v in block.vars.items() if name in used}
    _keep_reachable_blocks(result)
    result.version += 1
    return result


def without_readers(program: Any) -> Any:
    """The Program without the operations and variables of readers, which feed it by themselves."""
    for block in program.blocks:
        block.ops = [op for op in block.ops if op.type not in ("read", "create_double_buffer_reader")]
        block.vars = {name: v for name, v in block.vars.items() if v.kind != "reader"}
    program.version += 1
    return program


def _only_here(program: Program) -> list[str]:
    """The operators that PaddlePaddle does not have, without those that files do without."""
    types = {op.type for block in program.blocks for op in block.ops} - {"custom_gradient"}
    return unknown_to_paddle(types)


def _pruned(result: Program, feeds: Sequence[str], fetches: Sequence[str], state: Mapping[str, str]) -> Program:
    """The Program, without what the fetched values, and the state that these read, do not need.

    Assertions go, but for those that a value is there: nobody made one where they do not hold.
    """
    block = result.global_block()
    _append_changes(block, state)
    made: set[str] = {*feeds, *_offsets(block, feeds)}
    wanted = _with_state(block, {*fetches, *_offsets(block, fetches)}, state)
    ops = [op for op in needed_operations(block.ops, wanted)
           if not set(writes(op)) <= made or sub_block(op) or op.attrs.get("message") in result.lacking]
    used = {name for op in ops for name in (*reads(op), *writes(op))} | made | wanted
    _check_inputs(block, ops, made, fetches)
    block.ops = ops
    block.vars = {name: v for name, v in block.vars.items() if name in used}
    result.readers = {}  # what they filled is fed
    result.host_values = {name: source for name, source in result.host_values.items() if name in block.vars}
    _keep_reachable_blocks(result)
    return result


def _offsets(block: Block, names: Sequence[str]) -> list[str]:
    """The names of what lies beside variables as the offsets of their rows."""
    return [level.name for name in names if name in block.vars for level in block.vars[name].lod]


def _append_changes(block: Block, state: Mapping[str, str]) -> None:
    """Assigns to state what it becomes; what other state was at first is put aside before any of it changes."""
    changes = {name: last for name, last in state.items() if name != last}
    for name, last in changes.items():
        if last in state:
            aside = block.new_var(None, block.var(last).shape, block.var(last).dtype)
            block.append("assign", {"X": [last]}, {"Out": [aside.name]}, {})
            changes[name] = aside.name
    for name, last in changes.items():
        block.append("assign", {"X": [last]}, {"Out": [name]}, {})


def _with_state(block: Block, wanted: set[str], state: Mapping[str, str]) -> set[str]:
    """The wanted names, and those of state that is read for them."""
    while True:
        read = {name for op in needed_operations(block.ops, wanted) for name in reads(op)}
        more = (read | wanted) & state.keys() - wanted
        if not more:
            return wanted
        wanted = wanted | more


def _check_inputs(block: Block, ops: list[Operation], feeds: set[str], fetches: Sequence[str]) -> None:
    known = set(feeds)
    missing = []
    for op in ops:
        missing += [n for n in reads(op) if n not in known and _is_input(block, n)]
        known.update(writes(op))
    missing += [n for n in fetches if n not in known and _is_input(block, n)]
    if missing:
        raise ValueError(
            f"The outputs {list(fetches)} depend on inputs that are not among the feeds {sorted(feeds)}: "
            f"{sorted(set(missing))}."
        )


def _is_input(block: Block, name: str) -> bool:
    variable = block.vars.get(name)
    return variable is not None and variable.kind == "tensor" and not variable.persistable


def _keep_reachable_blocks(program: Program) -> None:
    kept = [program.blocks[0]]
    for block in kept:
        kept.extend(inner for op in block.ops if (inner := sub_block(op)) is not None)
    numbers = {block.idx: n for n, block in enumerate(kept)}
    for block in kept:
        for op in block.ops:
            if "sub_block" in op.attrs:
                op.attrs["sub_block"] = numbers[op.attrs["sub_block"]]
        block.parent_idx = numbers.get(block.parent_idx, -1)
        block.forward_block_idx = numbers.get(block.forward_block_idx, -1)
    for block in kept:
        block.idx = numbers[block.idx]
    program.blocks = kept
    program.current_block_idx = 0


def persistable_names(program: Program) -> list[str]:
    """The persistable values that the file of parameters holds, in its order (sorted)."""
    return sorted(v.name for v in program.list_vars() if v.persistable and v.kind == "tensor")


def unframed(program: Program) -> Program:
    """A copy without feed and fetch operations, as one that runs within another."""
    return without_frame(copy.deepcopy(program))


def without_frame(result: Program) -> Program:
    """The same done to the Program that is given, which nobody else has."""
    block = result.global_block()
    block.ops = [op for op in block.ops if op.type not in ("feed", "fetch")]
    block.vars = {n: v for n, v in block.vars.items() if v.kind not in ("feed", "fetch")}
    return result


def set_training(program: Program) -> None:
    """Makes dropout and batch norm of a loaded Program behave as in training.

    Outputs that an inference file leaves out (a dropout's mask) get variables.
    """
    for block in program.blocks:
        for op in block.ops:
            if op.attrs.get("is_test") is True and not sub_block(op):
                op.set_attr("is_test", False)
            if is_declared(op.type) and not sub_block(op):
                complete_outputs(block, op, find(op.type))


def complete_outputs(block: Block, op: Operation, operator: Operator) -> None:
    """Gives a variable to each result that a file leaves out: where nothing but a gradient reads it."""
    missing = [n for n, slot in enumerate(operator.results) if not op.output(slot.name) and not slot.many]
    if not missing:
        return
    inputs = [[block.var(name).spec for name in op.input(slot.name)] for slot in operator.inputs]
    given = tuple((found or slot.nothing) if slot.many else found[0] if found else None
                  for found, slot in zip(inputs, operator.inputs, strict=True))
    specs = operator.infer_specs(given, {k: v for k, v in op.attrs.items() if k in operator.attributes})
    for index in missing:
        slot, spec = operator.results[index], specs[index]
        if slot.alias:
            op.set_output(slot.name, list(op.input(slot.alias)))
        elif spec is not None:
            made = block.new_var(block.program.new_name(op.type), spec.shape, spec.dtype)
            op.set_output(slot.name, [made.name])
