from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

BLOCK: AttrType
BLOCKS: AttrType
BOOLEAN: AttrType
BOOLEANS: AttrType
DESCRIPTOR: _descriptor.FileDescriptor
FLOAT: AttrType
FLOAT64: AttrType
FLOAT64S: AttrType
FLOATS: AttrType
INT: AttrType
INTS: AttrType
LONG: AttrType
LONGS: AttrType
SCALAR: AttrType
SCALARS: AttrType
STRING: AttrType
STRINGS: AttrType
VAR: AttrType
VARS: AttrType

class BlockDesc(_message.Message):
    __slots__ = ["forward_block_idx", "idx", "ops", "parent_idx", "vars"]
    FORWARD_BLOCK_IDX_FIELD_NUMBER: _ClassVar[int]
    IDX_FIELD_NUMBER: _ClassVar[int]
    OPS_FIELD_NUMBER: _ClassVar[int]
    PARENT_IDX_FIELD_NUMBER: _ClassVar[int]
    VARS_FIELD_NUMBER: _ClassVar[int]
    forward_block_idx: int
    idx: int
    ops: _containers.RepeatedCompositeFieldContainer[OpDesc]
    parent_idx: int
    vars: _containers.RepeatedCompositeFieldContainer[VarDesc]
    def __init__(self, idx: _Optional[int] = ..., parent_idx: _Optional[int] = ..., vars: _Optional[_Iterable[_Union[VarDesc, _Mapping]]] = ..., ops: _Optional[_Iterable[_Union[OpDesc, _Mapping]]] = ..., forward_block_idx: _Optional[int] = ...) -> None: ...

class Complex(_message.Message):
    __slots__ = ["i", "r"]
    I_FIELD_NUMBER: _ClassVar[int]
    R_FIELD_NUMBER: _ClassVar[int]
    i: float
    r: float
    def __init__(self, r: _Optional[float] = ..., i: _Optional[float] = ...) -> None: ...

class OpDesc(_message.Message):
    __slots__ = ["attrs", "inputs", "is_target", "outputs", "type"]
    class Attr(_message.Message):
        __slots__ = ["b", "block_idx", "blocks_idx", "bools", "f", "float64", "float64s", "floats", "i", "ints", "l", "longs", "name", "s", "scalar", "scalars", "strings", "type", "var_name", "vars_name"]
        BLOCKS_IDX_FIELD_NUMBER: _ClassVar[int]
        BLOCK_IDX_FIELD_NUMBER: _ClassVar[int]
        BOOLS_FIELD_NUMBER: _ClassVar[int]
        B_FIELD_NUMBER: _ClassVar[int]
        FLOAT64S_FIELD_NUMBER: _ClassVar[int]
        FLOAT64_FIELD_NUMBER: _ClassVar[int]
        FLOATS_FIELD_NUMBER: _ClassVar[int]
        F_FIELD_NUMBER: _ClassVar[int]
        INTS_FIELD_NUMBER: _ClassVar[int]
        I_FIELD_NUMBER: _ClassVar[int]
        LONGS_FIELD_NUMBER: _ClassVar[int]
        L_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        SCALARS_FIELD_NUMBER: _ClassVar[int]
        SCALAR_FIELD_NUMBER: _ClassVar[int]
        STRINGS_FIELD_NUMBER: _ClassVar[int]
        S_FIELD_NUMBER: _ClassVar[int]
        TYPE_FIELD_NUMBER: _ClassVar[int]
        VARS_NAME_FIELD_NUMBER: _ClassVar[int]
        VAR_NAME_FIELD_NUMBER: _ClassVar[int]
        b: bool
        block_idx: int
        blocks_idx: _containers.RepeatedScalarFieldContainer[int]
        bools: _containers.RepeatedScalarFieldContainer[bool]
        f: float
        float64: float
        float64s: _containers.RepeatedScalarFieldContainer[float]
        floats: _containers.RepeatedScalarFieldContainer[float]
        i: int
        ints: _containers.RepeatedScalarFieldContainer[int]
        l: int
        longs: _containers.RepeatedScalarFieldContainer[int]
        name: str
        s: str
        scalar: Scalar
        scalars: _containers.RepeatedCompositeFieldContainer[Scalar]
        strings: _containers.RepeatedScalarFieldContainer[str]
        type: AttrType
        var_name: str
        vars_name: _containers.RepeatedScalarFieldContainer[str]
        def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[AttrType, str]] = ..., i: _Optional[int] = ..., f: _Optional[float] = ..., s: _Optional[str] = ..., ints: _Optional[_Iterable[int]] = ..., floats: _Optional[_Iterable[float]] = ..., strings: _Optional[_Iterable[str]] = ..., b: bool = ..., bools: _Optional[_Iterable[bool]] = ..., block_idx: _Optional[int] = ..., l: _Optional[int] = ..., blocks_idx: _Optional[_Iterable[int]] = ..., longs: _Optional[_Iterable[int]] = ..., float64s: _Optional[_Iterable[float]] = ..., var_name: _Optional[str] = ..., vars_name: _Optional[_Iterable[str]] = ..., float64: _Optional[float] = ..., scalar: _Optional[_Union[Scalar, _Mapping]] = ..., scalars: _Optional[_Iterable[_Union[Scalar, _Mapping]]] = ...) -> None: ...
    class Var(_message.Message):
        __slots__ = ["arguments", "parameter"]
        ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
        PARAMETER_FIELD_NUMBER: _ClassVar[int]
        arguments: _containers.RepeatedScalarFieldContainer[str]
        parameter: str
        def __init__(self, parameter: _Optional[str] = ..., arguments: _Optional[_Iterable[str]] = ...) -> None: ...
    ATTRS_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    IS_TARGET_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    attrs: _containers.RepeatedCompositeFieldContainer[OpDesc.Attr]
    inputs: _containers.RepeatedCompositeFieldContainer[OpDesc.Var]
    is_target: bool
    outputs: _containers.RepeatedCompositeFieldContainer[OpDesc.Var]
    type: str
    def __init__(self, type: _Optional[str] = ..., inputs: _Optional[_Iterable[_Union[OpDesc.Var, _Mapping]]] = ..., outputs: _Optional[_Iterable[_Union[OpDesc.Var, _Mapping]]] = ..., attrs: _Optional[_Iterable[_Union[OpDesc.Attr, _Mapping]]] = ..., is_target: bool = ...) -> None: ...

