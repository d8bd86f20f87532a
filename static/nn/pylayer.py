"""static_pylayer: a part of a Program with a gradient of the user's own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...ops.core.trace import current_trace, grad_mode
from ..autodiff.py_layer import with_gradient
from ..ir.variable import Variable


def static_pylayer(forward_fn: Callable[..., Any], inputs: Sequence[Any], backward_fn: Callable[..., Any] | None = None,
                   name: str | None = None) -> Any:
    """`forward_fn(*inputs)`, whose gradient is what `backward_fn` makes of the gradients of its results.

    `backward_fn` takes a gradient for each result and gives one for each input; both append to the Program. Without
    it no gradient flows. Raises RuntimeError in eager mode: there it is `paddle.autograd.PyLayer`.

    >>> import numpy, proa as paddle
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [2]); x.stop_gradient = False
    ...     y = paddle.static.nn.static_pylayer(lambda a: a * 2.0, [x], lambda g: g * 3.0)
    ...     [g] = paddle.static.gradients(y, x)
    >>> paddle.static.Executor().run(main, feed={"x": numpy.ones(2, "float32")}, fetch_list=[g])[0].tolist()
    [3.0, 3.0]
    """
    if current_trace().computes:
        raise RuntimeError("static_pylayer is for Programs. In eager mode use paddle.autograd.PyLayer.")
    for argument, function in (("forward_fn", forward_fn), ("backward_fn", backward_fn)):
        if not callable(function) and not (argument == "backward_fn" and function is None):
            raise TypeError(f"static_pylayer({argument}): must be callable. Received {type(function).__name__}.")
    values = list(inputs)
    for value in values:
        if not isinstance(value, Variable):
            raise TypeError(f"static_pylayer(inputs): must be Variables. Received {type(value).__name__}.")
    trace = current_trace()
    with grad_mode(False):
        result = trace.called(forward_fn)(*values)
    if backward_fn is None:
        return result
    backward = functools.wraps(backward_fn)(functools.partial(trace.called(backward_fn)))
    return with_gradient(trace, result, values, backward, "static_pylayer(backward_fn)")
