"""Records of reductions, running results, norms and order."""

import numpy as np
from proa.core.dtype import float64
from proa.ops.array import sorting
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from proa.ops.math import cumulative, reduce, statistics
from records import Record, bools, floats, ints

X = floats(2, 3, 4)
WITH_ZEROS = np.where(np.abs(X) < 0.2, 0.0, X)


def _one(type, function, reference, *, x=X, **more):
    return Record(type, function, [x], reference, **more)


def _softmax_sum(x, axis, keepdims=False):
    top = x.max(axis, keepdims=True)
    result = np.log(np.exp(x - top).sum(axis, keepdims=True)) + top
    return result if keepdims else result.squeeze(axis)


REDUCED = [
    _one("reduce_sum", lambda x: x.sum(), np.sum, label="all"),
    _one("reduce_sum", lambda x: x.sum([0, -1], keepdim=True), lambda x: x.sum((0, 2), keepdims=True), label="kept"),
    _one("reduce_sum", lambda x: x.sum(1), lambda x: x.sum(1)),
    _one("reduce_sum", lambda x: x.sum(), lambda x: x.sum(), x=ints(2, 3, dtype="int32"), label="int32"),
    _one("reduce_sum", lambda x: x.sum(0), lambda x: x.sum(0), x=bools(2, 3), label="bool"),
    _one("reduce_sum", lambda x: x.sum(dtype="float64"), lambda x: np.float64(x.sum()), x=ints(2, 3), label="dtype"),
    _one("reduce_mean", lambda x: x.mean(), np.mean, label="all"),
    _one("reduce_mean", lambda x: x.mean(0), lambda x: x.mean(0), label="unknown size"),
    _one("reduce_mean", lambda x: x.mean([1, 2]), lambda x: x.mean((1, 2))),
    _one("mean", lambda x: apply(find("mean"), x), np.mean),
    _one("reduce_max", lambda x: x.max(1), lambda x: x.max(1)),
    _one("reduce_min", lambda x: x.min(), np.min),
    _one("reduce_amax", lambda x: x.amax([1, 2], keepdim=True), lambda x: x.max((1, 2), keepdims=True)),
    _one("reduce_amin", lambda x: x.amin(-1), lambda x: x.min(-1)),
    _one("reduce_prod", lambda x: x.prod(1), lambda x: x.prod(1)),
    _one(
        "reduce_prod",
        lambda x: x.prod([0, 2], keepdim=True),
        lambda x: x.prod((0, 2), keepdims=True),
        x=WITH_ZEROS,
        label="zeros",
    ),
    _one("reduce_prod", lambda x: x.prod(), np.prod, x=floats(3, 2), label="all"),
    _one("reduce_any", lambda x: x.any(1), lambda x: x.any(1), x=bools(2, 3)),
    _one("reduce_all", lambda x: x.all(), np.all, x=bools(2, 3)),
    _one("size", reduce.numel, lambda x: np.array(24)),
    _one("size_along", lambda x: apply(find("size_along"), x, axes=[0, 2]), lambda x: np.array(8)),
    _one("arg_max", lambda x: x.argmax(1), lambda x: x.argmax(1)),
    _one(
        "arg_max", lambda x: x.argmax(keepdim=True, dtype="int32"), lambda x: x.argmax().reshape(1, 1, 1), label="flat"
    ),
    _one("arg_min", lambda x: x.argmin(-1, keepdim=True), lambda x: x.argmin(-1)[..., None]),
    _one("logsumexp", lambda x: x.logsumexp([0, 2]), lambda x: _softmax_sum(x, (0, 2))),
    _one("logsumexp", lambda x: x.logsumexp(1, True), lambda x: _softmax_sum(x, 1, True), label="kept"),
    _one("variance", lambda x: x.var(1), lambda x: x.var(1, ddof=1), label="var"),
    _one("variance", lambda x: x.std([0, 1], unbiased=False), lambda x: x.std((0, 1)), label="std"),
    _one("variance", lambda x: x.var(), lambda x: x.var(ddof=1), label="var of all"),
]

