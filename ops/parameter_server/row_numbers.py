"""split_ids, merge_ids, lookup_sparse_table: numbers of rows, divided among servers, and the rows that these have.

Server i of n has the rows whose number divided by n leaves i. Programs of Paddle before 1.8 look rows of tables on
servers up by `split_ids`, `prefetch` and `merge_ids`; their servers' Programs answer by `lookup_sparse_table`.
"""

import numpy as np

from ...backend.selected_rows import SelectedRows
from ..core.operator import Long, operator
from ..core.spec import Spec


def _split(xp, numbers, *, parts: list[str] = ()):
    count = _count(parts)
    if isinstance(numbers[0], SelectedRows):
        return [_chosen(numbers[0], numbers[0].rows % count == part) for part in range(count)]
    different = xp.unique(xp.concatenate([each.reshape(-1) for each in numbers]))
    return [different[different % count == part].reshape(-1, 1) for part in range(count)]


def _chosen(gradient, rows):
    return SelectedRows(gradient.rows[rows], gradient.values[rows], gradient.height)


def _count(parts):
    if not parts:
        raise ValueError("split_ids(parts): names the parts, one for each server. Received none.")
    return len(parts)


def _infer_split(numbers, *, parts=()):
    first, count = numbers[0], _count(parts)
    if not first.dtype.is_integer:  # a gradient, of which some rows are there
        if len(numbers) > 1:
            raise ValueError(f"split_ids(Ids): numbers, or one gradient. Received {len(numbers)} values of "
                             f"{first.dtype.name}.")
        return [first] * count,
    return [Spec((-1, 1), first.dtype)] * count,


def _found(xp, known, wanted):
    """Where each of the wanted numbers stands among the known ones, and whether it does."""
    if not len(known):
        return xp.zeros(wanted.shape, known.dtype), xp.zeros(wanted.shape, bool)
    order = xp.argsort(known)
    places = order[xp.minimum(xp.searchsorted(known[order], wanted), len(known) - 1)]
    return places, known[places] == wanted


def _merge(xp, numbers, rows, values):
    if [each.size for each in rows] != [len(each) for each in values]:
        raise ValueError("merge_ids(Rows, X): a row for each number.")
    known, found = xp.concatenate([each.reshape(-1) for each in rows]), xp.concatenate(values)
    return [found[_places(xp, known, each.reshape(-1))] for each in numbers]


def _places(xp, known, wanted):
    places, is_there = _found(xp, known, wanted)
    if not is_there.all():
        raise ValueError(f"merge_ids(Ids, Rows): each of Ids must stand in Rows. Received "
                         f"{wanted[~is_there].tolist()[:10]}, which do not.")
    return places


def _infer_merge(numbers, rows, values):
    if len(rows) != len(values) or any(each.rank != 2 for each in values):
        raise ValueError("merge_ids(Rows, X): as many of both, X the rows as matrices. Received "
                         f"{len(rows)} of Rows and X of shapes {[list(each.shape) for each in values]}.")
    for each, of in zip(rows, values, strict=True):
        if each.shape and -1 not in (each.shape[0], of.shape[0]) and each.shape[0] != of.shape[0]:
            raise ValueError(f"merge_ids(Rows, X): a row for each number. Received {each.shape[0]} numbers and "
                             f"{of.shape[0]} rows.")
    return [Spec((each.shape[0], values[0].shape[1]), values[0].dtype) for each in numbers],


def _look_up(xp, w, ids, *, padding_idx: Long = -1, auto_grown_table: bool = False, is_test: bool = False):
    wanted = ids.reshape(-1)
    rows, values = (w.rows, w.values) if isinstance(w, SelectedRows) else (xp.arange(len(w)), w)
    places, is_there = _found(xp, rows, wanted)
    if not is_test and not is_there.all():
        raise ValueError(f"lookup_sparse_table(Ids): the table has no rows {wanted[~is_there].tolist()[:10]}. Rows "
                         "begin on servers alone, when they are asked for; is_test=True gives zeros.")
    found = xp.zeros((len(wanted), values.shape[1]), values.dtype)
    found[is_there] = values[places[is_there]]
    return found


def _infer_look_up(w, ids, **_):
    if not ids.dtype.is_integer or w.rank != 2:
        raise ValueError("lookup_sparse_table(W, Ids): a matrix and integers. Received W.shape="
                         f"{list(w.shape)}, Ids of {ids.dtype.name}.")
    count = -1 if -1 in ids.shape else int(np.prod(ids.shape))
    return Spec((count, w.shape[1]), w.dtype)


split_ids_op = operator("split_ids", "Ids* -> Out*", kernel=_split, infer=_infer_split, lod="drop", moves=True,
                        names={"parts": "Out"})
"""Of all numbers those of each server, once and in order; or of a gradient the rows of each, as they came.

A number below 0 is the server's whose number the remainder of a whole division is, as everywhere here; 1.8.5 takes it
for one of 64 bits without a sign."""
merge_ids_op = operator("merge_ids", "Ids*, Rows*, X* -> Out*", kernel=_merge, infer=_infer_merge, fails="values",
                        moves=True)
"""The rows of each of Ids, from X, whose rows have the numbers Rows."""
lookup_sparse_table_op = operator("lookup_sparse_table", "W, Ids -> Out", kernel=_look_up, infer=_infer_look_up,
                                  fails="values", moves=True, lod="drop")
"""Rows of a table by their numbers; with `is_test` zeros for those that it has not. `padding_idx` changes nothing."""

__all__ = ["lookup_sparse_table_op", "merge_ids_op", "split_ids_op"]
