"""recompute and its forms for sequences: memory for time, in eager code and in converted functions alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....dygraph.recompute import run_recomputed
from ....jit.convert.functions import converted_callable
from ....jit.tracing.recomputing import run_marked
from ....ops.core.trace import state


def _is_converting() -> bool:
    """Whether this runs as a part of a converted function, or of a Program that is being built."""
    return not state.trace.computes


def recompute(function: Callable[..., Any], *args: Any, preserve_rng_state: bool = True, use_reentrant: bool = True,
              **kwargs: Any) -> Any:
    """`function(*args, **kwargs)`, whose intermediate values are freed, and computed again for its gradient.

    What the gradient needs inside the function is not kept: only the arguments are. `function` is a Layer or any
    callable; arguments and results may be of any kind, nested in lists, tuples and dicts. Gradients flow to the
    arguments, to parameters and to whatever else the function uses. With `preserve_rng_state` the second run draws the
    same random numbers. What the function writes to Layers' buffers (running means) is written once. `use_reentrant`
    chooses between two ways of PaddlePaddle's; there is one here, which can do what either can.

    Inside a converted function the compiled step computes the part again in its backward half; the results of random
    operators, loops and branches in it are kept. In a Program that an Executor runs, values are kept.

    Raises TypeError for what is not callable; RuntimeError when the second run does something else than the first.
    `paddle.distributed.fleet.utils.recompute`; Chen et al., Training Deep Nets with Sublinear Memory Cost, 2016.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.utils import recompute
    >>> x = paddle.ones([2]); x.stop_gradient = False
    >>> recompute(lambda x: paddle.exp(x * 0), x).sum().backward(); x.grad.tolist()
    [0.0, 0.0]
    """
    if not callable(function):
        raise TypeError(f"recompute(function): must be a Layer or a function. Received {type(function).__name__}.")
    if _is_converting():
        return run_marked(converted_callable(function), args, kwargs)
    return run_recomputed(function, args, kwargs, bool(preserve_rng_state))


def _run_in_turn(functions: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """A function that gives what the first one makes of its arguments to the next, and so on."""

    def run(*args: Any, **kwargs: Any) -> Any:
        first, *others = [converted_callable(f) for f in functions] if _is_converting() else functions
        result = first(*args, **kwargs)
        for function in others:
            result = function(result)
        return result

    return run


def recompute_sequential(ctx: Mapping[str, Any], functions: Any, *args: Any, **kwargs: Any) -> Any:
    """The functions in turn (a Sequential or a list), in `ctx["segments"]` parts (1 by default) that are recomputed.

    The last part is run as it is, since its gradient is asked for at once. `ctx["preserve_rng_state"]` (True by
    default) is that of `recompute`. Raises ValueError unless 1 <= segments <= len(functions).
    `paddle.incubate.distributed.fleet.recompute_sequential`.

    >>> import proa as paddle
    >>> from proa.incubate.distributed.fleet import recompute_sequential
    >>> model = paddle.nn.Sequential(paddle.nn.Linear(4, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 1))
    >>> recompute_sequential({"segments": 2}, model, paddle.ones([3, 4])).shape
    [3, 1]
    """
    layers = list(functions)
    segments = ctx.get("segments", 1)
    if not 1 <= segments <= len(layers):
        raise ValueError(
            f"recompute_sequential(ctx): ctx['segments'] must be at least 1 and at most the number of functions, "
            f"{len(layers)}. Received {segments}."
        )
    size = len(layers) // segments
    parts = [layers[n * size : (n + 1) * size] for n in range(segments - 1)]
    keep = bool(ctx.get("preserve_rng_state", True))
    for part in parts:
        args = (recompute(_run_in_turn(part), *args, preserve_rng_state=keep, **kwargs),)
        kwargs = {}
    return _run_in_turn(layers[(segments - 1) * size :])(*args, **kwargs)


def recompute_hybrid(ctx: Mapping[str, Any], function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """As `recompute`: with one device there is no group that kept values could be shared among.

    Raises NotImplementedError for `ctx["offload"]` and `ctx["partition"]`, which move kept values to other places.
    `paddle.incubate.distributed.fleet.recompute_hybrid`.
    """
    for key in ("offload", "partition"):
        if ctx.get(key, False):
            raise NotImplementedError(f"recompute_hybrid(ctx): ctx[{key!r}]=True is not supported. Leave it out.")
    return recompute(function, *args, **kwargs)
