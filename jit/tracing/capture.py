"""The trace under which `to_static` runs a function once: a program trace that also meets Tensors.

A Tensor that the function uses without being given it (a parameter, a running mean, a constant of the closure) becomes
an input of the Program, read anew at each run; one that the function changes in place is written at each run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...backend import to_numpy
from ...core.dtype import DType
from ...core.errors import user_line
from ...core.param_attr import ParamAttr
from ...core.place import Place
from ...dygraph.parameter import EagerParameter
from ...dygraph.value import EagerValue
from ...ops.core.trace import grad_mode, state
from ...static.building.trace import ProgramTrace
from ...static.ir.program import ParameterVariable, Variable
from ...static.program import Program
from ..footprint.surroundings import Surroundings


class CaptureTrace(ProgramTrace):
    """Appends to a Program of its own; `captured` maps variable names to the Tensors they stand for.

    `rebound` holds the names of those that an operation in place has changed, `derived` of those whose gradient goes
    through it; `values_read` the Tensors whose values Python has looked at, with these values: the Program holds only
    as long as they stay.
    """

    captures = True

    def __init__(self, surroundings: Surroundings) -> None:
        super().__init__(Program())
        self.surroundings = surroundings
        self.captured: dict[str, EagerValue] = {}
        self.rebound: dict[str, EagerValue] = {}
        self.derived: set[str] = set()
        self.values_read: list[tuple[EagerValue, np.ndarray]] = []
        self._named: list[EagerValue] = []
        self._by_tensor: dict[int, Variable] = {}

    def lift(self, value: Any, what: str) -> Variable:
        """A Variable as it is; a Tensor as the input that stands for it."""
        if isinstance(value, Variable):
            if value.program is not self.main:
                raise ValueError(
                    f"{what} belongs to another Program: a value of an earlier trace was kept and used again."
                )
            return value
        if isinstance(value, (np.ndarray, np.generic)):
            return self.constant(np.array(value), None, True)
        if not isinstance(value, EagerValue):
            raise TypeError(f"{what} must be a Tensor. Received {type(value).__name__}.")
        found = self._by_tensor.get(id(value))
        if found is None:
            found = self._by_tensor[id(value)] = self._capture(value)
        return found

    def _capture(self, tensor: EagerValue) -> Variable:
        block = self.main.global_block()
        if tensor._name is None:
            self._named.append(tensor)
        name = tensor.name
        while block.has_var(name):
            name += "_1"
        if isinstance(tensor, EagerParameter):
            variable: Variable = block.add_var(ParameterVariable(block, name, tensor.shape, tensor.dtype))
        else:
            variable = block.create_var(name, tensor.shape, tensor.dtype, persistable=True)
        # Whether a gradient is wanted is asked at each run, so that parameters may be frozen and freed later.
        variable.stop_gradient = not (tensor.dtype.is_differentiable and not tensor.stop_gradient
                                      or isinstance(tensor, EagerParameter))
        self.captured[name] = tensor
        return variable

    def forget_names(self) -> None:
        """Takes back the names that Tensors were given by being captured."""
        for tensor in self._named:
            tensor._name = None

    def rebind(self, value: Any, result: Variable) -> None:
        """Makes a Tensor, at each run, the result of an operation on it; under `no_grad` its gradient stays its own."""
        if state.grad_enabled and value.is_leaf and not value.stop_gradient:
            raise RuntimeError(
                f"A leaf Tensor with stop_gradient=False cannot be changed in place: its gradient would have no place "
                f"to go. Use the form that returns a new Tensor, or work under paddle.no_grad(). Tensor: {value.name}."
            )
        variable = self.lift(value, "a tensor that is changed in place")
        if list(result.shape) != value.shape or result.dtype is not value.dtype:
            raise ValueError(
                f"In a function under to_static, an operation in place must keep the shape {value.shape} and dtype "
                f"{value.dtype.name} of {value.name!r}. The result has shape {list(result.shape)} and dtype "
                f"{result.dtype.name}."
            )
        name = variable.name
        self.change(variable, result)
        self.rebound[variable.name] = value
        if state.grad_enabled:
            self.derived.add(name)

    def called(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """What converted code calls for a function."""
        from ..convert.functions import converted_callable

        return converted_callable(function)

    @contextlib.contextmanager
    def apart(self, what: str) -> Iterator[None]:
        """Around code that is to compute and nothing else: RuntimeError where it changes what is within reach."""
        rebound = dict(self.rebound)
        try:
            with super().apart(what), self.surroundings.unchanged_by(what):
                yield
        finally:
            self.rebound = rebound

    def gradients(self, loss: Any, parameters: list | None, no_grad: Any = None, callbacks: Any = None) -> Any:
        """Raises: an optimizer updates by the gradients that Tensors hold, and a Program holds none of these."""
        return self.touches_grad("optimizer.step()")

    def training(self, loss: Any, startup: Any = None) -> Any:
        """Raises, as `gradients`."""
        return self.touches_grad("optimizer.minimize()")

    def touches_grad(self, what: str) -> None:
        """Raises RuntimeError: it would happen now, and not when the Program runs."""
        error = RuntimeError(
            f"{what}: the gradients that tensors hold are no part of a Program that to_static makes ({user_line()}). "
            "Return the loss, and call backward(), step() and clear_grad() outside of the function.")
        self.main.value_wanted = self.main.value_wanted or error
        raise error

    def variable_of(self, value: Any) -> Variable:
        """What stands for a Tensor in the Program."""
        return self.lift(value, "a Tensor")

    def look_at(self, value: Any) -> None:
        """Notes the value; RuntimeError for a Tensor that the Program has given another one, not known yet."""
        if any(value is changed for changed in self.rebound.values()):
            raise RuntimeError(
                f"The value of {value.name!r} is looked at, and the function has changed it before: what it is then is "
                "not known while the function is being converted. Keep to tensor operations here."
            )
        if not any(value is read for read, _ in self.values_read):
            self.values_read.append((value, to_numpy(value._array).copy()))

    def writes(self, value: Any, new: Any) -> bool:
        """Makes each run set the Tensor's value, which leaves its gradient what it is."""
        if not isinstance(new, (EagerValue, Variable)):
            new = self.constant(np.asarray(new), None, True)
        with grad_mode(False):
            self.rebind(value, self.lift(new, "set_value(value)").detach())
        return True

    def copy(self, x: Any, place: Place | None) -> Variable:
        """A Variable of its own with x's value."""
        return super().copy(self.lift(x, "to_tensor(x)"), place)

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Any:
        """Raises: a parameter made in `forward` would be a new one in every call."""
        raise ValueError(
            f"The parameter {attr.name!r} is made while a function is being converted. Make it in the layer's __init__."
        )
