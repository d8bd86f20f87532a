"""Config: which model a Predictor runs, where, and with how many threads.

What Paddle's options ask for is done, or makes no difference (it is kept, and can be read back), or is refused with an
error: an option is never passed over whose effect somebody would miss.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from ..core.errors import warn_user
from ..core.limits import limits_of
from ..core.place import CPUPlace, CUDAPlace, Place
from .types import PrecisionType


def _refused(what: str, why: str) -> Callable[..., NoReturn]:
    def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"inference.Config.{what}(): {why}")

    refuse.__name__, refuse.__doc__ = what, f"Not supported: RuntimeError. {why}"
    return refuse


def _without_effect(what: str, why: str) -> Callable[..., None]:
    """Of what asks for speed alone: PaddlePaddle's own packages without it say so in their log, and go on."""
    def tell(self: Any, *args: Any, **kwargs: Any) -> None:
        warn_user(f"inference.Config.{what}() is without effect: {why}")

    tell.__name__, tell.__doc__ = what, f"Without effect, with a warning. {why}"
    return tell


def _never(what: str) -> Callable[..., bool]:
    def answer(self: Any) -> bool:
        return False

    answer.__name__, answer.__doc__ = what, "False."
    return answer


_TENSORRT = "TensorRT is not part of proa. Leave the call out: on a CUDA device CuPy's kernels compute."
_OTHER_DEVICE = "This kind of device is not supported. Use the CPU, or enable_use_gpu."
_OTHER_ENGINE = "This engine is not part of proa. Leave the call out."
_SHAPES = "Ranges of shapes are TensorRT's, which is not part of proa."
_PRECISION = "Models run in the precision that they were saved in; a CPU would not gain by another one here."


class PassBuilder:
    """The passes of PaddlePaddle that a script adds or takes away: the names are kept, and change nothing here.

    >>> import proa as paddle
    >>> passes = paddle.inference.Config("net.pdmodel", "net.pdiparams").pass_builder()
    >>> passes.append_pass("conv_bn_fuse_pass")
    >>> passes.delete_pass("fc_fuse_pass")
    >>> passes.all_passes()
    ['conv_bn_fuse_pass']
    """

    def __init__(self, config: Config):
        self._config, self._names = config, config._passes

    def all_passes(self) -> list[str]:
        """The names that were added."""
        return list(self._names)

    analysis_passes = all_passes

    def delete_pass(self, pass_name: str | int) -> None:
        """Takes a name, or the one at a position, away."""
        if isinstance(pass_name, int):
            del self._names[pass_name]
        else:
            self._config.delete_pass(pass_name)

    def append_pass(self, pass_name: str) -> None:
        """Adds a name."""
        self._names.append(pass_name)

    append_analysis_pass = append_pass

    def insert_pass(self, position: int, pass_name: str) -> None:
        """Adds a name before the one at a position."""
        self._names.insert(position, pass_name)

    def set_passes(self, passes: Iterable[str]) -> None:
        """Puts names in the place of all."""
        self._names[:] = list(passes)

    def turn_on_debug(self) -> None:
        """Is without effect."""

    def debug_string(self) -> str:
        """The names, a line each."""
        return "\n".join(self._names)


