"""Quantization of a trained model by samples: thresholds are measured, then operations that quantize are put in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..files.inference_model import load_inference_model, save_inference_model
from ..ir.operation import Operation
from ..program import Program
from ..run.scope import Scope, global_scope, scope_guard
from .insertion import Insertion, is_float, is_kept, numbers_of
from .kinds import ACTIVATIONS, OBSERVED, SLOTS, WEIGHTED, channels_axis, is_left_out, read_by, written_by
from .thresholds import METHODS, Method

_SKIP = "skip_quant"
_ACTIVATION_KINDS = ("range_abs_max", "moving_average_abs_max", "abs_max")
_WEIGHT_KINDS = ("abs_max", "channel_wise_abs_max")


class PostTrainingQuantization:
    """Quantizes a saved model by samples of its inputs, without training.

    `quantize()` runs the model on batches of `data_loader` (`batch_nums` of them, or all), finds a threshold for what
    passes through each operation that can be quantized by `algo` ("KL", "hist" with `hist_percent`, "mse", "avg",
    "abs_max", "emd", "ptf"; "min_max" only writes the least and the largest values down), makes the weights whole
    numbers, one scale for each channel or one for all (`weight_quantize_type`), and gives the Program.
    `save_quantized_model(path)` writes it.

    `onnx_format`: pairs of quantize_linear and dequantize_linear, with weights of int8, instead of the older fake
    quantization operators. `quantizable_op_type`: the types that are quantized, by default those with weights and
    products; `is_full_quantize`: all that can be. `skip_tensor_list`: operations that read these stay as they are.

    ValueError for unknown methods and kinds; NotImplementedError for `round_type="adaround"`, `bias_correction` and
    `optimize_model`.

    >>> import numpy, proa as paddle
    >>> paddle.enable_static()
    >>> with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
    ...     x = paddle.static.data("x", [2, 3])
    ...     y = paddle.static.nn.fc(x, 4)
    ...     exe = paddle.static.Executor(paddle.CPUPlace())
    ...     none = exe.run(paddle.static.default_startup_program())
    ...     quantizer = paddle.static.quantization.PostTrainingQuantizationProgram(
    ...         exe, paddle.static.default_main_program(), [x], [y], onnx_format=True, algo="abs_max",
    ...         data_loader=[{"x": numpy.ones([2, 3], "float32")}])
    ...     program = quantizer.quantize()
    >>> [op.type for op in program.global_block().ops][:3]
    ['quantize_linear', 'dequantize_linear', 'dequantize_linear']
    >>> paddle.disable_static()
    """

    def __init__(self, executor: Any, model_dir: str | None, scope: Scope | None = None,
                 model_filename: str | None = None, params_filename: str | None = None, batch_generator: Any = None,
                 sample_generator: Any = None, data_loader: Iterable[Any] | None = None, batch_size: int = 10,
                 batch_nums: int | None = None, algo: str = "KL", hist_percent: float = 0.99999,
                 quantizable_op_type: Any = (), round_type: str = "round", learning_rate: float = 0.001,
                 is_full_quantize: bool = False, bias_correction: bool = False, activation_bits: int = 8,
                 weight_bits: int = 8, activation_quantize_type: str = "range_abs_max",
                 weight_quantize_type: str = "channel_wise_abs_max", onnx_format: bool = False,
                 freeze_model: bool = True, optimize_model: bool = False, is_use_cache_file: bool = False,
                 skip_tensor_list: Any = None, same_scale_tensor_list: Any = None, cache_dir: str | None = None,
                 scale_dict: Any = None, return_graph: bool = False, deploy_backend: str | None = None):
        where = type(self).__name__
        for name, value, known in (("algo", algo, [*METHODS, "min_max"]),
                                   ("activation_quantize_type", activation_quantize_type, _ACTIVATION_KINDS),
                                   ("weight_quantize_type", weight_quantize_type, _WEIGHT_KINDS)):
            if value not in known:
                raise ValueError(f"{where}({name}): must be one of {list(known)}. Received {value!r}.")
        for name, given in (("round_type='adaround'", round_type != "round"), ("bias_correction", bias_correction),
                            ("optimize_model", optimize_model), ("return_graph", return_graph),
                            ("freeze_model=False", not freeze_model), ("scale_dict", scale_dict),
                            ("same_scale_tensor_list", same_scale_tensor_list)):
            if given:
                raise NotImplementedError(f"{where}({name}): is not known here. Leave it out: weights are rounded to "
                                          "the nearest numbers, and scales are what is measured.")
        if data_loader is None:
            raise ValueError(f"{where}(data_loader): samples are needed. Give a paddle.io.DataLoader, or any iterable "
                             "of batches to feed.")
        unknown = [kind for kind in quantizable_op_type or () if kind not in SLOTS]
        if unknown:
            raise ValueError(f"{where}(quantizable_op_type): {unknown} cannot be quantized. Those that can: "
                             f"{sorted(SLOTS)}.")
        self._executor, self._scope = executor, global_scope() if scope is None else scope
        self._from = (model_dir, model_filename, params_filename)
        self._loader, self._batches = data_loader, batch_nums
        self._algo, self._share, self._whole = algo, hist_percent, onnx_format
        self._bits, self._weight_bits = activation_bits, weight_bits
        self._activation_kind, self._by_channel = activation_quantize_type, weight_quantize_type == _WEIGHT_KINDS[1]
        chosen = list(SLOTS) if is_full_quantize else list(quantizable_op_type or [*WEIGHTED, *ACTIVATIONS])
        self._chosen, self._skipped = set(chosen), set(skip_tensor_list or ())
        self._program: Any = None
        self._feeds: Any = None
        self._fetches: Any = None
        self._thresholds: dict[str, float] = {}

    def quantize(self) -> Program:
        """Measures, and gives the quantized Program."""
        if self._program is None:
            with scope_guard(self._scope):
                self._program, self._feeds, self._fetches = self._read(*self._from)
        self._leave_out()
        if self._algo == "min_max":
            self._write_extremes()
            return self._program
        self._thresholds = {name: method.threshold() for name, method in self._measured(METHODS[self._algo]).items()}
        for block in self._program.blocks:
            put = Insertion(block, self._scope)
            (_WithPairs if self._whole else _WithFakes)(self, put).run()
        return self._program

    def save_quantized_model(self, save_model_path: str, model_filename: str | None = None,
                             params_filename: str | None = None) -> None:
        """Writes the quantized Program into a folder, as model.pdmodel or under the first part of `model_filename`."""
        if self._program is None:
            raise RuntimeError("save_quantized_model(): nothing is quantized. Call quantize() first.")
        with scope_guard(self._scope):
            self._write(save_model_path, model_filename, params_filename)

    def _read(self, folder: str | None, model: str | None, parameters: str | None) -> Any:
        return load_inference_model(str(folder), self._executor, model_filename=model, params_filename=parameters)

    def _write(self, folder: str, model: str | None, parameters: str | None) -> None:
        name = "model" if model is None else model.rsplit(".", 1)[0]
        feeds = [self._program.global_block().var(each) for each in self._feeds]
        save_inference_model(os.path.join(folder, name), feeds, self._fetches, self._executor, program=self._program)

    @property
    def feed_names(self) -> list[str]:
        """What the model's inputs are called; they are known once `quantize` has read it."""
        return list(self._feeds or ())

    def _leave_out(self) -> None:
        for block in self._program.blocks:
            for op in block.ops:
                if self._skipped.intersection(read_by(op)):
                    op.set_attr("op_namescope", _SKIP)

    def is_chosen(self, op: Operation) -> bool:
        """Whether an operation computes with whole numbers."""
        return op.type in self._chosen and not is_left_out(op, [_SKIP])

    def _watched(self) -> list[str]:
        """What passes through operations, and is neither state nor of whole numbers already."""
        names: dict[str, None] = {}
        for block in self._program.blocks:
            for op in block.ops:
                reads = read_by(op) if op.type in WEIGHTED or op.type in self._chosen or op.type in OBSERVED else []
                for name in [*reads, *written_by(op)]:
                    if not is_kept(block, name) and is_float(block, name):
                        names[name] = None
        return list(names)

    def _batches_of_values(self, names: list[str]) -> Iterable[list[np.ndarray]]:
        for n, feed in enumerate(self._loader):
            if self._batches and n >= self._batches:
                return
            with scope_guard(self._scope):
                yield self._executor.run(self._program, feed=feed, fetch_list=names, return_numpy=True)

    def _measured(self, kind: type[Method]) -> dict[str, Method]:
        names = self._watched()
        methods = {name: kind(self._bits, self._whole, self._share) for name in names}
        seen = set()
        for turn in range(kind.passes):
            for values in self._batches_of_values(names):
                for name, value in zip(names, values, strict=True):
                    if value.size:
                        methods[name].look(value, turn)
                        seen.add(name)
        if not seen:
            raise ValueError(f"{type(self).__name__}(data_loader): it gave no batch, so that nothing is measured.")
        return {name: method for name, method in methods.items() if name in seen}

    def _write_extremes(self) -> None:
        names = self._watched()
        low: dict[str, float] = {}
        high: dict[str, float] = {}
        for values in self._batches_of_values(names):
            for name, value in zip(names, values, strict=True):
                if value.size:
                    low[name] = min(low.get(name, np.inf), float(value.min()))
                    high[name] = max(high.get(name, -np.inf), float(value.max()))
        for block in self._program.blocks:
            for op in block.ops:
                if op.type not in WEIGHTED:
                    continue
                for name in read_by(op):
                    weight = self._scope.array(name) if is_kept(block, name) else None
                    op.set_attr(f"{name}.min", low[name] if weight is None else float(np.min(weight)))
                    op.set_attr(f"{name}.max", high[name] if weight is None else float(np.max(weight)))
                op.set_attr("with_quant_attr", True)

    def weight_scale(self, values: np.ndarray, axis: int) -> np.ndarray:
        """The largest magnitude of a weight: one, or one for each channel."""
        if not self._by_channel:
            return np.array([np.abs(values).max()], values.dtype)
        others = tuple(n for n in range(values.ndim) if n != axis)
        return np.abs(values).max(axis=others)


