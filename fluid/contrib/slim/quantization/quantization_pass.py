"""The passes of 1.8: those of `paddle.static.quantization`, with 1.8's order of arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....static.ir.block import Block
from .....static.ir.operation import Operation
from .....static.quantization import AddQuantDequantPass as _PairsPass
from .....static.quantization import ConvertToInt8Pass, OutScaleForInferencePass, OutScaleForTrainingPass
from .....static.quantization import QuantizationFreezePass as _FreezePass
from .....static.quantization import QuantizationTransformPass as _TransformPass
from .....static.quantization.insertion import Insertion, is_kept
from .mobile import TransformForMobilePass

_OF_WHAT_IS_THERE = ("fake_quantize_dequantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max")


class QuantizationTransformPass(_TransformPass):
    """Operations with weights read what has been quantized and brought back: `paddle.static.quantization`'s pass.

    >>> import proa.fluid as fluid
    >>> from proa.fluid.contrib.slim.quantization import QuantizationTransformPass
    >>> exe, place = fluid.Executor(fluid.CPUPlace()), fluid.CPUPlace()
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
    ...     y = fluid.layers.fc(fluid.data("x", [2, 3]), 2)
    ...     _ = exe.run(fluid.default_startup_program())
    ...     graph = fluid.framework.IrGraph(fluid.core.Graph(fluid.default_main_program().desc))
    ...     _ = QuantizationTransformPass(fluid.global_scope(), place).apply(graph)
    ...     sorted({op.type for op in graph.to_program().global_block().ops})
    ['elementwise_add', 'fake_quantize_dequantize_abs_max', 'mul']
    """

    _supported_quantizable_op_type = ["conv2d", "depthwise_conv2d", "mul", "matmul"]  # PaddleSlim 1.x asks for it

    def _weight(self, put: Insertion, op: Operation, name: str, made: str, is_test: bool) -> str:
        """By the magnitudes that the weight has now, in evaluation too: 1.x keeps none of training."""
        return super()._weight(put, op, name, made, False)


class AddQuantDequantPass(_PairsPass):
    """Operations without weights read what has been quantized and brought back: `paddle.static.quantization`'s pass.

    >>> import proa.fluid as fluid
    >>> from proa.fluid.contrib.slim.quantization import AddQuantDequantPass
    >>> exe, place = fluid.Executor(fluid.CPUPlace()), fluid.CPUPlace()
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
    ...     x = fluid.data("x", [2, 3])
    ...     y = fluid.layers.elementwise_add(x, x)
    ...     graph = fluid.framework.IrGraph(fluid.core.Graph(fluid.default_main_program().desc))
    ...     _ = AddQuantDequantPass(fluid.global_scope(), place).apply(graph)
    ...     [op.type for op in graph.to_program().global_block().ops]
    ['fake_quantize_dequantize_moving_average_abs_max', 'elementwise_add']
    """

    _supported_quantizable_op_type = [  # as above
        "pool2d", "elementwise_add", "concat", "softmax", "argmax", "transpose", "equal", "gather", "greater_equal",
        "greater_than", "less_equal", "less_than", "mean", "not_equal", "reshape", "reshape2", "bilinear_interp",
        "nearest_interp", "trilinear_interp", "slice", "squeeze", "elementwise_sub", "mul", "matmul", "relu", "relu6",
        "leaky_relu", "tanh", "swish"]


class QuantizationFreezePass(_FreezePass):
    """Weights as whole numbers, and products of them that are brought back behind the operation.

    >>> import proa.fluid as fluid
    >>> from proa.fluid.contrib.slim.quantization import QuantizationFreezePass, QuantizationTransformPass
    >>> exe, place = fluid.Executor(fluid.CPUPlace()), fluid.CPUPlace()
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
    ...     y = fluid.layers.fc(fluid.data("x", [2, 3]), 2)
    ...     _ = exe.run(fluid.default_startup_program())
    ...     graph = fluid.framework.IrGraph(fluid.core.Graph(fluid.default_main_program().desc), for_test=True)
    ...     _ = QuantizationTransformPass(fluid.global_scope(), place).apply(graph)
    ...     _ = QuantizationFreezePass(fluid.global_scope(), place).apply(graph)
    ...     sorted({op.type for op in graph.to_program().global_block().ops})
    ['elementwise_add', 'fake_dequantize_max_abs', 'fake_quantize_abs_max', 'mul']
    """

    def __init__(self, scope: Any, place: Any, weight_bits: int = 8, activation_bits: int = 8,
                 weight_quantize_type: str = "abs_max", quantizable_op_type: Any = None):
        super().__init__(scope, place, weight_bits=weight_bits, activation_bits=activation_bits,
                         weight_quantize_type=weight_quantize_type, quantizable_op_type=quantizable_op_type)

    def _change(self, block: Block, is_test: bool) -> None:
        """By the magnitudes that the weights have now."""
        for op in block.ops:
            if op.type in _OF_WHAT_IS_THERE and is_kept(block, name := op.input("X")[0]):
                values = np.abs(np.asarray(self._scope.array(name)))
                axis = op.attrs.get("quant_axis", -1)
                others = tuple(n for n in range(values.ndim) if n != axis)
                self._scope.set_array(op.output("OutScale")[0], values.max(axis=others).reshape(-1))
        super()._change(block, is_test)


__all__ = ["AddQuantDequantPass", "ConvertToInt8Pass", "OutScaleForInferencePass", "OutScaleForTrainingPass",
           "QuantizationFreezePass", "QuantizationTransformPass", "TransformForMobilePass"]