class OpProto(_message.Message):
    __slots__ = ["attrs", "comment", "inputs", "outputs", "type"]
    class Attr(_message.Message):
        __slots__ = ["comment", "extra", "generated", "name", "quant", "support_tensor", "type"]
        COMMENT_FIELD_NUMBER: _ClassVar[int]
        EXTRA_FIELD_NUMBER: _ClassVar[int]
        GENERATED_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        QUANT_FIELD_NUMBER: _ClassVar[int]
        SUPPORT_TENSOR_FIELD_NUMBER: _ClassVar[int]
        TYPE_FIELD_NUMBER: _ClassVar[int]
        comment: str
        extra: bool
        generated: bool
        name: str
        quant: bool
        support_tensor: bool
        type: AttrType
        def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[AttrType, str]] = ..., comment: _Optional[str] = ..., generated: bool = ..., extra: bool = ..., quant: bool = ..., support_tensor: bool = ...) -> None: ...
    class Var(_message.Message):
        __slots__ = ["comment", "dispensable", "duplicable", "extra", "intermediate", "name", "quant"]
        COMMENT_FIELD_NUMBER: _ClassVar[int]
        DISPENSABLE_FIELD_NUMBER: _ClassVar[int]
        DUPLICABLE_FIELD_NUMBER: _ClassVar[int]
        EXTRA_FIELD_NUMBER: _ClassVar[int]
        INTERMEDIATE_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        QUANT_FIELD_NUMBER: _ClassVar[int]
        comment: str
        dispensable: bool
        duplicable: bool
        extra: bool
        intermediate: bool
        name: str
        quant: bool
        def __init__(self, name: _Optional[str] = ..., comment: _Optional[str] = ..., duplicable: bool = ..., intermediate: bool = ..., dispensable: bool = ..., extra: bool = ..., quant: bool = ...) -> None: ...
    ATTRS_FIELD_NUMBER: _ClassVar[int]
    COMMENT_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    attrs: _containers.RepeatedCompositeFieldContainer[OpProto.Attr]
    comment: str
    inputs: _containers.RepeatedCompositeFieldContainer[OpProto.Var]
    outputs: _containers.RepeatedCompositeFieldContainer[OpProto.Var]
    type: str
    def __init__(self, type: _Optional[str] = ..., inputs: _Optional[_Iterable[_Union[OpProto.Var, _Mapping]]] = ..., outputs: _Optional[_Iterable[_Union[OpProto.Var, _Mapping]]] = ..., attrs: _Optional[_Iterable[_Union[OpProto.Attr, _Mapping]]] = ..., comment: _Optional[str] = ...) -> None: ...