class _Form:
    """What both forms of a quantized Program need of the quantizer."""

    def __init__(self, owner: PostTrainingQuantization, put: Insertion):
        self.owner, self.put, self.block = owner, put, put.block
        self.weights: dict[str, str] = {}

    def run(self) -> None:
        """Changes the block."""
        raise NotImplementedError

    def is_weighted(self, op: Operation) -> bool:
        return op.type in WEIGHTED and any(is_kept(self.block, name) for name in read_by(op))

    def passing(self, op: Operation) -> list[str]:
        """What passes into the operation and has been measured."""
        return [name for name in dict.fromkeys(read_by(op)) if name in self.owner._thresholds]


class _WithPairs(_Form):
    """quantize_linear and dequantize_linear before what reads a value; weights are whole numbers in memory."""

    def run(self) -> None:
        pairs: dict[tuple[str, bool], str] = {}
        for op in self.put.each():
            chosen = self.owner.is_chosen(op)
            if is_left_out(op, [_SKIP]) or not (chosen or op.type in OBSERVED or op.type in WEIGHTED):
                continue
            for name in self.passing(op):
                if (name, chosen) not in pairs:
                    pairs[name, chosen] = self._pair(name, not chosen)
                op.rename_input(name, pairs[name, chosen])
            if chosen and self.is_weighted(op):
                for name in read_by(op):
                    if is_kept(self.block, name):
                        op.rename_input(name, self._weight(op, name))
                op.set_attr("quantization_type", "qat_with_weight")

    def _pair(self, name: str, only_observed: bool) -> str:
        put, ending = self.put, ".observed" if only_observed else ""
        scale = put.constant(f"{name}@scale", [self.owner._thresholds[name]])
        zero = put.constant(f"{name}.quantized@zero_point", [0], "int32")
        numbers = put.like(name, f"{name}.quantized{ending}")
        shown = put.like(name, f"{name}.quantized{ending}.dequantized")
        attrs = {"quant_axis": -1, "bit_length": self.owner._bits, "round_type": 0, "is_test": True,
                 "only_observer": only_observed}
        put.add("quantize_linear", {"X": [name], "Scale": [scale], "ZeroPoint": [zero]}, {"Y": [numbers]}, attrs)
        put.add("dequantize_linear", {"X": [numbers], "Scale": [scale], "ZeroPoint": [zero]}, {"Y": [shown]}, attrs)
        return shown

    def _weight(self, op: Operation, name: str) -> str:
        if name in self.weights:
            return self.weights[name]
        put, bits, axis = self.put, self.owner._weight_bits, channels_axis(op)
        values = np.asarray(put.scope.array(name))
        scales = self.owner.weight_scale(values, axis)
        shown = self.weights[name] = put.like(name, f"{name}.quantized.dequantized")
        put.weight(name, numbers_of(values, scales, bits, axis).astype("int8" if bits <= 8 else "int32"))
        scale = put.constant(f"{name}@scale", scales)
        zero = put.constant(f"{shown}@zero_point", np.zeros(scales.shape), "int32")
        put.add("dequantize_linear", {"X": [name], "Scale": [scale], "ZeroPoint": [zero]}, {"Y": [shown]},
                {"quant_axis": axis if self.owner._by_channel else -1, "bit_length": bits, "round_type": 0,
                 "is_test": True, "only_observer": False})
        return shown


