"""`paddle.framework.core`: the few names of Paddle's native module that Python code asks for.

Gradients here are always written with other operators, which is what Paddle's `prim` switches turn on: they are kept,
and change nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, MutableMapping
from typing import Any

from ..core import dtype as dt
from ..core import flags
from ..core.lazy import require
from ..core.paddle_flags import DEFAULTS
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place
from ..core.random import Generator, default_generator
from ..core.var_type import AttrType, VarType
from ..device import (
    CustomPlace,
    IPUPlace,
    XPUPlace,
    get_all_custom_device_type,
    is_compiled_with_cinn,
    is_compiled_with_cuda,
    is_compiled_with_custom_device,
    is_compiled_with_distribute,
    is_compiled_with_ipu,
    is_compiled_with_rocm,
    is_compiled_with_xpu,
)
from ..device.cuda import device_count as get_cuda_device_count
from ..dygraph.engine import backward
from ..dygraph.guards import is_grad_enabled, set_grad_enabled
from ..dygraph.tensor import Tensor as EagerTensor
from ..ops.amp import counting
from ..ops.math.elementwise import scale as apply_scale
from ..static.ir import descriptions
from ..static.ir.batch_source import EOFException
from ..static.ir.descriptions import BlockDesc, OpDesc
from ..static.ir.graph import graph_of
from ..static.ir.graph_nodes import IrNode as Node
from ..static.program import Program
from ..static.run.lod_tensor import LoDTensor, LoDTensorArray
from ..static.run.scope import Scope
from ..static.run.selected_rows import SelectedRows
from .operators import (
    Operator,
    _get_all_register_op_kernels,
    get_all_op_protos,
    get_attrtibute_type,
    get_grad_op_desc,
    get_op_extra_attrs,
    has_empty_grad_op_maker,
    has_grad_op_maker,
    has_infer_inplace,
    has_non_empty_grad_op_maker,
    infer_no_need_buffer_slots,
    op_support_gpu,
)

Graph = graph_of
_Scope = Scope
Tensor = LoDTensor  # what a scope holds; eager ones are `eager.Tensor`

_prim = {"forward": False, "backward": False, "eager": False}


class op_proto_and_checker_maker:
    """What operators are for, by the numbers that stand in files, and the names of the attributes that say so."""

    class OpRole(enum.IntFlag):
        """Which part of a training step an operator belongs to."""

        Forward = 0
        Backward = 1
        Optimize = 2
        RPC = 4
        Dist = 8
        LRSched = 16
        Loss = 256

    kOpRoleAttrName = staticmethod(lambda: "op_role")
    kOpRoleVarAttrName = staticmethod(lambda: "op_role_var")
    kOpNameScopeAttrName = staticmethod(lambda: "op_namescope")
    kOpCreationCallstackAttrName = staticmethod(lambda: "op_callstack")
    kOpDeviceAttrName = staticmethod(lambda: "op_device")


def _set_prim_forward_enabled(enabled: bool) -> None:
    """Is kept."""
    _prim["forward"] = bool(enabled)


def _set_prim_backward_enabled(enabled: bool) -> None:
    """Is kept."""
    _prim["backward"] = bool(enabled)


def _set_prim_all_enabled(enabled: bool) -> None:
    """Is kept."""
    _prim.update(forward=bool(enabled), backward=bool(enabled))


def _is_fwd_prim_enabled() -> bool:
    """What was said last."""
    return _prim["forward"]


def _is_bwd_prim_enabled() -> bool:
    """What was said last."""
    return _prim["backward"]


def _is_all_prim_enabled() -> bool:
    """Whether both were said."""
    return _prim["forward"] and _prim["backward"]


def check_and_set_prim_all_enabled() -> None:
    """Nothing: what was said last stays."""


def set_prim_eager_enabled(enabled: bool) -> None:
    """Is kept."""
    _prim["eager"] = bool(enabled)


def _is_eager_prim_enabled() -> bool:
    """What was said last."""
    return _prim["eager"]


def default_cpu_generator() -> Generator:
    """The random generator of the CPU.

    >>> import proa as paddle
    >>> state = paddle.framework.core.default_cpu_generator().get_state()
    >>> first = paddle.rand([2]); paddle.framework.core.default_cpu_generator().set_state(state)
    >>> paddle.rand([2]).tolist() == first.tolist()
    True
    """
    return default_generator(CPUPlace())


def default_cuda_generator(device_id: int = 0) -> Generator:
    """The random generator of a CUDA device."""
    return default_generator(CUDAPlace(device_id))


def from_dlpack(dlpack: Any) -> EagerTensor:
    """`paddle.utils.dlpack.from_dlpack`.

    >>> import proa as paddle
    >>> capsule = paddle.utils.dlpack.to_dlpack(paddle.to_tensor([1.0, 2.0]))
    >>> paddle.framework.core.from_dlpack(capsule).tolist()
    [1.0, 2.0]
    """
    found: EagerTensor = require("DLPack").from_dlpack(dlpack)
    return found


def get_custom_device_count(device_type: str) -> int:
    """The number of devices of a kind that a plug-in brings: 0."""
    return 0


class _Globals(MutableMapping):
    """The flags by name, read and set as in a dict."""

    def __getitem__(self, name: str) -> Any:
        try:
            return flags.get_flag(name)
        except ValueError as error:
            raise KeyError(name) from error

    def __setitem__(self, name: str, value: Any) -> None:
        flags.set_flags({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError(f"del core.globals()[{name!r}]: a flag is set, and not taken away.")

    def __iter__(self) -> Iterator[str]:
        return iter({**flags.values, **DEFAULTS})

    def __len__(self) -> int:
        return len({**flags.values, **DEFAULTS})

    def is_public(self, name: str) -> bool:
        """Whether `paddle.set_flags` takes a flag: all that there are."""
        return name in self


def globals() -> MutableMapping[str, Any]:
    """The flags by name, which can be set by it, too.

    >>> import proa as paddle
    >>> flags = paddle.framework.core.globals()
    >>> flags["FLAGS_check_nan_inf"]
    False
    """
    return _Globals()


def is_compiled_with_mkldnn() -> bool:
    """False: oneDNN is a library that is looked for when it is needed."""
    return False


def is_bfloat16_supported(place: Place) -> bool:
    """True: bfloat16 is computed by way of float32 where a processor has none."""
    return True


def is_float16_supported(place: Place) -> bool:
    """True: as `is_bfloat16_supported`."""
    return True


def is_compiled_with_dist() -> bool:
    """False: processes talk by mpi4py, where it is installed."""
    return False


def is_compiled_with_brpc() -> bool:
    """False."""
    return False


def is_compiled_with_nccl() -> bool:
    """False."""
    return False


def is_compiled_with_mpi() -> bool:
    """False."""
    return False


def supports_bfloat16() -> bool:
    """False: there is no oneDNN that would compute in bfloat16."""
    return False


def supports_int8() -> bool:
    """False, as `supports_bfloat16`."""
    return False


def is_cuda_graph_capturing() -> bool:
    """False: calls are not recorded."""
    return False


def kEmptyVarName() -> str:
    """What stands in a slot in place of a variable that is not wanted."""
    return "@EMPTY@"


empty_var_name = kEmptyVarName


def grad_var_suffix() -> str:
    """What a gradient's name ends with."""
    return "@GRAD"