class OpVersion(_message.Message):
    __slots__ = ["version"]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class OpVersionMap(_message.Message):
    __slots__ = ["pair"]
    class OpVersionPair(_message.Message):
        __slots__ = ["op_name", "op_version"]
        OP_NAME_FIELD_NUMBER: _ClassVar[int]
        OP_VERSION_FIELD_NUMBER: _ClassVar[int]
        op_name: str
        op_version: OpVersion
        def __init__(self, op_name: _Optional[str] = ..., op_version: _Optional[_Union[OpVersion, _Mapping]] = ...) -> None: ...
    PAIR_FIELD_NUMBER: _ClassVar[int]
    pair: _containers.RepeatedCompositeFieldContainer[OpVersionMap.OpVersionPair]
    def __init__(self, pair: _Optional[_Iterable[_Union[OpVersionMap.OpVersionPair, _Mapping]]] = ...) -> None: ...

class ProgramDesc(_message.Message):
    __slots__ = ["blocks", "op_version_map", "version"]
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    OP_VERSION_MAP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    blocks: _containers.RepeatedCompositeFieldContainer[BlockDesc]
    op_version_map: OpVersionMap
    version: Version
    def __init__(self, blocks: _Optional[_Iterable[_Union[BlockDesc, _Mapping]]] = ..., version: _Optional[_Union[Version, _Mapping]] = ..., op_version_map: _Optional[_Union[OpVersionMap, _Mapping]] = ...) -> None: ...

class Scalar(_message.Message):
    __slots__ = ["b", "c", "i", "r", "type"]
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BOOLEAN: Scalar.Type
    B_FIELD_NUMBER: _ClassVar[int]
    COMPLEX128: Scalar.Type
    C_FIELD_NUMBER: _ClassVar[int]
    FLOAT64: Scalar.Type
    I_FIELD_NUMBER: _ClassVar[int]
    LONG: Scalar.Type
    R_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    b: bool
    c: Complex
    i: int
    r: float
    type: Scalar.Type
    def __init__(self, type: _Optional[_Union[Scalar.Type, str]] = ..., b: bool = ..., i: _Optional[int] = ..., r: _Optional[float] = ..., c: _Optional[_Union[Complex, _Mapping]] = ...) -> None: ...

class VarDesc(_message.Message):
    __slots__ = ["attrs", "is_parameter", "name", "need_check_feed", "persistable", "stop_gradient", "type"]
    class Attr(_message.Message):
        __slots__ = ["i", "ints", "name", "s", "type"]
        INTS_FIELD_NUMBER: _ClassVar[int]
        I_FIELD_NUMBER: _ClassVar[int]
        NAME_FIELD_NUMBER: _ClassVar[int]
        S_FIELD_NUMBER: _ClassVar[int]
        TYPE_FIELD_NUMBER: _ClassVar[int]
        i: int
        ints: _containers.RepeatedScalarFieldContainer[int]
        name: str
        s: str
        type: AttrType
        def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[AttrType, str]] = ..., i: _Optional[int] = ..., s: _Optional[str] = ..., ints: _Optional[_Iterable[int]] = ...) -> None: ...
    ATTRS_FIELD_NUMBER: _ClassVar[int]
    IS_PARAMETER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NEED_CHECK_FEED_FIELD_NUMBER: _ClassVar[int]
    PERSISTABLE_FIELD_NUMBER: _ClassVar[int]
    STOP_GRADIENT_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    attrs: _containers.RepeatedCompositeFieldContainer[VarDesc.Attr]
    is_parameter: bool
    name: str
    need_check_feed: bool
    persistable: bool
    stop_gradient: bool
    type: VarType
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[VarType, _Mapping]] = ..., persistable: bool = ..., need_check_feed: bool = ..., is_parameter: bool = ..., stop_gradient: bool = ..., attrs: _Optional[_Iterable[_Union[VarDesc.Attr, _Mapping]]] = ...) -> None: ...