class _WithFakes(_Form):
    """The older form: products of whole numbers, whose results are brought back behind them."""

    def run(self) -> None:
        brought_back: dict[str, str] = {}
        numbers: dict[str, str] = {}
        shown: dict[str, str] = {}
        for op in self.put.each():
            renamed = {name: brought_back[name] for name in op.input_arg_names if name in brought_back}
            if self.owner.is_chosen(op) and self.is_weighted(op):
                self._product(op, numbers, brought_back)
                continue
            if (self.owner.is_chosen(op) and not any(is_kept(self.block, name) for name in read_by(op))
                    and (not renamed or op.type in ACTIVATIONS)):
                self._values(op, shown)
            for name, other in renamed.items():
                op.rename_input(name, other)
            self._describe(op)

    def _describe(self, op: Operation) -> None:
        for slot in SLOTS.get(op.type, ((), ()))[1]:
            for n, name in enumerate(op.output(slot)):
                if name in self.owner._thresholds:
                    op.set_attr(f"{slot}{n}_threshold", self.owner._thresholds[name])
                    op.set_attr("out_threshold", self.owner._thresholds[name])
                    op.set_attr("with_quant_attr", True)
                    if self.owner.is_chosen(op):
                        op.set_attr("quantization_type", f"post_{self.owner._algo.lower()}")

    def _values(self, op: Operation, shown: dict[str, str]) -> None:
        put = self.put
        for name in self.passing(op):
            if name not in shown:
                shown[name] = put.like(name, f"{name}.quant_dequant")
                scale = put.constant(f"{name}.quant_dequant@scale", [self.owner._thresholds[name]])
                put.add("fake_quantize_dequantize_moving_average_abs_max", {"X": [name], "InScale": [scale]},
                        {"Out": [shown[name]], "OutScale": [scale]},
                        {"bit_length": self.owner._bits, "is_test": True, "moving_rate": 0.9, "round_type": 1})
            op.rename_input(name, shown[name])
        op.set_attr("activation_bits", self.owner._bits)

    def _product(self, op: Operation, numbers: dict[str, str], brought_back: dict[str, str]) -> None:
        put, owner = self.put, self.owner
        kind, axis = f"fake_quantize_{owner._activation_kind}", channels_axis(op)
        passing = next(name for name in read_by(op) if not is_kept(self.block, name))
        weight = next(name for name in read_by(op) if is_kept(self.block, name))
        scale = put.constant(f"{passing}@scale", [owner._thresholds[passing]])
        if passing not in numbers:
            numbers[passing] = put.like(passing, f"{passing}.quantized")
            attrs: dict[str, Any] = {"bit_length": owner._bits, "round_type": 1}
            inputs = {"X": [brought_back.get(passing, passing)]}
            if owner._activation_kind != "abs_max":
                inputs, attrs = {**inputs, "InScale": [scale]}, {**attrs, "is_test": True}
            put.add(kind, inputs, {"Out": [numbers[passing]], "OutScale": [scale]}, attrs)
        if weight not in self.weights:
            values = np.asarray(put.scope.array(weight))
            self.weights[weight] = put.constant(f"{weight}@scale", owner.weight_scale(values, axis))
            put.weight(weight, numbers_of(values, owner.weight_scale(values, axis), owner._weight_bits, axis))
        op.rename_input(passing, numbers[passing])
        self._describe(op)
        out = written_by(op)[0]
        put.keep()
        brought_back[out] = put.like(out, f"{out}.dequantized")
        scales = np.asarray(put.scope.array(self.weights[weight]))
        if owner._by_channel:
            put.add("fake_channel_wise_dequantize_max_abs", {"X": [out], "Scales": [self.weights[weight], scale]},
                    {"Out": [brought_back[out]]},
                    {"quant_bits": [owner._weight_bits, owner._bits], "quant_axis": axis, "x_num_col_dims": 1})
        else:
            most = float(((1 << (owner._weight_bits - 1)) - 1) * ((1 << (owner._bits - 1)) - 1))
            put.add("fake_dequantize_max_abs", {"X": [out], "Scale": [scale]}, {"Out": [brought_back[out]]},
                    {"max_range": most / float(scales[0])})


class PostTrainingQuantizationProgram(PostTrainingQuantization):
    """The same for a Program that is there: `program`, with what is fed and fetched (Variables)."""

    def __init__(self, executor: Any, program: Program, feed_list: Any = None, fetch_list: Any = None,
                 scope: Scope | None = None, batch_generator: Any = None, sample_generator: Any = None,
                 data_loader: Iterable[Any] | None = None, **options: Any):
        super().__init__(executor, None, scope=scope, batch_generator=batch_generator,
                         sample_generator=sample_generator, data_loader=data_loader, **options)
        self._program = program
        self._feeds = [getattr(each, "name", each) for each in feed_list or ()]
        self._fetches = list(fetch_list or ())
