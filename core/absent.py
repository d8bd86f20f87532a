"""Names of Paddle that are not here, and the subject they belong to: what asking for one says.

A package that has such names gives its `__getattr__` to `asked_of`; a class holds `AbsentName`s.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .module_files import module_of

_SUBJECTS = {
    "quantization of Programs": "incubate.quantization",
    "compression by a file of strategies; the package paddleslim has pruning, distillation and search":
        "fluid.contrib.slim.Compressor fluid.contrib.slim.core fluid.contrib.slim.distillation "
        "fluid.contrib.slim.graph fluid.contrib.slim.nas fluid.contrib.slim.prune fluid.contrib.slim.searcher "
        "fluid.contrib.slim.quantization.QuantizationStrategy "
        "fluid.contrib.slim.quantization.MKLDNNPostTrainingQuantStrategy",
    "Programs for oneDNN's whole numbers; ConvertToInt8Pass gives what runs here":
        "fluid.contrib.slim.quantization.QatInt8MkldnnPass fluid.contrib.slim.quantization.Qat2Int8MkldnnPass",
    "learned step sizes of quantization": "nn.quant.lsq",
    "pruning to a pattern of zeros (ASP)": "static.sparsity sparsity",
    "cost models": "cost_model",
    "schedules that count a Program's runs, which are fluid.layers'; this package has the classes of the schedules":
        "optimizer.lr.noam_decay optimizer.lr.exponential_decay optimizer.lr.natural_exp_decay "
        "optimizer.lr.inverse_time_decay optimizer.lr.polynomial_decay optimizer.lr.piecewise_decay "
        "optimizer.lr.cosine_decay optimizer.lr.linear_lr_warmup optimizer.lr.autoincreased_step_counter",
    "how Paddle fuses operators of a Program": "incubate.passes incubate.fuse_resnet_unit_pass",
    "layers of XPUs": "incubate.xpu device.xpu",
    "an optimizer for several GPUs; the one for one device is paddle.optimizer.Lamb": "incubate.DistributedFusedLamb "
        "incubate.optimizer.DistributedFusedLamb incubate.optimizer.distributed_fused_lamb",
    "blocks that Paddle has for GPUs alone": "incubate.nn.FusedEcMoe "
        "incubate.nn.FusedMultiTransformer incubate.nn.functional.fused_gate_attention "
        "incubate.operators.ResNetUnit incubate.operators.resnet_unit",
    "Programs of the newer form (PIR)": "IrGuard ir_guard pir_utils",
    "sampling of tokens on a GPU": "tensor.top_p_sampling tensor.search.top_p_sampling",
    "tensors of strings": "strings",
    "data sets in RAR archives": "dataset.mq2007",
    "tensors divided among processes (auto_parallel)":
        "distributed.auto_tuner distributed.auto_parallel.Engine distributed.auto_parallel.create_mesh "
        "distributed.auto_parallel.get_mesh distributed.auto_parallel.fetch distributed.auto_parallel.recompute "
        "distributed.auto_parallel.exclude_ops_in_recompute distributed.auto_parallel.parallel_manual_seed "
        "distributed.auto_parallel.static distributed.auto_parallel.dygraph distributed.auto_parallel.interface "
        "distributed.auto_parallel.random distributed.auto_parallel.constants distributed.fleet.auto",
    "experts in several processes (mixture of experts)":
        "distributed.models distributed.utils.moe_utils distributed.utils.global_scatter "
        "distributed.utils.global_gather",
    "BoxPS, a parameter server on GPUs": "distributed.BoxPSDataset distributed.fleet.BoxPSDataset",
    "how Paddle's launcher is built; start it as python -m paddle.distributed.launch":
        "distributed.cloud_utils distributed.backup_env distributed.elastic distributed.launch.context "
        "distributed.launch.controllers distributed.launch.job distributed.launch.plugins distributed.launch.utils "
        "distributed.fleet.launch distributed.fleet.launch_utils distributed.fleet.elastic "
        "distributed.fleet.cloud_utils "
        "distributed.utils.launch_utils.Cluster distributed.utils.launch_utils.Pod "
        "distributed.utils.launch_utils.Trainer distributed.utils.launch_utils.Hdfs "
        "distributed.utils.launch_utils.JobServer distributed.utils.launch_utils.TrainerProc "
        "distributed.utils.launch_utils.get_cluster distributed.utils.launch_utils.get_cluster_from_args "
        "distributed.utils.launch_utils.get_gpus distributed.utils.launch_utils.start_local_trainers "
        "distributed.utils.launch_utils.terminate_local_procs distributed.utils.launch_utils.watch_local_trainers "
        "distributed.utils.launch_utils.pull_worker_log distributed.utils.launch_utils.add_arguments "
        "distributed.utils.launch_utils.get_backend_by_compile_flag",
    "the runtime of Paddle's parameter servers; its scripts use fleet or fluid.transpiler.DistributeTranspiler":
        "distributed.communicator distributed.distribute_lookup_table distributed.transpiler distributed.fleet.runtime "
        "distributed.fleet.proto distributed.fleet.fleet_executor_utils distributed.ps.the_one_ps distributed.ps.utils "
        "distributed.ps.coordinator distributed.io.load_inference_model_distributed",
    "what places tensors that are divided; paddle.distributed.save_state_dict and load_state_dict take whole ones":
        "distributed.checkpoint.utils",
    "how Paddle sends objects; all_gather_object sends those that paddle.load reads":
        "distributed.communication.serialization_utils",
    "pipelines of layers in several processes; use the layers as they are, and divide the batch":
        "distributed.fleet.meta_parallel.PipelineParallelWithInterleave "
        "distributed.fleet.meta_parallel.PipelineParallelWithInterleaveFthenB "
        "distributed.fleet.meta_parallel.pipeline_parallel distributed.fleet.meta_parallel.pp_utils",
    "how Paddle's wrappers are built; fleet.distributed_model gives the one that is needed":
        "distributed.fleet.meta_parallel.meta_parallel_base distributed.fleet.meta_parallel.segment_parallel "
        "distributed.fleet.meta_parallel.sharding_parallel distributed.fleet.meta_parallel.tensor_parallel",
    "federated learning":
        "distributed.fleet.get_fl_client distributed.fleet.init_coordinator distributed.fleet.is_coordinator "
        "distributed.fleet.make_fl_strategy",
    "measurements of Paddle's collectives": "distributed.fleet.collective_perf",
    "this function of fleet's servers":
        "distributed.fleet.check_save_pre_patch_done distributed.fleet.load_model distributed.fleet.load_one_table "
        "distributed.fleet.save_cache_model distributed.fleet.save_cache_table distributed.fleet.save_one_table "
        "distributed.fleet.save_dense_params distributed.fleet.load_inference_model "
        "distributed.fleet.utils.DistributedInfer",
    "IPUs, NPUs and XPUs": "static.IpuCompiledProgram static.IpuStrategy static.ipu_shard_guard static.set_ipu_shard",
}
_OF_NAME = {name: subject for subject, names in _SUBJECTS.items() for name in names.split()}
_ROOT = __name__.split(".", 1)[0]


def refusal(package: str, name: str) -> AttributeError:
    """The error for a name that a package does not have; it names the subject where the name is Paddle's."""
    place = f"{package.removeprefix(_ROOT).lstrip('.')}.{name}".lstrip(".")
    return AttributeError(why_absent(place) or f"module {package!r} has no attribute {name!r}")


