"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.static`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from proa.dygraph.tensor import Tensor as Tensor
from . import amp as amp, io as io, nn as nn, quantization as quantization
from proa.static.backward import append_backward as append_backward, gradients as gradients
from proa.static.building.averages import ExponentialMovingAverage as ExponentialMovingAverage
from proa.static.building.data import create_global_var as create_global_var, create_parameter as create_parameter, data as data
from proa.static.building.debugging import Print as Print, py_func as py_func
from proa.static.building.metrics import accuracy as accuracy, auc as auc, ctr_metric_bundle as ctr_metric_bundle
from proa.static.building.mode import default_main_program as default_main_program, default_startup_program as default_startup_program, name_scope as name_scope, program_guard as program_guard
from proa.static.building.weight_norm import WeightNormParamAttr as WeightNormParamAttr
from proa.static.files.inference_model import deserialize_program as deserialize_program, load_inference_model as load_inference_model, normalize_program as normalize_program, save_inference_model as save_inference_model, serialize_program as serialize_program
from proa.static.files.persistence import deserialize_persistables as deserialize_persistables, load as load, load_from_file as load_from_file, load_program_state as load_program_state, save as save, save_to_file as save_to_file, serialize_persistables as serialize_persistables, set_program_state as set_program_state
from proa.static.files.save_vars import is_persistable as is_persistable, load_vars as load_vars, save_vars as save_vars
from proa.static.ir.input_spec import InputSpec as InputSpec
from proa.static.program import Program as Program
from proa.static.run.compiled_program import CompiledProgram as CompiledProgram
from proa.static.run.executor import Executor as Executor
from proa.static.run.places import IpuCompiledProgram as IpuCompiledProgram, IpuStrategy as IpuStrategy, cpu_places as cpu_places, cuda_places as cuda_places, device_guard as device_guard, ipu_shard_guard as ipu_shard_guard, set_ipu_shard as set_ipu_shard, xpu_places as xpu_places
from proa.static.run.scope import Scope as Scope, global_scope as global_scope, scope_guard as scope_guard
from proa.static.run.strategies import BuildStrategy as BuildStrategy, ExecutionStrategy as ExecutionStrategy
from proa.static.variable import Parameter as Parameter, Variable as Variable

def setitem(x: Any, key: Any, value: Any) -> Tensor: ...
