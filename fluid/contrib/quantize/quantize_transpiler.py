"""`QuantizeTranspiler`: changes Programs, in place, by the passes of `static.quantization`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....static.building.mode import default_main_program, default_startup_program
from ....static.ir.graph import IrGraph
from ....static.program import Program
from ....static.run.scope import Scope, global_scope
from ..slim.quantization import ConvertToInt8Pass, QuantizationFreezePass, QuantizationTransformPass


class QuantizeTranspiler:
    """Changes a Program so that convolutions and `mul` compute as whole numbers would; then one for inference.

    `activation_quantize_type`, `weight_quantize_type`: 'abs_max' or 'range_abs_max', a scale of this step or of the
    last `window_size` ones.

    >>> import proa.fluid as fluid
    >>> main, startup = fluid.Program(), fluid.Program()
    >>> with fluid.program_guard(main, startup):
    ...     loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
    ...     _ = fluid.optimizer.SGD(0.1).minimize(loss)
    >>> fluid.contrib.QuantizeTranspiler().training_transpile(main, startup)
    >>> main.global_block().ops[0].type
    'fake_quantize_dequantize_abs_max'
    """

    def __init__(self, weight_bits: int = 8, activation_bits: int = 8, activation_quantize_type: str = "abs_max",
                 weight_quantize_type: str = "abs_max", window_size: int = 10000, moving_rate: float = 0.9):
        for name, kind in (("activation", activation_quantize_type), ("weight", weight_quantize_type)):
            if kind not in ("abs_max", "range_abs_max", "moving_average_abs_max"):
                raise ValueError(f"QuantizeTranspiler({name}_quantize_type): must be 'abs_max', 'range_abs_max' or "
                                 f"'moving_average_abs_max'. Received {kind!r}.")
        self.weight_bits, self.activation_bits = weight_bits, activation_bits
        self.activation_quantize_type, self.weight_quantize_type = activation_quantize_type, weight_quantize_type
        self.window_size, self.moving_rate = window_size, moving_rate

    def training_transpile(self, program: Any = None, startup_program: Any = None) -> None:
        """Shows the operations' inputs as whole numbers do; what the scales begin with goes to the startup Program."""
        main = _checked("training_transpile", program or default_main_program())
        startup = startup_program or default_startup_program()
        first = Scope()
        _apply(main, False, QuantizationTransformPass(
            scope=first, weight_bits=self.weight_bits, activation_bits=self.activation_bits,
            activation_quantize_type=self.activation_quantize_type, weight_quantize_type=self.weight_quantize_type,
            window_size=self.window_size, moving_rate=self.moving_rate))
        home = startup.global_block()
        for variable in list(main.list_vars()):
            values = first.array(variable.name)
            if values is None or home.has_var(variable.name):
                continue
            given = np.asarray(values)
            home.new_var(name=variable.name, shape=list(given.shape), dtype=given.dtype.name, persistable=True)
            home.append_op(type="fill_constant", outputs={"Out": variable.name}, attrs={
                "shape": list(given.shape), "dtype": variable.dtype, "value": float(given.ravel()[0])})

    def freeze_program(self, program: Any, place: Any, scope: Scope | None = None) -> None:
        """Makes a Program for evaluation one for inference: the scope's weights become whole numbers."""
        _apply(_checked("freeze_program", program), True, QuantizationFreezePass(
            scope or global_scope(), place, weight_bits=self.weight_bits, activation_bits=self.activation_bits,
            weight_quantize_type=self.weight_quantize_type))

    def convert_to_int8(self, program: Any, place: Any, scope: Scope | None = None) -> None:
        """Keeps the weights of a frozen Program as int8, under names that end in `.int8`, for its size alone."""
        _apply(_checked("convert_to_int8", program), True, ConvertToInt8Pass(scope or global_scope(), place))


def _checked(what: str, program: Any) -> Program:
    if not isinstance(program, Program):
        raise TypeError(f"QuantizeTranspiler.{what}(program): must be a Program. Received {type(program).__name__}.")
    return program


def _apply(program: Program, for_test: bool, change: Any) -> None:
    for part in IrGraph(program, for_test).all_sub_graphs(for_test):
        change.apply(part)


__all__ = ["QuantizeTranspiler"]
