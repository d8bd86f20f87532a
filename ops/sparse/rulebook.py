"""Convolution of sparse values along a rulebook: which input row goes by which part of the filter to which output row.

The rulebook lists (source, target) pairs, those of the filter's first part in front; `Counts` says how many each part
has. Graham et al., 3D Semantic Segmentation with Submanifold Sparse Convolutional Networks, 2018.
"""


import itertools
from typing import Any

from ...backend.devices import host_values
from ...core.dtype import int64
from ..array.full import full_of_shape
from ..array.gather import add_at
from ..array.reshape import transpose
from ..core.infer import same
from ..core.operator import Longs, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of
from .pattern_products import taken_rows


def _parts(counts: Any) -> Any:
    """(number of the part, its slice of the pairs) of the parts of a filter that have pairs."""
    start = 0
    for part, count in enumerate(host_values(counts)):
        if count:
            yield part, slice(start, start + count)
        start += count


def _convolved(xp, out, x, weight, sources, targets, counts):
    out = out.copy()
    for part, pairs in _parts(counts):
        add_at(xp, out, targets[pairs], taken_rows(xp, x, sources[pairs]) @ weight[part])
    return out


def _filter_gradient(xp, weight, x, g, sources, targets, counts):
    result = xp.zeros(weight.shape, g.dtype)
    for part, pairs in _parts(counts):
        result[part] = taken_rows(xp, x, sources[pairs]).T @ taken_rows(xp, g, targets[pairs])
    return result


def _zeros(shape: Any, like: Any) -> Any:
    return full_of_shape(shape, 0.0, dtype_of(like))


convolved_op = operator(
    "sparse_conv", "Out_, X, Filter, Sources, Targets, Counts -> Out", kernel=_convolved, infer=same, only_here=True,
    fails="values", grad={
        "Out_": lambda g: g,
        "X": lambda g, Filter, Sources, Targets, Counts, X_shape: apply(
            convolved_op, _zeros(X_shape, g), g, transpose(Filter, [0, 2, 1]), Targets, Sources, Counts),
        "Filter": lambda g, Filter, X, Sources, Targets, Counts: apply(
            filter_gradient_op, Filter, X, g, Sources, Targets, Counts),
    })
"""Out_ with X[source] @ Filter[part] added to the row `target`, for each pair of each part."""

filter_gradient_op = operator(
    "sparse_conv_filter_grad", "Filter, X, Grad, Sources, Targets, Counts -> Out", kernel=_filter_gradient,
    infer=same, only_here=True, fails="values", grad={
        "X": lambda g, Grad, Sources, Targets, Counts, X_shape: apply(
            convolved_op, _zeros(X_shape, g), Grad, transpose(g, [0, 2, 1]), Targets, Sources, Counts),
        "Grad": lambda g, X, Sources, Targets, Counts, Grad_shape: apply(
            convolved_op, _zeros(Grad_shape, g), X, g, Sources, Targets, Counts),
    })
"""The sum of X[source]ᵀ · Grad[target] over the pairs of each part, in the shape of Filter."""


def _keys(rows: Any, sizes: Any) -> Any:
    key = rows[0]
    for row, size in zip(rows[1:], sizes[1:], strict=True):
        key = key * size + row
    return key


def _split(xp: Any, keys: Any, sizes: Any) -> Any:
    rows = []
    for size in reversed(sizes):
        rows.append(keys % size)
        keys = keys // size
    return xp.stack(rows[::-1])


def _rulebook(xp, indices, *, sizes: Longs = (), out_sizes: Longs = (), kernel: Longs = (), strides: Longs = (),
              paddings: Longs = (), dilations: Longs = (), keeps_places: bool = False):
    indices = indices.astype("int64")
    full = (sizes[0], *out_sizes)
    sources, targets = [], []
    for offset in itertools.product(*map(range, kernel)):
        rows, seen = [indices[0]], xp.ones(indices.shape[1:], bool)
        for row, at, stride, before, step, size in zip(
                indices[1:], offset, strides, paddings, dilations, out_sizes, strict=True):
            place = row + before - at * step
            seen &= (place >= 0) & (place % stride == 0) & (place // stride < size)
            rows.append(place // stride)
        found = xp.flatnonzero(seen)
        sources.append(found)
        targets.append(_keys([row[found] for row in rows], full))
    if keeps_places:
        return (indices, *_at_places(xp, _keys(indices, full), sources, targets))
    counts = xp.asarray([len(part) for part in sources], "int64")
    places, numbers = xp.unique(xp.concatenate(targets), return_inverse=True)
    return _split(xp, places, full), xp.concatenate(sources), numbers.reshape(-1), counts


def _at_places(xp: Any, places: Any, sources: list, targets: list) -> tuple:
    """The pairs whose target is among the places, with its number there."""
    order = xp.argsort(places)
    ordered = places[order]
    kept = []
    for source, target in zip(sources, targets, strict=True):
        at = xp.minimum(xp.searchsorted(ordered, target), max(len(ordered) - 1, 0))
        there = xp.flatnonzero(ordered[at] == target) if len(ordered) else at
        kept.append((source[there], order[at[there]]))
    counts = xp.asarray([len(source) for source, _ in kept], "int64")
    return xp.concatenate([source for source, _ in kept]), xp.concatenate([number for _, number in kept]), counts


def _infer_rulebook(indices, *, sizes=(), out_sizes=(), kernel=(), keeps_places=False, **_):
    parts = 1
    for size in kernel:
        parts *= size
    places = indices.shape if keeps_places else (indices.shape[0], -1)
    return Spec(places, int64), Spec((-1,), int64), Spec((-1,), int64), Spec((parts,), int64)


rulebook_op = operator("sparse_conv_rulebook", "Indices -> Places, Sources, Targets, Counts", kernel=_rulebook,
                       infer=_infer_rulebook, only_here=True)
"""The places of a convolution's result and its rulebook, from the places [1 + d, n] of its input, batches in front.

`sizes`: of batch and input; `out_sizes`: of the result, without the batch. With `keeps_places` the result has the
input's places (submanifold convolution).
"""
