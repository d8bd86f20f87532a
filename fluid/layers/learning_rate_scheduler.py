"""`fluid.layers.learning_rate_scheduler`: learning rates as values of a Program, which count its runs.

Under `dygraph.guard` the schedules of `fluid.dygraph` take their place, as in 1.x.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...ops.array.full import is_value
from ...ops.core.trace import current_trace
from ..initializer import Constant
from ..layer_helper import LayerHelper
from ..mode import computing, face
from . import ops
from .elementwise import elementwise_min
from .tensor import assign, cast, create_global_var, fill_constant

_SCHEDULE = 16  # the role of what decides about a learning rate


@contextlib.contextmanager
def _scheduling() -> Iterator[None]:
    """What the block appends is marked as part of a schedule: evaluation leaves it out."""
    trace: Any = current_trace().bare()
    trace.role, old = _SCHEDULE, trace.role
    try:
        yield
    finally:
        trace.role = old


@face
def autoincreased_step_counter(counter_name: str | None = None, begin: int = 1, step: int = 1) -> Any:
    """A number, int64 [1], that is `begin` in the first run and `step` more in each that follows.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.layers.autoincreased_step_counter().name
    '@STEP_COUNTER@'
    """
    helper = LayerHelper("global_step_counter")
    counter, is_new = helper.create_or_get_global_variable(
        counter_name or "@STEP_COUNTER@", dtype="int64", shape=[1], persistable=True)
    if is_new:
        helper.set_variable_initializer(counter, Constant(begin - 1))
        current_trace().main.global_block()._prepend_op(
            type="increment", inputs={"X": [counter]}, outputs={"Out": [counter]},
            attrs={"step": float(step), "op_role": current_trace().role})
        counter.stop_gradient = True
    return counter


def _decay_step_counter(begin: int = 0) -> Any:
    """The number of the run, float32 [1]."""
    return cast(autoincreased_step_counter("@LR_DECAY_COUNTER@", begin, 1), "float32")


def _schedule(eager: str, *more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A schedule of a Program; under `dygraph.guard` the one of this name in `fluid.dygraph`."""
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            if computing():
                module: Any = importlib.import_module("...dygraph.learning_rate_scheduler", __name__)
                return getattr(module, eager)(*args, *more, **kwargs)
            return function(*args, **kwargs)

        return face(called)

    return decorate


@_schedule("NoamDecay")
def noam_decay(d_model: int, warmup_steps: int, learning_rate: float = 1.0) -> Any:
    """learning_rate * d_model^-0.5 * min(step^-0.5, step * warmup_steps^-1.5) (Vaswani et al., 2017)."""
    with _scheduling():
        step = _decay_step_counter(1)
        return learning_rate * d_model**-0.5 * elementwise_min(step**-0.5, warmup_steps**-1.5 * step)


def _progress(decay_steps: int, staircase: bool) -> Any:
    share = _decay_step_counter() / decay_steps
    return ops.floor(share) if staircase else share


@_schedule("ExponentialDecay")
def exponential_decay(learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False) -> Any:
    """learning_rate * decay_rate ^ (step / decay_steps), the exponent rounded down with `staircase`."""
    with _scheduling():
        return learning_rate * decay_rate ** _progress(decay_steps, staircase)


@_schedule("NaturalExpDecay")
def natural_exp_decay(learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False) -> Any:
    """learning_rate * exp(-decay_rate * step / decay_steps)."""
    with _scheduling():
        return learning_rate * ops.exp(-1 * decay_rate * _progress(decay_steps, staircase))


@_schedule("InverseTimeDecay")
def inverse_time_decay(learning_rate: Any, decay_steps: int, decay_rate: float, staircase: bool = False) -> Any:
    """learning_rate / (1 + decay_rate * step / decay_steps)."""
    with _scheduling():
        return learning_rate / (1 + decay_rate * _progress(decay_steps, staircase))


@_schedule("PolynomialDecay")
def polynomial_decay(learning_rate: Any, decay_steps: int, end_learning_rate: float = 0.0001, power: float = 1.0,
                     cycle: bool = False) -> Any:
    """From learning_rate to end_learning_rate within decay_steps, by a power; with `cycle` again and again."""
    with _scheduling():
        step = _decay_step_counter()
        total: Any = decay_steps
        if cycle:
            rounds = ops.ceil(step / decay_steps)
            zero, one = fill_constant([1], "float32", 0.0), fill_constant([1], "float32", 1.0)
            with _switch() as switch:
                with switch.case(step == zero):
                    assign(one, rounds)
            total = decay_steps * rounds
        else:
            step = elementwise_min(step, fill_constant([1], "float32", float(decay_steps)))
        return (learning_rate - end_learning_rate) * (1 - step / total) ** power + end_learning_rate


def _switch() -> Any:
    """Cases of which the first that holds is done: a builder of branches, which knows schedules' tensors itself."""
    builders: Any = importlib.import_module(".control_flow", __package__)
    return builders.Switch()


@_schedule("PiecewiseDecay", 0)
def piecewise_decay(boundaries: Sequence[int], values: Sequence[float]) -> Any:
    """values[i] until the run numbered boundaries[i]; the last value from then on."""
    if len(values) - len(boundaries) != 1:
        raise ValueError(f"piecewise_decay: there is one value more than boundaries. Received {len(values)} values and "
                         f"{len(boundaries)} boundaries.")
    with _scheduling():
        step = _decay_step_counter()
        rate = create_global_var([1], 0.0, "float32", persistable=True, name="learning_rate")
        with _switch() as switch:
            for boundary, value in zip(boundaries, values, strict=False):
                limit = fill_constant([1], "float32", float(boundary), force_cpu=True)
                number = fill_constant([1], "float32", float(value))
                with switch.case(step < limit):
                    assign(number, rate)
            last = fill_constant([1], "float32", float(values[-1]))
            with switch.default():
                assign(last, rate)
        return rate


@_schedule("CosineDecay")
def cosine_decay(learning_rate: Any, step_each_epoch: int, epochs: int) -> Any:
    """learning_rate * 0.5 * (cos(epoch * pi / epochs) + 1)."""
    with _scheduling():
        epoch = ops.floor(_decay_step_counter() / step_each_epoch)
        return learning_rate * 0.5 * (ops.cos(epoch * math.pi / epochs) + 1)


@_schedule("LinearLrWarmup")
def linear_lr_warmup(learning_rate: Any, warmup_steps: int, start_lr: float, end_lr: float) -> Any:
    """From start_lr to end_lr within warmup_steps, and `learning_rate`, a number or a schedule, from then on."""
    dtype = learning_rate.dtype if is_value(learning_rate) else "float32"
    with _scheduling():
        rate = create_global_var([1], 0.0, dtype, persistable=True, name="learning_rate_warmup")
        step = _decay_step_counter()
        with _switch() as switch:
            with switch.case(step < warmup_steps):
                assign(start_lr + (float(end_lr) - float(start_lr)) * (step / float(warmup_steps)), rate)
            with switch.default():
                given = learning_rate
                if not is_value(given):
                    given = fill_constant([1], dtype, float(given))
                assign(given, rate)
        return rate


__all__ = ["autoincreased_step_counter", "cosine_decay", "exponential_decay", "inverse_time_decay",
           "linear_lr_warmup", "natural_exp_decay", "noam_decay", "piecewise_decay", "polynomial_decay"]
