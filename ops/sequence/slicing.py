"""Rows of sequences in another order, or some of them: sequence_slice, sequence_concat, sequence_reverse,
sequence_reshape, sequence_erase, sequence_enumerate, and updates of rows at places: sequence_scatter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backend.devices import host_values
from ...backend.scatter import add_at
from ...core.dtype import int64
from ..array.full import full_of_shape
from ..array.gather import gather_nd_op, gather_op, put_at_op
from ..array.gradient_shapes import reshape_to
from ..array.reshape import flatten_op
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.casting import dtype_of
from .offsets import copies, from_lengths, last_of, lengths_of, levels_of, offset_specs, owners, repeated, spans

# sequence_slice

def _sliced(xp: Any, offset: Any, length: Any, offsets: Any) -> tuple[Any, Any]:
    starts, wanted = (v.reshape(-1).astype("int64") for v in (offset, length))
    lengths = lengths_of(offsets)
    if starts.size != lengths.size or wanted.size != lengths.size:
        raise ValueError(f"sequence_slice(offset, length): each must have an item for each of the {lengths.size} "
                         f"sequences. Received {starts.size} and {wanted.size}.")
    if bool(((starts < 0) | (wanted < 0) | (starts + wanted > lengths)).any()):
        raise ValueError(f"sequence_slice(offset, length): offset and offset + length must lie within each sequence, "
                         f"whose lengths are {host_values(lengths)}. Received {host_values(starts)} and "
                         f"{host_values(wanted)}.")
    return spans(xp, offsets[:-1] + starts, wanted), wanted


def _slice(xp, x, offset, length, lod):
    rows, lengths = _sliced(xp, offset, length, last_of("sequence_slice(input)", lod, len(x)))
    return x[rows], [from_lengths(xp, lengths)]


def _infer_slice(x, offset, length, lod):
    levels_of("sequence_slice(input)", lod, 1, 1)
    return Spec((-1, *x.shape[1:]), x.dtype), offset_specs(1)


def _put_back(g: Any, rows: Any, shape: Any) -> Any:
    return apply(put_at_op, full_of_shape(shape, 0.0, dtype_of(g)), rows, g, None, axis=0)


sliced_rows_op = operator(
    "sliced_rows", "Offset, Length, lod* -> Rows", infer=lambda *_: Spec((-1,), int64), only_here=True, lod="drop",
    kernel=lambda xp, offset, length, lod: _sliced(xp, offset, length, lod[0])[0], fails="values")
"""The rows that `sequence_slice` takes."""

sequence_slice_op = operator(
    "sequence_slice", "X, Offset, Length, lod^X -> Out, out_lod^Out", kernel=_slice, infer=_infer_slice,
    grad={"X": lambda g, X_shape, Offset, Length, lod: _put_back(
        g, apply(sliced_rows_op, Offset, Length, lod), X_shape)}, moves=True, fails="values")


# sequence_concat

def _lengths(xp: Any, lod: Sequence[Any]) -> Any:
    """[inputs, sequences]"""
    counts = {offsets.size - 1 for offsets in lod}
    if len(counts) > 1:
        raise ValueError(f"sequence_concat(input): all must have equally many sequences. Received "
                         f"{[offsets.size - 1 for offsets in lod]}.")
    return xp.stack([lengths_of(offsets) for offsets in lod])


def _concat(xp, xs, lod):
    for x, offsets in zip(xs, lod, strict=True):
        last_of("sequence_concat(input)", [offsets], len(x))
    lengths = _lengths(xp, lod)
    before = xp.asarray([0, *(len(x) for x in xs[:-1])]).cumsum()
    starts = xp.stack([offsets[:-1] for offsets in lod]) + before[:, None]
    rows = spans(xp, starts.T.reshape(-1), lengths.T.reshape(-1))
    return xp.concatenate(xs)[rows], [from_lengths(xp, lengths.sum(0))]


def _infer_concat(xs, lod):
    if len(lod) != len(xs):
        raise ValueError(f"sequence_concat(input): each must be sequences with a LoD of one level. Received "
                         f"{len(xs)} inputs with {len(lod)} levels in all. Declare them with lod_level=1.")
    shapes = {x.shape[1:] for x in xs}
    if len(shapes) > 1:
        raise ValueError(f"sequence_concat(input): shapes must agree behind the first dimension. Received "
                         f"{[list(x.shape) for x in xs]}.")
    sizes = [x.shape[0] for x in xs]
    return Spec((-1 if -1 in sizes else sum(sizes), *xs[0].shape[1:]), xs[0].dtype), offset_specs(1)


def _rows_in_joined(xp, lod, *, index: int):
    lengths = _lengths(xp, lod)
    starts = from_lengths(xp, lengths.sum(0))[:-1] + lengths[:index].sum(0)
    return spans(xp, starts, lengths[index])


rows_in_joined_op = operator(
    "rows_in_joined", "lod* -> Rows", kernel=_rows_in_joined, infer=lambda lod, *, index: Spec((-1,), int64),
    only_here=True, lod="drop")
"""Where `sequence_concat` puts the rows of the input with an index."""

joined_offsets_op = operator(
    "joined_offsets", "Offsets* -> Out", kernel=lambda xp, levels: from_lengths(xp, xp.concatenate(
        [lengths_of(level) for level in levels])), infer=lambda levels: Spec((-1,), int64), only_here=True, lod="drop")
"""The offsets of sequences that `concat` puts behind each other: one level of all of them."""

sequence_concat_op = operator(
    "sequence_concat", "X*, lod^X -> Out, out_lod^Out", kernel=_concat, infer=_infer_concat,
    grad={"X": lambda g, X_shape, lod: [apply(gather_op, g, apply(rows_in_joined_op, lod, index=n), None, axis=0)
                                        for n in range(len(X_shape))]}, moves=True, fails="values")


# sequence_reverse, sequence_reshape

def _reverse(xp, x, lod):
    offsets = last_of("sequence_reverse(x)", lod, len(x))
    ends = offsets[:-1] + offsets[1:] - 1
    return x[repeated(xp, ends, lengths_of(offsets), offsets) - xp.arange(len(x))]


def _infer_reverse(x, lod):
    levels_of("sequence_reverse(x)", lod)
    return x


sequence_reverse_op = operator("sequence_reverse", "X, lod^X -> Y", kernel=_reverse, infer=_infer_reverse, grad={
    "X": lambda g, lod: apply(sequence_reverse_op, g, lod)}, moves=True, fails="values")


def _reshape(xp, x, lod, *, new_dim: int):
    numbers = last_of("sequence_reshape(input)", lod, len(x)) * x.shape[1]
    if bool((numbers % new_dim).any()):
        raise ValueError(f"sequence_reshape(new_dim): must divide the count of numbers in each sequence, whose lengths "
                         f"are {host_values(lengths_of(lod[-1]))} with rows of {x.shape[1]}. Received {new_dim}.")
    return x.reshape(-1, new_dim), [numbers // new_dim]


def _infer_reshape(x, lod, *, new_dim):
    levels_of("sequence_reshape(input)", lod, 1, 1)
    if x.rank != 2 or new_dim < 1:
        raise ValueError(f"sequence_reshape(input, new_dim): input must be [N, D], and new_dim 1 at least. Received "
                         f"{list(x.shape)} and {new_dim}.")
    size = x.shape[0] * x.shape[1] // new_dim if -1 not in x.shape else -1
    return Spec((size, new_dim), x.dtype), offset_specs(1)


sequence_reshape_op = operator(
    "sequence_reshape", "X, lod^X -> Out~X, out_lod^Out", kernel=_reshape, infer=_infer_reshape,
    grad={"X": lambda g, X_shape: reshape_to(g, X_shape)}, moves=True, fails="values")


# sequence_erase, sequence_enumerate

def _erase(xp, x, lod, *, tokens: Ints):
    offsets = last_of("sequence_erase(input)", lod, len(x))
    kept = ~xp.isin(x.reshape(-1), xp.asarray(list(tokens), x.dtype))
    return x[kept], [*copies(lod[:-1]), from_lengths(xp, kept.astype("int64"))[offsets]]


def _infer_erase(x, lod, *, tokens):
    levels = levels_of("sequence_erase(input)", lod)
    _check_ids("sequence_erase(input)", x)
    return Spec((-1, *x.shape[1:]), x.dtype), offset_specs(levels)


def _check_ids(what: str, x: Spec) -> None:
    if not x.dtype.is_integer or any(size not in (1, -1) for size in x.shape[1:]):
        raise ValueError(f"{what}: must be integers, [N] or [N, 1]. Received {x.dtype.name}{list(x.shape)}.")


sequence_erase_op = operator("sequence_erase", "X, lod^X -> Out, out_lod^Out", kernel=_erase, infer=_infer_erase,
                             moves=True, fails="values")


def _enumerate(xp, x, lod, *, win_size: int, pad_value: int = 0):
    offsets = last_of("sequence_enumerate(input)", lod, len(x))
    places = xp.arange(len(x))[:, None] + xp.arange(win_size)
    ends = repeated(xp, offsets[1:], lengths_of(offsets), offsets)
    ids = x.reshape(-1)
    there = places < ends[:, None]
    return xp.where(there, ids[xp.where(there, places, 0)] if len(x) else 0, pad_value).astype(x.dtype)


def _infer_enumerate(x, lod, *, win_size, pad_value=0):
    levels_of("sequence_enumerate(input)", lod)
    _check_ids("sequence_enumerate(input)", x)
    if win_size < 1:
        raise ValueError(f"sequence_enumerate(win_size): must be 1 at least. Received {win_size}.")
    return Spec((x.shape[0], win_size), x.dtype)


sequence_enumerate_op = operator("sequence_enumerate", "X, lod^X -> Out", kernel=_enumerate, infer=_infer_enumerate,
                                 moves=True, fails="values")


# sequence_scatter

def _places(xp, ids, ids_lod):
    return xp.stack([owners(xp, ids_lod[-1]), ids.reshape(-1).astype("int64")], 1)


def _scatter(xp, x, ids, updates, ids_lod):
    last_of("sequence_scatter(index)", ids_lod, len(ids))
    places = _places(xp, ids, ids_lod)
    if ids_lod[-1].size - 1 != len(x) or len(updates) != len(ids):
        raise ValueError(f"sequence_scatter(input, index, updates): index must have a sequence for each of the "
                         f"{len(x)} rows of input, and an update for each id. Received "
                         f"{ids_lod[-1].size - 1} sequences of {len(ids)} ids, and {len(updates)} updates.")
    out = x.reshape(len(x), -1).copy()
    if len(ids) and not 0 <= int(places[:, 1].min()) <= int(places[:, 1].max()) < out.shape[1]:
        raise ValueError(f"sequence_scatter(index): must lie in [0, {out.shape[1]}), the width of input. Received "
                         f"{int(places[:, 1].min())} to {int(places[:, 1].max())}.")
    add_at(xp, out, (places[:, 0], places[:, 1]), updates.reshape(-1))
    return out.reshape(x.shape)


def _infer_scatter(x, ids, updates, ids_lod):
    levels_of("sequence_scatter(index)", ids_lod, 1, 1)
    if x.rank < 2:
        raise ValueError(f"sequence_scatter(input): must be [N, D], or of more dimensions, a row of which is taken as "
                         f"one of values behind each other. Received {list(x.shape)}.")
    return x


scattered_places_op = operator(
    "scattered_places", "Ids, ids_lod* -> Places", kernel=_places, only_here=True, lod="drop",
    infer=lambda ids, ids_lod: Spec((ids.shape[0], 2), int64))
"""[rows of Ids, 2]: where `sequence_scatter` adds."""

sequence_scatter_op = operator(
    "sequence_scatter", "X, Ids, Updates, ids_lod^Ids -> Out", kernel=_scatter, infer=_infer_scatter,
    grad={"X": lambda g: g, "Updates": lambda g, Ids, ids_lod, Updates_shape: reshape_to(
        apply(gather_nd_op, apply(flatten_op, g, start_axis=1, stop_axis=-1) if g.ndim > 2 else g,
              apply(scattered_places_op, Ids, ids_lod)), Updates_shape)}, fails="values")
