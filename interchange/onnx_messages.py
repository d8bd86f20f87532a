"""The messages of an ONNX file (onnx.proto), as far as a graph's nodes and names need them.

The fields have the numbers that ONNX gave them; what is not declared here is kept as it came.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto
_TEXT = _FIELD.TYPE_STRING
_MESSAGES: dict[str, dict[str, tuple[int, Any, bool]]] = {
    "Model": {"graph": (7, "Graph", False)},
    "Graph": {"node": (1, "Node", True), "initializer": (5, "Tensor", True), "input": (11, "ValueInfo", True),
              "output": (12, "ValueInfo", True)},
    "Node": {"input": (1, _TEXT, True), "output": (2, _TEXT, True), "name": (3, _TEXT, False),
             "op_type": (4, _TEXT, False), "attribute": (5, "Attribute", True)},
    "Attribute": {"name": (1, _TEXT, False), "g": (6, "Graph", False), "graphs": (11, "Graph", True)},
    "Tensor": {"name": (8, _TEXT, False)},
    "ValueInfo": {"name": (1, _TEXT, False), "type": (2, "Type", False)},
    "Type": {"tensor_type": (1, "TensorType", False)},
    "TensorType": {"shape": (2, "Shape", False)},
    "Shape": {"dim": (1, "Size", True)},
    "Size": {},
}
"""Of each message, by name: a field's number, its type, and whether it may be there more than once."""


def _model_class() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="proa_onnx.proto", package="proa_onnx", syntax="proto2")
    for message, fields in _MESSAGES.items():
        declared = file.message_type.add(name=message)
        for name, (number, kind, repeated) in fields.items():
            field = declared.field.add(name=name, number=number,
                                       label=_FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL)
            if isinstance(kind, str):
                field.type, field.type_name = _FIELD.TYPE_MESSAGE, f".proa_onnx.{kind}"
            else:
                field.type = kind
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    described = pool.FindMessageTypeByName("proa_onnx.Model")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(described)
    old: Any = message_factory.MessageFactory(pool)  # protobuf before 4.22
    return old.GetPrototype(described)


Model: Any = _model_class()
