"""Values of a scope by name, and what operations read and write that can be quantized: helpers of quantizing code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.operation import Operation
from ..run.scope import Scope
from .kinds import ACTIVATIONS, read_by, written_by

_channelwise_quant_axis1_ops = ["conv2d_transpose", *ACTIVATIONS]


def load_variable_data(scope: Scope, var_name: str) -> np.ndarray:
    """The array of a variable; KeyError where the scope has none.

    >>> import proa as paddle
    >>> scope = paddle.static.Scope()
    >>> scope.var("w").get_tensor().set(paddle.ones([2]).numpy(), paddle.CPUPlace())
    >>> paddle.static.quantization.utils.load_variable_data(scope, "w").tolist()
    [1.0, 1.0]
    """
    found = scope.array(var_name)
    if found is None:
        raise KeyError(f"load_variable_data(var_name): the scope has no {var_name!r}. Run the startup Program, or "
                       "load the parameters, in this scope.")
    return np.array(found)


def set_variable_data(scope: Scope, place: Any, var_name: str, np_value: np.ndarray) -> None:
    """Gives a variable that the scope has another array."""
    if scope.find_var(var_name) is not None:
        scope.set_array(var_name, np.array(np_value))


def _get_op_input_var_names(op: Operation) -> list[str]:
    return read_by(op)


def _get_op_output_var_names(op: Operation) -> list[str]:
    return written_by(op)
