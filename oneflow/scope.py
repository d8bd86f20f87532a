"""`flow.scope`: where a global function's operations run, how its blobs lie, what its variables' names begin with."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from .distribute import ConsistentView, MirroredView, mirrored_view_is_on
from .job.current import current
from .job.placement import Placement as placement
from .job.placement import current_scope

consistent_view = ConsistentView
mirrored_view = MirroredView

__all__ = ["config", "consistent_view", "consistent_view_enabled", "current_scope", "mirrored_view",
           "mirrored_view_enabled", "namespace", "placement"]


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


_HINTS = {"checkpointing", "pipeline_stage_id_hint"}


@contextlib.contextmanager
def config(**settings: Any) -> Iterator[None]:
    """Within the block OneFlow would compute forward passes again, or on other devices, as the settings say.

    The results are the same: `checkpointing` and `pipeline_stage_id_hint` say nothing here. Raises TypeError for other
    settings.
    """
    unknown = sorted(set(settings) - _HINTS)
    if unknown:
        raise TypeError(f"scope.config: the settings are {', '.join(sorted(_HINTS))}. Received {', '.join(unknown)}.")
    yield


def mirrored_view_enabled() -> bool:
    """Whether the block around is one of `mirrored_view`."""
    return mirrored_view_is_on()


def consistent_view_enabled() -> bool:
    """Whether the block around is none of `mirrored_view`."""
    return not mirrored_view_is_on()
