"""`fluid.op`: an operator by its type, the names of its variables and its attributes, to run on a scope.

Tests of 1.x's operators use it where no Program is wanted.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from ..core.lazy import listed
from ..framework import operators
from ..static.files import op_protos
from ..static.format import attributes
from ..static.format import framework_pb2 as pb


def get_all_op_protos() -> list[pb.OpProto]:
    """The message `OpProto` of each operator."""
    return op_protos.all_protos()


@dataclass(frozen=True)
class OpInfo:
    """What an operator takes and gives: slots with whether they hold several variables, and names of attributes."""

    name: str
    method: Any
    inputs: list[tuple[str, bool]]
    outputs: list[tuple[str, bool]]
    attrs: list[str]


class OperatorFactory:
    """Makes operators: `Operator("scale", X="x", Out="y", scale=2.0).run(scope, place)`.

    A slot is given the name of a variable, or a list of names. ValueError for a type that is not known, TypeError for a
    keyword that is neither slot nor attribute.

    >>> import numpy, proa.fluid as fluid
    >>> from proa.fluid.op import Operator
    >>> scope = fluid.core.Scope()
    >>> scope.var("x").get_tensor().set(numpy.array([1.0, 2.0], "float32"), fluid.CPUPlace())
    >>> Operator("scale", X="x", Out="y", scale=2.0).run(scope, fluid.CPUPlace())
    >>> numpy.array(scope.find_var("y").get_tensor()).tolist()
    [2.0, 4.0]
    """

    def __call__(self, *args: str, **kwargs: Any) -> operators.Operator:
        """The operator of a type, which is the one argument without a keyword, or `type`."""
        types = (*args, *([kwargs.pop("type")] if "type" in kwargs else []))
        if len(types) != 1:
            raise ValueError('Operator(type, …): the type is the one argument without a keyword: Operator("scale", '
                             f'X="x", Out="y"). Received {types}.')
        return self.get_op_info(types[0]).method(**kwargs)

    def types(self) -> list[str]:
        """The types of all operators."""
        return [proto.type for proto in get_all_op_protos()]

    def get_op_info(self, t: str) -> OpInfo:
        """What the operator of a type takes and gives; ValueError for one that is not known."""
        try:
            proto = op_protos.proto_of(t)
        except NotImplementedError as error:
            raise ValueError(f"Operator({t!r}): there is no operator of this type.") from error
        return OpInfo(t, functools.partial(_made, proto), [(slot.name, slot.duplicable) for slot in proto.inputs],
                      [(slot.name, slot.duplicable) for slot in proto.outputs], [attr.name for attr in proto.attrs])

    def get_op_inputs(self, type: str) -> list[tuple[str, bool]]:
        """The slots of an operator's inputs, each with whether it holds several."""
        return self.get_op_info(type).inputs

    def get_op_outputs(self, type: str) -> list[tuple[str, bool]]:
        """The slots of an operator's outputs, each with whether it holds several."""
        return self.get_op_info(type).outputs

    def get_op_input_names(self, type: str) -> list[str]:
        """The names of those slots."""
        return [name for name, _ in self.get_op_inputs(type)]

    def get_op_output_names(self, type: str) -> list[str]:
        """The names of those slots."""
        return [name for name, _ in self.get_op_outputs(type)]

    def get_op_attr_names(self, type: str) -> list[str]:
        """The names of an operator's attributes."""
        return self.get_op_info(type).attrs


def _made(proto: pb.OpProto, **given: Any) -> operators.Operator:
    message = pb.OpDesc(type=proto.type)
    for slots, described in ((proto.inputs, message.inputs), (proto.outputs, message.outputs)):
        for slot in slots:
            names = given.pop(slot.name, [])
            names = [names] if isinstance(names, str) else list(names)
            if len(names) > 1 and not slot.duplicable:
                raise ValueError(f"Operator({proto.type!r}, {slot.name}=…): takes one name. Received {names}.")
            if names:
                described.add(parameter=slot.name).arguments.extend(names)
    for attr in proto.attrs:
        if given.get(attr.name) is not None:
            attributes.python_to_attr(message.attrs.add(), attr.name, given[attr.name], attr.type)
        given.pop(attr.name, None)
    if given:
        raise TypeError(f"Operator({proto.type!r}, …): has neither slots nor attributes {sorted(given)}. Slots: "
                        f"{[slot.name for slot in (*proto.inputs, *proto.outputs)]}; attributes: "
                        f"{[attr.name for attr in proto.attrs]}.")
    return operators.Operator(message)


Operator = OperatorFactory()

__all__ = ["OpInfo", "Operator", "OperatorFactory", "get_all_op_protos"]
__dir__ = listed(__name__)
