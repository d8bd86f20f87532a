"""The messages of OFRecord files: `OFRecord` has a `Feature` by each name, a list of bytes or of numbers.

    import oneflow.core.record.record_pb2 as ofrecord
    record = ofrecord.OFRecord(feature={"label": ofrecord.Feature(int32_list=ofrecord.Int32List(value=[7]))})

A file has, for each record, its length as 8 bytes, little-endian, and the record's message behind it.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

__all__ = ["BytesList", "DoubleList", "Feature", "FloatList", "Int32List", "Int64List", "OFRecord"]

_FIELD = descriptor_pb2.FieldDescriptorProto
_LISTS = (("bytes", _FIELD.TYPE_BYTES), ("float", _FIELD.TYPE_FLOAT), ("double", _FIELD.TYPE_DOUBLE),
          ("int32", _FIELD.TYPE_INT32), ("int64", _FIELD.TYPE_INT64))
_PACKAGE = "oneflow"


def _message(file: Any, name: str) -> Any:
    message = file.message_type.add()
    message.name = name
    return message


def _add(message: Any, name: str, number: int, kind: Any, label: Any = _FIELD.LABEL_OPTIONAL, of: str = "",
         **more: Any) -> Any:
    field = message.field.add(name=name, number=number, type=kind, label=label, **more)
    if of:
        field.type_name = f".{_PACKAGE}.{of}"
    return field


def _described() -> Any:
    """The messages of OneFlow's record.proto."""
    file = descriptor_pb2.FileDescriptorProto(name="oneflow/core/record/record.proto", package=_PACKAGE,
                                              syntax="proto2")
    feature, record = descriptor_pb2.DescriptorProto(name="Feature"), descriptor_pb2.DescriptorProto(name="OFRecord")
    feature.oneof_decl.add(name="kind")
    for number, (name, kind) in enumerate(_LISTS, 1):
        values = _add(_message(file, f"{name.capitalize()}List"), "value", 1, kind, _FIELD.LABEL_REPEATED)
        values.options.packed = kind != _FIELD.TYPE_BYTES
        _add(feature, f"{name}_list", number, _FIELD.TYPE_MESSAGE, of=f"{name.capitalize()}List", oneof_index=0)
    entry = record.nested_type.add(name="FeatureEntry")
    entry.options.map_entry = True
    _add(entry, "key", 1, _FIELD.TYPE_STRING)
    _add(entry, "value", 2, _FIELD.TYPE_MESSAGE, of="Feature")
    _add(record, "feature", 1, _FIELD.TYPE_MESSAGE, _FIELD.LABEL_REPEATED, of="OFRecord.FeatureEntry")
    file.message_type.extend([feature, record])
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_described().SerializeToString())


def _class_of(name: str) -> Any:
    descriptor = _pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return getattr(message_factory.MessageFactory(_pool), "GetPrototype")(descriptor)  # of protobuf before 4.22


BytesList, FloatList, DoubleList = _class_of("BytesList"), _class_of("FloatList"), _class_of("DoubleList")
Int32List, Int64List = _class_of("Int32List"), _class_of("Int64List")
Feature, OFRecord = _class_of("Feature"), _class_of("OFRecord")
