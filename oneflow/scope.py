"""`flow.scope`: where a global function's operations run, how its blobs lie, what its variables' names begin with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .distribute import ConsistentView, MirroredView, mirrored_view_is_on
from .job.current import current
from .job.placement import Placement as placement

consistent_view = ConsistentView
mirrored_view = MirroredView

__all__ = ["consistent_view", "consistent_view_enabled", "mirrored_view", "mirrored_view_enabled", "namespace",
           "placement"]


@contextlib.contextmanager
def namespace(name: str) -> Iterator[None]:
    """Within the block the names of variables begin with `name-`.

    >>> import numpy as np
    >>> import proa.oneflow as flow, proa.oneflow.typing as tp
    >>> @flow.global_function()
    ... def job() -> tp.Numpy:
    ...     with flow.scope.namespace("tower"):
    ...         return flow.get_variable("w", (2,), initializer=lambda shape, dtype: np.zeros(shape))
    >>> job().tolist(), list(job.job.variables)
    ([0.0, 0.0], ['tower-w'])
    """
    if not isinstance(name, str):
        raise TypeError(f"scope.namespace(name): must be a str. Received {name!r}.")
    job = current(f"scope.namespace({name!r})")
    job.namespaces.append(name)
    try:
        yield
    finally:
        job.namespaces.pop()


def mirrored_view_enabled() -> bool:
    """Whether the block around is one of `mirrored_view`."""
    return mirrored_view_is_on()


def consistent_view_enabled() -> bool:
    """Whether the block around is none of `mirrored_view`."""
    return not mirrored_view_is_on()
