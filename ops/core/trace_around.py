"""A trace around another one, for those that want to see or change what is applied and leave the rest as it is."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ...core.dtype import DType
from ...core.param_attr import ParamAttr
from ...core.place import Place
from .operator import Operator
from .trace import _T, Trace


class TraceAround(Trace):
    """Does what `inner` does."""

    def __init__(self, inner: Trace):
        self.inner = inner
        self.computes, self.captures, self.is_default = inner.computes, inner.captures, inner.is_default
        self.variables_are_true, self.least_rank = inner.variables_are_true, inner.least_rank
        self.tensors_are_variables = inner.tensors_are_variables

    @property
    def precision(self) -> Any:
        """What decides the dtypes in which operators compute."""
        return self.inner.precision

    @property
    def role(self) -> int:  # type: ignore[override]
        """Which part of a training step is applied."""
        return self.inner.role

    @property
    def main(self) -> Any:
        """The Program that is written."""
        return self.inner.main

    @property
    def startup(self) -> Any:
        """The Program in which values begin."""
        return self.inner.startup

    @property
    def block(self) -> Any:
        """That of the Program to which operations are appended."""
        return self.inner.block

    def find(self, kind: type[_T]) -> _T | None:
        """The outermost trace of this kind."""
        return self if isinstance(self, kind) else self.inner.find(kind)

    def without(self, trace: Trace) -> Trace:
        """What remains when a trace is taken away."""
        if trace is self:
            return self.inner
        self.inner = self.inner.without(trace)
        return self

    def faced(self, eager: Trace) -> Trace:
        """The same around the inner trace with another eager trace in it."""
        inner = self.inner.faced(eager)
        if inner is self.inner:
            return self
        other = copy.copy(self)
        other.inner = inner
        return other

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """As the inner trace has it, and so have all others."""
        return self.inner.apply(op, inputs, attrs)

    def constant(self, array: Any, place: Place | None, stop_gradient: bool) -> Any:
        """A value that holds the given array."""
        return self.inner.constant(array, place, stop_gradient)

    def number(self, value: Any, dtype: DType) -> Any:
        """A value without dimensions that holds a number."""
        return self.inner.number(value, dtype)

    def zeros(self, shape: Any, dtype: DType) -> Any:
        """Zeros of a shape."""
        return self.inner.zeros(shape, dtype)

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Any:
        """A new parameter, initialized."""
        return self.inner.parameter(shape, dtype, attr, initializer)

    def copy(self, x: Any, place: Place | None) -> Any:
        """A value of its own that equals x, at `place`."""
        return self.inner.copy(x, place)

    def sparse(self, layout: str, index: tuple, values: Any, shape: tuple[int, ...]) -> Any:
        """A sparse tensor of its parts."""
        return self.inner.sparse(layout, index, values, shape)

    def begin_gradient(self, x: Any) -> None:
        """Makes a value one that gradients are taken with respect to."""
        self.inner.begin_gradient(x)

    def lift(self, value: Any, what: str) -> Any:
        """The value of this trace that `value` is or that stands for it."""
        return self.inner.lift(value, what)

    def set_on_tensors(self, name: str) -> Any:
        """As the trace inside says."""
        return self.inner.set_on_tensors(name)

    def known_value(self, variable: Any) -> Any:
        """The array that a variable of the Program holds in each run, where that is known already."""
        return self.inner.known_value(variable)

    def repeated(self, items: Any, times: Any) -> Any:
        """A list as many times as a number says that only the run of the Program knows."""
        return self.inner.repeated(items, times)

    def variable_of(self, value: Any) -> Any:
        """What stands for a Tensor in the Program that is written."""
        return self.inner.variable_of(value)

    def gradient_of(self, value: Any) -> Any:
        """The gradient that a Tensor holds."""
        return self.inner.gradient_of(value)

    def sets_gradient(self, value: Any, gradient: Any) -> bool:
        """Makes the Program give a Tensor a gradient, where it can."""
        return self.inner.sets_gradient(value, gradient)

    def sets_stop(self, value: Any, stop: bool) -> None:
        """What the trace inside does."""
        self.inner.sets_stop(value, stop)

    def clears_gradient(self, value: Any, to_zeros: bool) -> bool:
        """Makes the Program clear a Tensor's gradient, where it can."""
        return self.inner.clears_gradient(value, to_zeros)

    def fills_gradients(self, values: Sequence, starts: Sequence, retain_graph: bool) -> bool:
        """Makes the Program add the gradients of values to those that Tensors hold, where it can."""
        return self.inner.fills_gradients(values, starts, retain_graph)

    def look_at(self, value: Any) -> None:
        """Is told that Python looks at the value that a Tensor has now."""
        self.inner.look_at(value)

    def at_each_run(self, action: Callable[[], Any]) -> AbstractContextManager[None]:
        """Around what each run of a Program does to Python values."""
        return self.inner.at_each_run(action)

    def reads_attribute(self, owner: Any, name: str) -> None:
        """Is told that what a Python attribute holds is given out."""
        self.inner.reads_attribute(owner, name)

    def replaces(self, value: Any) -> None:
        """Is told of a Tensor that is given another array."""
        self.inner.replaces(value)

    def sets_buffer(self, buffers: dict[str, Any], name: str) -> None:
        """Is told of a buffer that becomes another Tensor."""
        self.inner.sets_buffer(buffers, name)

    def writes(self, value: Any, new: Any) -> bool:
        """Makes the Program set a Tensor's value where it has Tensors."""
        return self.inner.writes(value, new)

    def rebind(self, value: Any, result: Any) -> None:
        """Makes a Tensor the result of an operation in the Program."""
        self.inner.rebind(value, result)

    def change(self, variable: Any, result: Any) -> None:
        """Gives a variable of the Program the value of another from here on."""
        self.inner.change(variable, result)

    def begins_with(self, value: Any, result: Any) -> bool:
        """Whether a parameter of the Program has been told to begin with a result, as nothing has read it yet."""
        return self.inner.begins_with(value, result)

    def fills_elsewhere(self, value: Any, block: Any) -> bool:
        """Whether a value is one of a Program that a block fills, and not the one that operations are appended to."""
        return self.inner.fills_elsewhere(value, block)

    def up_to_date(self, variable: Any) -> Any:
        """A variable of the Program, or, where it is a view, what it shows of the value that this has now."""
        return self.inner.up_to_date(variable)

    def assign_to(self, variable: Any, result: Any) -> None:
        """Gives a variable of the Program the value of another."""
        self.inner.assign_to(variable, result)

    def cut_off(self, variable: Any) -> None:
        """Lets no gradient flow through a variable of the Program from here on."""
        self.inner.cut_off(variable)

    def hooked(self, variable: Any, hook: Callable[[Any], Any]) -> Any:
        """Lets the gradient of a variable of the Program go through a hook."""
        return self.inner.hooked(variable, hook)

    def note_views(self, parts: Sequence[Any], op: Operator, value: Any, attrs: Sequence[dict[str, Any]]) -> None:
        """Lets values know that they are views of another."""
        self.inner.note_views(parts, op, value, attrs)

    def gradients(self, loss: Any, parameters: list | None, no_grad: Any = None,
                  callbacks: Any = None) -> list[tuple[Any, Any]]:
        """Parameters with their gradients."""
        return self.inner.gradients(loss, parameters, no_grad, callbacks)

    def derivatives(self, outputs: list, inputs: list, starts: list, no_grad: Any, create_graph: bool) -> list:
        """The gradients of outputs with respect to inputs."""
        return self.inner.derivatives(outputs, inputs, starts, no_grad, create_graph)

    def py_layer(self, layer: Any, context: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """What a PyLayer's `forward` gives, whose gradient is what its `backward` says."""
        return self.inner.py_layer(layer, context, args, kwargs)

    def kept(self, values: tuple) -> tuple:
        """What a PyLayer saves, in the form in which it is to wait."""
        return self.inner.kept(values)

    def updating(self) -> Any:
        """A context manager around the updates of an optimizer."""
        return self.inner.updating()

    def joined(self, name: str, parameters: Sequence[Any]) -> None:
        """Is told of parameters that Programs hold once more."""
        self.inner.joined(name, parameters)

    def trained(self) -> list | None:
        """The parameters that an optimizer trains which was given none."""
        return self.inner.trained()

    def draws(self, key: str, name: str | None = None) -> None:
        """Is told of the call of a function that draws a name."""
        self.inner.draws(key, name)

    def averaged(self) -> list | None:
        """Of which a user who says nothing wants averages."""
        return self.inner.averaged()

    def training(self, loss: Any, startup: Any = None) -> Any:
        """A context manager around what trains by a loss."""
        return self.inner.training(loss, startup)

    def host_value(self, source: Any, dtype: DType, name: str, scheduled: Any = None) -> Any:
        """A one-element value that the host decides anew at each step."""
        return self.inner.host_value(source, dtype, name, scheduled)

    def persistent(self, shape: tuple[int, ...], dtype: DType, value: Any, name: str) -> Any:
        """A new value that outlives a step without being a parameter."""
        return self.inner.persistent(shape, dtype, value, name)

    def blank(self, dtype: DType, name: str) -> Any:
        """A value into which its owner has something written."""
        return self.inner.blank(dtype, name)

    def initialize(self, variable: Any, make: Callable[[], Any]) -> None:
        """Lets the startup Program give a variable what `make()` makes there."""
        self.inner.initialize(variable, make)

    def store(self, target: Any, value: Any) -> None:
        """Gives `target` the value of another."""
        self.inner.store(target, value)

    def staged(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function in a form whose `while` may ask what only running tells."""
        return self.inner.staged(function)

    def called(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """What to call for a function of the user's."""
        return self.inner.called(function)

    def apart(self, what: str) -> AbstractContextManager[None]:
        """Around code that is to compute and nothing else."""
        return self.inner.apart(what)

    def meant_for(self, device: str) -> AbstractContextManager[None]:
        """Within the block what is appended is noted to be meant for a device."""
        return self.inner.meant_for(device)

    def naming(self, name: Callable[[str], Any]) -> AbstractContextManager[None]:
        """Within the block results are called, or are, what `name(slot)` gives."""
        return self.inner.naming(name)
