"""Eager layers written into a Program of static mode: their Tensors are the Program's persistable variables.

Tools that look at a network as a Program (`paddleslim.core.dygraph2program`, which its pruners and its `flops` call)
build one in this way, under `paddle.base.dygraph.base._to_static_mode_guard_`.
"""

from __future__ import annotations

from typing import Any

from ...dygraph.parameter import EagerParameter
from ...dygraph.value import EagerValue
from ...static.building.trace import ProgramTrace
from ...static.ir.variable import ParameterVariable, Variable


class TensorsAsVariables(ProgramTrace):
    """A program trace that takes Tensors: each is the variable of its name, a parameter a parameter.

    The variables have no values: the startup Program knows nothing of them.
    """

    tensors_are_variables = True
    _own_names = True  # the user's eager code goes on behind it

    def lift(self, value: Any, what: str) -> Variable:
        """A Variable as it is; a Tensor as the variable that has its name."""
        return self._variable_of(value) if isinstance(value, EagerValue) else super().lift(value, what)

    def _variable_of(self, tensor: EagerValue) -> Variable:
        block = self.main.global_block()
        if block.has_var(tensor.name):
            return block.var(tensor.name)
        if isinstance(tensor, EagerParameter):
            return block.add_var(ParameterVariable(block, tensor.name, tensor.shape, tensor.dtype,
                                                   trainable=not tensor.stop_gradient))
        variable = block.new_var(tensor.name, tensor.shape, tensor.dtype, persistable=True)
        variable.stop_gradient = tensor.stop_gradient
        return variable