RUNNING = [
    _one("cumsum", lambda x: x.cumsum(1), lambda x: x.cumsum(1)),
    _one("cumsum", lambda x: x.cumsum(), np.cumsum, label="flat"),
    _one(
        "cumsum",
        lambda x: apply(find("cumsum"), x, axis=1, exclusive=True, reverse=True),
        lambda x: x[:, ::-1].cumsum(1)[:, ::-1] - x,
        label="exclusive from the end",
    ),
    _one("cumprod", lambda x: x.cumprod(1), lambda x: x.cumprod(1)),
    _one("cumprod", lambda x: x.cumprod(-1), lambda x: x.cumprod(-1).reshape(x.shape), x=WITH_ZEROS, label="zeros"),
    _one(
        "exclusive_cumprod",
        lambda x: apply(find("exclusive_cumprod"), x, axis=1),
        lambda x: np.concatenate([np.ones((2, 1, 4)), x.cumprod(1)[:, :-1]], 1),
    ),
    Record(
        "linear_recurrence",
        lambda a, x: apply(find("linear_recurrence"), a, x, axis=1, reverse=False),
        [X, floats(2, 3, 4, seed=1)],
        lambda a, x: _recurrence(a, x),
    ),
    Record(
        "linear_recurrence",
        lambda a, x: apply(find("linear_recurrence"), a, x, axis=1, reverse=True),
        [X, floats(2, 3, 4, seed=1)],
        lambda a, x: _recurrence(a[:, ::-1], np.roll(x[:, ::-1], 1, 1))[:, ::-1],
        label="reverse",
    ),
    _one(
        "shift_along",
        lambda x: apply(find("shift_along"), x, axis=2, distance=-1),
        lambda x: np.concatenate([x[:, :, 1:], np.zeros((2, 3, 1))], 2),
    ),
    _one("logcumsumexp", lambda x: x.logcumsumexp(1), lambda x: np.log(np.exp(x).cumsum(1))),
    _one("cummax", lambda x: x.cummax(2), lambda x: [np.maximum.accumulate(x, 2), _last_place(x, np.maximum)]),
    _one("cummin", lambda x: cumulative.cummin(x, 2),
         lambda x: [np.minimum.accumulate(x, 2), _last_place(x, np.minimum)]),
]


def _recurrence(a, x):
    result = a.copy()
    for k in range(1, a.shape[1]):
        result[:, k] += x[:, k] * result[:, k - 1]
    return result


def _last_place(x, extreme):
    running = extreme.accumulate(x, -1)
    return np.stack(
        [
            np.where(x[..., : k + 1] == running[..., k : k + 1], np.arange(k + 1), -1).max(-1)
            for k in range(x.shape[-1])
        ],
        -1,
    )


def _p(p, axis=None):
    return lambda x: (np.abs(x) ** p).sum(axis) ** (1 / p)


NORMS = [
    _one("frobenius_norm", lambda x: x.norm(), _p(2)),
    _one(
        "frobenius_norm",
        lambda x: x.norm("fro", [0, 2], True),
        lambda x: np.sqrt((x * x).sum((0, 2), keepdims=True)),
        label="axes",
    ),
    _one("p_norm", lambda x: x.norm(3, 1), _p(3, 1)),
    _one("p_norm", lambda x: x.norm(2, -1), _p(2, -1), label="2"),
    _one("p_norm", lambda x: x.norm(1), _p(1), label="1"),
    _one("p_norm", lambda x: x.norm(float("inf"), 1), lambda x: np.abs(x).max(1), label="inf"),
    _one("p_norm", lambda x: x.norm(float("-inf"), 1), lambda x: np.abs(x).min(1), label="-inf"),
    _one("p_norm", lambda x: x.norm(0), lambda x: np.float64(np.count_nonzero(x)), label="0"),
    Record(
        "p_norm",
        lambda x, y: statistics.dist(x, y, 2),
        [X, floats(3, 4, seed=1)],
        lambda x, y: np.sqrt(((x - y) ** 2).sum()),
        label="dist",
    ),
    _one("reduce_sum", lambda x: x.norm(3, [0, 1]), _p(3, (0, 1)), label="norm over axes"),
    Record(
        "divide_or_zero", lambda x, y: apply(find("divide_or_zero"), x, y), [floats(3), floats(3, seed=1)], np.divide
    ),
]


def _sorted(x, axis, descending=False):
    order = np.argsort(-x if descending else x, axis, kind="stable")
    return [np.take_along_axis(x, order, axis), order]


def _top(x, k, axis, largest=True):
    return [np.take(part, range(k), axis) for part in _sorted(x, axis, largest)]


