"""Quantization-aware training of Programs, as passes over an IrGraph.

In training what passes through a Program is shown as whole numbers would show it, and the gradient passes as if nothing
were rounded: the gradient of an operation that was shown rounded values reads them, and is that of the others. Scales
are kept under `NAME@scale`. Jacob et al., Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference, 2018.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..ir.block import Block
from ..ir.operation import Operation
from ..run.scope import Scope
from .gradients import gradients_of
from .graph_pass import GraphPass
from .insertion import Insertion, is_float, is_kept
from .kinds import MOVING_AVERAGE, SLOTS, WEIGHTED, channels_axis, is_left_out, read_by, written_by
from .window import Window

_SKIP = ("skip_quant",)
_FIRST_SCALE = 0.001  # before anything has been seen
_OF_VALUES = ("abs_max", "moving_average_abs_max", "range_abs_max")
_OF_WEIGHTS = ("abs_max", "channel_wise_abs_max", "moving_average_abs_max", "range_abs_max")
_KIND, _WITH_WEIGHT = "quantization_type", "qat_with_weight"


class _Shown(GraphPass):
    """Puts in what shows values as whole numbers do, before operations of the types that are chosen."""

    whole = False
    """Whether numbers are rounded to the nearest even, as quantize_linear does."""

    def __init__(self, scope: Scope | None, place: Any, kinds: Iterable[str], bits: int, moving_rate: float,
                 skip_pattern: Any, is_test: bool | None):
        super().__init__(scope, place)
        self._kinds, self._bits, self._rate = set(kinds), bits, moving_rate
        self._skip = [skip_pattern] if isinstance(skip_pattern, str) else list(skip_pattern)
        self._is_test = is_test

    def _change(self, block: Block, is_test: bool) -> None:
        is_test = is_test if self._is_test is None else self._is_test
        put, shown = Insertion(block, self._scope), dict[str, str]()
        gradients, concerned = gradients_of(block), set[int]()
        for op in put.each():
            if op.is_backward:
                for name, owners in gradients[id(op)].items():
                    if name in shown and any(id(owner) in concerned for owner in owners):
                        op.rename_input(name, shown[name])
            elif self._concerns(op):
                concerned.add(id(op))
                self._before(put, op, shown, is_test)
                for name in read_by(op):
                    if name in shown:
                        op.rename_input(name, shown[name])

    def _concerns(self, op: Operation) -> bool:
        """Whether it is to be shown rounded values."""
        return (op.type in self._kinds and not op.is_backward and not is_left_out(op, self._skip)
                and not (op.has_attr(_KIND) and op.attr(_KIND) == _WITH_WEIGHT))

    def _before(self, put: Insertion, op: Operation, shown: dict[str, str], is_test: bool) -> None:
        raise NotImplementedError

    def _moving(self, put: Insertion, name: str, made: str, scale: str, is_test: bool) -> str:
        """The value by a scale that follows its largest magnitude."""
        self._begin(put, scale, [_FIRST_SCALE])
        inputs, outputs = {"X": [name], "InScale": [scale]}, {"Out": [put.like(name, made)], "OutScale": [scale]}
        if not is_test:
            for slot, of in (("State", f"{scale}_state"), ("Accum", f"{scale}_accum")):
                self._begin(put, of, [1.0])
                inputs[f"In{slot}"], outputs[f"Out{slot}"] = [of], [of]
        put.add(MOVING_AVERAGE, inputs, outputs, {
            "bit_length": self._bits, "moving_rate": self._rate, "is_test": is_test,
            "round_type": 0 if self.whole else 1})
        return made

    def _begin(self, put: Insertion, name: str, values: Any) -> None:
        """State that stays what it is where the scope has it already."""
        known = self._scope.array(name)
        put.constant(name, values if known is None else np.asarray(known))


class QuantizationTransformPass(_Shown):
    """Shows the inputs and the weights of operations with weights as whole numbers do.

    `weight_quantize_type`: one scale (abs_max, moving_average_abs_max, range_abs_max) or one for each channel
    (channel_wise_abs_max). `activation_quantize_type`: an input's scale is the largest magnitude of this step (abs_max)
    or of the last `window_size` ones (range_abs_max), or an average that moves (moving_average_abs_max). What a weight
    is shown by is its largest magnitude at the last training step. Functions of one's own (`weight_quantize_func` and
    the like) are a NotImplementedError.
    """

    def __init__(self, scope: Scope | None = None, place: Any = None, weight_bits: int = 8, activation_bits: int = 8,
                 activation_quantize_type: str = "abs_max", weight_quantize_type: str = "abs_max",
                 window_size: int = 10000, moving_rate: float = 0.9, skip_pattern: Any = _SKIP,
                 quantizable_op_type: Any = ("conv2d", "depthwise_conv2d", "mul"), weight_quantize_func: Any = None,
                 act_quantize_func: Any = None, weight_preprocess_func: Any = None, act_preprocess_func: Any = None,
                 optimizer_func: Any = None, executor: Any = None, is_test: bool | None = None):
        where = type(self).__name__
        for name, given in (("weight_quantize_func", weight_quantize_func), ("act_quantize_func", act_quantize_func),
                            ("weight_preprocess_func", weight_preprocess_func),
                            ("act_preprocess_func", act_preprocess_func)):
            if given is not None:
                raise NotImplementedError(f"{where}({name}): functions of one's own are not known here. Leave it out, "
                                          "or write them into the network.")
        if activation_quantize_type not in _OF_VALUES:
            raise ValueError(f"{where}(activation_quantize_type): must be one of {_OF_VALUES}. "
                             f"Received {activation_quantize_type!r}.")
        if window_size < 1:
            raise ValueError(f"{where}(window_size): must be 1 step at least. Received {window_size}.")
        if weight_quantize_type not in _OF_WEIGHTS:
            raise ValueError(f"{where}(weight_quantize_type): must be one of {_OF_WEIGHTS}. "
                             f"Received {weight_quantize_type!r}.")
        unknown = sorted(set(quantizable_op_type) - set(WEIGHTED))
        if unknown:
            raise ValueError(f"{where}(quantizable_op_type): must be of {WEIGHTED}. Received {unknown}.")
        super().__init__(scope, place, quantizable_op_type, activation_bits, moving_rate, skip_pattern, is_test)
        self._follows = self.whole or activation_quantize_type == "moving_average_abs_max"
        self._window = window_size if activation_quantize_type == "range_abs_max" else None
        self._weight_bits, self._weight_kind = weight_bits, weight_quantize_type

    def _before(self, put: Insertion, op: Operation, shown: dict[str, str], is_test: bool) -> None:
        for name in read_by(op):
            if name not in shown and is_float(put.block, name):
                made = f"{name}.quantized.dequantized"
                if is_kept(put.block, name):
                    shown[name] = self._weight(put, op, name, made, is_test)
                elif self._follows:
                    shown[name] = self._moving(put, name, made, f"{name}@scale", is_test)
                elif self._window is not None:
                    shown[name] = self._of_window(put, name, made, f"{name}@scale", is_test)
                else:
                    shown[name] = self._largest(put, name, made, -1, self._bits)
        op.set_attr(_KIND, _WITH_WEIGHT)

    def _of_window(self, put: Insertion, name: str, made: str, scale: str, is_test: bool) -> str:
        """By the largest magnitude of the last steps."""
        self._begin(put, scale, [_FIRST_SCALE])
        if not is_test and self._window is not None:
            Window(put, self._window).follow(name, scale)
        return self._moving(put, name, made, scale, True)  # the scale is what it is by now

    def _concerns(self, op: Operation) -> bool:
        return super()._concerns(op) and any(is_kept(op.block, name) for name in self._sources(op))

    def _sources(self, op: Operation) -> list[str]:
        """What it reads, or read before it was shown."""
        return [name.removesuffix(".quantized.dequantized") for name in read_by(op)]

    def _largest(self, put: Insertion, name: str, made: str, axis: int, bits: int) -> str:
        """By the largest magnitude of what is there, or of each of its channels."""
        sizes = [1] if axis < 0 else [put.block.var(name).shape[axis]]
        self._begin(put, f"{name}@scale", np.full(sizes, _FIRST_SCALE))
        attrs = {"bit_length": bits, "round_type": 0 if self.whole else 1}
        kind = "fake_quantize_dequantize_abs_max"
        if axis >= 0:
            kind, attrs["quant_axis"] = "fake_channel_wise_quantize_dequantize_abs_max", axis
        put.add(kind, {"X": [name]}, {"Out": [put.like(name, made)], "OutScale": [f"{name}@scale"]}, attrs)
        return made

    def _weight(self, put: Insertion, op: Operation, name: str, made: str, is_test: bool) -> str:
        axis = channels_axis(op) if self._weight_kind == "channel_wise_abs_max" else -1
        if not is_test or not (self.whole or axis >= 0):
            return self._largest(put, name, made, axis, self._weight_bits)
        sizes, most = [1] if axis < 0 else [put.block.var(name).shape[axis]], (1 << (self._weight_bits - 1)) - 1
        self._begin(put, f"{name}@scale", np.full(sizes, _FIRST_SCALE))
        zero = put.constant(f"{name}.quantized@zero_point", np.zeros(sizes), "int32")
        attrs = {"quant_axis": axis, "bit_length": self._weight_bits, "round_type": 0 if self.whole else 1,
                 "is_test": True, "only_observer": False}
        numbers = put.like(name, f"{name}.quantized")
        with_scale = {"Scale": [f"{name}@scale"], "ZeroPoint": [zero]}
        put.add("quantize_linear", {"X": [name], **with_scale}, {"Y": [numbers]}, attrs)
        if not self.whole:  # the older form has as many levels below 0 as above
            put.add("clip", {"X": [numbers]}, {"Out": [put.like(name, f"{numbers}.bounded")]},
                    {"min": -float(most), "max": float(most)})
            numbers = f"{numbers}.bounded"
        put.add("dequantize_linear", {"X": [numbers], **with_scale}, {"Y": [put.like(name, made)]}, attrs)
        return made


class QuantizationTransformPassV2(QuantizationTransformPass):
    """The same for files of quantize_linear and dequantize_linear. One scale of a weight follows it as inputs' do.

    Inputs' scales are moving averages whatever `activation_quantize_type` says, as in PaddlePaddle.
    """

    whole = True

    def _weight(self, put: Insertion, op: Operation, name: str, made: str, is_test: bool) -> str:
        if self._weight_kind == "channel_wise_abs_max" or is_test:
            return super()._weight(put, op, name, made, is_test)
        return self._moving(put, name, made, f"{name}@scale", is_test)


class AddQuantDequantPass(_Shown):
    """Shows what other operations read as whole numbers do; those that read parameters stay as they are."""

    def __init__(self, scope: Scope | None = None, place: Any = None, moving_rate: float = 0.9, quant_bits: int = 8,
                 skip_pattern: Any = _SKIP, quantizable_op_type: Any = ("elementwise_add", "pool2d"),
                 is_test: bool | None = None, scale_dict: Any = None):
        unknown = sorted(set(quantizable_op_type) - set(SLOTS))
        if unknown:
            raise ValueError(f"{type(self).__name__}(quantizable_op_type): {unknown} cannot be quantized. Those that "
                             f"can: {sorted(SLOTS)}.")
        super().__init__(scope, place, quantizable_op_type, quant_bits, moving_rate, skip_pattern, is_test)

    def _before(self, put: Insertion, op: Operation, shown: dict[str, str], is_test: bool) -> None:
        names = read_by(op)
        if (not self.whole and any(is_kept(put.block, name) for name in names)
                or any(".quantized" in name for name in names)):
            return
        for name in dict.fromkeys(names):
            if name not in shown and is_float(put.block, name) and not is_kept(put.block, name):
                shown[name] = self._of(put, name, is_test)
        op.set_attr(_KIND, "qat_without_weight")
        op.set_attr("activation_bits", self._bits)

    def _of(self, put: Insertion, name: str, is_test: bool) -> str:
        made = f"{name}.quant_dequant"
        return self._moving(put, name, made, f"{made}@scale", is_test)


class AddQuantDequantPassV2(AddQuantDequantPass):
    """The same for files of quantize_linear and dequantize_linear."""

    whole = True

    def _of(self, put: Insertion, name: str, is_test: bool) -> str:
        made = f"{name}.quantized.dequantized"
        return made if put.block.find_var(made) is not None else self._moving(put, name, made, f"{name}@scale", is_test)


class AddQuantDequantForResidual(_Shown):
    """Shows the value that goes past other operations to a sum, the one of the two that is read first, as whole
    numbers do."""

    whole = True

    def __init__(self, scope: Scope | None, place: Any = None, quant_bits: int = 8, is_test: bool | None = True):
        super().__init__(scope, place, ["elementwise_add"], quant_bits, 0.9, [], is_test)

    def _change(self, block: Block, is_test: bool) -> None:
        is_test = is_test if self._is_test is None else self._is_test
        first: dict[str, int] = {}
        for n, op in enumerate(block.ops):
            for name in op.input_arg_names:
                first.setdefault(name, n)
        put = Insertion(block, self._scope)
        for op in put.each():
            names = read_by(op)
            if not self._concerns(op) or any(is_kept(block, name) or not is_float(block, name) for name in names):
                continue
            past = names[0] if first[names[0]] < first[names[1]] else names[1]
            made = f"{past}.skip.quantized.dequantized"
            op.rename_input(past, self._moving(put, past, made, f"{past}.skip@scale", is_test))


class OutScaleForTrainingPass(GraphPass):
    """Lets a scale follow what each operation gives, for engines that compute it with whole numbers."""

    def __init__(self, scope: Scope | None = None, place: Any = None, moving_rate: float = 0.9,
                 is_test: bool | None = None, scale_dict: Any = None):
        super().__init__(scope, place)
        self._rate, self._is_test = moving_rate, is_test

    def _change(self, block: Block, is_test: bool) -> None:
        is_test = is_test if self._is_test is None else self._is_test
        put = Insertion(block, self._scope)
        for op in put.each():
            names = [name for name in written_by(op) if is_float(block, name) and not is_kept(block, name)]
            if op.is_backward or op._is_optimize_op():
                continue
            put.keep()
            for name in names:
                self._follow(put, name, is_test)

    def _follow(self, put: Insertion, name: str, is_test: bool) -> None:
        scale = f"{name}@scale"
        if put.block.program.global_block().has_var(scale):
            return  # it is known from where the value is read
        inputs, outputs = {"X": [name], "InScale": [scale]}, {"Out": [put.like(name, f"{name}.seen")],
                                                              "OutScale": [scale]}
        for of, slot in ((scale, ""), (f"{name}@seen_state", "State"), (f"{name}@seen_accum", "Accum")):
            known = self._scope.array(of)
            put.constant(of, [1.0] if known is None else np.asarray(known))
            if slot and not is_test:
                inputs[f"In{slot}"], outputs[f"Out{slot}"] = [of], [of]
        put.add("moving_average_abs_max_scale", inputs, outputs, {"moving_rate": self._rate, "is_test": is_test})
