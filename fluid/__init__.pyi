"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.fluid`."""

from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..static.run.scope import Scope, global_scope, scope_guard
from . import average, backward, clip, communicator, compiler, contrib, core, data_feed_desc, data_feeder, dataset, debugger, default_scope_funcs, dygraph, dygraph_grad_clip, dygraph_utils, evaluator, executor, framework, incubate, initializer, install_check, io, layer_helper, layer_helper_base, layers, lod_tensor, log_helper, metrics, nets, optimizer, parallel_executor, param_attr, profiler, proto, reader, regularizer, transpiler, unique_name, wrapped_decorator
from .backward import append_backward, gradients
from .compiler import BuildStrategy, CompiledProgram, ExecutionStrategy
from .core import LoDTensor, LoDTensorArray, VarBase
from .core import LoDTensor as Tensor
from .data_feed_desc import DataFeedDesc
from .data_feeder import DataFeeder
from .dataset import DatasetFactory, InMemoryDataset, QueueDataset
from .dygraph import NCE, BatchNorm, BCELoss, BilinearTensorProduct, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose, Dropout, Embedding, GroupNorm, GRUUnit, InstanceNorm, L1Loss, Layer, LayerNorm, Linear, MSELoss, NLLLoss, Pool2D, PRelu, SpectralNorm, TreeConv, disable_dygraph, disable_imperative, enable_dygraph, enable_imperative, load_dygraph, save_dygraph
from .executor import Executor
from .framework import ComplexVariable, Program, Variable, cpu_places, cuda_pinned_places, cuda_places, default_main_program, default_startup_program, device_guard, get_flags, in_dygraph_mode, is_compiled_with_cuda, load_op_library, name_scope, program_guard, require_version, set_flags
from .input import data, embedding, one_hot
from .io import load, load_program_state, save, set_program_state
from .lod_tensor import create_lod_tensor, create_random_int_lodtensor
from .parallel_executor import ParallelExecutor
from .param_attr import ParamAttr, WeightNormParamAttr
from .transpiler import DistributeTranspiler, DistributeTranspilerConfig, memory_optimize, release_memory

__all__ = ['BCELoss', 'BatchNorm', 'BilinearTensorProduct', 'BuildStrategy', 'CPUPlace', 'CUDAPinnedPlace', 'CUDAPlace', 'CompiledProgram', 'ComplexVariable', 'Conv2D', 'Conv2DTranspose', 'Conv3D', 'Conv3DTranspose', 'DataFeedDesc', 'DataFeeder', 'DatasetFactory', 'DistributeTranspiler', 'DistributeTranspilerConfig', 'Dropout', 'Embedding', 'ExecutionStrategy', 'Executor', 'GRUUnit', 'GroupNorm', 'InMemoryDataset', 'InstanceNorm', 'L1Loss', 'Layer', 'LayerNorm', 'Linear', 'LoDTensor', 'LoDTensorArray', 'MSELoss', 'NCE', 'NLLLoss', 'PRelu', 'ParallelExecutor', 'ParamAttr', 'Pool2D', 'Program', 'QueueDataset', 'Scope', 'SpectralNorm', 'Tensor', 'TreeConv', 'VarBase', 'Variable', 'WeightNormParamAttr', 'append_backward', 'average', 'backward', 'clip', 'communicator', 'compiler', 'contrib', 'core', 'cpu_places', 'create_lod_tensor', 'create_random_int_lodtensor', 'cuda_pinned_places', 'cuda_places', 'data', 'data_feed_desc', 'data_feeder', 'dataset', 'debugger', 'default_main_program', 'default_scope_funcs', 'default_startup_program', 'device_guard', 'disable_dygraph', 'disable_imperative', 'dygraph', 'dygraph_grad_clip', 'dygraph_utils', 'embedding', 'enable_dygraph', 'enable_imperative', 'evaluator', 'executor', 'framework', 'get_flags', 'global_scope', 'gradients', 'in_dygraph_mode', 'incubate', 'initializer', 'install_check', 'io', 'is_compiled_with_cuda', 'layer_helper', 'layer_helper_base', 'layers', 'load', 'load_dygraph', 'load_op_library', 'load_program_state', 'lod_tensor', 'log_helper', 'memory_optimize', 'metrics', 'name_scope', 'nets', 'one_hot', 'optimizer', 'parallel_executor', 'param_attr', 'profiler', 'program_guard', 'proto', 'reader', 'regularizer', 'release_memory', 'require_version', 'save', 'save_dygraph', 'scope_guard', 'set_flags', 'set_program_state', 'transpiler', 'unique_name', 'wrapped_decorator']
