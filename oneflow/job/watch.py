"""`watch` and `watch_diff`: a function that is handed the value, or the gradient, of a blob in each call of a job."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ...static.ir.variable import Variable
from ..typing import is_result
from .current import current
from .results import form_of


def watch(blob_watched: Any, handler_or_prompt: Callable[[Any], Any] | str | None = None) -> None:
    """Hands the blob's value to a function in each call, behind what the job computes; prints it without one.

    The function's parameter may be annotated with `oneflow.typing.Numpy` (an array) or `ListNumpy` (a list with one);
    without it gets a blob with `numpy()`. A str is printed ahead of the value.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> seen = []
    >>> def see(value: tp.Numpy):
    ...     seen.append(value.tolist())
    >>> @flow.global_function()
    ... def job(x: tp.Numpy.Placeholder((2,))) -> None:
    ...     flow.watch(x * 2.0, see)
    >>> job(np.ones(2, np.float32))
    >>> seen
    [[2.0, 2.0]]
    """
    job = current("watch(blob)")
    blob = _blob("watch(blob_watched)", blob_watched)
    job.watch(blob, _handler("watch", handler_or_prompt))


def watch_diff(blob_watched: Any, handler_or_prompt: Callable[[Any], Any] | str | None = None) -> None:
    """As `watch`, for the gradient with respect to the blob of what the job's optimizer minimizes.

    It is that of the sum of the loss's elements, as OneFlow has it: the mean's times their number.

    Raises ValueError, when the job is traced, where no gradient reaches the blob.
    """
    job = current("watch_diff(blob)")
    blob = _blob("watch_diff(blob_watched)", blob_watched)
    handler = _handler("watch_diff", handler_or_prompt)

    def find() -> None:
        if job.program.global_block().find_var(blob.grad_name) is None:
            raise ValueError(f"watch_diff(blob_watched): no gradient reaches the blob {blob.name!r} of the job "
                             f"{job.name!r}. Call an optimizer's minimize(loss) for a loss that depends on it.")
        elements = job.training.elements
        job.watch(blob.grad_name, lambda array: handler(array if elements == 1 else array * elements))

    job.at_end.append(lambda: job.at_end.append(find))  # behind what appends the gradients, wherever that was asked for


def _blob(what: str, value: Any) -> Variable:
    if not isinstance(value, Variable):
        raise TypeError(f"{what}: must be a blob. Received {type(value).__name__}.")
    return value


def _handler(what: str, handler: Callable[[Any], Any] | str | None) -> Callable[[np.ndarray], Any]:
    if not callable(handler):
        return _printing(handler)
    parameters = list(inspect.signature(handler, eval_str=True).parameters.values())
    if len(parameters) != 1:
        raise TypeError(f"{what}(handler): must be a function of one parameter. Received one of {len(parameters)}.")
    annotation = parameters[0].annotation
    if annotation is not inspect.Parameter.empty and not is_result(annotation):
        raise TypeError(f"{what}(handler): its parameter may be annotated with oneflow.typing.Numpy or ListNumpy. "
                        f"Received {annotation!r}.")
    form = form_of(annotation)
    return lambda array: handler(form(array))


def _printing(prompt: str | None) -> Callable[[np.ndarray], Any]:
    def show(array: np.ndarray) -> None:
        if prompt is not None:
            print(prompt)
        print(array)

    return show
