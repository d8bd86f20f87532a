"""`get_variable`: the variables of a session, which outlive a call and which all of its jobs share by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.dtype import float32
from .dtypes import to_dtype
from .job.current import current
from .snapshot.layout import check_name


def get_variable(name: str, shape: Sequence[int] | None = None, dtype: Any = None, initializer: Any = None,
                 regularizer: Any = None, trainable: bool | None = None, model_name: str | None = None,
                 random_seed: int | None = None, nd_sbp: Any = None, distribute: Any = None, reuse: bool = True) -> Any:
    """The variable of this name in the global function that is being traced, made where there is none.

    `dtype`: by default the job's `default_data_type`, float32 unless set. `initializer`: what makes its first value,
    by default the job's `default_initializer_conf`. `trainable`: whether optimizers change it, by default they do.
    `model_name` ('weight', 'bias') is kept for optimizers. `random_seed`: of what the initializer draws. `distribute`
    and `nd_sbp` say nothing on one device. Within `flow.scope.namespace("a")` the name begins with `a-`.

    Raises RuntimeError outside of a global function; ValueError where there is a variable of that name of another shape
    or dtype, for a name that cannot be a folder's in a snapshot, and, with `reuse=False`, where this job has asked
    for it before.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def shifted(x: tp.Numpy.Placeholder((2,))) -> tp.Numpy:
    ...     return x + flow.get_variable("shift", (2,), initializer=lambda shape, dtype: np.arange(2.0))
    >>> shifted(np.ones(2, np.float32)).tolist()
    [1.0, 2.0]
    """
    job = current(f"get_variable({name!r})")
    if not isinstance(name, str) or not name:
        raise TypeError(f"get_variable(name): must be a str that is not empty. Received {name!r}.")
    if not isinstance(shape, (tuple, list)):
        raise TypeError(f"get_variable({name!r}, shape): must be a tuple of sizes. Received {shape!r}.")
    settings = job.config.settings
    kind = to_dtype(f"get_variable({name!r}, dtype)", settings.get("default_data_type", float32)
                    if dtype is None else dtype)
    whole = check_name(job.prefixed(name), "get_variable(name)")
    if not reuse and whole in job.variables:
        raise ValueError(f"get_variable({whole!r}, reuse=False): the global function {job.name!r} has asked for it "
                         "already. Give it another name, or leave reuse out.")
    return job.variable(whole, shape, kind, initializer or settings.get("default_initializer_conf"), regularizer,
                        trainable is None or bool(trainable), model_name, random_seed)
