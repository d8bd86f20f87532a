"""Functions that jobs and eager code call by one name, with other arguments: which of both is meant.

It is the job's function in a job, and for values of Paddle's faces; elsewhere, and in an `nn.Graph`, the eager one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from ..ops.core.trace import state
from . import eager, linalg
from .array import choosing, creation, gathering, padding, shapes, slices, stacking
from .charge import FLOW
from .math import counting, limits
from .nn.functional.common import pad as eager_pad


def _is_eager_kind(values: Iterable[Any]) -> bool | None:
    """Whether the first value, if there is one, is an eager one of this face or a Graph's."""
    for value in values:
        if isinstance(value, (list, tuple)):
            found = _is_eager_kind(value)
            if found is not None:
                return found
        elif getattr(value, "_is_proa_value", False):
            return getattr(value, "_is_flow", False)
    return None


def two_forms(eager_form: Callable[..., Any], job_form: Callable[..., Any]) -> Callable[..., Any]:
    """The function that is the one or the other."""
    @functools.wraps(eager_form)
    def called(*args: Any, **kwargs: Any) -> Any:
        trace = state.trace
        if trace is FLOW or args and getattr(args[0], "_is_flow", False):
            return eager_form(*args, **kwargs)
        kind = _is_eager_kind((*args, *kwargs.values()))
        if kind is None:
            kind = trace.computes or trace.captures
        return (eager_form if kind else job_form)(*args, **kwargs)

    return called


argsort = two_forms(eager.argsort, choosing.argsort)
argwhere = two_forms(eager.argwhere, choosing.argwhere)
masked_fill = two_forms(eager.masked_fill, choosing.masked_fill)
nonzero = two_forms(eager.nonzero, choosing.nonzero)
sort = two_forms(eager.sort, choosing.sort)
where = two_forms(eager.where, choosing.where)
cast = two_forms(eager.cast, creation.cast)
diag = two_forms(eager.diag, creation.diag)
ones = two_forms(eager.ones, creation.ones)
ones_like = two_forms(eager.ones_like, creation.ones_like)
zeros = two_forms(eager.zeros, creation.zeros)
zeros_like = two_forms(eager.zeros_like, creation.zeros_like)
gather = two_forms(eager.gather, gathering.gather)
gather_nd = two_forms(eager.gather_nd, gathering.gather_nd)
scatter_nd = two_forms(eager.scatter_nd, gathering.scatter_nd)
tensor_scatter_nd_update = two_forms(eager.tensor_scatter_nd_update, gathering.tensor_scatter_nd_update)
pad = two_forms(eager_pad, padding.pad)
broadcast_like = two_forms(eager.broadcast_like, shapes.broadcast_like)
expand = two_forms(eager.expand, shapes.expand)
flatten = two_forms(eager.flatten, shapes.flatten)
reshape = two_forms(eager.reshape, shapes.reshape)
squeeze = two_forms(eager.squeeze, shapes.squeeze)
transpose = two_forms(eager.transpose, shapes.transpose)
slice = two_forms(eager.slice, slices.slice)
slice_update = two_forms(eager.slice_update, slices.slice_update)
concat = two_forms(eager.concat, stacking.concat)
stack = two_forms(eager.stack, stacking.stack)
clamp = clip = two_forms(eager.clamp, limits.clip_by_value)
in_top_k = two_forms(eager.in_top_k, counting.in_top_k)
matmul = two_forms(eager.matmul, linalg.matmul)
