"""`fluid.core`: the names of Paddle 1.x's native module that Python code asks for."""

from __future__ import annotations

from ..core.lazy import listed
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace, Place
from ..device import is_compiled_with_cuda
from ..device.cuda import device_count as get_cuda_device_count
from ..framework.core import (
    EnforceNotMet,
    VarDesc,
    globals,
    is_compiled_with_brpc,
    is_compiled_with_dist,
    is_compiled_with_mkldnn,
    kEmptyVarName,
    kGradVarSuffix,
    op_proto_and_checker_maker,
)
from ..static.ir.batch_source import EOFException
from ..static.ir.descriptions import BlockDesc, OpDesc, ProgramDesc
from ..static.run.lod_tensor import LoDTensor, LoDTensorArray
from ..static.run.scope import Scope
from . import core_ops as ops
from .dygraph.backward_strategy import BackwardStrategy
from .dygraph.parallel import ParallelStrategy
from .dygraph.varbase import VarBase
from .inference_api import (
    AnalysisConfig,
    NativeConfig,
    PaddleBuf,
    PaddleDType,
    PaddlePredictor,
    PaddleTensor,
    create_paddle_predictor,
)
from .later_names import later


def save_op_compatible_info(desc: ProgramDesc) -> None:
    """Nothing: files say of which version their operators are without being told to."""


__all__ = [
    "AnalysisConfig", "BackwardStrategy", "BlockDesc", "CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "EOFException",
    "EnforceNotMet", "LoDTensor", "LoDTensorArray", "NativeConfig", "OpDesc", "PaddleBuf", "PaddleDType",
    "PaddlePredictor", "PaddleTensor", "ParallelStrategy", "Place", "ProgramDesc", "Scope", "VarBase", "VarDesc",
    "create_paddle_predictor", "get_cuda_device_count", "globals", "is_compiled_with_brpc", "is_compiled_with_cuda",
    "is_compiled_with_dist",
    "is_compiled_with_mkldnn", "kEmptyVarName", "kGradVarSuffix", "op_proto_and_checker_maker", "ops",
    "save_op_compatible_info",
]
__dir__ = listed(__name__)
__getattr__ = later(__name__)
