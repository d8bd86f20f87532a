"""Programs: built, differentiated, compiled, run, saved and loaded. The public names of `paddle.static`."""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from ..ops.array.indexing import with_item as setitem
    from . import amp, io, nn, quantization
    from .backward import append_backward, gradients
    from .building.averages import ExponentialMovingAverage
    from .building.data import create_global_var, create_parameter, data
    from .building.debugging import Print, py_func
    from .building.metrics import accuracy, auc, ctr_metric_bundle
    from .building.mode import default_main_program, default_startup_program, name_scope, program_guard
    from .building.weight_norm import WeightNormParamAttr
    from .files.inference_model import (
        deserialize_program,
        load_inference_model,
        normalize_program,
        save_inference_model,
        serialize_program,
    )
    from .files.persistence import (
        deserialize_persistables,
        load,
        load_from_file,
        load_program_state,
        save,
        save_to_file,
        serialize_persistables,
        set_program_state,
    )
    from .files.save_vars import is_persistable, load_vars, save_vars
    from .ir.input_spec import InputSpec
    from .ir.operation import Operation as Operator
    from .program import Program
    from .run.compiled_program import CompiledProgram
    from .run.executor import Executor
    from .run.places import (
        IpuCompiledProgram,
        IpuStrategy,
        cpu_places,
        cuda_places,
        device_guard,
        ipu_shard_guard,
        set_ipu_shard,
        xpu_places,
    )
    from .run.scope import Scope, global_scope, scope_guard
    from .run.strategies import BuildStrategy, ExecutionStrategy
    from .variable import Parameter, Variable
else:
    __getattr__, __dir__ = attach(__name__)

__all__ = [
    "BuildStrategy", "CompiledProgram", "ExecutionStrategy", "Executor", "ExponentialMovingAverage", "InputSpec",
    "IpuCompiledProgram", "IpuStrategy", "Parameter", "Print", "Program", "Scope", "Variable", "WeightNormParamAttr",
    "accuracy", "append_backward", "auc", "cpu_places", "create_global_var", "create_parameter", "ctr_metric_bundle",
    "cuda_places", "data", "default_main_program", "default_startup_program", "deserialize_persistables",
    "deserialize_program", "device_guard", "global_scope", "gradients", "ipu_shard_guard", "is_persistable", "load",
    "load_from_file", "load_inference_model", "load_program_state", "load_vars", "name_scope", "normalize_program",
    "program_guard", "py_func", "save", "save_inference_model", "save_to_file", "save_vars", "scope_guard",
    "serialize_persistables", "serialize_program", "set_ipu_shard", "set_program_state", "setitem", "xpu_places",
]
