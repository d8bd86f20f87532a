"""quant_aware and convert: a Program for quantization-aware training, and the one for inference that comes of it."""

from __future__ import annotations

from typing import Any

from ..ir.graph import IrGraph, graph_of
from ..program import Program
from ..run.compiled_program import CompiledProgram
from ..run.scope import Scope, global_scope
from .inference_passes import (
    AddQuantDequantForInferencePass,
    ConvertToInt8Pass,
    OutScaleForInferencePass,
    QuantizationFreezePass,
    QuantWeightPass,
)
from .kinds import SLOTS, WEIGHTED
from .training_passes import (
    AddQuantDequantForResidual,
    AddQuantDequantPass,
    AddQuantDequantPassV2,
    OutScaleForTrainingPass,
    QuantizationTransformPass,
    QuantizationTransformPassV2,
)

_DEFAULT: dict[str, Any] = {
    "weight_quantize_type": "channel_wise_abs_max", "activation_quantize_type": "moving_average_abs_max",
    "weight_bits": 8, "activation_bits": 8, "not_quant_pattern": ["skip_quant"],
    "quantize_op_types": ["conv2d", "depthwise_conv2d", "mul"], "dtype": "int8", "window_size": 10000,
    "moving_rate": 0.9, "for_tensorrt": False, "is_full_quantize": False, "onnx_format": True,
    "quant_post_first": False, "scale_trainable": True,
}


def _settings(config: dict | None) -> dict[str, Any]:
    unknown = sorted(set(config or ()) - _DEFAULT.keys())
    if unknown:
        raise ValueError(f"quant_aware(config): has {unknown}, which mean nothing here. What is known: "
                         f"{sorted(_DEFAULT)}.")
    found = {**_DEFAULT, **(config or {})}
    if found["quant_post_first"]:
        raise NotImplementedError("quant_aware(config): quant_post_first is not known here. Quantize by "
                                  "PostTrainingQuantizationProgram, or train without it.")
    if found["is_full_quantize"]:
        found["quantize_op_types"] = list(SLOTS)
    return found


def _everywhere(graph: IrGraph, *passes: Any) -> None:
    """Lets passes change all blocks."""
    for each in passes:
        for part in graph.all_sub_graphs(graph.is_test()):
            each.apply(part)


def quant_aware(program: Program, place: Any = None, config: dict[Any, Any] | None = None, scope: Scope | None = None,
                for_test: bool = False, weight_quantize_func: Any = None, act_quantize_func: Any = None,
                weight_preprocess_func: Any = None, act_preprocess_func: Any = None, optimizer_func: Any = None,
                executor: Any = None, return_program: bool = False, calib_config: Any = None,
                draw_graph: bool = False, return_scale_dict: bool = False, scale_dict: Any = None,
                model_type: Any = None, pattern_ops: Any = None) -> Any:
    """A copy of a Program that computes as whole numbers would, for training or (`for_test`) for evaluation.

    The Program may hold a backward pass already. `config` says which types of operations (`quantize_op_types`), how
    many bits, which scales, and by `onnx_format` which of the two forms `convert` will give. Scales are state of the
    scope. A CompiledProgram, or a Program for evaluation or with `return_program`.

    >>> import numpy, proa as paddle
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     loss = paddle.static.nn.fc(paddle.static.data("x", [2, 3]), 1).mean()
    ...     test = main.clone(for_test=True)
    ...     none = paddle.optimizer.SGD(0.1).minimize(loss)
    >>> exe = paddle.static.Executor(paddle.CPUPlace())
    >>> none = exe.run(startup)
    >>> train = paddle.static.quantization.quant_aware(main, paddle.CPUPlace())
    >>> test = paddle.static.quantization.quant_aware(test, paddle.CPUPlace(), for_test=True)
    >>> len(exe.run(train, feed={"x": numpy.ones([2, 3], "float32")}, fetch_list=[loss]))
    1
    >>> final = paddle.static.quantization.convert(test, paddle.CPUPlace())
    >>> any(variable.dtype == paddle.int8 for variable in final.list_vars())
    True
    >>> paddle.disable_static()
    """
    settings, scope = _settings(config), global_scope() if scope is None else scope
    graph = IrGraph(graph_of(program), for_test=for_test)
    is_test = for_test or not settings["scale_trainable"]
    whole = settings["onnx_format"]
    weighted = [kind for kind in settings["quantize_op_types"] if kind in WEIGHTED]
    others = [kind for kind in settings["quantize_op_types"] if kind not in weighted]
    if weighted:
        transform = QuantizationTransformPassV2 if whole else QuantizationTransformPass
        shown = transform(scope=scope, place=place, weight_bits=settings["weight_bits"],
                          activation_bits=settings["activation_bits"], is_test=is_test,
                          activation_quantize_type=settings["activation_quantize_type"],
                          weight_quantize_type=settings["weight_quantize_type"], moving_rate=settings["moving_rate"],
                          quantizable_op_type=weighted, skip_pattern=settings["not_quant_pattern"],
                          weight_quantize_func=weight_quantize_func, act_quantize_func=act_quantize_func,
                          weight_preprocess_func=weight_preprocess_func, act_preprocess_func=act_preprocess_func)
        _everywhere(graph, shown, AddQuantDequantForResidual(scope, place, settings["activation_bits"], is_test))
    if others:
        further = AddQuantDequantPassV2 if whole else AddQuantDequantPass
        _everywhere(graph, further(scope=scope, place=place, moving_rate=settings["moving_rate"],
                                   quant_bits=settings["activation_bits"], skip_pattern=settings["not_quant_pattern"],
                                   quantizable_op_type=others, is_test=is_test))
    _everywhere(graph, OutScaleForTrainingPass(scope, place, settings["moving_rate"], is_test=is_test))
    made = graph.to_program() if for_test or return_program else CompiledProgram(graph.to_program())
    return (made, {}, model_type, pattern_ops) if return_scale_dict else made


def convert(program: Program, place: Any = None, config: dict[Any, Any] | None = None, scope: Scope | None = None,
            save_int8: bool = False) -> Any:
    """The Program for inference of one that `quant_aware(for_test=True)` gave, once training is done.

    The scope's weights become whole numbers. With `save_int8`, of the older form, it gives a second Program, with
    weights of int8.
    """
    settings, scope = _settings(config), global_scope() if scope is None else scope
    graph = IrGraph(graph_of(program), for_test=True)
    if settings["onnx_format"]:
        if save_int8:
            raise ValueError("convert(save_int8): with onnx_format the weights are int8 as they are. Leave it out.")
        _everywhere(graph, QuantWeightPass(scope, place),
                    AddQuantDequantForInferencePass(scope, place, settings["activation_bits"]))
        return graph.to_program()
    _everywhere(graph, OutScaleForInferencePass(scope), QuantizationFreezePass(
        scope, place, weight_bits=settings["weight_bits"], activation_bits=settings["activation_bits"],
        weight_quantize_type=settings["weight_quantize_type"]))
    frozen = graph.to_program()
    if not save_int8:
        return frozen
    smaller = graph.clone()
    _everywhere(smaller, ConvertToInt8Pass(scope, place))
    return frozen, smaller.to_program()
