"""Names of OneFlow that are not here, and why: what asking for one says.

A module of this face gives its `__getattr__` to `explaining`. `python -m tests.oneflow.usage` counts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.absent import refusal

_WHY = {
    "images and boxes of several sizes in one blob (tensor buffers); prepare them with NumPy or proa.vision.transforms "
    "and feed batches of one size":
        "image_batch_align image_decode image_flip image_normalize image_random_crop image_resize image_target_resize "
        "object_bbox_flip object_bbox_scale object_segmentation_polygon_flip object_segmentation_polygon_scale "
        "object_segmentation_polygon_to_mask gen_tensor_buffer tensor_buffer tensor_buffer_to_list_of_tensors "
        "tensor_buffer_to_tensor tensor_to_tensor_buffer tensor_list_to_tensor_buffer tensor_buffer_to_tensor_list "
        "tensor_list_split detection "
        "image.batch_align image.decode image.flip image.normalize image.random_crop image.target_resize",
    "files of OneRec, COCO and Megatron; read them in Python and feed arrays (OFRecord files are read by "
    "flow.data.ofrecord_reader and its decoders)":
        "data.ImageCodec data.ImagePreprocessor data.ImageResizePreprocessor data.MegatronGPTMMapDataLoader "
        "data.NormByChannelPreprocessor data.OneRecDecoder data.coco_reader data.megatron_gpt_mmap_data_loader "
        "data.onerec_decoder data.onerec_reader decode_onerec read_onerec",
    "values on several devices; say flow.scope.placement in a job, flow.device of tensors":
        "placement env.all_device_placement",
    "several devices, where there is one; leave the call out":
        "eager_nccl_all_reduce distributed_partial_fc_sample deprecated.nn deprecated.delete_worker_by_bootstrap "
        "deprecated.delete_worker_of_multi_process",
    "pipelines, in which a blob comes at other times than its source; feed larger batches":
        "acc pack unpack repeat",
    "operators put together by hand; call the function that applies the operator":
        "user_op_module_builder consistent_user_op_builder consistent_user_op_module_builder "
        "stateful_op find_or_create_module experimental.custom_op_module",
    "messages that configure OneFlow's runtime; use flow.FunctionConfig and flow.config":
        "ConfigProto JobConfigProto inter_job_reuse_mem_strategy InitEagerGlobalSession "
        "INVALID_SPLIT_AXIS experimental.get_job_set",
    "the trainer with callbacks; use flow.global_function with flow.optimizer, or flow.nn.Module and flow.nn.Graph":
        "Model model",
    "writing for TensorBoard; give losses to your own writer, such as VisualDL's": "summary",
    "TensorRT": "tensorrt",
    "models for serving; use flow.checkpoint.save, or flow.save of a Module's state_dict": "saved_model serving",
    "training for whole-number inference; see proa.quantization for Layers": "quantization",
    "how OneFlow was compiled; see proa.device": "sysconfig",
    "OneFlow's own tests": "unittest.register_test_cases",
    "elements of this type; use int32, int64, uint8, float16, float32 or float64":
        "uint16 uint32 uint64 uint128 int128 complex32 record",
    "marks for NVIDIA's profiler; see proa.profiler": "profiler",
    "slices of a variable that other machines hold; use flow.get_variable": "experimental.ssp_variable_proxy",
    "gradients in rows; use flow.math.unsorted_segment_sum": "experimental.indexed_slices_reduce_sum",
    "results whose size is known in a run only; use numpy.unique on what the job gives":
        "experimental.unique_with_counts",
    "reading and writing blobs between calls; give and take them as arguments and results":
        "experimental.get_interface_blob_value experimental.set_interface_blob_value experimental.eager_assign_121",
    "checks that are always made; leave the call out": "experimental.enable_typing_check",
}
_OF_NAME = {name: subject for subject, names in _WHY.items() for name in names.split()}
_FACE = __name__.rpartition(".")[0]


def why_refused(place: str) -> str | None:
    """What to say of a name below `oneflow`, or of one in a module below it, that is not here on purpose; else None."""
    subject = _OF_NAME.get(place) or _OF_NAME.get(place.partition(".")[0])
    return subject and f"oneflow.{place} is not supported: proa has nothing for {subject}."


def _nothing(module: str, name: str) -> Any:
    raise refusal(module, name)


def explaining(module: str, load: Callable[[str], Any] | None = None) -> Callable[[str], Any]:
    """A module's `__getattr__`: what `load` finds, and for names of OneFlow that are not here the reason.

    >>> import proa.oneflow as flow
    >>> hasattr(flow, "tensorrt")
    False
    """
    below = module.removeprefix(_FACE).lstrip(".")

    def __getattr__(name: str) -> Any:
        try:
            return _nothing(module, name) if load is None else load(name)
        except AttributeError as error:
            reason = why_refused(f"{below}.{name}".lstrip("."))
            if reason is None:
                raise
            raise AttributeError(reason, name=name) from error

    return __getattr__
