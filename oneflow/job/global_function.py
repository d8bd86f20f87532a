"""`global_function`, which makes a job of a Python function, and what a traced function may ask of its job."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .current import current
from .function_config import FunctionConfig
from .job import Job
from .session import default_session


def global_function(type: Any = "predict", function_config: FunctionConfig | None = None) -> Any:
    """A decorator that makes a function a job: it is traced into a Program once, and called with arrays.

    `type`: 'train' for a job with an optimizer, in which dropout drops and batch normalization normalizes by the batch,
    or 'predict'. Parameters are annotated with `oneflow.typing.Numpy.Placeholder(shape, dtype)`, results with
    `oneflow.typing.Numpy` and the like; without an annotation a call gives an object with `get()`. All jobs of a
    session share variables by name.

    Raises ValueError for another type, TypeError for annotations that say nothing of arrays; the job raises ValueError
    and TypeError, naming the argument, for arrays of another shape or dtype.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function(type="predict")
    ... def double(x: tp.Numpy.Placeholder((2, 2), dtype=flow.float)) -> tp.Numpy:
    ...     return x * 2.0
    >>> double(np.ones((2, 2), np.float32)).tolist()
    [[2.0, 2.0], [2.0, 2.0]]
    """
    if isinstance(type, FunctionConfig):  # as scripts of OneFlow 0.1 write it
        type, function_config = "train" if type.trains else "predict", type
    if type not in ("train", "predict"):
        raise ValueError(f"global_function(type): must be 'train' or 'predict'. Received {type!r}; with a function "
                         "write @flow.global_function() above it.")
    if function_config is not None and not isinstance(function_config, FunctionConfig):
        raise TypeError("global_function(function_config): must be a flow.FunctionConfig(). Received "
                        f"{function_config!r}.")
    config = (function_config or FunctionConfig()).copy()

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        session = default_session()
        job = Job(function, type, config, session)
        session.jobs[job.name] = job

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return job(*args, **kwargs)

        call.job = job  # type: ignore[attr-defined]
        return call

    return decorate


class FunctionDesc:
    """What is known of the job that is being traced."""

    def __init__(self, job: Job):
        self.job, self.job_func, self.job_name = job, job.function, job.name

    def IsTrainable(self) -> bool:
        """Whether it is a train job."""
        return self.job.is_trainable


def current_global_function_desc() -> FunctionDesc:
    """What is known of the job that is being traced; RuntimeError outside of one."""
    return FunctionDesc(current("current_global_function_desc()"))
