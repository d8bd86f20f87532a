"""Files whose weights alone are whole numbers, for Paddle Lite: smaller, and computed as before."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ...core.place import CPUPlace
from ..files.inference_model import load_inference_model, save_inference_model
from ..ir.operation import Operation
from ..program import Program
from ..run.executor import Executor
from ..run.scope import Scope, scope_guard
from .insertion import Insertion, is_kept, numbers_of
from .kinds import channels_axis, read_by

_KINDS = ("conv2d", "depthwise_conv2d", "mul")
_BINS = 5000


class WeightQuantization:
    """Reads a saved model, and writes it with the weights of convolutions and linear layers in fewer bits.

    `quantize_weight_to_int(folder)` writes `folder/quantized_model`, whose weights are int8 or int16 (`weight_bits`)
    with their scales as attributes, which Paddle Lite runs; with `generate_test_model` also `folder/test_model`, with
    the same weights as floats, which runs everywhere. `convert_weight_to_fp16(folder)` writes all floats as float16.

    >>> import proa as paddle
    >>> import tempfile
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [2, 3])
    ...     y = paddle.static.nn.fc(x, 4)
    >>> exe = paddle.static.Executor(paddle.CPUPlace())
    >>> none = exe.run(startup)
    >>> folder = tempfile.TemporaryDirectory()
    >>> paddle.static.save_inference_model(folder.name + "/m", [x], [y], exe, program=main)
    >>> small = paddle.static.quantization.WeightQuantization(folder.name, "m.pdmodel", "m.pdiparams")
    >>> small.quantize_weight_to_int(folder.name, generate_test_model=True)
    >>> folder.cleanup()
    >>> paddle.disable_static()
    """

    def __init__(self, model_dir: str, model_filename: str | None = None, params_filename: str | None = None):
        self._from = (model_dir, model_filename, params_filename)

    def quantize_weight_to_int(self, save_model_dir: str, save_model_filename: str | None = None,
                               save_params_filename: str | None = None,
                               quantizable_op_type: Any = ("conv2d", "mul"), weight_bits: int = 8,
                               weight_quantize_type: str = "channel_wise_abs_max", generate_test_model: bool = False,
                               threshold_rate: float = 0.0) -> None:
        """Writes the model with weights of 8 or 16 bits.

        `threshold_rate`: the share of the largest magnitudes that are taken down, with one scale for a whole weight.
        ValueError for other bits and kinds.
        """
        where = "quantize_weight_to_int"
        if weight_bits not in (8, 16):
            raise ValueError(f"{where}(weight_bits): must be 8 or 16. Received {weight_bits}.")
        if weight_quantize_type not in ("abs_max", "channel_wise_abs_max"):
            raise ValueError(f"{where}(weight_quantize_type): must be 'abs_max' or 'channel_wise_abs_max'. "
                             f"Received {weight_quantize_type!r}.")
        unknown = sorted(set(quantizable_op_type) - set(_KINDS))
        if unknown:
            raise ValueError(f"{where}(quantizable_op_type): must be of {list(_KINDS)}. Received {unknown}.")
        for folder, as_floats in (("quantized_model", False), ("test_model", True)):
            if as_floats and not generate_test_model:
                continue
            program, feeds, fetches, executor, scope = self._read()
            put = Insertion(program.global_block(), scope)
            done: dict[str, np.ndarray] = {}
            for op in program.global_block().ops:
                if op.type in set(quantizable_op_type):
                    for name in read_by(op):
                        if is_kept(put.block, name):
                            self._change(put, op, name, weight_bits, weight_quantize_type, threshold_rate, as_floats,
                                         done)
            path = os.path.join(save_model_dir, folder, (save_model_filename or "model").rsplit(".", 1)[0])
            self._write(path, program, feeds, fetches, executor, scope)

    def convert_weight_to_fp16(self, save_model_dir: str) -> None:
        """Writes the model with all its parameters in float16, as Paddle Lite reads them."""
        program, feeds, fetches, executor, scope = self._read()
        put = Insertion(program.global_block(), scope)
        for variable in list(program.list_vars()):
            values = scope.array(variable.name) if variable.persistable else None
            if values is not None and np.asarray(values).dtype == np.float32:
                put.weight(variable.name, np.asarray(values).astype(np.float16))
        name = (self._from[1] or "model").rsplit(".", 1)[0]
        self._write(os.path.join(save_model_dir, name), program, feeds, fetches, executor, scope)

    def _read(self) -> tuple[Program, list, list, Executor, Scope]:
        folder, model, parameters = self._from
        executor, scope = Executor(CPUPlace()), Scope()
        with scope_guard(scope):
            program, feeds, fetches = load_inference_model(folder, executor, model_filename=model,
                                                           params_filename=parameters)
        return program, feeds, fetches, executor, scope

    def _write(self, path: str, program: Program, feeds: list, fetches: list, executor: Executor,
               scope: Scope) -> None:
        with scope_guard(scope):
            save_inference_model(path, [program.global_block().var(name) for name in feeds], fetches, executor,
                                 program=program)

    def _change(self, put: Insertion, op: Operation, name: str, bits: int, kind: str, rate: float, as_floats: bool,
                done: dict[str, np.ndarray]) -> None:
        most, axis = (1 << (bits - 1)) - 1, channels_axis(op)
        if name not in done:
            values = np.asarray(put.scope.array(name))
            by_channel = kind == "channel_wise_abs_max"
            others = tuple(n for n in range(values.ndim) if n != axis) if by_channel else None
            bound = np.ravel(np.abs(values).max(axis=others))
            if rate > 0 and not by_channel:
                bound = np.array([_least_magnitude(values, rate)], values.dtype)
                values = np.clip(values, -bound, bound)
            done[name] = bound / most
            numbers = numbers_of(values, bound, bits, axis)
            shape = [-1 if n == axis else 1 for n in range(values.ndim)] if by_channel else [1]
            scale = done[name].reshape(shape)
            put.weight(name, (numbers * scale).astype(values.dtype) if as_floats else numbers.astype(f"int{bits}"))
        op.set_attr("quantization_type", f"post_weight_{kind}")
        op.set_attr("quantize_weight_bits", bits)
        op.set_attr(f"{name}_quant_scale", [float(each) for each in done[name]])
        op.set_attr("with_quant_attr", True)


def _least_magnitude(values: np.ndarray, rate: float) -> float:
    """The magnitude that a share `rate` lies above, as a histogram shows it."""
    counts, edges = np.histogram(np.abs(values), bins=_BINS, range=(0.0, float(np.abs(values).max())))
    shares = np.cumsum(counts / counts.sum())
    return float((np.argmax(shares >= 1.0 - rate) + 1) * (edges[1] - edges[0]))
