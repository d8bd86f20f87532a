"""Paddle 1.x: `import proa.fluid as fluid`, or `import paddle.fluid` under `python -m proa run --api 1.8`.

A face: it translates 1.x's names, arguments, shapes and defaults to the operators that are there, and computes nothing
of its own. Its functions write the default Programs, whatever mode the process is in, unless `dygraph.guard` or
`enable_dygraph` makes them compute (`mode.py`).
"""

from typing import TYPE_CHECKING

from ..core.lazy import attach

if TYPE_CHECKING:
    from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
    from ..static.run.scope import Scope, global_scope, scope_guard
    from . import (
        average,
        backward,
        clip,
        communicator,
        compiler,
        contrib,
        core,
        data_feed_desc,
        data_feeder,
        dataset,
        debugger,
        default_scope_funcs,
        dygraph,
        dygraph_grad_clip,
        dygraph_utils,
        evaluator,
        executor,
        framework,
        incubate,
        initializer,
        install_check,
        io,
        layer_helper,
        layer_helper_base,
        layers,
        lod_tensor,
        log_helper,
        metrics,
        nets,
        optimizer,
        parallel_executor,
        param_attr,
        profiler,
        proto,
        reader,
        regularizer,
        transpiler,
        unique_name,
        wrapped_decorator,
    )
    from .backward import append_backward, gradients
    from .compiler import BuildStrategy, CompiledProgram, ExecutionStrategy
    from .core import LoDTensor, LoDTensorArray, VarBase
    from .core import LoDTensor as Tensor
    from .data_feed_desc import DataFeedDesc
    from .data_feeder import DataFeeder
    from .dataset import DatasetFactory, InMemoryDataset, QueueDataset
    from .dygraph import (
        NCE,
        BatchNorm,
        BCELoss,
        BilinearTensorProduct,
        Conv2D,
        Conv2DTranspose,
        Conv3D,
        Conv3DTranspose,
        Dropout,
        Embedding,
        GroupNorm,
        GRUUnit,
        InstanceNorm,
        L1Loss,
        Layer,
        LayerNorm,
        Linear,
        MSELoss,
        NLLLoss,
        Pool2D,
        PRelu,
        SpectralNorm,
        TreeConv,
        disable_dygraph,
        disable_imperative,
        enable_dygraph,
        enable_imperative,
        load_dygraph,
        save_dygraph,
    )
    from .executor import Executor
    from .framework import (
        ComplexVariable,
        Program,
        Variable,
        cpu_places,
        cuda_pinned_places,
        cuda_places,
        default_main_program,
        default_startup_program,
        device_guard,
        get_flags,
        in_dygraph_mode,
        is_compiled_with_cuda,
        load_op_library,
        name_scope,
        program_guard,
        require_version,
        set_flags,
    )
    from .input import data, embedding, one_hot
    from .io import load, load_program_state, save, set_program_state
    from .lod_tensor import create_lod_tensor, create_random_int_lodtensor
    from .parallel_executor import ParallelExecutor
    from .param_attr import ParamAttr, WeightNormParamAttr
    from .transpiler import DistributeTranspiler, DistributeTranspilerConfig, memory_optimize, release_memory
else:
    __getattr__, __dir__ = attach(__name__)
