"""The trace protocol: a trace decides what applying an operator means.

Each thread has a current trace: the outermost is the process's default (offered by `dygraph`, and exchanged by
`enable_static`), and `using(trace)` puts another in charge for a block. The cheapest trace stands here: it runs
kernels on bare arrays and records nothing; plain `backward()` walks the gradient rules under it.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy

from ...core import lazy
from ...core.dtype import DType
from ...core.param_attr import ParamAttr
from ...core.place import Place
from .kernels import TWO

if TYPE_CHECKING:
    from .observer import Observer
    from .operator import Operator


class Trace:
    """What every trace offers. `inputs` are by slot: a value, None (optional), or a list (repeated)."""

    computes = True  # applying an operator runs its kernel now
    captures = False  # makes a Program of a function for `to_static`
    precision: Any = None  # what decides the dtypes in which operators compute, where that is not their inputs' dtypes

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Applies an operator: its single result, or a tuple of its results."""
        raise NotImplementedError

    def bare(self) -> Trace:
        """The trace that does the work: itself, unless it was put around another one to observe that."""
        return self

    def constant(self, array: Any, place: Place | None, stop_gradient: bool) -> Any:
        """A value that holds the given array."""
        raise NotImplementedError

    def number(self, value: Any, dtype: DType) -> Any:
        """A value without dimensions that holds a number."""
        from ..array.creation import full

        return full((), value, dtype)

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Any:
        """A new parameter, initialized."""
        raise NotImplementedError

    def copy(self, x: Any, place: Place | None) -> Any:
        """A value of its own that equals x, at `place`; no gradient flows to x."""
        raise NotImplementedError

    def begin_gradient(self, x: Any) -> None:
        """Makes a value that nothing gives a gradient to one that gradients are taken with respect to."""
        x.stop_gradient = False

    def gradients(self, loss: Any, parameters: list | None, no_grad: Any = None,
                  callbacks: Any = None) -> list[tuple[Any, Any]]:
        """Parameters with their gradients: in a Program, the operators that compute them are appended."""
        raise NotImplementedError

    def derivatives(self, outputs: list, inputs: list, starts: list, no_grad: Any, create_graph: bool,
                    retain_graph: bool) -> list:
        """The gradients of outputs with respect to inputs, by `starts` (None: ones); None where there is none.

        With `create_graph` they can be differentiated in their turn; no gradient passes through `no_grad`.
        """
        raise NotImplementedError

    def py_layer(self, layer: Any, context: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Applies a PyLayer: what its `forward` gives, whose gradient is what its `backward` says."""
        raise NotImplementedError

    def kept(self, values: tuple) -> tuple:
        """What a PyLayer saves for its `backward`, in the form in which it is to wait for that."""
        return values

    def updating(self) -> Any:
        """A context manager around the updates of an optimizer: nothing in it is recorded for a gradient."""
        raise NotImplementedError

    def trained(self) -> list | None:
        """The parameters that an optimizer trains which was given none: a Program's; None where nobody knows them."""
        return None

    def training(self, loss: Any, startup: Any = None) -> Any:
        """A context manager around what trains by a loss: what it appends goes where the loss is from, and to `startup`
        what begins it.
        """
        return contextlib.nullcontext()

    def host_value(self, source: Any, dtype: DType, name: str) -> Any:
        """A one-element value that the host decides anew at each step: what `source()` gives then."""
        raise NotImplementedError

    def persistent(self, shape: tuple[int, ...], dtype: DType, value: Any, name: str) -> Any:
        """A new value that outlives a step without being a parameter: a moment, say.

        It is filled with a number, or begins as a cast copy of the parameter that `value` is.
        """
        raise NotImplementedError

    def store(self, target: Any, value: Any) -> None:
        """Gives `target` the value of another of its shape and dtype, without a record for gradients."""
        raise NotImplementedError

    def staged(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function in a form whose `while` may ask what only running tells: itself, where values are known."""
        return function


class ArrayTrace(Trace):
    """Runs kernels on bare arrays of one namespace and records nothing."""

    def __init__(self, namespace: Any):
        self.namespace = namespace
        self.on_host = namespace is numpy

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Runs the kernel."""
        kernels = op.kernels
        if not self.on_host:
            return kernels.for_device()(self.namespace, *inputs, **attrs)
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


class _State(threading.local):
    """The current trace, whether gradients are recorded, and who is watching, of one thread."""

    def __init__(self) -> None:
        self.observer: Observer | None = None
        self.grad_enabled = True

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


def set_default_trace(trace: Trace) -> Trace:
    """Makes `trace` the outermost of this thread and of threads to come; returns the one it replaces."""
    old = _outermost()
    _default[0] = trace
    state.trace = trace if state.observer is None else state.observer.observed(trace)
    return old


@contextlib.contextmanager
def using(trace: Trace) -> Iterator[Trace]:
    """Within the block, `trace` decides what applying an operator means."""
    old, state.trace = state.trace, trace if state.observer is None else state.observer.observed(trace)
    try:
        yield trace
    finally:
        state.trace = old


def set_observer(observer: Observer | None) -> Observer | None:
    """Lets `observer` (None: nobody) watch this thread from now on; returns the one it replaces."""
    old, state.observer = state.observer, observer
    bare = state.trace.bare()
    state.trace = bare if observer is None else observer.observed(bare)
    return old


@contextlib.contextmanager
def grad_mode(enabled: bool) -> Iterator[None]:
    """Within the block, applications are recorded for a gradient, or not."""
    old, state.grad_enabled = state.grad_enabled, enabled
    try:
        yield
    finally:
        state.grad_enabled = old


def apply(op: Operator, *inputs: Any, **attrs: Any) -> Any:
    """Applies an operator to values, one argument a slot: its single result, or a tuple of its results."""
    return state.trace.apply(op, inputs, attrs)


def apply_zeros(shape: Any, dtype: DType) -> Any:
    """Zeros of a shape (a tuple, or a value whose shape they take) under the current trace."""
    from ..array.creation import full_of_shape

    return full_of_shape(shape, 0.0, dtype)
