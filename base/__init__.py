"""`paddle.base`: names by the path under which older code reaches them."""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from ..core.flags import get_flags, set_flags
    from ..core.param_attr import ParamAttr
    from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
    from ..device import (
        is_compiled_with_cinn,
        is_compiled_with_cuda,
        is_compiled_with_rocm,
        is_compiled_with_xpu,
    )
    from ..framework import core, in_dynamic_or_pir_mode, in_pir_mode
    from ..io.dataloader.feeding.data_feeder import DataFeeder
    from ..io.multi_slot.dataset import DatasetFactory, InMemoryDataset
    from ..nn.initializer import set_global_initializer
    from ..static.backward import append_backward, gradients
    from ..static.building.averages import ExponentialMovingAverage
    from ..static.building.mode import default_main_program, default_startup_program, name_scope, program_guard
    from ..static.building.mode import disable_static as enable_dygraph
    from ..static.building.mode import enable_static as disable_dygraph
    from ..static.building.mode import in_dynamic_mode as in_dygraph_mode
    from ..static.building.weight_norm import WeightNormParamAttr
    from ..static.program import Program
    from ..static.run.compiled_program import CompiledProgram
    from ..static.run.create_lod_tensor import create_lod_tensor, create_random_int_lodtensor
    from ..static.run.executor import Executor
    from ..static.run.lod_tensor import LoDTensor, LoDTensorArray
    from ..static.run.lod_tensor import LoDTensor as Tensor
    from ..static.run.places import (
        IpuCompiledProgram,
        IpuStrategy,
        cpu_places,
        cuda_places,
        device_guard,
        ipu_shard_guard,
        set_ipu_shard,
        xpu_places,
    )
    from ..static.run.scope import Scope, global_scope, scope_guard
    from ..static.run.scope import Scope as _Scope
    from ..static.run.strategies import BuildStrategy, ExecutionStrategy
    from ..static.variable import Variable
    from ..utils.installation import require_version
    from . import (
        backward,
        compiler,
        data_feeder,
        dataset,
        dygraph,
        executor,
        framework,
        initializer,
        io,
        layer_helper,
        libpaddle,
        lod_tensor,
        log_helper,
        param_attr,
        proto,
        reader,
        unique_name,
        variable_index,
        wrapped_decorator,
    )
else:
    __getattr__, __dir__ = attach(__name__)
