"""Operators of ours alone in files: what PaddlePaddle has in their place, so that it runs what gradients are made of.

A gradient here is made of operators that often are nobody else's (`expand_to_shape`). `paddle_forms` says what a
file has for each: operators that PaddlePaddle has too, or its own operator of a gradient (`conv2d_grad`), for which
our rules stand when the file is read (`static/autodiff/gradient_operators.py`).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping

from ...ops.core.decomposition import Decomposition
from ...ops.core.operator import find, unknown_to_paddle
from ...ops.core.trace import grad_mode
from ..building.trace import GradientTrace
from ..ir.block import Block
from ..ir.decomposed import append_parts
from ..ir.operation import Operation
from ..ir.program import Program


def to_file(program: Program) -> Program:
    """The Program as files have it: itself where it has none of these operators, otherwise a copy."""
    if not any(only_ours(op.type, op.inputs) for block in program.blocks for op in block.ops):
        return program
    from .paddle_forms import FORMS  # for Programs with gradients

    result = copy.deepcopy(program)
    current, trace = result.current_block_idx, GradientTrace(result)
    for block in result.blocks:
        operations, block.ops, result.current_block_idx = block.ops, [], block.idx
        for op in operations:
            _write(block, op, FORMS, trace)
    result.current_block_idx = current
    return result


def only_ours(type: str, slots: Iterable[str]) -> bool:
    """Whether PaddlePaddle has no operator of a type with inputs in these slots.

    Some of its operators of gradients have the name of one of ours, and other slots.
    """
    if not unknown_to_paddle([type]):
        return False
    known = {slot.name for slot in find(type).inputs}
    return not any(slot.endswith("@GRAD") and slot not in known for slot in slots)


def _write(block: Block, op: Operation, forms: Mapping[str, Decomposition], trace: GradientTrace) -> None:
    """Appends an operation, or what stands for it, with its role and line; itself where nothing does."""
    form, begin = forms.get(op.type) if only_ours(op.type, op.inputs) else None, len(block.ops)
    if form is None:
        block.ops.append(op)
        return
    try:
        with grad_mode(True):
            append_parts(op, form, trace)
    except NotImplementedError:  # of these inputs or attributes PaddlePaddle has no operator
        block.ops[begin:] = [op]
        return
    parts, block.ops = block.ops[begin:], block.ops[:begin]
    for each in parts:
        each.source = op.source
        each.attrs.pop("op_role", None)
        each.attrs.update({name: op.attrs[name] for name in ("op_role", "op_role_var") if name in op.attrs})
        _write(block, each, forms, trace)
