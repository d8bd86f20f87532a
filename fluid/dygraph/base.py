"""guard, to_variable, no_grad, grad, enable_dygraph: when Fluid computes at once, and with which values.

Dynamic mode is a trace (`varbase.py`): `guard` puts it in charge, with Programs and names of its own.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...core import unique_name
from ...core.place import CPUPlace, Place, expected_place, set_expected_place
from ...dygraph.engine import grad as _grad
from ...ops.array.full import is_value
from ...ops.core.trace import current_trace, grad_mode, state
from ...static.building.mode import leave_closed_guards, program_guard
from ...static.program import Program
from ..later_names import later
from ..mode import compute, computing
from .complex_variable import ComplexVariable
from .varbase import FLUID, FluidTrace

__all__ = ["no_grad", "grad", "guard", "enable_dygraph", "disable_dygraph", "enable_imperative", "disable_imperative",
           "enabled", "to_variable"]


@contextlib.contextmanager
def guard(place: Place | None = None) -> Iterator[None]:
    """Within the block operators are computed at once, at `place`; parameters' names count from 0.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     linear = fluid.dygraph.Linear(3, 2)
    ...     linear(fluid.dygraph.to_variable(np.ones([4, 3], "float32"))).shape, linear.weight.name
    ([4, 2], 'linear_0.w_0')
    """
    old, made = expected_place(), FLUID.made
    with program_guard(Program(), Program()), unique_name.guard(), compute(), grad_mode(True):
        set_expected_place(place or old)
        FLUID.made = []
        try:
            yield
        finally:
            set_expected_place(old)
            FLUID.made = made


def enabled() -> bool:
    """True within `guard()`, and after `enable_dygraph()`."""
    return computing()


def tracer() -> FluidTrace | None:
    """The trace of dynamic mode where it is in charge, beneath whatever watches or casts; None elsewhere."""
    return current_trace().find(FluidTrace)


_entered: list[contextlib.AbstractContextManager[None]] = []


def enable_dygraph(place: Place | None = None) -> None:
    """From now on operators are computed at once, as within `guard`."""
    if not _entered:
        block = guard(place)
        block.__enter__()
        _entered.append(block)


def disable_dygraph() -> None:
    """Ends what `enable_dygraph` began."""
    if _entered:
        _entered.pop().__exit__(None, None, None)
        leave_closed_guards()


enable_imperative, disable_imperative = enable_dygraph, disable_dygraph


def no_grad(func: Callable[..., Any] | None = None) -> Any:
    """Within the block `with no_grad():` nothing is recorded for gradients; or, as `@no_grad` or `@no_grad()`, within a
    function.

    Dropout counts as in evaluation there.
    """
    if func is None:
        return _switch_tracer_mode_guard_(False)
    if inspect.isgeneratorfunction(func):
        return _each_step(func)

    @functools.wraps(func)
    def unrecorded(*args: Any, **kwargs: Any) -> Any:
        with grad_mode(False):
            return func(*args, **kwargs)

    return unrecorded


@contextlib.contextmanager
def _switch_tracer_mode_guard_(is_train: bool = True) -> Iterator[None]:
    """Within the block gradients are recorded, or not: what published code evaluates with, as with `no_grad`."""
    with grad_mode(is_train):
        yield


def _each_step(func: Callable) -> Callable:
    @functools.wraps(func)
    def unrecorded(*args: Any, **kwargs: Any) -> Iterator[Any]:
        steps = func(*args, **kwargs)
        while True:
            with grad_mode(False):
                try:
                    value = next(steps)
                except StopIteration:
                    return
            yield value

    return unrecorded


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
         create_graph: bool = False, only_inputs: bool = True, allow_unused: bool = False, no_grad_vars: Any = None,
         backward_strategy: Any = None) -> list[Any]:
    """The gradients of `outputs` with respect to `inputs`; those that values hold are left alone.

    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([2.0], "float32"))
    ...     x.stop_gradient = False
    ...     [g] = fluid.dygraph.grad(x * x * x, x, create_graph=True)
    ...     fluid.dygraph.grad(g, x)[0].numpy().tolist()
    [12.0]
    """
    return _grad(outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, no_grad_vars)


def to_variable(value: Any, name: str | None = None, zero_copy: bool | None = None) -> Any:
    """A value of an array, without gradient; a value as it is.

    Of complex numbers it makes a ComplexVariable, whose parts are values.
    It shares memory with the array as long as nothing is computed of it in place, as in Paddle, unless `zero_copy` is
    False. Raises TypeError for lists and numbers, and RuntimeError outside of dynamic mode.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1.0, 2.0], "float32"))
    ...     (x * x).numpy().tolist()
    [1.0, 4.0]
    """
    if is_value(value) or isinstance(value, ComplexVariable):
        return value
    if not isinstance(value, (np.ndarray, np.generic)):
        raise TypeError(f"to_variable(value): must be a NumPy array or a Variable. Received {type(value).__name__}; "
                        f"write to_variable(np.array(value, 'float32')).")
    if not enabled():
        raise RuntimeError("to_variable(value): a Program has no values. Call it within fluid.dygraph.guard(), or use "
                           "fluid.layers.assign(value).")
    if np.iscomplexobj(value) and tracer() is not None:
        pair = ComplexVariable(*[to_variable(np.ascontiguousarray(part)) for part in (np.real(value), np.imag(value))])
        if name is not None:
            pair.name = name
        return pair
    shared = zero_copy is not False and isinstance(expected_place(), CPUPlace) and isinstance(value, np.ndarray)
    array = value.view() if shared else np.array(value)
    result = current_trace().constant(array, None, True)
    if name is not None:
        result.name = name
    return result


def evaluating() -> bool:
    """True in dynamic mode where nothing is recorded for gradients: after `layer.eval()`, and under `no_grad`."""
    return tracer() is not None and not state.grad_enabled


def set_training(training: bool) -> None:
    """What `layer.train()` and `layer.eval()` say to all that is computed from then on, till the guard ends.

    In evaluation nothing is recorded for gradients, and dropout lets everything through.
    """
    if tracer() is not None:
        state.grad_enabled = training


__getattr__ = later(__name__)
