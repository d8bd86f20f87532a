"""FunctionConfig: settings of a global function. Most say how OneFlow works inside, and change nothing here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.dtype import DType
from ..distribute import ConsistentView, MirroredView
from ..dtypes import to_dtype
from .placement import Placement

#: What is kept and changes nothing: how OneFlow computes, allocates and exchanges.
_OF_ONEFLOW = frozenset(
    "all_reduce_fp16 all_reduce_group_min_mbyte all_reduce_group_num all_reduce_group_size_warmup "
    "all_reduce_lazy_ratio allow_cpu_return_op concurrency_width cudnn_buf_limit_mbyte "
    "cudnn_conv_enable_pseudo_half cudnn_conv_enable_true_half cudnn_conv_force_bwd_data_algo "
    "cudnn_conv_force_bwd_filter_algo cudnn_conv_force_fwd_algo cudnn_conv_heuristic_search_algo "
    "cudnn_conv_use_deterministic_algo_only disable_all_reduce_sequence do_parallel_cast_before_widening_type_cast "
    "enable_all_reduce_group enable_auto_mixed_precision enable_cudnn enable_cudnn_conv_pseudo_half "
    "enable_cudnn_fused_normalization_add_relu enable_float_compute_for_half_gemm enable_fuse_add_to_output "
    "enable_fuse_cast_scale enable_fuse_model_update_ops enable_gradients_stats_aggregation enable_inplace "
    "enable_inplace_in_reduce_struct enable_keep_header_only enable_multi_client enable_nccl "
    "enable_non_distributed_optimizer enable_reused_mem enable_reuse_mem enable_ssp enable_true_half_config_when_conv "
    "enable_use_compute_stream exp_run_conf non_distributed_optimizer_group_size_mbyte "
    "optimizer_placement_optimization_mode optimizer_placement_optimization_threshold prune_amp_white_identity_ops "
    "prune_cast_to_static_shape_ops prune_parallel_cast_ops static_mem_alloc_algo_white_list "
    "static_mem_alloc_policy_white_list tensorrt use_boxing_v2 use_nccl_inter_node_communication use_openvino "
    "use_tensorrt use_xla_jit".split())
_TRAINING = frozenset("loss_scale_factor model_update_conf num_gradient_accumulation_steps primary_lr secondary_lr "
                      "bias_weight_decay weight_l1 weight_l2".split())


class FunctionConfig:
    """Settings of a global function, each of which is a method.

    What counts here: `default_data_type`, `default_initializer_conf`, `default_placement_scope`, `train` for jobs that
    are trained by `flow.losses.add_loss`, and `indexed_slices_optimizer_conf`, the variables whose rows without a
    gradient SGD and Adam leave as they are. How OneFlow computes, allocates and exchanges is kept, and changes
    nothing. AttributeError for what is no setting, and for quantization.

    >>> import proa.oneflow as flow
    >>> config = flow.FunctionConfig()
    >>> config.default_data_type(flow.float)
    >>> config.default_logical_view(flow.scope.consistent_view())
    """

    def __init__(self) -> None:
        self.settings: dict[str, Any] = {}

    @property
    def trains(self) -> bool:
        """Whether anything was set of `train`."""
        return any(path.startswith("train.") for path in self.settings)

    @property
    def function_desc(self) -> ConfigDesc:
        """What has been set, by attributes."""
        return ConfigDesc(self.settings)

    def copy(self) -> FunctionConfig:
        """Another one with these settings."""
        made = FunctionConfig()
        made.settings.update(self.settings)
        return made

    def __getattr__(self, name: str) -> Any:
        if name in _CHECKED or name in _OF_ONEFLOW or name == "train":
            return _Setting(self.settings, name)
        if name.startswith(("enable_q", "qat")):
            raise AttributeError(f"function_config.{name} is not supported: jobs are not quantized. "
                                 "proa.quantization quantizes networks of the 2.x face.")
        raise AttributeError(f"flow.FunctionConfig has no setting {name!r}.")


class ConfigDesc:
    """What has been set: `desc.enable_inplace` is what the setting was given, False where it was not."""

    def __init__(self, settings: dict[str, Any]):
        self._settings = settings

    def __getattr__(self, name: str) -> Any:
        if name in _OF_ONEFLOW or name in _CHECKED:
            return self._settings.get(name, False)
        raise AttributeError(f"flow.FunctionConfig has no setting {name!r}.")


class _Setting:
    """One setting, or a group of such."""

    def __init__(self, settings: dict[str, Any], path: str):
        self._settings, self._path = settings, path

    def __getattr__(self, name: str) -> _Setting:
        group = self._path.partition(".")[0]
        if group in _CHECKED or group == "train" and name not in _TRAINING or name.startswith("__"):
            raise AttributeError(f"function_config.{self._path} has no setting {name!r}.")
        return _Setting(self._settings, f"{self._path}.{name}")

    def __call__(self, value: Any = True) -> None:
        check = _CHECKED.get(self._path)
        self._settings[self._path] = value if check is None else check(f"function_config.{self._path}(value)", value)


def _element_type(what: str, value: Any) -> DType:
    return to_dtype(what, value)


def _placement(what: str, value: Any) -> Placement:
    if not isinstance(value, Placement):
        raise TypeError(f"{what}: must be flow.scope.placement(tag, ids). Received {value!r}.")
    return value


def _view(what: str, value: Any) -> Any:
    if not isinstance(value, (ConsistentView, MirroredView)):
        raise TypeError(f"{what}: must be flow.scope.consistent_view() or mirrored_view(). Received {value!r}.")
    return value


def _initializer(what: str, value: Any) -> Any:
    if isinstance(value, dict):
        raise TypeError(f"{what}: must be an initializer, such as flow.constant_initializer(0). Received a dict, as "
                        "OneFlow's messages have it.")
    return value


def _indexed_slices(what: str, value: Any) -> dict[str, Any]:
    names = value.get("include_op_names") if isinstance(value, dict) else None
    if not isinstance(names, dict) or not isinstance(names.get("op_name"), (list, tuple)):
        raise TypeError(f"{what}: must be dict(include_op_names=dict(op_name=[…])) with names of variables. "
                        f"Received {value!r}.")
    return value


_CHECKED: dict[str, Callable[[str, Any], Any]] = {
    "default_data_type": _element_type, "default_initializer_conf": _initializer,
    "default_placement_scope": _placement, "default_logical_view": _view, "default_distribute_strategy": _view,
    "indexed_slices_optimizer_conf": _indexed_slices,
}