class Config:
    """A model for `create_predictor`: `Config(prefix.pdmodel, prefix.pdiparams)`, or `Config(folder)`.

    PaddlePaddle 3's `prefix.json` may stand for `prefix.pdmodel`. A folder holds `__model__` with `__params__` or a
    file for each parameter, as older code writes them, or one pair of a Program and `.pdiparams`. What stays without
    effect: switches of passes, memory optimization, logging and oneDNN (operators are always fused, memory is reused,
    oneDNN computes where it is installed).

    >>> import tempfile, proa as paddle
    >>> prefix = tempfile.mkdtemp() + "/linear"
    >>> paddle.jit.save(paddle.nn.Linear(2, 3), prefix, input_spec=[paddle.static.InputSpec([None, 2])])
    >>> config = paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    >>> paddle.inference.create_predictor(config).get_input_names()
    ['input']
    """

    Precision = PrecisionType
    Float32, Half, Int8, Bfloat16 = (PrecisionType.Float32, PrecisionType.Half, PrecisionType.Int8,
                                     PrecisionType.Bfloat16)

    def __init__(self, model_dir: str | None = None, params_file: str | None = None):
        self._model_dir = self._prog_file = self._params_file = ""
        self._buffers: tuple[bytes, bytes] | None = None
        self._device: int | None = None
        self._threads: int | None = None
        self._memory_limit_mb: int | None = None
        self._loop_limit: int | None = None
        self._kept: dict[str, Any] = {
            "ir_optim": True, "ir_debug": False, "memory_optim": False, "profile": False, "glog": True, "mkldnn": True,
            "feed_fetch": True, "specify_input_name": False, "save_optim_model": False, "new_executor": False,
            "new_ir": False, "optimization_level": 2, "optimized_model": False, "cinn": False,
            "pool_mb": 100, "optim_cache_dir": ""}
        self._deleted: list[str] = []
        self._passes: list[str] = []
        if model_dir is not None:
            self.set_model(model_dir, params_file)

    # The model

    def set_model(self, model: str, params: str | None = None) -> None:
        """A folder, or the files of Program and parameters."""
        if params is None:
            self._model_dir, self._prog_file, self._params_file = os.fspath(model), "", ""
        else:
            self._model_dir, self._prog_file, self._params_file = "", os.fspath(model), os.fspath(params)
        self._buffers = None

    def set_prog_file(self, path: str) -> None:
        """The file of the Program."""
        self._prog_file = os.fspath(path)

    def set_params_file(self, path: str) -> None:
        """The file of the parameters."""
        self._params_file = os.fspath(path)

    def set_model_buffer(self, prog_buffer: bytes, prog_buffer_size: int, params_buffer: bytes,
                         params_buffer_size: int) -> None:
        """A model in memory: the bytes of both files."""
        for name, data in (("prog_buffer", prog_buffer), ("params_buffer", params_buffer)):
            if not isinstance(data, (bytes, bytearray)):
                raise TypeError(f"Config.set_model_buffer({name}): must be bytes. Received {type(data).__name__}.")
        self._buffers = bytes(prog_buffer[:prog_buffer_size]), bytes(params_buffer[:params_buffer_size])

    def model_dir(self) -> str:
        """The folder; empty where there are two files."""
        return self._model_dir

    def prog_file(self) -> str:
        """The file of the Program."""
        return self._prog_file

    def params_file(self) -> str:
        """The file of the parameters."""
        return self._params_file

    def model_from_memory(self) -> bool:
        """True after `set_model_buffer`."""
        return self._buffers is not None

    # Where, and with how many threads

    def enable_use_gpu(self, memory_pool_init_size_mb: int = 100, device_id: int = 0,
                       precision_mode: PrecisionType = PrecisionType.Float32) -> None:
        """Computes on a CUDA device. The pool's size changes nothing: CuPy has its own pool."""
        if precision_mode != PrecisionType.Float32:
            raise RuntimeError(f"inference.Config.enable_use_gpu(precision_mode): {_PRECISION}")
        self._device = int(device_id)
        self._kept["pool_mb"] = memory_pool_init_size_mb

    def disable_gpu(self) -> None:
        """Computes on the CPU."""
        self._device = None

    def use_gpu(self) -> bool:
        """True after `enable_use_gpu`."""
        return self._device is not None

    def gpu_device_id(self) -> int:
        """The CUDA device's index; 0 where none is used."""
        return self._device or 0

    def memory_pool_init_size_mb(self) -> int:
        """What `enable_use_gpu` was told."""
        return int(self._kept["pool_mb"])

    def fraction_of_gpu_memory_for_pool(self) -> float:
        """0.0: no memory is taken beforehand."""
        return 0.0

    def place(self) -> Place:
        """Where the Predictor computes."""
        return CPUPlace() if self._device is None else CUDAPlace(self._device)

    def set_cpu_math_library_num_threads(self, count: int) -> None:
        """How many threads one operation may use, in the whole process: `paddle.set_num_threads`."""
        if not isinstance(count, int) or count < 1:
            raise ValueError(f"Config.set_cpu_math_library_num_threads: must be a positive int. Received {count!r}.")
        self._threads = count

    def cpu_math_library_num_threads(self) -> int:
        """How many threads one operation may use."""
        from ..backend.threads import get_num_threads

        return self._threads or get_num_threads()

    # What a run may take

    def set_memory_limit_mb(self, megabytes: int | None) -> None:
        """How many megabytes the values of one run may take at a time: a run that needs more ends with LimitError.

        0 is no limit; None is what FLAGS_loaded_memory_limit_mb says. ValueError for what is no such number.
        """
        limits_of("Config.set_memory_limit_mb", megabytes, None)
        self._memory_limit_mb = megabytes

    def memory_limit_mb(self) -> int | None:
        """What `set_memory_limit_mb` was told."""
        return self._memory_limit_mb

    def set_loop_limit(self, rounds: int | None) -> None:
        """How many rounds all loops of one run may take together: a run that needs more ends with LimitError.

        0 is no limit; None is what FLAGS_loaded_loop_limit says. ValueError for what is no such number.
        """
        limits_of("Config.set_loop_limit", None, rounds)
        self._loop_limit = rounds

    def loop_limit(self) -> int | None:
        """What `set_loop_limit` was told."""
        return self._loop_limit

    # What makes no difference

    def switch_ir_optim(self, x: bool = True) -> None:
        """Is kept: a Program is always optimized."""
        self._kept["ir_optim"] = bool(x)

    def ir_optim(self) -> bool:
        """What `switch_ir_optim` was told."""
        return bool(self._kept["ir_optim"])

    def switch_ir_debug(self, x: bool = True, passes: Iterable[str] = ()) -> None:
        """Is kept: `print(program.plan(...))` shows what became of a Program."""
        self._kept["ir_debug"] = bool(x)

    def enable_memory_optim(self, x: bool = True) -> None:
        """Is kept: memory is always freed after its last use."""
        self._kept["memory_optim"] = bool(x)

    def enable_profile(self) -> None:
        """Is kept: put `paddle.profiler.Profiler` around the runs."""
        self._kept["profile"] = True

    def disable_glog_info(self) -> None:
        """Is kept: nothing is logged."""
        self._kept["glog"] = False

    def glog_info_disabled(self) -> bool:
        """True after `disable_glog_info`."""
        return not self._kept["glog"]

    def enable_mkldnn(self) -> None:
        """Is kept: oneDNN computes where it is installed; FLAGS_cpu_engines says otherwise."""
        self._kept["mkldnn"] = True

    def disable_mkldnn(self) -> None:
        """Is kept: FLAGS_cpu_engines chooses engines, for the whole process."""
        self._kept["mkldnn"] = False

    def mkldnn_enabled(self) -> bool:
        """What was said last of oneDNN."""
        return bool(self._kept["mkldnn"])

    def set_mkldnn_cache_capacity(self, capacity: int = 0) -> None:
        """Is without effect: prepared primitives are kept by the operators."""

    def set_mkldnn_op(self, op_list: Any) -> None:
        """Is without effect: oneDNN computes what it is faster at."""

    def disable_mkldnn_fc_passes(self) -> None:
        """Is without effect."""

    def delete_pass(self, pass_name: str) -> None:
        """Is kept: the passes here have other names, and none changes what is computed."""
        self._deleted.append(pass_name)

    def pass_builder(self) -> PassBuilder:
        """The list of passes, for `config.pass_builder().delete_pass(name)`."""
        return PassBuilder(self)

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """Is kept."""
        self._kept["feed_fetch"] = bool(x)

    def use_feed_fetch_ops_enabled(self) -> bool:
        """What `switch_use_feed_fetch_ops` was told."""
        return bool(self._kept["feed_fetch"])

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Is kept: inputs always have names."""
        self._kept["specify_input_name"] = bool(x)

    def specify_input_name(self) -> bool:
        """What `switch_specify_input_names` was told."""
        return bool(self._kept["specify_input_name"])

    def enable_new_executor(self, x: bool = True) -> None:
        """Is kept."""
        self._kept["new_executor"] = bool(x)

    def enable_new_ir(self, x: bool = True) -> None:
        """Is kept: a Program has one form here, whichever version wrote it."""
        self._kept["new_ir"] = bool(x)

    def new_ir_enabled(self) -> bool:
        """What `enable_new_ir` was told."""
        return bool(self._kept["new_ir"])

    def set_optimization_level(self, opt_level: int = 2) -> None:
        """Is kept: a Program is always optimized."""
        self._kept["optimization_level"] = int(opt_level)

    def use_optimized_model(self, x: bool = True) -> None:
        """Is kept: what a Program is compiled to is kept on the disk, and used where it is there."""
        self._kept["optimized_model"] = bool(x)

    def enable_cinn(self) -> None:
        """Is kept: loops of chained operators are generated anyway."""
        self._kept["cinn"] = True

    def enable_custom_passes(self, passes: Iterable[str] = (), custom_pass_only: bool = False) -> None:
        """RuntimeError where passes are named: there are none of other people's."""
        if list(passes):
            raise RuntimeError(f"inference.Config.enable_custom_passes(passes): passes cannot be added to proa's own. "
                               f"Received {list(passes)}. Leave the call out.")

    enable_onednn, disable_onednn, onednn_enabled = enable_mkldnn, disable_mkldnn, mkldnn_enabled
    set_onednn_cache_capacity, set_onednn_op = set_mkldnn_cache_capacity, set_mkldnn_op
    disable_onednn_fc_passes = disable_mkldnn_fc_passes

    def to_native_config(self) -> Config:
        """Itself."""
        return self

    def shape_range_info_path(self) -> str:
        """Empty: ranges of shapes are TensorRT's."""
        return ""

    def tensorrt_optimization_level(self) -> int:
        """0: TensorRT is not part of proa."""
        return 0

    def tensorrt_precision_mode(self) -> PrecisionType:
        """Float32: TensorRT is not part of proa."""
        return PrecisionType.Float32

    def xpu_device_id(self) -> int:
        """0: no such device is used."""
        return 0

    def set_optim_cache_dir(self, path: str) -> None:
        """Is kept: what is compiled lies in proa's own cache folder."""
        self._kept["optim_cache_dir"] = os.fspath(path)

    # What is not supported

    enable_save_optim_model = _refused("enable_save_optim_model", "What is optimized is code; no model file holds it.")
    enable_mkldnn_bfloat16 = _without_effect("enable_mkldnn_bfloat16", _PRECISION)
    set_bfloat16_op = _without_effect("set_bfloat16_op", _PRECISION)
    enable_mkldnn_int8 = _without_effect("enable_mkldnn_int8", _PRECISION)
    enable_quantizer = _refused("enable_quantizer", _PRECISION)
    quantizer_config = _refused("quantizer_config", _PRECISION)
    enable_low_precision_io = _refused("enable_low_precision_io", _PRECISION)
    exp_enable_mixed_precision_ops = _without_effect("exp_enable_mixed_precision_ops", _PRECISION)
    exp_disable_mixed_precision_ops = _without_effect("exp_disable_mixed_precision_ops", _PRECISION)
    enable_tensorrt_engine = _refused("enable_tensorrt_engine", _TENSORRT)
    enable_tensorrt_dla = _refused("enable_tensorrt_dla", _TENSORRT)
    enable_tensorrt_inspector = _refused("enable_tensorrt_inspector", _TENSORRT)
    enable_tensorrt_memory_optim = _refused("enable_tensorrt_memory_optim", _TENSORRT)
    enable_tensorrt_varseqlen = _refused("enable_tensorrt_varseqlen", _TENSORRT)
    enable_tensorrt_explicit_quantization = _refused("enable_tensorrt_explicit_quantization", _TENSORRT)
    enable_tuned_tensorrt_dynamic_shape = _refused("enable_tuned_tensorrt_dynamic_shape", _TENSORRT)
    exp_disable_tensorrt_ops = _refused("exp_disable_tensorrt_ops", _TENSORRT)
    set_trt_dynamic_shape_info = _without_effect("set_trt_dynamic_shape_info", _SHAPES)
    set_tensorrt_optimization_level = _refused("set_tensorrt_optimization_level", _TENSORRT)
    collect_shape_range_info = _without_effect("collect_shape_range_info", _SHAPES)
    mark_trt_engine_outputs = _refused("mark_trt_engine_outputs", _TENSORRT)
    exp_enable_use_cutlass = _without_effect("exp_enable_use_cutlass", _OTHER_ENGINE)
    enable_lite_engine = _without_effect("enable_lite_engine", _OTHER_ENGINE)
    enable_onnxruntime = _without_effect("enable_onnxruntime", _OTHER_ENGINE)
    enable_ort_optimization = _without_effect("enable_ort_optimization", _OTHER_ENGINE)
    enable_dlnne = _without_effect("enable_dlnne", _OTHER_ENGINE)
    enable_opencl = _refused("enable_opencl", _OTHER_ENGINE)
    set_dist_config = _refused("set_dist_config", "A Predictor computes in one process.")
    enable_xpu = _refused("enable_xpu", _OTHER_DEVICE)
    set_xpu_device_id = _refused("set_xpu_device_id", _OTHER_DEVICE)
    set_xpu_config = _refused("set_xpu_config", _OTHER_DEVICE)
    enable_onednn_bfloat16 = _without_effect("enable_onednn_bfloat16", _PRECISION)
    enable_onednn_int8 = _without_effect("enable_onednn_int8", _PRECISION)
    enable_openvino_engine = _refused("enable_openvino_engine", _OTHER_ENGINE)
    exp_disable_tensorrt_subgraph = _refused("exp_disable_tensorrt_subgraph", _TENSORRT)
    exp_disable_tensorrt_dynamic_shape_ops = _refused("exp_disable_tensorrt_dynamic_shape_ops", _TENSORRT)
    exp_specify_tensorrt_subgraph_precision = _refused("exp_specify_tensorrt_subgraph_precision", _TENSORRT)
    exp_sparse_conv_using_buffer = _refused("exp_sparse_conv_using_buffer", _OTHER_ENGINE)
    dist_config = _refused("dist_config", "A Predictor computes in one process.")
    nnadapter = _refused("nnadapter", _OTHER_ENGINE)
    load_ipu_config = _refused("load_ipu_config", _OTHER_DEVICE)
    set_ipu_custom_info = _refused("set_ipu_custom_info", _OTHER_DEVICE)
    xpu_config = _refused("xpu_config", _OTHER_DEVICE)
    enable_ipu = _refused("enable_ipu", _OTHER_DEVICE)
    set_ipu_config = _refused("set_ipu_config", _OTHER_DEVICE)
    enable_custom_device = _refused("enable_custom_device", _OTHER_DEVICE)
    disable_onnxruntime = _never("disable_onnxruntime")
    tensorrt_engine_enabled = _never("tensorrt_engine_enabled")
    tensorrt_dynamic_shape_enabled = _never("tensorrt_dynamic_shape_enabled")
    tensorrt_varseqlen_enabled = _never("tensorrt_varseqlen_enabled")
    lite_engine_enabled = _never("lite_engine_enabled")
    onnxruntime_enabled = _never("onnxruntime_enabled")
    mkldnn_int8_enabled = _never("mkldnn_int8_enabled")
    shape_range_info_collected = _never("shape_range_info_collected")
    onednn_int8_enabled = _never("onednn_int8_enabled")
    openvino_engine_enabled = _never("openvino_engine_enabled")
    tensorrt_dla_enabled = _never("tensorrt_dla_enabled")
    tensorrt_explicit_quantization_enabled = _never("tensorrt_explicit_quantization_enabled")
    tensorrt_inspector_enabled = _never("tensorrt_inspector_enabled")
    trt_allow_build_at_runtime = _never("trt_allow_build_at_runtime")
    tuned_tensorrt_dynamic_shape = _never("tuned_tensorrt_dynamic_shape")
    use_opencl = _never("use_opencl")
    use_xpu = _never("use_xpu")

    def summary(self) -> str:
        """What is set, as a table."""
        rows = {"model": self._model_dir or self._prog_file or ("in memory" if self._buffers else ""),
                "params": self._params_file, "place": repr(self.place()),
                "cpu_math_thread": self.cpu_math_library_num_threads(), **self._kept}
        width = max(map(len, rows))
        return "\n".join(f"{name.ljust(width)}  {value}" for name, value in rows.items())
