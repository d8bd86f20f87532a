"""`flow.losses`: what a train job of OneFlow's first versions is trained by, in place of an optimizer's `minimize`."""

from __future__ import annotations

from typing import Any

from .job.current import current
from .optimizer.model_update_conf import configured_optimizer
from .optimizer.training import Training

__all__ = ["add_loss"]


def add_loss(loss: Any) -> None:
    """Lets the job minimize the mean of a blob, as its `function_config.train` says; several are summed up.

    Raises RuntimeError outside of a train job; TypeError for what is no blob, ValueError for a blob of another job, one
    of integers, or of another shape than the losses before.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> flow.clear_default_session()
    >>> config = flow.FunctionConfig()
    >>> config.train.primary_lr(0.5)
    >>> config.train.model_update_conf({"naive_conf": {}})
    >>> @flow.global_function(config)
    ... def fit(x: tp.Numpy.Placeholder((4,))) -> tp.Numpy:
    ...     w = flow.get_variable("w", (1,), initializer=lambda shape, dtype: np.zeros(shape))
    ...     flow.losses.add_loss((w - x) * (w - x))
    ...     return w
    >>> [fit(np.ones(4, np.float32)).tolist() for _ in range(2)]
    [[0.0], [1.0]]
    """
    training = Training.of(current("flow.losses.add_loss(loss)"), "flow.losses.add_loss(loss)")
    training.configured = configured_optimizer
    training.add_loss(loss)
