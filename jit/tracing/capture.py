"""The trace under which `to_static` runs a function once: a program trace that also meets Tensors.

A Tensor that the function uses without being given it (a parameter, a running mean, a constant of the closure) becomes
an input of the Program, read anew at each run; one that the function changes in place is written at each run.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from ...backend import to_numpy
from ...core.dtype import DType
from ...core.errors import LeafChangedInPlaceError, user_line, warn_user
from ...core.param_attr import ParamAttr
from ...core.place import Place
from ...dygraph.eager import EagerTrace
from ...dygraph.engine import NOTHING_FLOWS
from ...dygraph.parameter import EagerParameter
from ...dygraph.tensor import Tensor
from ...dygraph.value import EagerValue
from ...ops.core.trace import grad_mode, state
from ...ops.math.casting import cast
from ...static.building.trace import ProgramTrace
from ...static.building.views import as_read
from ...static.ir.operation import BACKWARD_ROLE
from ...static.ir.variable import ParameterVariable, Variable
from ...static.program import Program
from ..convert.ignoring import is_ignored_module
from ..errors import ConversionError, StopsAsked
from ..footprint.locations import Location
from ..footprint.surroundings import Surroundings
from ..footprint.value_guards import current
from .held_gradients import UNTOUCHED, ZEROS, HeldGradient, HostCall, Walked, check_leaf
from .stops import AnswerGuard, Answers, may_stop


class CaptureTrace(ProgramTrace):
    """Appends to a Program of its own; `captured` maps variable names to the Tensors they stand for.

    `rebound` holds the names of those that an operation in place has changed, `derived` of those whose gradient goes
    through it; `values_read` the Tensors whose values Python has looked at, with these values: the Program holds only
    as long as they stay.
    """

    captures = True
    _aligns_at_first = _names_by_turn = False

    def __init__(self, surroundings: Surroundings) -> None:
        super().__init__(Program())
        self._records = state.grad_enabled  # where the function is called
        self.answers: dict[Any, AnswerGuard] = {}
        self.main.counts_apart = True  # the user's eager code goes on behind the function, and names its layers
        self.surroundings = surroundings
        self.captured: dict[str, EagerValue] = {}
        self.rebound: dict[str, EagerValue] = {}
        self.derived: set[str] = set()
        self.values_read: list[tuple[EagerValue, np.ndarray]] = []
        self._named: list[EagerValue] = []
        self._by_tensor: dict[int, Variable] = {}
        self.held: dict[int, HeldGradient] = {}  # by the ids of Tensors
        self.host: list[HostCall] = []  # what gives learning rates and the like, and what moves schedules on
        self.stops: list[tuple[EagerValue, bool, bool]] = []  # `x.stop_gradient = …`: set behind a run, or before it
        self._stopped: dict[int, tuple[EagerValue, bool]] = {}  # by the ids of these Tensors, with what was so before
        self._cut: dict[str, Variable] = {}  # of arguments at which gradients stop, by name, what reads read instead
        self._around: dict[str, tuple] = {}  # of values around a branch that stop in it: why there is no Program, where
        self.trains = False  # computes gradients for Tensors to hold, or updates by them
        self._repeating = False
        self._made: dict[int, EagerValue] = {}  # what optimizers have made to keep
        self._walked = Walked()
        self.eager: Any = state.trace.find(EagerTrace)
        if self.eager is not None:
            self.least_rank = self.eager.least_rank
        if self.eager is not None and self.eager.variable_class is not None:
            self.main.variable_class = self.eager.variable_class

    def set_on_tensors(self, name: str) -> Any:
        """What the user's code has set on the class of Tensors, a function or a property."""
        found = vars(Tensor).get(name)
        function = found.fget if type(found) is property else found
        is_users = isinstance(function, FunctionType) and not is_ignored_module(function.__module__ or "")
        return found if is_users else None

    def lift(self, value: Any, what: str) -> Variable:
        """A Variable as it is; a Tensor as the input that stands for it."""
        if isinstance(value, Variable):
            if value.program is not self.main:
                raise ValueError(
                    f"{what} belongs to another Program: a value of an earlier trace was kept and used again."
                )
            return as_read(value)
        if isinstance(value, (np.ndarray, np.generic)):
            return self.constant(np.array(value), None, True)
        if not isinstance(value, EagerValue):
            raise TypeError(f"{what} must be a Tensor. Received {type(value).__name__}.")
        found = self._by_tensor.get(id(value))
        if found is None:
            found = self._by_tensor[id(value)] = self._capture(value)
        return found

    def _operand(self, value: Any, what: str) -> Variable:
        """As `lift`; where the function has set `stop_gradient` of the Tensor before, this holds for what reads it now:
        runs let the gradient flow before they begin, or it is cut off here.
        """
        found = self.lift(value, what)
        if found.name in self._cut and found.stop_gradient:
            return as_read(self._cut[found.name])
        if id(value) not in self._stopped:
            return found
        if not value.stop_gradient:
            self.stops.append((value, False, False))
        return found.detach() if value.stop_gradient else found

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
            variable = block.new_var(name, tensor.shape, tensor.dtype, persistable=True)
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
            raise LeafChangedInPlaceError(
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

    # Gradients that Tensors hold

    def gradient_of(self, value: Any) -> Any:
        """What the gradient of a Tensor is at this place of the function."""
        held = self._held("x.grad", value)
        kind = held.kind()
        if kind is ZEROS:
            held.now = self.zeros(tuple(value.shape), value.dtype)
        elif isinstance(kind, EagerValue):
            held.now = self._gradient_before(held)
        return held.now if isinstance(held.now, Variable) else None

    def sets_gradient(self, value: Any, gradient: Any) -> bool:
        """Lets a Variable, or what stands for a Tensor, be the gradient of a Tensor from here on."""
        held = self._held("x.grad = …", value)
        if gradient is not None and list(gradient.shape) != value.shape:
            raise ValueError(f"The gradient must be a Tensor of shape {value.shape}. Received {list(gradient.shape)}.")
        held.now = None if gradient is None else self.lift(gradient, "x.grad = …").detach()
        return True

    def sets_stop(self, value: Any, stop: bool) -> None:
        """Notes that runs say it too, in the end; `_operand` sees to it that it concerns what reads the Tensor now."""
        if self.block.parent is not None and stop != value.stop_gradient:
            raise ConversionError(
                user_line(), f"a tensor decides whether `stop_gradient` of {value.name!r} becomes {stop}: whether "
                "gradients flow must be known while the Program is built.", "Set it outside of the function.")
        self._stopped.setdefault(id(value), (value, value.stop_gradient))
        self.stops.append((value, stop, True))

    def stops_from_here(self, variable: Variable, stop: bool) -> None:
        """Lets what reads an argument from here on read it without its gradient, or with it.

        No Program where a tensor decides it about a value of before, unless it is taken back before that is read.
        """
        if variable.block is not self.block:
            self._stops_around(variable, stop)
        elif variable.is_data:
            self._cut.pop(variable.name, None)
            if stop:
                self._cut[variable.name] = variable.detach()

    def _stops_around(self, variable: Variable, stop: bool) -> None:
        error, block, place = self._around.pop(variable.name, (None, None, 0))
        if stop:
            error = ConversionError(
                user_line(), "a tensor decides whether gradients stop at a value from outside of the branch or loop.",
                "Give the branch another value instead: `h = h.detach()`.")
            self._around[variable.name] = error, self.block, len(self.block.ops)
            self.main.value_wanted = self.main.value_wanted or error
        elif error is not None and error is self.main.value_wanted and block is self.block:
            if not any(variable.name in op.input_arg_names for op in self.block.ops[place:]):
                self.main.value_wanted = None

    def put_stops_back(self) -> None:
        """Lets gradients stop at Tensors where they did before the function was traced."""
        for value, stop in self._stopped.values():
            value.stop_gradient = stop

    def stops_at(self, variable: Variable) -> bool:
        """Whether gradients stop at a variable, in calls for which the answer is the same."""
        found = Answers(self.captured, self._records)
        answers = found.of(variable)
        if len(answers) > 1:
            error = ConversionError(
                user_line(), "whether gradients stop at this value is decided by a tensor: they do on one way and not "
                "on another.", "Ask within the branches, or leave the question out: `detach()` works on both.")
            self.main.value_wanted = self.main.value_wanted or error
            raise error
        self._relies_on("paddle.is_grad_enabled()", lambda: state.grad_enabled)
        for name, tensor in found.asked.items():
            if id(tensor) not in self._stopped:
                self._relies_on(f"{name}.stop_gradient", functools.partial(_stops_at, tensor))
        return True in answers

    def _relies_on(self, shown: str, ask: Callable[[], bool]) -> None:
        self.answers.setdefault(shown, AnswerGuard(Location(shown, (id(self), shown)), ask, ask()))

    def clears_gradient(self, value: Any, to_zeros: bool) -> bool:
        """Lets the gradient of a Tensor be zeros, or None, from here on."""
        self._held("x.clear_grad()", value).clear(to_zeros)
        return True

    def fills_gradients(self, values: Sequence, starts: Sequence, retain_graph: bool) -> bool:
        """Appends the gradients of values; they are added to those of the Tensors that the function has met."""
        self._check_training("backward()")
        self.trains = True
        roots = [self.lift(value, "backward()") for value in values]
        if all(root.stop_gradient for root in roots):
            warn_user(NOTHING_FLOWS)
            return True
        self._walked.check(self.main.global_block(), roots, retain_graph)
        block = self.main.global_block()
        leaves = {name: tensor for name, tensor in self.captured.items()
                  if tensor._edge is not None and not block.var(name).stop_gradient}
        with self._in_role(BACKWARD_ROLE):
            found = self.derivatives(roots, [block.var(name) for name in leaves], list(starts), None, False)
            for tensor, gradient in zip(leaves.values(), found, strict=True):
                if gradient is not None:
                    check_leaf(tensor)
                    self._add_gradient(tensor, gradient)
        return True

    def _add_gradient(self, tensor: EagerValue, gradient: Variable) -> None:
        held = self._held("backward()", tensor)
        held.flows = True
        if held.now is UNTOUCHED:
            held.added = True
            if isinstance(held.before, EagerValue):
                held.now = self._gradient_before(held)
        if isinstance(held.now, Variable):
            gradient = held.now + gradient
        held.now = gradient if gradient.dtype is tensor.dtype else cast(gradient, tensor.dtype)

    def _gradient_before(self, held: HeldGradient) -> Variable:
        """What stands for the gradient that a Tensor has before the call."""
        if not held.before.is_dense():
            raise self._refused("a gradient that holds some rows only, from before the call")
        variable = self.lift(held.before, "x.grad")
        held.before_name = variable.name
        return variable

    def _held(self, what: str, tensor: EagerValue) -> HeldGradient:
        """The record of a Tensor's gradient; RuntimeError where the function is not to be a Program as a whole."""
        self._check_training(what)
        found = self.held.get(id(tensor))
        if found is None:
            found = self.held[id(tensor)] = HeldGradient(tensor, self.lift(tensor, what).name)
        return found

    def gradients(self, loss: Any, parameters: list | None, no_grad: Any = None, callbacks: Any = None) -> Any:
        """The parameters that have a gradient at this place of the function, with it."""
        self._check_training("optimizer.step()")
        self.trains = True
        pairs = [(p, self.gradient_of(p)) for p in parameters or () if not p.stop_gradient]
        return [(p, gradient) for p, gradient in pairs if gradient is not None]

    def training(self, loss: Any, startup: Any = None) -> Any:
        """The Program is that of the function."""
        self._check_training("optimizer.minimize()")
        return contextlib.nullcontext()

    def host_value(self, source: Any, dtype: DType, name: str, scheduled: Any = None) -> Variable:
        """A Variable that each run fills with what `source()` gives then."""
        value = self.eager.constant(np.zeros((1,), dtype.dtype), None, True)
        variable = self.lift(value, name)
        self.host.append(HostCall(source, variable.name, dtype))
        return variable

    def reads_attribute(self, owner: Any, name: str) -> None:
        """Notes it, as if converted code had read it: the Program holds as long as it stays."""
        reads = current()
        if reads is not None:
            reads.attribute(owner, name, getattr(owner, name))

    @contextlib.contextmanager
    def at_each_run(self, action: Callable[[], Any]) -> Iterator[None]:
        """Around what `action` does to Python values now, which each run does again, before it computes."""
        if self._repeating:
            yield
            return
        if self.block.parent is not None:
            raise RuntimeError(f"A schedule's step() in a branch or loop that a tensor decides ({user_line()}) would "
                               "be done while the Program is made. Call it outside of the function.")
        self._repeating = True
        try:
            with self.surroundings.repeated():
                yield
        finally:
            self._repeating = False
        self.host.append(HostCall(action))

    def persistent(self, shape: tuple[int, ...], dtype: DType, value: Any, name: str) -> Any:
        """A Tensor of this name, made now: runs go on from its value."""
        made = self.eager.persistent(shape, dtype, value, name)
        self._made[id(made)] = made
        return made

    def store(self, target: Any, value: Variable) -> None:
        """Appends the assignment."""
        super().store(self.lift(target, "a value that an optimizer updates"), value)

    @contextlib.contextmanager
    def _in_role(self, role: int) -> Iterator[None]:
        self.role, old = role, self.role
        try:
            yield
        finally:
            self.role = old

    def _check_training(self, what: str) -> None:
        if not self.main.must_be_whole or self.block.parent is not None:
            raise self._refused(what)

    def _refused(self, what: str) -> RuntimeError:
        """It would happen now, and not when the Program runs."""
        why = ("are part of a Program under to_static(full_graph=True) alone" if self.block.parent is None
               else "cannot be used in a branch or loop that a tensor decides")
        error = RuntimeError(
            f"{what}: the gradients that tensors hold {why} ({user_line()}). Return the loss, and call backward(), "
            "step() and clear_grad() outside of the function; or compute gradients inside: paddle.grad(loss, inputs).")
        self.main.value_wanted = self.main.value_wanted or error
        return error

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
        if id(value) in self._made and id(value) not in self._by_tensor:
            return False  # it is being filled for the first time
        if not isinstance(new, (EagerValue, Variable)):
            new = self.constant(np.asarray(new), None, True)
        new = self.lift(new, "set_value(value)")
        if not isinstance(value, Variable):
            with grad_mode(False):
                self.rebind(value, new.detach())
            return True
        for what, has, received in (("shape", list(value.shape), list(new.shape)),
                                    ("dtype", value.dtype.name, new.dtype.name)):
            if has != received and (what == "dtype" or -1 not in (*value.shape, *new.shape)):
                raise ValueError(f"set_value(value): {value.name} has {what} {has}. Received {what} {received}.")
        with grad_mode(False):
            self.change(value, new.detach())
        return True

    def assign_to(self, variable: Variable, result: Variable) -> None:
        """Gives a variable the value of another, whose gradients it takes over only where they do not stop."""
        if state.grad_enabled and not variable.stop_gradient:
            self._check_stops([result])
        super().assign_to(variable, result)

    def derivatives(self, outputs: list, inputs: list, starts: list, no_grad: Any, create_graph: bool) -> list:
        """Appends the gradients with respect to `inputs`, None for those at which gradients stop."""
        self._check_stops(inputs)
        return super().derivatives(outputs, inputs, starts, no_grad, create_graph)

    def _check_stops(self, values: list) -> None:
        """StopsAsked where what the function is given decides whether gradients stop at one of the values."""
        if self.main.stops_are_open and any(may_stop(value, self.captured) for value in values):
            self.main.value_wanted = self.main.value_wanted or StopsAsked(
                f"{user_line()}: whether gradients stop here is up to what the function is given.")
            raise self.main.value_wanted

    def copy(self, x: Any, place: Place | None) -> Variable:
        """A Variable of its own with x's value."""
        return super().copy(self.lift(x, "to_tensor(x)"), place)

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Any:
        """Raises: a parameter made in `forward` would be a new one in every call."""
        raise ValueError(
            f"The parameter {attr.name!r} is made while a function is being converted. Make it in the layer's __init__."
        )


def _stops_at(tensor: EagerValue) -> bool:
    return tensor.stop_gradient