class VarType(_message.Message):
    __slots__ = ["lod_tensor", "reader", "selected_rows", "sparse_coo", "sparse_csr", "string", "strings", "tensor_array", "tuple", "type", "vocab"]
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class LoDTensorArrayDesc(_message.Message):
        __slots__ = ["lod_level", "tensor"]
        LOD_LEVEL_FIELD_NUMBER: _ClassVar[int]
        TENSOR_FIELD_NUMBER: _ClassVar[int]
        lod_level: int
        tensor: VarType.TensorDesc
        def __init__(self, tensor: _Optional[_Union[VarType.TensorDesc, _Mapping]] = ..., lod_level: _Optional[int] = ...) -> None: ...
    class LoDTensorDesc(_message.Message):
        __slots__ = ["lod_level", "tensor"]
        LOD_LEVEL_FIELD_NUMBER: _ClassVar[int]
        TENSOR_FIELD_NUMBER: _ClassVar[int]
        lod_level: int
        tensor: VarType.TensorDesc
        def __init__(self, tensor: _Optional[_Union[VarType.TensorDesc, _Mapping]] = ..., lod_level: _Optional[int] = ...) -> None: ...
    class ReaderDesc(_message.Message):
        __slots__ = ["lod_tensor"]
        LOD_TENSOR_FIELD_NUMBER: _ClassVar[int]
        lod_tensor: _containers.RepeatedCompositeFieldContainer[VarType.LoDTensorDesc]
        def __init__(self, lod_tensor: _Optional[_Iterable[_Union[VarType.LoDTensorDesc, _Mapping]]] = ...) -> None: ...
    class TensorDesc(_message.Message):
        __slots__ = ["data_type", "dims"]
        DATA_TYPE_FIELD_NUMBER: _ClassVar[int]
        DIMS_FIELD_NUMBER: _ClassVar[int]
        data_type: VarType.Type
        dims: _containers.RepeatedScalarFieldContainer[int]
        def __init__(self, data_type: _Optional[_Union[VarType.Type, str]] = ..., dims: _Optional[_Iterable[int]] = ...) -> None: ...
    class Tuple(_message.Message):
        __slots__ = ["element_type"]
        ELEMENT_TYPE_FIELD_NUMBER: _ClassVar[int]
        element_type: _containers.RepeatedScalarFieldContainer[VarType.Type]
        def __init__(self, element_type: _Optional[_Iterable[_Union[VarType.Type, str]]] = ...) -> None: ...
    BF16: VarType.Type
    BOOL: VarType.Type
    COMPLEX128: VarType.Type
    COMPLEX64: VarType.Type
    FEED_LIST: VarType.Type
    FEED_MINIBATCH: VarType.Type
    FETCH_LIST: VarType.Type
    FP16: VarType.Type
    FP32: VarType.Type
    FP64: VarType.Type
    INT16: VarType.Type
    INT32: VarType.Type
    INT64: VarType.Type
    INT8: VarType.Type
    LOD_RANK_TABLE: VarType.Type
    LOD_TENSOR: VarType.Type
    LOD_TENSOR_ARRAY: VarType.Type
    LOD_TENSOR_FIELD_NUMBER: _ClassVar[int]
    PLACE_LIST: VarType.Type
    PSTRING: VarType.Type
    RAW: VarType.Type
    READER: VarType.Type
    READER_FIELD_NUMBER: _ClassVar[int]
    SELECTED_ROWS: VarType.Type
    SELECTED_ROWS_FIELD_NUMBER: _ClassVar[int]
    SIZE_T: VarType.Type
    SPARSE_COO: VarType.Type
    SPARSE_COO_FIELD_NUMBER: _ClassVar[int]
    SPARSE_CSR: VarType.Type
    SPARSE_CSR_FIELD_NUMBER: _ClassVar[int]
    STEP_SCOPES: VarType.Type
    STRING: VarType.Type
    STRINGS: VarType.Type
    STRINGS_FIELD_NUMBER: _ClassVar[int]
    STRING_FIELD_NUMBER: _ClassVar[int]
    TENSOR_ARRAY_FIELD_NUMBER: _ClassVar[int]
    TUPLE: VarType.Type
    TUPLE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    UINT8: VarType.Type
    VOCAB: VarType.Type
    VOCAB_FIELD_NUMBER: _ClassVar[int]
    lod_tensor: VarType.LoDTensorDesc
    reader: VarType.ReaderDesc
    selected_rows: VarType.TensorDesc
    sparse_coo: VarType.TensorDesc
    sparse_csr: VarType.TensorDesc
    string: VarType.TensorDesc
    strings: VarType.TensorDesc
    tensor_array: VarType.LoDTensorArrayDesc
    tuple: VarType.Tuple
    type: VarType.Type
    vocab: VarType.TensorDesc
    def __init__(self, type: _Optional[_Union[VarType.Type, str]] = ..., selected_rows: _Optional[_Union[VarType.TensorDesc, _Mapping]] = ..., lod_tensor: _Optional[_Union[VarType.LoDTensorDesc, _Mapping]] = ..., tensor_array: _Optional[_Union[VarType.LoDTensorArrayDesc, _Mapping]] = ..., reader: _Optional[_Union[VarType.ReaderDesc, _Mapping]] = ..., tuple: _Optional[_Union[VarType.Tuple, _Mapping]] = ..., string: _Optional[_Union[VarType.TensorDesc, _Mapping]] = ..., strings: _Optional[_Union[VarType.TensorDesc, _Mapping]] = ..., vocab: _Optional[_Union[VarType.TensorDesc, _Mapping]] = ..., sparse_coo: _Optional[_Union[VarType.TensorDesc, _Mapping]] = ..., sparse_csr: _Optional[_Union[VarType.TensorDesc, _Mapping]] = ...) -> None: ...

class Version(_message.Message):
    __slots__ = ["version"]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class AttrType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
