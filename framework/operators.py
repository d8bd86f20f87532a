"""What `paddle.framework.core` tells of operators, and one operator by itself: from its message, run on a scope.

Tests of operators ask for these: what there is, what an operator takes, and its results where it stands in no Program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..core.place import Place
from ..ops.core.operator import all_operators, is_declared
from ..static.files import op_protos
from ..static.format import framework_pb2 as pb
from ..static.format.attributes import attr_value
from ..static.ir.descriptions import OpDesc
from ..static.program import Program
from ..static.run.executor import Executor
from ..static.run.scope import Scope

_GRAD = "_grad"


def get_all_op_protos() -> list[bytes]:
    """What each operator takes and gives, as the bytes of a message `OpProto`.

    >>> import proa as paddle
    >>> messages = paddle.framework.core.get_all_op_protos()
    >>> types = [paddle.base.proto.framework_pb2.OpProto.FromString(each).type for each in messages]
    >>> "softmax" in types
    True
    """
    return [message.SerializeToString() for message in op_protos.all_protos()]


def get_op_extra_attrs(op_type: str) -> dict[str, Any]:
    """Attributes that choose how an operator is computed, by name: none here."""
    return {}


def get_attrtibute_type(op_type: str, attr_name: str) -> int:
    """The number of the type of an attribute, by the name that Paddle gives this function.

    ValueError for an attribute that the operator does not have.

    >>> import proa as paddle
    >>> paddle.framework.core.get_attrtibute_type("softmax", "axis") == paddle.base.proto.framework_pb2.INT
    True
    """
    return op_protos.attribute_type(op_type, attr_name)


def _get_all_register_op_kernels(lib: str = "all") -> dict[str, list[str]]:
    """By type the places where an operator is computed, and with `_grad` behind it those of its gradient."""
    types = [op.type for op in all_operators() if not op.only_here]
    with_gradient = [op.type + _GRAD for op in all_operators() if op.gradient is not None and not op.only_here]
    return {type: ["Place(cpu)"] for type in (*types, *with_gradient)}


def has_grad_op_maker(op_type: str) -> bool:
    """Whether an operator has a gradient.

    >>> import proa as paddle
    >>> paddle.framework.core.has_grad_op_maker("softmax"), paddle.framework.core.has_grad_op_maker("equal")
    (True, False)
    """
    return any(op.type == op_type and op.gradient is not None for op in all_operators())


has_non_empty_grad_op_maker = has_grad_op_maker


def has_empty_grad_op_maker(op_type: str) -> bool:
    """Whether it is said of an operator that it has no gradient."""
    return is_declared(op_type) and not has_grad_op_maker(op_type)


def get_grad_op_desc(op_desc: OpDesc, no_grad_set: set[str], blocks: list[Any]) -> tuple[list[OpDesc], dict[str, str]]:
    """No descriptions, and no names: a gradient here is several operators, which `append_backward` appends.

    NotImplementedError for a type that is not known.
    """
    op_protos.proto_of(op_desc.type())
    return [], {}


def has_infer_inplace(op_type: str) -> bool:
    """False: which results are written into the memory of which inputs is decided where a Program is compiled."""
    return False


def infer_no_need_buffer_slots(op_type: str, inputs: Any, outputs: Any, attrs: Any) -> set[str]:
    """The inputs of which an operator reads the shape alone, as far as it is said: none."""
    return set()


def op_support_gpu(op_type: str) -> bool:
    """Whether there is a GPU that the operator can run on."""
    from ..device import is_compiled_with_cuda

    return is_compiled_with_cuda() and is_declared(op_type)


class Operator:
    """One operator with the names of its variables and its attributes.

    >>> import numpy, proa as paddle
    >>> core = paddle.framework.core
    >>> message = paddle.base.proto.framework_pb2.OpDesc(type="relu")
    >>> message.inputs.add(parameter="X").arguments.append("x")
    >>> message.outputs.add(parameter="Out").arguments.append("y")
    >>> operator, scope = core.Operator.create(message.SerializeToString()), core.Scope()
    >>> scope.var("x").get_tensor().set(numpy.array([-1.0, 2.0], "float32"), paddle.CPUPlace())
    >>> operator.run(scope, paddle.CPUPlace())
    >>> numpy.array(scope.find_var("y").get_tensor()).tolist()
    [0.0, 2.0]
    """

    def __init__(self, message: pb.OpDesc):
        self._message = message
        self._programs: dict[tuple, tuple[Program, list[str]]] = {}

    @staticmethod
    def create(serialized: bytes) -> Operator:
        """The operator of the bytes of a message `OpDesc`; ValueError where they are none."""
        try:
            return Operator(pb.OpDesc.FromString(serialized))
        except Exception as error:
            raise ValueError(f"Operator.create(bytes): these bytes hold no OpDesc: {error}") from error

    def type(self) -> str:
        """The operator's type."""
        return self._message.type

    def inputs(self) -> dict[str, list[str]]:
        """The names of the inputs by slot."""
        return {slot.parameter: list(slot.arguments) for slot in self._message.inputs}

    def outputs(self) -> dict[str, list[str]]:
        """The names of the outputs by slot."""
        return {slot.parameter: list(slot.arguments) for slot in self._message.outputs}

    def input_vars(self) -> list[str]:
        """The names of all inputs."""
        return _names(self.inputs())

    def output_vars(self) -> list[str]:
        """The names of all outputs."""
        return _names(self.outputs())

    def support_gpu(self) -> bool:
        """Whether there is a GPU that it can run on."""
        return op_support_gpu(self.type())

    def run(self, scope: Scope, place: Place) -> None:
        """Computes the outputs of what the scope holds for the inputs, and puts them there.

        RuntimeError for an input that holds nothing.
        """
        given, held = {}, Scope()
        for name in dict.fromkeys(self.input_vars()):
            if scope.var(name).is_rows:  # an Executor is fed with whole matrices, but finds rows in a scope as they are
                held.set_array(name, scope.var(name).get_selected_rows().matrix())
            else:
                given[name] = scope.var(name).get_tensor()
        arrays = {name: given[name]._held() if name in given else held.array(name)
                  for name in dict.fromkeys(self.input_vars())}
        levels = {name: len(given[name].lod()) if name in given else 0 for name in arrays}
        key = tuple([(name, a.shape, a.dtype, levels[name], name in given) for name, a in arrays.items()])
        if key not in self._programs:
            self._programs[key] = self._program(arrays, levels, given)
        program, results = self._programs[key]
        found = Executor(place).run(program, feed=given, fetch_list=results, scope=held, return_numpy=False)
        for name, value in zip(results, found, strict=True):
            scope.var(name).take(value)

    def _program(self, arrays: Mapping[str, Any], levels: Mapping[str, int],
                 fed: Iterable[str]) -> tuple[Program, list[str]]:
        """The operator as a Program for arrays like these, and which results it has."""
        program = Program()
        block = program.global_block()
        for name, array in arrays.items():
            block.new_var(name, array.shape, array.dtype.name, is_data=name in fed, stop_gradient=True,
                          persistable=name not in fed, lod_level=levels[name])
        for name in dict.fromkeys(self.output_vars()):
            if not block.has_var(name):
                block.new_var(name, stop_gradient=True)
        attrs = {attr.name: attr_value(attr) for attr in self._message.attrs}
        block.append_op(type=self.type(), inputs=self.inputs(), outputs=self.outputs(), attrs=attrs)
        made = dict.fromkeys(self.output_vars())
        return program, [name for name in made if block.var(name)._dtype is not None]


def _names(slots: Mapping[str, Iterable[str]]) -> list[str]:
    return [name for names in slots.values() for name in names]