kGradVarSuffix = grad_var_suffix


def size_of_dtype(dtype: Any) -> int:
    """How many bytes an element has.

    >>> import proa as paddle
    >>> paddle.framework.core.size_of_dtype(paddle.float64)
    8
    """
    return dt.convert_dtype(dtype).dtype.itemsize


def get_low_precision_op_list() -> dict[str, str]:
    """How often operators ran in float16, bfloat16, float32 and other dtypes while they were counted last: "1,0,0,0".

    >>> import proa as paddle
    >>> with paddle.amp.debugging.collect_operator_stats():
    ...     y = paddle.ones([2]).exp()
    <...
    >>> paddle.framework.core.get_low_precision_op_list()["exp"]
    '0,0,1,0'
    """
    return {type: ",".join(map(str, counts)) for type, counts in counting.latest.items()}


def clear_low_precision_op_list() -> None:
    """Forgets them."""
    counting.latest.clear()


def set_variable(scope: Scope, tensor: LoDTensor, name: str) -> None:
    """Puts a value into a scope under a name."""
    scope.var(name).get_tensor()._share_data_with(tensor)


def get_variable_tensor(scope: Scope, name: str) -> LoDTensor:
    """The value that a scope holds under a name; ValueError where it has no such variable.

    >>> import numpy, proa as paddle
    >>> core = paddle.framework.core
    >>> value, scope = core.LoDTensor(), core.Scope()
    >>> value.set(numpy.ones(2), paddle.CPUPlace())
    >>> core.set_variable(scope, value, "x")
    >>> core.get_variable_tensor(scope, "x").shape()
    [2]
    """
    found = scope.find_var(name)
    if found is None:
        raise ValueError(f"get_variable_tensor(scope, {name!r}): the scope has {scope.local_var_names()}.")
    return found.get_tensor()


