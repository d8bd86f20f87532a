"""The trace protocol: a trace decides what applying an operator means.

Each thread has a current trace: the outermost is the process's default (offered by `dygraph`, and exchanged by
`enable_static`), and `using(trace)` puts another in charge for a block. The cheapest trace stands here: it runs
kernels on bare arrays and records nothing; plain `backward()` walks the gradient rules under it.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy

from ...core import lazy
from ...core.dtype import DType
from ...core.param_attr import ParamAttr
from ...core.place import Place
from . import native
from .kernels import TWO

if TYPE_CHECKING:
    from .backward import Leaf
    from .observer import Observer
    from .operator import Operator


_T = TypeVar("_T", bound="Trace")


class _OfPrograms:
    """What only a trace that writes a Program has; it keeps its own in its instance, where it is found before this."""

    def __init__(self, what: str):
        self.what = what

    def __get__(self, trace: Trace | None, owner: type) -> Any:
        raise RuntimeError(
            f"{owner.__name__} has no {self.what}: operators are computed at once here. Call paddle.enable_static(), "
            "use paddle.static.program_guard, or convert the function with paddle.jit.to_static.")


class Trace:
    """What every trace offers: nobody has to know which one is in charge.

    Where a trace cannot do something, it says so. `inputs` are by slot: a value, None (optional), or a list (repeated).
    A trace around another one (`trace_around.py`) hands everything to that.
    """

    computes = True  # applying an operator runs its kernel now
    captures = False  # makes a Program of a function for `to_static`
    tensors_are_variables = False  # writes a Tensor as the variable of its name
    is_default = False  # writes the default Programs
    variables_are_true = False  # `if x:` of a value that has none yet goes on instead of failing
    least_rank = 0  # 1: a result without dimensions is declared as one of one element, as in Paddle 1.x
    precision: Any = None  # what decides the dtypes in which operators compute, where that is not their inputs' dtypes
    role = 0  # which part of a training step is applied: 0 forward, 1 the backward pass, 2 an optimizer's update
    main: Any = _OfPrograms("main Program")  # the Program that is written
    startup: Any = _OfPrograms("startup Program")  # the Program in which values begin, or None
    block: Any = _OfPrograms("block")  # that of the Program to which operations are appended

    def _cannot(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} cannot {what}.")

    # Operators

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Applies an operator: its single result, or a tuple of its results."""
        raise self._cannot(f"apply an operator ({op.type})")

    def draws(self, key: str, name: str | None = None) -> None:
        """Is told that a function is called all of whose results have one name, `linear_0.tmp_0`, or the one given.

        Layers draw their names from the same numbers: one that is made behind the call has a later name, also in files.
        """

    # Traces around this one

    def bare(self) -> Trace:
        """The trace that does the work: itself, unless it was put around another one to observe that."""
        return self

    def uncast(self) -> Trace:
        """The trace to which a Precision's casts are handed: itself, unless it is what casts."""
        return self

    def find(self, kind: type[_T]) -> _T | None:
        """The outermost trace of this kind among itself and those inside."""
        return self if isinstance(self, kind) else None

    def without(self, trace: Trace) -> Trace:
        """What remains when a trace among those inside, or itself around another one, is taken away."""
        return self

    def faced(self, eager: Trace) -> Trace:
        """The same with another eager trace in the place of the one that computes; itself where none does."""
        return self

    def watched(self, make: Callable[[Trace], Trace]) -> Trace:
        """With what `make` puts around what does the work; beneath a trace that casts, to see what really runs."""
        return make(self)

    # Values

    def constant(self, array: Any, place: Place | None, stop_gradient: bool) -> Any:
        """A value that holds the given array."""
        raise self._cannot("make a constant")

    def number(self, value: Any, dtype: DType) -> Any:
        """A value without dimensions that holds a number."""
        raise self._cannot("make a number")

    def zeros(self, shape: Any, dtype: DType) -> Any:
        """Zeros of a shape: a tuple, or, where a size is not known yet, a value whose shape they take."""
        raise self._cannot("make zeros")

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Any:
        """A new parameter, initialized."""
        raise self._cannot(f"make the parameter {attr.name!r}")

    def copy(self, x: Any, place: Place | None) -> Any:
        """A value of its own that equals x, at `place`; no gradient flows to x."""
        raise self._cannot("copy a value")

    def sparse(self, layout: str, index: tuple, values: Any, shape: tuple[int, ...]) -> Any:
        """A sparse tensor, "coo" or "csr", of index values, the values of its entries, and a shape."""
        raise self._cannot(f"make a sparse {layout} tensor: its values are dense. Make it outside, in eager code")

    def lift(self, value: Any, what: str) -> Any:
        """The value of this trace that `value` is or that stands for it; TypeError, naming `what`, where there is none.

        A Program that is made by `to_static` has variables for Tensors; elsewhere each value is its own.
        """
        return value

    def set_on_tensors(self, name: str) -> Any:
        """What the user's code has set on the class of Tensors, for values that stand for these; or None."""
        return None

    def known_value(self, variable: Any) -> Any:
        """The array that a variable of the Program holds in each run, where that is known already; None elsewhere."""
        return None

    def repeated(self, items: Any, times: Any) -> Any:
        """A list, tuple or text as many times as a number of Python says that only the run of the Program knows."""
        raise self._cannot("repeat a list as many times as a variable of a Program says")

    def variable_of(self, value: Any) -> Any:
        """What stands for a Tensor in the Program that is written, where it has Tensors; None elsewhere."""
        return None

    def look_at(self, value: Any) -> None:
        """Is told that Python looks at the value that a Tensor has now."""

    def gradient_of(self, value: Any) -> Any:
        """The gradient that a Tensor holds (`x.grad`)."""
        return value._gradient()

    def sets_gradient(self, value: Any, gradient: Any) -> bool:
        """Makes the Program give a Tensor a gradient; otherwise False, and the caller gives it now."""
        return False

    def sets_stop(self, value: Any, stop: bool) -> None:
        """Is told that Python says whether gradients stop at a Tensor: a Program says so at each run."""

    def clears_gradient(self, value: Any, to_zeros: bool) -> bool:
        """Makes the Program clear a Tensor's gradient; otherwise False, and the caller clears it now."""
        return False

    def fills_gradients(self, values: Sequence, starts: Sequence, retain_graph: bool) -> bool:
        """Makes the Program add the gradients of values to those that Tensors hold; False where it cannot hold them."""
        return False

    def at_each_run(self, action: Callable[[], Any]) -> AbstractContextManager[None]:
        """Around what `action` does to Python values now: where a Program is written, each run calls it."""
        return contextlib.nullcontext()

    def reads_attribute(self, owner: Any, name: str) -> None:
        """Is told that code outside of this package is given what a Python attribute of one of its objects holds."""

    def replaces(self, value: Any) -> None:
        """Is told of a Tensor that is given another array now."""

    def sets_buffer(self, buffers: dict[str, Any], name: str) -> None:
        """Is told of a buffer of a Layer's that becomes another Tensor now."""

    def writes(self, value: Any, new: Any) -> bool:
        """Makes the Program set a Tensor's value where it has Tensors; otherwise False, and the caller sets it now."""
        return False

    def rebind(self, value: Any, result: Any) -> None:
        """Makes a Tensor the result of an operation in the Program; TypeError where no Tensor belongs."""
        raise TypeError(
            f"A tensor that is changed in place can take the value of a Tensor. Received {type(result).__name__}.")

    def change(self, variable: Any, result: Any) -> None:
        """Gives a variable of the Program the value of another from here on: what its in-place forms do."""
        raise self._cannot("change a variable of a Program")

    def begins_with(self, value: Any, result: Any) -> bool:
        """Whether a parameter of the Program has been told to begin with a result, as nothing has read it yet."""
        return False

    def fills_elsewhere(self, value: Any, block: Any) -> bool:
        """Whether a value is one of a Program that a block fills, and not the one that operations are appended to."""
        return False

    def up_to_date(self, variable: Any) -> Any:
        """A variable of the Program, or, where it is a view, what it shows of the value that this has now."""
        raise self._cannot("look at a variable of a Program")

    def assign_to(self, variable: Any, result: Any) -> None:
        """Gives a variable of the Program the value of another, as `assign(value, variable)` does."""
        self.change(variable, result)

    def cut_off(self, variable: Any) -> None:
        """Lets no gradient flow through a variable of the Program from here on; what has read it keeps what it read."""
        raise self._cannot("look at a variable of a Program")

    def hooked(self, variable: Any, hook: Callable[[Any], Any]) -> Any:
        """Lets the gradient of a variable of the Program go through a hook; what registering it returns."""
        raise self._cannot("register a hook on a variable of a Program")

    def note_views(self, parts: Sequence[Any], op: Operator, value: Any, attrs: Sequence[dict[str, Any]]) -> None:
        """Lets values know that they are views of another: what `op` gives of it with these attributes, one each."""

    # Gradients

    def begin_gradient(self, x: Any) -> None:
        """Makes a value that nothing gives a gradient to one that gradients are taken with respect to."""
        x.stop_gradient = False

    def gradients(self, loss: Any, parameters: list | None, no_grad: Any = None,
                  callbacks: Any = None) -> list[tuple[Any, Any]]:
        """Parameters with their gradients: in a Program, the operators that compute them are appended."""
        raise self._cannot("give gradients to an optimizer")

    def derivatives(self, outputs: list, inputs: list, starts: list, no_grad: Any, create_graph: bool) -> list:
        """The gradients of outputs with respect to inputs, by `starts` (None: ones); None where there is none.

        With `create_graph` they can be differentiated in their turn; no gradient passes through `no_grad`.
        """
        raise self._cannot("differentiate")

    def py_layer(self, layer: Any, context: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Applies a PyLayer: what its `forward` gives, whose gradient is what its `backward` says."""
        raise self._cannot(f"apply a PyLayer ({layer.__name__})")

    def kept(self, values: tuple) -> tuple:
        """What a PyLayer saves for its `backward`, in the form in which it is to wait for that."""
        return values

    # Training

    def updating(self) -> Any:
        """A context manager around the updates of an optimizer: nothing in it is recorded for a gradient."""
        raise self._cannot("update parameters")

    def joined(self, name: str, parameters: Sequence[Any]) -> None:
        """Is told of parameters that Paddle's Programs hold once more, one behind another under this name."""

    def trained(self) -> list | None:
        """The parameters that an optimizer trains which was given none: a Program's; None where nobody knows them."""
        return None

    def averaged(self) -> list | None:
        """Of which a user who says nothing wants averages: a Program's parameters; None where nobody knows them."""
        return None

    def training(self, loss: Any, startup: Any = None) -> Any:
        """A context manager around what trains by a loss: what it appends goes where the loss is from, and to `startup`
        what begins it.
        """
        return contextlib.nullcontext()

    def host_value(self, source: Any, dtype: DType, name: str, scheduled: Any = None) -> Any:
        """A one-element value that the host decides anew at each step: what `source()` gives then.

        With `scheduled`, what somebody has put in its place stays until `source()` gives another, unless `scheduled()`.
        """
        raise self._cannot(f"take {name!r} from the host")

    def persistent(self, shape: tuple[int, ...], dtype: DType, value: Any, name: str) -> Any:
        """A new value that outlives a step without being a parameter: a moment, say.

        It is filled with a number, or begins as a cast copy of the parameter that `value` is.
        """
        raise self._cannot(f"keep {name!r} from step to step")

    def blank(self, dtype: DType, name: str) -> Any:
        """A value, one zero, into which its owner has something written: in a Program by an operation."""
        return self.persistent((1,), dtype, 0.0, name)

    def initialize(self, variable: Any, make: Callable[[], Any]) -> None:
        """Lets the Program in which values begin give a variable that outlives a run what `make()` makes there."""
        raise self._cannot("let a startup Program fill a variable")

    def store(self, target: Any, value: Any) -> None:
        """Gives `target` the value of another of its shape and dtype, without a record for gradients."""
        raise self._cannot("store a value")

    # The user's functions

    def staged(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function in a form whose `while` may ask what only running tells: itself, where values are known."""
        return function

    def called(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """What to call for a function of the user's: its converted form where converted code calls it."""
        return function

    def apart(self, what: str) -> AbstractContextManager[None]:
        """Around code that is to compute and nothing else: RuntimeError, naming `what`, where it must not and does."""
        return contextlib.nullcontext()

    def meant_for(self, device: str) -> AbstractContextManager[None]:
        """Within the block what is appended to a Program is noted to be meant for a device; nothing elsewhere."""
        return contextlib.nullcontext()

    def naming(self, name: Callable[[str], Any]) -> AbstractContextManager[None]:
        """Within the block a result of a slot, in a Program, is called `name(slot)`, or is the variable that this is.

        None is for a name of its own, and for a slot that files alone have for none. Results have a dimension at
        least, as Paddle 1.x writes Programs: what is a value without dimensions elsewhere is one of one element there.
        """
        return contextlib.nullcontext()


class ArrayTrace(Trace):
    """Runs kernels on bare arrays of one namespace and records nothing."""

    def __init__(self, namespace: Any):
        self.namespace = namespace
        self.on_host = namespace is numpy

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Runs the kernel."""
        kernels = op.kernels
        if not self.on_host:
            return kernels.for_device(self.namespace)(self.namespace, *inputs, **attrs)
        if kernels.arity == TWO:  # most of what gradients apply
            x, y = inputs
            choice = kernels.of_dtype[x.dtype]
            if x.size < choice.least > y.size:
                if not attrs and choice.direct is not None:
                    return choice.direct(x, y)
                return choice.small(numpy, x, y, **attrs)
            return choice.large(numpy, x, y, **attrs)
        return kernels.on_host(numpy, *inputs, **attrs)

    def constant(self, array: Any, place: Place | None, stop_gradient: bool) -> Any:
        """The array, in this trace's namespace."""
        return self.namespace.asarray(array)

    def number(self, value: Any, dtype: DType) -> Any:
        """An array without dimensions."""
        return self.namespace.full((), value, dtype.dtype)

    def zeros(self, shape: Any, dtype: DType) -> Any:
        """An array of zeros."""
        return self.namespace.zeros(shape, dtype.dtype)


class _State(threading.local):
    """The current trace, whether gradients are recorded, and who is watching, of one thread."""

    def __init__(self) -> None:
        self.observer: Observer | None = None
        self.check: Callable[[str, Any], None] | None = None  # of results: see `checking.py`
        self.grad_enabled = True
        self.changes: list[tuple[Leaf, Any, bool]] | None = None  # gradients before a backward pass that is going on
        self.ends: list[Callable[[], Any]] = []  # what is called at its end

    @functools.cached_property
    def trace(self) -> Trace:
        """The innermost trace: at a thread's first look the default one."""
        return _outermost()


_default: list[Trace] = []
state = _State()


def _outermost() -> Trace:
    if not _default:
        lazy.require("default trace")
    return _default[0]


def offer_default_trace(trace: Trace) -> None:
    """Makes `trace` the outermost one of every thread, unless there is one."""
    if not _default:
        _default.append(trace)


_staging: list[Callable[..., Any]] = []


def offer_staging(convert: Callable[..., Any]) -> None:
    """Makes `convert(function)` what gives the form of a function whose control flow can become a Program's."""
    _staging[:] = [convert]


def staging() -> Callable[..., Any]:
    """What was offered by `offer_staging`."""
    if not _staging:
        lazy.require("staging")
    return _staging[0]


def current_trace() -> Trace:
    """The innermost trace of this thread."""
    return state.trace


def in_to_static_mode() -> bool:
    """True while `to_static` makes a Program of a function."""
    return state.trace.bare().captures


def default_trace() -> Trace:
    """The outermost trace of every thread."""
    return _outermost()


def set_default_trace(trace: Trace) -> Trace:
    """Makes `trace` the outermost of this thread and of threads to come; returns the one it replaces."""
    old = _outermost()
    _default[0] = trace
    state.trace = trace if state.observer is None else state.observer.observed(trace)
    return old


class using:
    """Within the block, `trace` decides what applying an operator means."""

    __slots__ = ("trace", "_old")

    def __init__(self, trace: Trace):
        self.trace = trace

    def __enter__(self) -> Trace:
        trace = self.trace
        self._old, state.trace = state.trace, trace if state.observer is None else state.observer.observed(trace)
        return trace

    def __exit__(self, *_: Any) -> None:
        state.trace = self._old


def set_observer(observer: Observer | None) -> Observer | None:
    """Lets `observer` (None: nobody) watch this thread from now on; returns the one it replaces."""
    old, state.observer = state.observer, observer
    bare = state.trace.bare()
    state.trace = bare if observer is None else observer.observed(bare)
    return old


def initialized(initializer: Any, shape: tuple[int, ...], dtype: DType) -> Any:
    """What a parameter begins with: of an initializer its `value`, and what another function gives for these two."""
    return getattr(initializer, "value", initializer)(shape, dtype)


class grad_mode:
    """Within the block, applications are recorded for a gradient, or not."""

    __slots__ = ("enabled", "_old")

    def __init__(self, enabled: bool):
        self.enabled = enabled

    def __enter__(self) -> None:
        self._old, state.grad_enabled = state.grad_enabled, self.enabled

    def __exit__(self, *_: Any) -> None:
        state.grad_enabled = self._old


def apply(op: Operator, *inputs: Any, **attrs: Any) -> Any:
    """Applies an operator to values, one argument a slot: its single result, or a tuple of its results."""
    return state.trace.apply(op, inputs, attrs)


if native.module is not None:
    native.module.begin(state)
    apply = native.module.apply


def drawing(key: str, name: str | None) -> None:
    """Lets the current trace know of the call of a function that names all its results alike: see `Trace.draws`."""
    state.trace.draws(key, name)


def apply_zeros(shape: Any, dtype: DType) -> Any:
    """Zeros of a shape (a tuple, or a value whose shape they take) under the current trace."""
    return state.trace.zeros(shape, dtype)