def why_absent(place: str) -> str | None:
    """What to say of a name below `paddle`, or of a module in it, that belongs to a subject of these; else None."""
    subject = _OF_NAME.get(place) or _OF_NAME.get(place.partition(".")[0])
    return subject and f"paddle.{place} is not supported: {_ROOT} has nothing for {subject}."


def asked_of(package: str) -> Callable[[str], Any]:
    """A package's `__getattr__` (PEP 562), for names that it does not have: a file of Paddle's, or none of it."""
    def __getattr__(name: str) -> Any:
        module = module_of(package, name)
        if module is None:
            raise refusal(package, name)
        return module

    return __getattr__


class AbsentName:
    """An attribute that a class of Paddle has and ours has not: asking for it names the subject."""

    def __init__(self, subject: str):
        self.subject = subject

    def __set_name__(self, owner: Any, name: str) -> None:
        self.name = name

    def __get__(self, value: Any, owner: Any = None) -> Any:
        raise AttributeError(f"{owner.__name__ if owner else 'Tensor'}.{self.name} is not supported: it is about "
                             f"{self.subject}.")


_OF_METHOD = {
    "tensors that several devices share": "dist_attr placements process_mesh num_shard",
    "maps of strings": "get_map_tensor set_vocab set_string_list",
    "sampling of tokens on a GPU": "top_p_sampling",
    "rows of a gradient, which only a gradient with sparse=True holds": "rows get_selected_rows",
}


def absent_methods() -> dict[str, AbsentName]:
    """The methods of Paddle's Tensor that are not here."""
    return {name: AbsentName(subject) for subject, names in _OF_METHOD.items() for name in names.split()}
