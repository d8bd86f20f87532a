"""DistributedStrategy: what is asked of a training by many processes. It is kept, and changes nothing for one."""

from __future__ import annotations

import copy
from typing import Any

__all__ = ["DistributedStrategy"]


class _Settings(dict[str, Any]):
    """Settings that are read as items and as attributes."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self:
            raise AttributeError(f"there is no setting {name!r} among {sorted(self)}")
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __deepcopy__(self, memo: dict[int, Any]) -> _Settings:
        return _Settings({name: copy.deepcopy(value, memo) for name, value in self.items()})


_SWITCHES = """
adam_d2sum adaptive_localsgd amp asp auto auto_search cudnn_batchnorm_spatial_persistent cudnn_exhaustive_search dgc
elastic find_unused_parameters fp16_allreduce fuse_grad_merge gradient_merge heter_ccl_mode is_fl_ps_mode
is_with_coordinator lamb lars localsgd pipeline qat recompute semi_auto sharding sync_batch_norm tensor_parallel
use_hierarchical_allreduce
""".split()
_ON = "a_sync fuse_all_reduce_ops split_data sync_nccl_allreduce without_graph_optimization".split()
_NUMBERS = {"conv_workspace_size_limit": 512, "fuse_grad_size_in_MB": 32, "fuse_grad_size_in_num": 8,
            "hierarchical_allreduce_inter_nranks": 1, "last_comm_group_size_MB": 1.0, "nccl_comm_num": 1}
_SETTINGS: dict[str, dict[str, Any]] = {
    "a_sync_configs": {"k_steps": -1, "max_merge_var_num": 1, "send_queue_size": 16, "independent_recv_thread": False,
                       "min_send_grad_num_before_recv": 1, "thread_pool_size": 1, "send_wait_times": 1,
                       "runtime_split_send_recv": False, "launch_barrier": True, "heter_worker_device_guard": "cpu",
                       "lr_decay_steps": 10, "use_ps_gpu": 0},
    "adaptive_localsgd_configs": {"init_k_steps": 1, "begin_step": 1},
    "amp_configs": {"init_loss_scaling": 32768.0, "incr_every_n_steps": 1000, "decr_every_n_nan_or_inf": 2,
                    "incr_ratio": 2.0, "decr_ratio": 0.8, "use_dynamic_loss_scaling": True, "custom_white_list": [],
                    "custom_black_list": [], "custom_black_varnames": [], "use_pure_fp16": False,
                    "use_fp16_guard": True, "use_optimizer_fp16": False, "use_bf16": False, "use_pure_bf16": False},
    "dgc_configs": {"rampup_begin_step": 0, "rampup_step": 1, "sparsity": []},
    "gradient_merge_configs": {"k_steps": 1, "avg": True},
    "gradient_scale_configs": {"scale_strategy": "avg", "scale_gradient": False},
    "hybrid_configs": {"dp_degree": -1, "mp_degree": 1, "pp_degree": 1, "sharding_degree": 1, "sep_degree": 1,
                       "mp_configs": {}, "pp_configs": {}, "sharding_configs": {}},
    "lamb_configs": {"lamb_weight_decay": 0.01, "exclude_from_weight_decay": []},
    "lars_configs": {"lars_coeff": 0.001, "lars_weight_decay": 0.0005, "epsilon": 0.0,
                     "exclude_from_weight_decay": []},
    "localsgd_configs": {"k_steps": 1, "begin_step": 1},
    "pipeline_configs": {"micro_batch_size": 1, "accumulate_steps": 1, "schedule_mode": "1F1B",
                         "p2p_cache_shape": True, "enable_partial_send_recv": True},
    "qat_configs": {"channel_wise_abs_max": True, "weight_bits": 8, "activation_bits": 8, "not_quant_pattern": [],
                    "algo": ""},
    "recompute_configs": {"checkpoints": [], "enable_offload": False, "checkpoint_shape": [], "enable_tuning": False},
    "sharding_configs": {"sharding_segment_strategy": "segment_broadcast_MB", "segment_broadcast_MB": 32.0,
                         "sharding_degree": 8, "mp_degree": 1, "dp_degree": 1, "pp_degree": 1, "hybrid_dp": False,
                         "gradient_merge_acc_step": 1, "optimize_offload": False, "stage": 1},
    "tensor_parallel_configs": {"tensor_parallel_degree": 1, "tensor_init_seed": -1},
    "fleet_desc_configs": {},
    "fs_client_param": {"uri": "", "user": "", "passwd": "", "hadoop_bin": ""},
    "sparse_table_configs": {},
    "trainer_desc_configs": {"dump_fields_path": "", "dump_fields": [], "dump_param": [], "stat_var_names": []},
}
_OPEN = {"fleet_desc_configs", "sparse_table_configs", "hybrid_configs", "a_sync_configs", "trainer_desc_configs",
         "recompute_configs", "sharding_configs"}


class DistributedStrategy:
    """Switches (`amp`, `recompute`, `sharding`, …) with their settings (`amp_configs`, …), as attributes.

    Settings that are assigned join those that are there. All of it says how several processes would work together;
    with one process nothing of it counts, but for the degrees in `hybrid_configs`, which `fleet.init` checks. Raises
    AttributeError for a switch, and ValueError for a setting, that there is not.

    >>> from proa.distributed import fleet
    >>> strategy = fleet.DistributedStrategy()
    >>> strategy.hybrid_configs = {"mp_degree": 1}
    >>> strategy.hybrid_configs["mp_degree"], strategy.amp
    (1, False)
    """

    def __init__(self) -> None:
        values: dict[str, Any] = {**dict.fromkeys(_SWITCHES, False), **dict.fromkeys(_ON, True), **_NUMBERS}
        values.update({name: _Settings(copy.deepcopy(settings)) for name, settings in _SETTINGS.items()})
        values["hybrid_configs"].update({part: _Settings() for part in ("mp_configs", "pp_configs",
                                                                        "sharding_configs")})
        values["hybrid_parallel_order"] = ["dp", "pp", "sharding", "sep", "mp"]
        values["build_strategy"] = values["execution_strategy"] = None
        vars(self).update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"DistributedStrategy has no setting {name!r}. It has {', '.join(sorted(vars(self)))}.")

    def __setattr__(self, name: str, value: Any) -> None:
        known = vars(self)
        if name not in known:
            raise AttributeError(f"DistributedStrategy has no setting {name!r}. It has {', '.join(sorted(known))}.")
        if isinstance(known[name], _Settings):
            _merge(name, known[name], value)
        elif name == "a_sync":  # which of the ways it is, k_steps says after it
            known[name], known["a_sync_configs"]["k_steps"] = bool(value), 0
        else:
            known[name] = value

    def __repr__(self) -> str:
        shown = {name: value for name, value in vars(self).items() if value is True or isinstance(value, _Settings)}
        return f"DistributedStrategy({shown})"


def _merge(name: str, settings: _Settings, given: dict[str, Any]) -> None:
    unknown = set(given) - set(settings)
    if unknown and name not in _OPEN:
        raise ValueError(f"DistributedStrategy.{name}: has {sorted(settings)}. Received {sorted(unknown)}, too.")
    for key, value in given.items():
        if isinstance(settings.get(key), _Settings):
            settings[key].update(value)
        else:
            settings[key] = value
