from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Array(_message.Message):
    __slots__ = ["data", "dtype", "shape"]
    DATA_FIELD_NUMBER: _ClassVar[int]
    DTYPE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    dtype: str
    shape: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, dtype: _Optional[str] = ..., shape: _Optional[_Iterable[int]] = ..., data: _Optional[bytes] = ...) -> None: ...

class Caller(_message.Message):
    __slots__ = ["finished", "process", "sequence", "trainer"]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TRAINER_FIELD_NUMBER: _ClassVar[int]
    finished: int
    process: int
    sequence: int
    trainer: int
    def __init__(self, trainer: _Optional[int] = ..., process: _Optional[int] = ..., sequence: _Optional[int] = ..., finished: _Optional[int] = ...) -> None: ...

class Reply(_message.Message):
    __slots__ = ["lacks", "process", "round", "text", "total", "value", "waits"]
    LACKS_FIELD_NUMBER: _ClassVar[int]
    PROCESS_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    WAITS_FIELD_NUMBER: _ClassVar[int]
    lacks: bool
    process: int
    round: int
    text: str
    total: int
    value: Array
    waits: bool
    def __init__(self, process: _Optional[int] = ..., round: _Optional[int] = ..., waits: bool = ..., lacks: bool = ..., text: _Optional[str] = ..., value: _Optional[_Union[Array, _Mapping]] = ..., total: _Optional[int] = ...) -> None: ...

class Request(_message.Message):
    __slots__ = ["caller", "has_rows", "height", "ids", "name", "offset", "round", "total", "value"]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    HAS_ROWS_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    caller: Caller
    has_rows: bool
    height: int
    ids: Array
    name: str
    offset: int
    round: int
    total: int
    value: Array
    def __init__(self, caller: _Optional[_Union[Caller, _Mapping]] = ..., name: _Optional[str] = ..., value: _Optional[_Union[Array, _Mapping]] = ..., ids: _Optional[_Union[Array, _Mapping]] = ..., has_rows: bool = ..., height: _Optional[int] = ..., offset: _Optional[int] = ..., total: _Optional[int] = ..., round: _Optional[int] = ...) -> None: ...
