"""What comes of quantization-aware training for inference: weights as whole numbers, and scales in the operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.block import Block
from ..ir.operation import Operation
from ..run.scope import Scope
from .graph_pass import GraphPass
from .insertion import Insertion, is_kept, numbers_of
from .kinds import MOVING_AVERAGE, SLOTS, WEIGHTED, read_by, written_by


class OutScaleForInferencePass(GraphPass):
    """Writes these scales into the operations, as `out_threshold`, and takes away what let them follow."""

    def _change(self, block: Block, is_test: bool) -> None:
        scales = {op.input("X")[0]: op.output("OutScale")[0] for op in block.ops
                  if op.type == "moving_average_abs_max_scale"}
        block.ops[:] = [op for op in block.ops if op.type != "moving_average_abs_max_scale"]
        for op in block.ops:
            for slot in SLOTS.get(op.type, ((), ()))[1]:
                for n, name in enumerate(op.output(slot)):
                    found = self._scope.array(scales.get(name, f"{name}@scale"))
                    if found is not None:
                        op.set_attr("out_threshold", float(np.ravel(found)[0]))
                        op.set_attr(f"{slot}{n}_threshold", float(np.ravel(found)[0]))


class QuantWeightPass(GraphPass):
    """Makes the weights whole numbers in memory (int8): what is left of their pair is dequantize_linear."""

    def __init__(self, scope: Scope | None, place: Any = None, bias_correction: bool = False, quant_bits: int = 8,
                 save_int_weight: bool = True):
        super().__init__(scope, place)
        if bias_correction:
            raise NotImplementedError("QuantWeightPass(bias_correction): is not known here. Leave it out.")
        self._as_numbers = save_int_weight

    def _change(self, block: Block, is_test: bool) -> None:
        put, kept = Insertion(block, self._scope), []
        for op in list(block.ops):
            name = op.input("X")[0] if op.type == "quantize_linear" else ""
            if not name or not is_kept(block, name):
                kept.append(op)
                continue
            values, bits = np.asarray(self._scope.array(name)), op.attr("bit_length")
            numbers = numbers_of(values, self._scope.array(op.input("Scale")[0]), bits, op.attr("quant_axis"))
            if self._as_numbers:
                numbers = numbers.astype("int8" if bits <= 8 else "int32")
            put.weight(name, numbers)
            for reader in block.ops:
                reader.rename_input(op.output("Y")[0], name)
        block.ops[:] = kept


class AddQuantDequantForInferencePass(GraphPass):
    """Puts quantize_linear and dequantize_linear in for what training had: where scales only were followed, ones that
    observe (`only_observer`)."""

    def __init__(self, scope: Scope | None, place: Any = None, quant_bits: int = 8, quantizable_op_type: Any = (),
                 calibration_range_dict: Any = None, only_observer: bool = True):
        super().__init__(scope, place)
        self._bits, self._only = quant_bits, only_observer

    def _change(self, block: Block, is_test: bool) -> None:
        put, shown = Insertion(block, self._scope), dict[str, str]()
        for op in put.each():
            for name in op.input_arg_names:
                if name in shown:
                    op.rename_input(name, shown[name])
            if op.type == "moving_average_abs_max_scale":
                put._current, (name,), (scale,) = None, op.input("X"), op.output("OutScale")
                shown[name] = self._pair(put, name, f"{name}.quantized.observed", scale, self._only)
            elif op.type == MOVING_AVERAGE:
                put._current, (name,), (made,) = None, op.input("X"), op.output("Out")
                self._pair(put, name, made.removesuffix(".dequantized"), op.input("InScale")[0], False, made)

    def _pair(self, put: Insertion, name: str, numbers: str, scale: str, only: bool, made: str | None = None) -> str:
        zero = put.constant(f"{numbers}@zero_point", [0], "int32")
        given = {"Scale": [scale], "ZeroPoint": [zero]}
        attrs = {"quant_axis": -1, "bit_length": self._bits, "round_type": 0, "is_test": True, "only_observer": only}
        numbers, made = put.like(name, f"{numbers}.numbers"), put.like(name, made or f"{numbers}.dequantized")
        put.add("quantize_linear", {"X": [name], **given}, {"Y": [numbers]}, attrs)
        put.add("dequantize_linear", {"X": [numbers], **given}, {"Y": [made]}, attrs)
        return made


class QuantizationFreezePass(GraphPass):
    """The older files: weights as whole numbers, and products of them that are brought back behind the operation."""

    def __init__(self, scope: Scope | None, place: Any = None, bias_correction: bool = False, weight_bits: int = 8,
                 activation_bits: int = 8, round_type: str = "round", weight_quantize_type: str = "abs_max",
                 quantizable_op_type: Any = None):
        super().__init__(scope, place)
        for name, given in (("bias_correction", bias_correction), ("round_type='adaround'", round_type != "round")):
            if given:
                raise NotImplementedError(f"QuantizationFreezePass({name}): is not known here. Leave it out.")
        self._bits, self._weight_bits = activation_bits, weight_bits

    def _change(self, block: Block, is_test: bool) -> None:
        made_by = {op.output("Out")[0]: op for op in block.ops if op.type.startswith("fake_")}
        made_by.update(_of_channels(block))
        put, back, gone = Insertion(block, self._scope), dict[str, str](), set[int]()
        for op in put.each():
            if op.type in WEIGHTED and all(name in made_by for name in read_by(op)):
                self._product(put, op, made_by, back, gone)
                continue
            for name in op.input_arg_names:
                if name in back:
                    op.rename_input(name, back[name])
        read = {name for op in block.ops if id(op) not in gone for name in op.input_arg_names}
        block.ops[:] = [op for op in block.ops if id(op) not in gone or op.output_arg_names[0] in read]
        _drop_unread(block, ("clip", "quantize_linear"))

    def _product(self, put: Insertion, op: Operation, made_by: dict[str, Operation], back: dict[str, str],
                 gone: set[int]) -> None:
        names = read_by(op)
        weight = next((name for name in names if is_kept(put.block, made_by[name].input("X")[0])), None)
        if weight is None:
            return
        passing = next(name for name in names if name != weight)
        of_weight, of_passing = made_by[weight], made_by[passing]
        gone.update((id(of_weight), id(of_passing)))
        name, source = of_weight.input("X")[0], of_passing.input("X")[0]
        scale = of_passing.output("OutScale")[0]
        axis = int(of_weight.attr("quant_axis")) if of_weight.has_attr("quant_axis") else -1
        scales = self._numbers(put, name, axis)
        numbers = f"{source}.quantized"
        if put.block.find_var(numbers) is None:
            inputs = {"X": [back.get(source, source)]}
            attrs: dict[str, Any] = {"bit_length": self._bits, "round_type": 1}
            kind = "fake_quantize_abs_max"
            if of_passing.type == MOVING_AVERAGE:
                kind, inputs["InScale"] = "fake_quantize_moving_average_abs_max", [scale]
                attrs.update(is_test=True, moving_rate=0.9)
            put.add(kind, inputs, {"Out": [put.like(source, numbers)], "OutScale": [scale]}, attrs)
        op.rename_input(weight, name)
        op.rename_input(passing, numbers)
        out = written_by(op)[0]
        put.keep()
        back[out] = put.like(out, f"{out}.dequantized")
        if axis >= 0:
            put.add("fake_channel_wise_dequantize_max_abs", {"X": [out], "Scales": [scales, scale]},
                    {"Out": [back[out]]},
                    {"quant_bits": [self._weight_bits, self._bits], "quant_axis": axis, "x_num_col_dims": 1})
        else:
            most = float(((1 << (self._weight_bits - 1)) - 1) * ((1 << (self._bits - 1)) - 1))
            put.add("fake_dequantize_max_abs", {"X": [out], "Scale": [scale]}, {"Out": [back[out]]},
                    {"max_range": most / float(np.ravel(self._scope.array(scales))[0])})

    def _numbers(self, put: Insertion, name: str, axis: int) -> str:
        """Makes a weight whole numbers, once; the name of its scales."""
        kept = f"{name}@weight_scale"
        if not put.block.program.global_block().has_var(kept):
            values = np.asarray(self._scope.array(name))
            scales = np.ravel(self._scope.array(f"{name}@scale"))
            put.constant(kept, scales)
            most = (1 << (self._weight_bits - 1)) - 1
            put.weight(name, np.maximum(numbers_of(values, scales, self._weight_bits, axis), -most))
        return kept


def _of_channels(block: Block) -> dict[str, Operation]:
    """What shows a weight by a scale for each channel in evaluation, made to read the weight; by what it gives."""
    made_by = {name: op for op in block.ops for name in op.output_arg_names}
    found = {}
    for op in block.ops:
        bounded = made_by.get(op.input("X")[0]) if op.type == "dequantize_linear" else None
        numbers = made_by.get(bounded.input("X")[0]) if bounded is not None and bounded.type == "clip" else None
        if numbers is not None and numbers.type == "quantize_linear":
            whole = Operation(block, op.type, {**op.inputs, "X": numbers.input("X")}, op.outputs, op.attrs)
            block.ops[next(n for n, each in enumerate(block.ops) if each is op)] = whole
            found[op.output("Y")[0]] = whole
    return found


def _drop_unread(block: Block, kinds: tuple[str, ...]) -> None:
    """Takes operations of these types away whose results nothing reads."""
    for kind in kinds:
        read = {name for op in block.ops for name in op.input_arg_names}
        block.ops[:] = [op for op in block.ops if op.type != kind or op.output_arg_names[0] in read]


class ConvertToInt8Pass(GraphPass):
    """Keeps weights that are whole numbers as int8, for their size: such a Program does not run in training's form."""

    def __init__(self, scope: Scope | None, place: Any = None, quantizable_op_type: Any = None):
        super().__init__(scope, place)

    def _change(self, block: Block, is_test: bool) -> None:
        put = Insertion(block, self._scope)
        for op in block.ops:
            if op.type not in WEIGHTED:
                continue
            for name in read_by(op):
                values = np.asarray(self._scope.array(name)) if is_kept(block, name) else None
                if values is not None and values.dtype != np.int8 and put.block.program.global_block().has_var(
                        f"{name}@weight_scale"):
                    put.weight(f"{name}.int8", values.astype(np.int8))
                    put.block.program.global_block().new_var(
                        name=f"{name}.int8", shape=list(values.shape), dtype="int8", persistable=True)
                    op.rename_input(name, f"{name}.int8")
