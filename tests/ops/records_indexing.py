"""Records of gathering and scattering, of masks and of choice by conditions."""

import numpy as np
from proa.ops.array import gather, take_along_axis, where
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from records import Record, bools, floats, ints

X = floats(4, 3, 2)
ROWS = np.array([2, 0, 2, -1])


def _with(type, function, arrays, reference, **more):
    more.setdefault("batched", [0])
    return Record(type, function, [X, *arrays], reference, **more)


def _added(x, index, value, axis=0):
    result = np.moveaxis(x, axis, 0).copy()
    np.add.at(result, index, np.moveaxis(value, axis, 0))
    return np.moveaxis(result, 0, axis)


def _assigned(x, index, value):
    result = x.copy()
    result[index] = value
    return result


GATHERED = [
    _with("gather", gather.gather, [ROWS], lambda x, i: x[i]),
    _with("gather", lambda x, i: gather.gather(x, i, 1), [np.array([2, 0])], lambda x, i: x[:, i], label="axis"),
    _with("gather", gather.gather, [np.array(1)], lambda x, i: x[1], label="0-d"),
    _with("index_select", lambda x, i: gather.index_select(x, i, 1), [np.array([2, 0, 2])], lambda x, i: x[:, i]),
    _with(
        "index_add",
        lambda x, i, v: gather.index_add(x, i, 1, v),
        [np.array([2, 2]), floats(4, 2, 2, seed=1)],
        lambda x, i, v: _added(x, i, v, 1),
    ),
    _with(
        "index_add_along",
        lambda x, i, v: apply(find("index_add_along"), x, i, v, None, axis=1),
        [np.array([2, 2]), floats(4, 2, 2, seed=1)],
        lambda x, i, v: _added(x, i, v, 1),
        batched=[],
    ),
    _with(
        "zero_untaken_rows",
        lambda x, i: apply(find("zero_untaken_rows"), x, i),
        [np.array([2, 0, -1, 2])],
        lambda x, i: x * np.array([1, 0, 1, 1], x.dtype)[:, None, None],
        batched=[],
    ),
    Record(
        "index_sample",
        take_along_axis.index_sample,
        [floats(2, 5), ints(2, 3, high=5)],
        lambda x, i: np.take_along_axis(x, i, 1),
        batched=[0, 1],
    ),
    _with("scatter", gather.scatter, [np.array([2, 0]), floats(2, 3, 2, seed=1)], _assigned),
    _with(
        "scatter",
        lambda x, i, v: gather.scatter(x, i, v, False),
        [np.array([2, 0, 2]), floats(3, 3, 2, seed=1)],
        lambda x, i, v: _added(_assigned(x, i, 0), i, v),
        label="add",
    ),
    _with("gather_nd", gather.gather_nd, [np.array([[[1, 2]], [[3, -1]]])], lambda x, i: x[i[..., 0], i[..., 1]]),
    _with(
        "scatter_nd_add",
        gather.scatter_nd_add,
        [np.array([[1, 2], [3, 0], [1, 2]]), floats(3, 2, seed=1)],
        lambda x, i, v: _scattered(x, i, v),
    ),
    _with(
        "take_along_axis",
        lambda x, i: take_along_axis.take_along_axis(x, i, 1),
        [ints(4, 2, 2, high=3)],
        lambda x, i: np.take_along_axis(x, i, 1),
    ),
    _with(
        "put_along_axis",
        lambda x, i, v: take_along_axis.put_along_axis(x, i, v, 1),
        [ints(4, 1, 2, high=3), floats(4, 1, 2, seed=1)],
        lambda x, i, v: _put(x, i, v),
        batched=[],
    ),
    _with(
        "put_along_axis",
        lambda x, i, v: take_along_axis.put_along_axis(x, i, v, 1),
        [ints(4, 1, 2, high=3), floats(1, seed=1)],
        lambda x, i, v: _put(x, i, v),
        label="one value",
        batched=[],
    ),
    _with(
        "put_along_axis",
        lambda x, i, v: take_along_axis.put_along_axis(x, i, v, 1, "add"),
        [ints(4, 2, 2, high=2), floats(4, 2, 2, seed=1)],
        lambda x, i, v: _put_added(x, i, v),
        label="add",
        batched=[],
    ),
    _with(
        "put_along_axis",
        lambda x, i, v: take_along_axis.put_along_axis(x, i, v, 1, "multiply"),
        [ints(4, 1, 2, high=3), floats(4, 1, 2, low=0.5, seed=1)],
        lambda x, i, v: _put(x, i, np.take_along_axis(x, i, 1) * v),
        label="multiply",
        batched=[],
    ),
    *(_with(
        "put_along_axis",
        lambda x, i, v, how=how, own=own: take_along_axis.put_along_axis(x, i, v, 1, how, own),
        [ints(4, 3, 2, high=2), floats(4, 3, 2, low=0.5, seed=1)],
        lambda x, i, v, how=how, own=own: _put_reduced(x, i, v, how, own),
        label=f"{how}{'' if own else ' of values alone'}",
        batched=[],
    ) for how in ("add", "mul", "amax", "amin", "mean") for own in (True, False) if (how, own) != ("add", True)),
    _with(
        "put_along_axis",
        lambda x, i, v: take_along_axis.put_along_axis(x, i, v, 1),
        [ints(4, 3, 2, high=2), floats(4, 3, 2, seed=1)],
        lambda x, i, v: _put_reduced(x, i, v, "assign", False),
        label="several for a place",
        batched=[],
    ),
    _with(
        "stays_along_axis",
        lambda x, i: apply(take_along_axis.stays_op, x, i, Axis=1),
        [ints(4, 3, 2, high=2)],
        lambda x, i: np.array([[[i[a, b, c] not in i[a, b + 1:, c] for c in range(2)] for b in range(3)]
                               for a in range(4)]),
        batched=[],
    ),
]


