"""The trace under which `to_static` runs a function once: a program trace that also meets Tensors.

A Tensor that the function uses without being given it (a parameter, a running mean, a constant of the closure) becomes
an input of the Program, read anew at each run.
"""

from __future__ import annotations

from typing import Any

from ..core.dtype import DType
from ..core.param_attr import ParamAttr
from ..core.place import Place
from ..dygraph.tensor import Parameter, Tensor
from ..static.program import ParameterVariable, Program, Variable
from ..static.trace import ProgramTrace


class CaptureTrace(ProgramTrace):
    """Appends to a Program of its own; `captured` maps variable names to the Tensors they stand for."""

    def __init__(self) -> None:
        super().__init__(Program())
        self.captured: dict[str, Tensor] = {}
        self._by_tensor: dict[int, Variable] = {}

    def lift(self, value: Any, what: str) -> Variable:
        """A Variable as it is; a Tensor as the input that stands for it."""
        if isinstance(value, Variable):
            if value.program is not self.main:
                raise ValueError(
                    f"{what} belongs to another Program: a value of an earlier trace was kept and used again."
                )
            return value
        if not isinstance(value, Tensor):
            raise TypeError(f"{what} must be a Tensor. Received {type(value).__name__}.")
        found = self._by_tensor.get(id(value))
        if found is None:
            found = self._by_tensor[id(value)] = self._capture(value)
        return found

    def _capture(self, tensor: Tensor) -> Variable:
        block = self.main.global_block()
        name = tensor.name
        while block.has_var(name):
            name += "_1"
        if isinstance(tensor, Parameter):
            variable: Variable = block.add_var(ParameterVariable(block, name, tensor.shape, tensor.dtype))
        else:
            variable = block.create_var(name, tensor.shape, tensor.dtype, persistable=True)
        # Whether a gradient is wanted is asked at each run, so that parameters may be frozen and freed later.
        variable.stop_gradient = not (tensor.dtype.is_differentiable and not tensor.stop_gradient
                                      or isinstance(tensor, Parameter))
        self.captured[name] = tensor
        return variable

    def copy(self, x: Any, place: Place | None) -> Variable:
        """A Variable of its own with x's value."""
        return super().copy(self.lift(x, "to_tensor(x)"), place)

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Any:
        """Raises: a parameter made in `forward` would be a new one in every call."""
        raise RuntimeError(
            f"The parameter {attr.name!r} is made while a function is being converted. Make it in the layer's __init__."
        )
