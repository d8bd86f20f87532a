"""What operators take and give, as PaddlePaddle tells it of its own: messages `OpProto`, made of the declarations.

Code that appends operators by their types asks for them, tests of operators above all.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any

from ...ops.core.decomposition import Decomposition, all_decompositions, find_decomposition
from ...ops.core.operator import Operator, all_operators, find, with_more_inputs
from ...ops.core.signature import Slot
from ..format import attributes as at
from ..format import messages as pb
from .types_in_files import annotated, annotated_types

_OF_EVERY_OPERATOR = {"op_role": at.INT, "op_role_var": at.STRINGS, "op_namescope": at.STRING,
                      "op_callstack": at.STRINGS, "op_device": at.STRING, "with_quant_attr": at.BOOLEAN}


def proto_of(type: str) -> pb.OpProto:
    """The message of an operator; NotImplementedError for a type that is not known."""
    return _message(find_decomposition(type) or find(type))


def all_protos() -> list[pb.OpProto]:
    """Those of all operators that stand in files, by type."""
    declared: list[Any] = [op for op in all_operators() if not op.only_here and op.file_type == op.type]
    return [_message(op) for op in sorted([*declared, *all_decompositions()], key=lambda op: op.type)]


@functools.cache
def _message(op: Operator | Decomposition) -> pb.OpProto:
    message = pb.OpProto(type=op.type, comment="")
    fed = with_more_inputs(op.type) or op
    _add_slots(message.inputs, _beside(op.inputs, fed.inputs))
    _add_slots(message.outputs, _beside(op.outputs, fed.outputs))
    tensors = {slot.name for slot in fed.inputs if slot.is_attribute}
    for name, kind in _attribute_types(op).items():
        message.attrs.add(name=name, type=kind, comment="", support_tensor=name in tensors)
    for name, kind in _OF_EVERY_OPERATOR.items():
        message.attrs.add(name=name, type=kind, comment="", extra=True)
    return message


def _beside(slots: Iterable[Slot], others: Iterable[Slot]) -> list[Slot]:
    """The slots, and those of the others that are not among them."""
    return list({slot.name: slot for slot in (*others, *slots)}.values())


def _add_slots(messages: Any, slots: Iterable[Slot]) -> None:
    for slot in slots:
        if not slot.offsets_of and not slot.is_attribute:  # files have no slots for these
            messages.add(name=slot.name, comment="", duplicable=slot.many,
                         dispensable=slot.optional and not slot.for_gradient,
                         intermediate=slot.for_gradient)


def _attribute_types(op: Operator | Decomposition) -> dict[str, int]:
    if isinstance(op, Decomposition):
        named = inspect.signature(op.function, eval_str=True).parameters
        return {name: at.SCALAR if kind is None else kind
                for name, (kind, _) in ((name, annotated(named[name].annotation)) for name in sorted(op.attributes))}
    return {name: at.SCALAR if kind is None else kind for name, (kind, _) in annotated_types(op).items()}


def attribute_type(type: str, name: str) -> int:
    """The number of an attribute's type; ValueError for an attribute that the operator does not have."""
    for attr in proto_of(type).attrs:
        if attr.name == name:
            return attr.type
    raise ValueError(f"The operator {type!r} has no attribute {name!r}. It has: "
                     f"{', '.join(attr.name for attr in proto_of(type).attrs)}.")
