"""`flow.config`: how many machines and devices there are, and how OneFlow works inside, which changes nothing here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .job.placement import refuse_several

#: How OneFlow allocates, transports and reports: what is set here is kept, and changes nothing.
_OF_ONEFLOW = frozenset(
    "collect_act_event comm_net_worker_num compute_thread_pool_size disable_group_boxing_by_dst_parallel "
    "enable_debug_mode enable_fusion enable_legacy_model_io enable_mem_chain_merge enable_model_io_v2 "
    "enable_numa_aware_cuda_malloc_host enable_tensor_float_32_compute log_dir max_mdsave_worker_num "
    "nccl_use_compute_stream num_callback_threads persistence_buf_byte rdma_mem_block_mbyte rdma_recv_msg_buf_mbyte "
    "reserved_device_mem_mbyte reserved_host_mem_mbyte save_downloaded_file_to_local_fs "
    "thread_enable_local_message_queue use_compute_stream use_rdma".split())
_OF_COLLECTIVES = frozenset(
    "enable_fusion enable_mixed_fusion nccl_enable_all_to_all nccl_enable_mixed_fusion nccl_fusion_all_gather "
    "nccl_fusion_all_reduce nccl_fusion_all_reduce_use_buffer nccl_fusion_broadcast nccl_fusion_max_ops "
    "nccl_fusion_reduce nccl_fusion_reduce_scatter nccl_fusion_threshold_mb nccl_num_streams "
    "num_callback_threads".split())
_values: dict[str, Any] = {}


def gpu_device_num(val: int) -> None:
    """How many devices a machine has; NotImplementedError for more than one."""
    refuse_several("config.gpu_device_num(val)", val)


def cpu_device_num(val: int) -> None:
    """Into how many parts the host is divided; NotImplementedError for more than one."""
    refuse_several("config.cpu_device_num(val)", val)


def machine_num(val: int) -> None:
    """How many machines there are; NotImplementedError for more than one."""
    refuse_several("config.machine_num(val)", val)


def legacy_model_io_enabled() -> bool:
    """What `enable_legacy_model_io` was told."""
    return bool(_values.get("enable_legacy_model_io", False))


def load_library(val: str) -> None:
    """Raises NotImplementedError: kernels of one's own are OneFlow's binary interface."""
    raise NotImplementedError(f"config.load_library({val!r}): operators of one's own in a library for OneFlow are not "
                              "loaded. Write the function with operators that are there.")


load_library_now = load_library


def _keeping(name: str) -> Callable[..., None]:
    def keep(val: Any = True) -> None:
        _values[name] = val

    keep.__name__ = keep.__qualname__ = name
    keep.__doc__ = "Kept, and changes nothing."
    return keep


class _Collectives:
    """How devices exchange values: kept, and changes nothing on one."""

    def __getattr__(self, name: str) -> Any:
        if name not in _OF_COLLECTIVES:
            raise AttributeError(f"oneflow.config.collective_boxing has no setting {name!r}.")
        return _keeping(f"collective_boxing.{name}")


collective_boxing = _Collectives()


def __getattr__(name: str) -> Any:
    if name not in _OF_ONEFLOW:
        raise AttributeError(f"oneflow.config has no setting {name!r}.")
    return _keeping(name)