def _scattered(x, index, value):
    result = x.copy()
    np.add.at(result, (index[:, 0], index[:, 1]), value)
    return result


def _put(x, index, value):
    result = x.copy()
    np.put_along_axis(result, index, value, 1)
    return result


def _put_reduced(x, index, value, how, own):
    """Place by place, of all values for it; the last one where they are assigned."""
    reduce = {"add": np.sum, "mul": np.prod, "amax": np.max, "amin": np.min, "mean": np.mean,
              "assign": lambda found, axis: found[-1]}[how]
    result = x.copy()
    for place in np.ndindex(*x.shape):
        along = index[place[0], :, place[2]] == place[1]
        if along.any():
            found = value[place[0], along, place[2]]
            result[place] = reduce(np.append(found, x[place]) if own and how != "assign" else found, axis=0)
    return result


def _put_added(x, index, value):
    result = x.copy()
    for place in np.ndindex(*index.shape):
        result[place[0], index[place], place[2]] += value[place]
    return result


MASKED = [
    Record("where", where.where, [bools(2, 3), floats(2, 3), floats(2, 3, seed=1)], np.where),
    Record(
        "where_broadcast",
        lambda c, x: where.where(c, x, 0.0),
        [bools(3), floats(2, 3)],
        lambda c, x: np.where(c, x, 0.0),
        label="number",
        batched=[1],
    ),
    Record(
        "where_broadcast",
        lambda x, c: x.masked_fill(c, 7.0),
        [floats(2, 3), bools(2, 3)],
        lambda x, c: np.where(c, 7.0, x),
        label="masked_fill",
    ),
    Record("where_index", where.nonzero, [ints(3, 4, high=2)], np.argwhere, data_dependent=True),
    Record("masked_select", where.masked_select, [floats(3, 4), bools(3, 4)], lambda x, m: x[m], data_dependent=True),
    _with(
        "index_put",
        lambda x, i, j, v: where.index_put(x, (i, j), v),
        [np.array([2, 0]), np.array([1, -1]), floats(2, seed=1)],
        lambda x, i, j, v: _assigned(x, (i, j), v),
    ),
    _with(
        "index_put",
        lambda x, i, v: where.index_put(x, (i,), v, True),
        [ROWS, floats(3, 2, seed=1)],
        lambda x, i, v: _added(x, i, np.broadcast_to(v, (4, 3, 2))),
        label="accumulate",
    ),
    _with(
        "index_put",
        lambda x, m, v: where.index_put(x, (m,), v),
        [bools(4, 3, seed=1), floats(2, seed=1)],
        lambda x, m, v: _assigned(x, m, v),
        label="mask",
    ),
    _with(
        "index_get",
        lambda x, i, j: apply(find("index_get"), x, [i, j]),
        [np.array([[2, 0]]), np.array([1])],
        lambda x, i, j: x[i, j],
    ),
]

RECORDS = GATHERED + MASKED