SEARCH = [
    _one("argsort", lambda x: x.sort(1), lambda x: np.sort(x, 1)),
    _one("argsort", lambda x: [x.sort(0, True), x.argsort(0, True)], lambda x: _sorted(x, 0, True), label="descending"),
    _one("argsort", lambda x: x.argsort(0, True), lambda x: _sorted(x, 0, True)[1], x=ints(6, 2, high=3), label="ties"),
    _one("order_statistics", lambda x: x.kthvalue(2, 1), lambda x: [p[:, 1] for p in _sorted(x, 1)], label="kthvalue"),
    _one("order_statistics", lambda x: x.median(1), lambda x: np.median(x, 1), label="median"),
    _one(
        "order_statistics",
        lambda x: x.quantile(0.3, [1, 2], True),
        lambda x: np.quantile(x, 0.3, (1, 2), keepdims=True),
        label="quantile",
        float32=False,
    ),
    _one("top_k_v2", lambda x: x.topk(2, 1), lambda x: _top(x, 2, 1)),
    _one("top_k_v2", lambda x: x.topk(2, -1, False), lambda x: _top(x, 2, -1, False), label="smallest"),
    _one("top_k_v2", lambda x: x.topk(2), lambda x: _top(x, 2, -1), x=floats(3, 100), label="of many"),
    Record(
        "top_k_v2",
        lambda x, k: x.topk(k),
        [X, np.array(2)],
        lambda x, k: _top(x, 2, -1),
        label="tensor",
        data_dependent=True,
        batched=[0],
    ),
    _one(
        "mode_positions",
        lambda x: x.mode(-1),
        lambda x: [np.array([2, 1]), np.array([3, 2])],
        x=np.array([[2, 1, 2, 2], [3, 1, 1, 2]]),
    ),
    Record(
        "searchsorted",
        lambda s, v: sorting.searchsorted(s, v, right=True),
        [np.array([1.0, 3, 5]), ints(2, 3)],
        lambda s, v: np.searchsorted(s, v, "right"),
        batched=[],
    ),
    Record(
        "searchsorted",
        sorting.searchsorted,
        [np.array([[1.0, 3, 5], [2, 4, 6]]), floats(2, 4, low=0, high=7)],
        lambda s, v: np.stack([np.searchsorted(*p) for p in zip(s, v, strict=True)]),
        label="rows",
    ),
    _one(
        "unique",
        lambda x: x.unique(True, True, True),
        lambda x: [a.reshape(-1) for a in np.unique(x, True, True, True)],
        x=ints(9, high=4),
        data_dependent=True,
    ),
    _one(
        "bincount",
        lambda x: x.bincount(minlength=12),
        lambda x: np.bincount(x, minlength=12),
        x=ints(9),
        data_dependent=True,
    ),
    _one("histogram", lambda x: x.histogram(5, 0, 10), lambda x: np.histogram(x, 5, (0, 10))[0], x=ints(9)),
    Record(
        "where_equal",
        lambda g, x, y: apply(find("where_equal"), g, x, y),
        [floats(2, 1), np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 0.0]]), np.array([[3.0], [2.0]])],
        lambda g, x, y: g * (x == y),
        differentiable=[0],
    ),
    Record(
        "where_inside",
        lambda g, x: apply(find("where_inside"), g, x, None, None, min=-0.5, max=0.3),
        [floats(2, 3), floats(2, 3, seed=1)],
        lambda g, x: g * ((x >= -0.5) & (x <= 0.3)),
        differentiable=[0],
    ),
]



def _fed(type, reference, axes, *, x=X, label="", **attributes):
    """An operator that is given dimensions, or a count, as arrays."""
    def function(x, axes):
        given = {"X": x, "Weights": None}
        inputs = [given.get(slot.name, [axes] if slot.many else axes) for slot in find(type).inputs]
        return apply(find(type), *inputs, **attributes)

    return Record(type, function, [x, np.array(axes)], lambda x, _: reference(x), label=label, data_dependent=True,
                  batched=[])


FED = [
    _fed("reduce_sum_of_fed", lambda x: x.sum((0, 2)), [2, 0]),
    _fed("reduce_sum_of_fed", lambda x: x.sum((0, 2), keepdims=True), [0, -1], label="kept", keep_dim=True),
    _fed("reduce_sum_of_fed", lambda x: x.sum(1), 1, x=ints(2, 3, dtype="int32"), label="int32"),
    _fed("reduce_mean_of_fed", lambda x: x.mean(1), [1]),
    _fed("reduce_max_of_fed", lambda x: x.max((0, 1)), [0, 1]),
    _fed("reduce_min_of_fed", lambda x: x.min(2), [-1]),
    _fed("reduce_prod_of_fed", lambda x: x.prod((0, 2)), [0, 2], x=WITH_ZEROS),
    _fed("arg_max_of_fed", lambda x: x.argmax(1), [1]),
    _fed("arg_min_of_fed", lambda x: x.argmin(2)[..., None], -1, label="kept", keepdims=True),
    _fed("cumsum_of_fed", lambda x: x.cumsum(1), [1]),
    _fed("cumsum_of_fed", lambda x: np.flip(np.flip(x, 2).cumsum(2), 2), [-1], label="reverse", reverse=True),
    _fed("squeeze_of_fed", lambda x: x[0, :, 0], [0, -1], x=floats(1, 3, 1)),
    _fed("bincount_of_fed", lambda x: np.bincount(x, minlength=12), [12], x=ints(9)),
    _fed("axes_last", lambda x: x.transpose(1, 2, 0).reshape(3, 8), [2, 0]),
    Record("axes_back", lambda g, axes: apply(find("axes_back"), g, [axes], None, shape=[2, 3, 4]),
           [floats(3, 8), np.array([2, 0])], lambda g, _: g.reshape(3, 4, 2).transpose(2, 0, 1), batched=[],
           data_dependent=True),
    Record("multinomial_of_fed", lambda x, n: apply(find("multinomial_of_fed"), x, n, replacement=True),
           [floats(3, low=0.1), np.array([7])], None, batched=[], data_dependent=True),
    Record("eye_of_fed", lambda n: apply(find("eye_of_fed"), n, None, num_columns=2, dtype=float64),
           [np.array([3])], lambda _: np.eye(3, 2), batched=[], data_dependent=True),
]

RECORDS = REDUCED + RUNNING + NORMS + SEARCH + FED
