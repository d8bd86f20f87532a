"""Operators of gradients of gradients in Programs that PaddlePaddle wrote (`tanh_grad_grad`, `sin_double_grad`).

Such an operator belongs to the operator of a gradient, in whose place stands by then what our rules write. These
operations are differentiated, with respect to what that operator reads and nothing before it, as there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...ops.array.creation import zeros_like
from ..ir.block import Block
from ..ir.operation import Operation
from ..ir.variable import Variable
from .block_graph import BlockGraph

_GRAD, _NONE = "@GRAD", "@EMPTY@"
_TYPE = re.compile(r"(.+)_(?:grad|double)_grad")
#: Slots that hold gradients with respect to a gradient of the first order; the others that end so, to a value.
_OF_GRADIENT = re.compile(r"(?:fwd_)?grad_(\w+)@GRAD|DD(\w+)")
_OF_VALUE = re.compile(r"(\w+)@GRAD|D(\w+)")


def is_second(op: Operation) -> bool:
    """Whether it is of the second order, by its name."""
    return _TYPE.fullmatch(op.type) is not None


def first_of(op: Operation, before: Sequence[Operation]) -> Operation | None:
    """The operation whose gradient it is: the last of the type that knows all that it reads but what comes back."""
    found = _TYPE.fullmatch(op.type)
    type = found and f"{found[1]}_grad"
    coming = [name for slot in op.inputs if _OF_GRADIENT.fullmatch(slot) for name in op.input(slot)]
    read = {name for slot, names in op.inputs.items() if not _OF_GRADIENT.fullmatch(slot) for name in names}
    fitting = [one for one in reversed(before) if one.type == type
               and read <= {*one.input_arg_names, *one.output_arg_names}]
    return next((one for one in fitting if any(name.startswith(result) for name in coming
                                               for result in one.output_arg_names)), None)


def second_gradients(block: Block, op: Operation, first: Operation, written: Sequence[Operation],
                     trace: Any) -> dict[str, Variable] | None:
    """Appends what it computes, by the names that the file has for that; None where our rules do not tell.

    `written`: what stands in the place of `first`.
    """
    sources = [*first.inputs.items(), *first.outputs.items()]
    gradients = {slot.removesuffix(_GRAD).lower(): names for slot, names in sources if slot.endswith(_GRAD)}
    values = {slot.lower(): names for slot, names in sources if not slot.endswith(_GRAD)}
    graph = BlockGraph(block, written)
    coming = _pairs(op.inputs, gradients, {})
    wanted = _pairs(op.outputs, gradients, values)
    roots = [(graph.edge(of), block.var(name)) for name, of in coming.items()]
    edges = {name: graph.edge(of) for name, of in wanted.items()}
    # What our rule reads in place of what the one there reads: the gradient would go another way.
    others = [edge for name, edge in graph.leaves.items() if name not in op.input_arg_names
              and name not in wanted.values()]
    found = graph.walk(trace, [(edge, g) for edge, g in roots if edge is not None], [*edges.values(), *others])
    if any(edge in found for edge in others):
        return None
    made = {name: found.pop(edge, None) for name, edge in edges.items()}  # x * x: all of it once, as they are added
    return {name: zeros_like(block.var(wanted[name])) if each is None else each for name, each in made.items()}


def _pairs(slots: Mapping[str, list[str]], gradients: Mapping[str, list[str]],
           values: Mapping[str, list[str]]) -> dict[str, str]:
    """The names in slots of gradients, each with the name of what it is the gradient with respect to."""
    pairs: dict[str, str] = {}
    for slot, names in slots.items():
        of_gradient, of_value = _OF_GRADIENT.fullmatch(slot), _OF_VALUE.fullmatch(slot)
        found = of_gradient or of_value
        if found is None:
            continue
        of = (gradients if of_gradient else values).get((found[1] or found[2]).lower(), [])
        pairs.update((name, source) for name, source in zip(names, of, strict=False) if _NONE not in (name, source))
    return pairs
