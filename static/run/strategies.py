"""BuildStrategy and ExecutionStrategy: what older code says about how a Program is compiled and run.

The compiler here always fuses what it can, reuses memory, and runs operations in order, so that most of what can be
said changes nothing. It is kept, so that it can be read back.
"""

from __future__ import annotations

import enum
from typing import Any


class ReduceStrategy(enum.IntEnum):
    """How gradients of several devices come together."""

    AllReduce = 0
    Reduce = 1
    _NoReduce = 2


class GradientScaleStrategy(enum.IntEnum):
    """By what the loss of each device is divided."""

    CoeffNumDevice = 0
    One = 1
    Customized = 2


class _Settings:
    """Attributes with defaults; setting another name is an AttributeError, another type a TypeError."""

    _defaults: dict[str, Any] = {}

    def __init__(self) -> None:
        for name, value in self._defaults.items():
            object.__setattr__(self, name, type(value)(value) if isinstance(value, (list, set)) else value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._defaults:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}. It has: "
                                 f"{', '.join(sorted(self._defaults))}.")
        default = self._defaults[name]
        if isinstance(default, bool) and not isinstance(value, (bool, int)):
            raise TypeError(f"{type(self).__name__}.{name} must be a bool. Received {value!r}.")
        if type(default) in (int, str) and not isinstance(value, type(default)):
            raise TypeError(f"{type(self).__name__}.{name} must be of type {type(default).__name__}. "
                            f"Received {value!r}.")
        object.__setattr__(self, name, bool(value) if isinstance(default, bool) else value)

    def __repr__(self) -> str:
        changed = {name: getattr(self, name) for name, value in self._defaults.items() if getattr(self, name) != value}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in changed.items())})"


class BuildStrategy(_Settings):
    """What code says about fusion, memory and gradients of several devices.

    The compiler fuses elementwise operations, activations, batch norms and biases whatever the `fuse_*` attributes
    say, and frees memory after its last use whatever `memory_optimize` and `enable_inplace` say. On several devices
    (`CompiledProgram.with_data_parallel`) `gradient_scale_strategy` says what gradients begin with: one divided by the
    number of devices, one, or what is fed. `num_trainers` and `trainer_id`: so many processes train together, which a
    launcher has started, and this one's number; with `sync_batch_norm` batch norms take the statistics of all their
    batches, and `fuse_all_reduce_ops` has gradients exchanged several at a time. What the others say is kept, and
    nothing else comes of it.

    >>> import proa as paddle
    >>> strategy = paddle.static.BuildStrategy()
    >>> strategy.fuse_elewise_add_act_ops = True
    >>> strategy
    BuildStrategy(fuse_elewise_add_act_ops=True)
    """

    ReduceStrategy = ReduceStrategy
    GradientScaleStrategy = GradientScaleStrategy
    _defaults = {
        "allow_cuda_graph_capture": False, "async_mode": False, "bkcl_comm_num": 1, "build_cinn_pass": False,
        "cache_runtime_context": False, "debug_graphviz_path": "", "enable_addto": False, "enable_auto_fusion": False,
        "enable_backward_optimizer_op_deps": True, "enable_inplace": True, "enable_sequential_execution": False,
        "fix_op_run_order": False, "fuse_adamw": False, "fuse_all_optimizer_ops": False, "fuse_all_reduce_ops": True,
        "fuse_bn_act_ops": False, "fuse_bn_add_act_ops": True, "fuse_broadcast_ops": True,
        "fuse_elewise_add_act_ops": False, "fuse_gemm_epilogue": False, "fuse_relu_depthwise_conv": False,
        "fused_attention": False, "fused_feedforward": False,
        "gradient_scale_strategy": GradientScaleStrategy.CoeffNumDevice, "hierarchical_allreduce_inter_nranks": 0,
        "is_distribution": False, "memory_optimize": None, "mkldnn_enabled_op_types": set(), "nccl_comm_num": 1,
        "num_trainers": 1, "reduce_strategy": ReduceStrategy.AllReduce, "remove_unnecessary_lock": True,
        "sequential_run": False, "sync_batch_norm": False, "trainer_id": 0, "trainers_endpoints": [],
        "use_hierarchical_allreduce": False,
    }


class ExecutionStrategy(_Settings):
    """What code says about running: threads, iterations. It is kept; operations run in order, once a run.

    How many threads compute within an operation, `paddle.set_num_threads` says.

    >>> import proa as paddle
    >>> from proa import static
    >>> strategy = static.ExecutionStrategy()
    >>> strategy.num_threads = 2  # changes nothing here
    """

    _defaults = {"_dry_run": False, "allow_op_delay": False, "num_iteration_per_drop_scope": 100,
                 "num_iteration_per_run": 1, "num_threads": 0, "use_cuda": False,
                 "use_experimental_executor": True, "use_thread_barrier": False}