class _Eager:
    """`core.eager`: the class of Tensors, and the functions below Paddle's Python code."""

    Tensor = EagerTensor

    @staticmethod
    def scale(x: Any, scale: float, bias: float, bias_after_scale: bool, trace_backward: bool) -> Any:
        """`paddle.scale`; without `trace_backward` no gradient flows."""
        with set_grad_enabled(trace_backward and is_grad_enabled()):
            return apply_scale(x, scale, bias, bias_after_scale)

    @staticmethod
    def run_backward(tensors: list[Any], grad_tensors: list[Any], retain_graph: bool) -> None:
        """`paddle.autograd.backward`; without gradients, [], each begins with ones."""
        backward(tensors, grad_tensors or None, retain_graph)

    @property
    def ops(self) -> Any:
        """`paddle._C_ops`."""
        return require("functions below the public ones")


eager = _Eager()


class ProgramDesc(descriptions.ProgramDesc):
    """What `Program.desc` is, of the bytes of a `.pdmodel` or `__model__` file; of an empty Program without any.

    CorruptFileError where the bytes hold no Program.

    >>> import proa as paddle
    >>> program = paddle.static.Program()
    >>> paddle.framework.core.ProgramDesc(program.serialized()).num_blocks()
    1
    """

    def __init__(self, binary_str: bytes = b""):
        super().__init__(Program.parse_from_string(binary_str) if binary_str else Program())


class EnforceNotMet(RuntimeError):
    """What Paddle's native code raises where a check fails; what fails here raises ValueError, TypeError and the like.

    >>> import proa as paddle
    >>> issubclass(paddle.framework.core.EnforceNotMet, RuntimeError)
    True
    """


class VarDesc:
    """Holds the old names of the element types and of what variables hold: `VarDesc.VarType.FP32`."""

    class VarType:
        """The element types and what `x.type` tells, by their names in files."""

        BOOL, INT8, UINT8, INT16, INT32, INT64 = dt.bool_, dt.int8, dt.uint8, dt.int16, dt.int32, dt.int64
        FP16, BF16, FP32, FP64 = dt.float16, dt.bfloat16, dt.float32, dt.float64
        COMPLEX64, COMPLEX128 = dt.complex64, dt.complex128
        LOD_TENSOR, LOD_TENSOR_ARRAY = VarType.LOD_TENSOR, VarType.LOD_TENSOR_ARRAY
        SELECTED_ROWS, SPARSE_COO, SPARSE_CSR = VarType.SELECTED_ROWS, VarType.SPARSE_COO, VarType.SPARSE_CSR
        FEED_MINIBATCH, FETCH_LIST, STEP_SCOPES = VarType.FEED_MINIBATCH, VarType.FETCH_LIST, VarType.STEP_SCOPES
        LOD_RANK_TABLE, PLACE_LIST, READER = VarType.LOD_RANK_TABLE, VarType.PLACE_LIST, VarType.READER
        RAW, STRING, STRINGS, VOCAB = VarType.RAW, VarType.STRING, VarType.STRINGS, VarType.VOCAB


__all__ = ["AttrType", "BlockDesc", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "CustomPlace", "EOFException",
           "EnforceNotMet", "IPUPlace", "LoDTensor", "LoDTensorArray", "Node", "OpDesc", "Operator", "Place",
           "ProgramDesc", "Scope", "SelectedRows", "Tensor", "VarDesc", "XPUPlace",
           "_get_all_register_op_kernels", "check_and_set_prim_all_enabled", "clear_low_precision_op_list",
           "default_cpu_generator", "default_cuda_generator", "eager", "from_dlpack", "get_all_custom_device_type",
           "get_all_op_protos", "get_attrtibute_type", "get_cuda_device_count", "get_custom_device_count",
           "get_grad_op_desc", "get_low_precision_op_list",
           "get_op_extra_attrs", "get_variable_tensor", "globals", "grad_var_suffix",
           "is_compiled_with_brpc", "is_compiled_with_dist", "is_compiled_with_mpi", "is_compiled_with_nccl",
           "is_cuda_graph_capturing", "kEmptyVarName", "empty_var_name", "set_variable", "size_of_dtype",
           "supports_bfloat16", "supports_int8", "has_empty_grad_op_maker", "has_grad_op_maker", "has_infer_inplace",
           "has_non_empty_grad_op_maker", "infer_no_need_buffer_slots", "is_bfloat16_supported",
           "is_compiled_with_cinn", "is_compiled_with_cuda", "is_compiled_with_custom_device",
           "is_compiled_with_distribute",
           "is_compiled_with_ipu", "is_compiled_with_mkldnn", "is_compiled_with_rocm", "is_compiled_with_xpu",
           "is_float16_supported", "op_support_gpu", "set_prim_eager_enabled"]


_OF_PREDICTORS = ("AnalysisConfig", "PaddleBuf", "PaddlePredictor", "PaddleTensor", "create_paddle_predictor")


def __getattr__(name: str) -> Any:
    """What runs saved models as Paddle 1.x did stands above this module, in `fluid.core`, and is here too."""
    if name in _OF_PREDICTORS:
        return getattr(require("predictors of 1.x"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
