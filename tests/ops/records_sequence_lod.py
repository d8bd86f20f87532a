"""Records of operators on sequences whose rows lie one behind the other; their offsets are inputs like others."""

import numpy as np
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from records import Record, floats

ONE = np.array([0, 2, 5, 6])
EMPTY = np.array([0, 0, 2, 2, 5, 6, 6])
OUTER = np.array([0, 2, 3])
X = floats(6, 3)


def _parts(x, offsets):
    return [x[a:b] for a, b in zip(offsets, offsets[1:])]


def _offsets(parts):
    return np.cumsum([0, *map(len, parts)])


def _joined(parts, like):
    return np.concatenate([like[:0], *parts])


def _apply(type, **attrs):
    """A function that applies an operator to its inputs in order; the last of them are one list of offsets each."""
    def call(*inputs):
        op = find(type)
        plain = sum(not slot.many for slot in op.inputs)
        return apply(op, *inputs[:plain], *([each] for each in inputs[plain:]), **attrs)

    return call


POOLS = {
    "SUM": lambda x: x.sum(0), "AVERAGE": lambda x: x.mean(0), "SQRT": lambda x: x.sum(0) / np.sqrt(len(x)),
    "MAX": lambda x: x.max(0), "LAST": lambda x: x[-1], "FIRST": lambda x: x[0],
}


def _pool(kind):
    function = _apply("sequence_pool", pooltype=kind, pad_value=0.5)

    def reference(x, offsets):
        return np.stack([POOLS[kind](p) if len(p) else np.full(x.shape[1:], 0.5) for p in _parts(x, offsets)])

    return [Record("sequence_pool", lambda x, o: function(x, o)[0], [X, offsets], reference, label=f"{kind} {label}")
            for label, offsets in (("full", ONE), ("empty", EMPTY))]


G, INDEX = floats(3, 3, seed=2), np.array([[0, 1, 1], [4, 2, 3], [5, 5, 5]], "int32")


def _rows_of_maxima(g, index, offsets):
    out = np.zeros((6, 3))
    out[index, np.arange(3)] = g
    return out


def _softmax(x, offsets):
    return _joined([np.exp(p - p.max()) / np.exp(p - p.max()).sum() for p in _parts(x, offsets) if len(p)], x)


Y_ROWS = np.zeros((6, 1))
FEW = floats(3, 2, seed=3)


def _expand(x, y, offsets, y_offsets):
    parts = [p for p, n in zip(_parts(x, offsets), np.diff(y_offsets)) for _ in range(n)]
    return [_joined(parts, x), _offsets(parts)]


def _pad(x, value, offsets):
    parts = _parts(x, offsets)
    out = np.zeros((len(parts), 4, *x.shape[1:])) + value
    for row, part in zip(out, parts):
        row[:len(part)] = part
    return [out, np.diff(offsets)]


PADDED, COUNTS = floats(3, 4, 2, seed=4), np.array([2, 0, 4])


def _unpad(x, lengths):
    return [np.concatenate([row[:n] for row, n in zip(x, lengths)]), np.cumsum([0, *lengths])]


def _padded_with_zeros(g, lengths, like):
    return _pad(g, 0.0, np.cumsum([0, *lengths]))[0]


START, LENGTH = np.array([[0], [1], [0]]), np.array([[2], [1], [0]])


def _slice(x, start, length, offsets):
    parts = [p[s:s + n] for p, s, n in zip(_parts(x, offsets), start.ravel(), length.ravel())]
    return [_joined(parts, x), _offsets(parts)]


OTHER, OTHER_OFFSETS = floats(4, 3, seed=5), np.array([0, 1, 1, 4])


def _concat(x, y, offsets, y_offsets):
    parts = [np.concatenate(pair) for pair in zip(_parts(x, offsets), _parts(y, y_offsets))]
    return [_joined(parts, x), _offsets(parts)]


IDS = np.array([[2], [5], [5], [2], [1], [5]])


def _erase(x, offsets):
    parts = [p[~np.isin(p[:, 0], [2, 1])] for p in _parts(x, offsets)]
    return [_joined(parts, x), _offsets(parts)]


def _enumerate(x, offsets):
    return np.array([[p[n + k, 0] if n + k < len(p) else 7 for k in range(3)]
                     for p in _parts(x, offsets) for n in range(len(p))])


TABLE, PLACES, UPDATES = floats(3, 6, seed=6), np.array([[0], [5], [2], [2], [4], [3]]), floats(6, 1, seed=7)


def _scatter(x, ids, updates, offsets):
    out = x.copy()
    for row, (part, values) in zip(out, zip(_parts(ids, offsets), _parts(updates, offsets))):
        np.add.at(row, part[:, 0], values[:, 0])
    return out


IDS = np.array([[3], [0], [2], [2], [4], [3]])


def _summed_rows(ids, w, offsets):
    return np.stack([w[part[:, 0]].sum(0) for part in _parts(ids, offsets)])


RANKS = np.array([[1, 3], [0, 2], [2, 1]])  # of ONE
ORDER = np.array([2, 3, 4, 0, 1, 5])
STATE, STEP = floats(3, 2, seed=8), np.array([1])
MASK = np.array([[True], [False], [True]])
TRUE, FALSE = floats(3, 2, seed=9), floats(3, 2, seed=10)
TRUE_OFFSETS, FALSE_OFFSETS = np.array([0, 2, 3]), np.array([0, 3])

FILTER, EDGES = floats(9, 2, seed=11), floats(2, 3, seed=12)
IMAGES = floats(2, 2, 3, 4)


def _columns(x, offsets, start=-1, length=3, padding=None):
    """The rows around each, side by side."""
    before = max(0, -start)
    rows = []
    for part in _parts(x, offsets):
        edges = np.zeros((length + 1, 3)) if padding is None else padding
        around = np.concatenate([edges[:before], part, edges[before:]])
        rows += [around[n + start + before:n + start + before + length] for n in range(len(part))]
    return np.stack(rows)


def _columns_grad(g, offsets):
    out, extra = np.zeros((6, 3)), np.zeros((2, 3))
    for a, b in zip(offsets, offsets[1:]):
        for n in range(a, b):
            for k in range(3):
                row = n + k - 1
                if a <= row < b:
                    out[row] += g[n, k]
                else:
                    extra[int(row >= b)] += g[n, k]
    return [out, extra]


def _im2sequence(x):
    rows = [image[:, r:r + 2, c:c + 2].ravel() for image in x for r in range(2) for c in (0, 2)]
    return [np.stack(rows), np.array([0, 4, 8])]


def _row_conv(x, w, offsets):
    padded = [np.concatenate([p, np.zeros((3, 3))]) for p in _parts(x, offsets)]
    return _joined([[(p[n:n + 3] * w).sum(0) for n in range(len(p) - 3)] for p in padded if len(p) > 3], x)


def _row_conv_filter(x, g, like, offsets):
    parts = [(p, q) for p, q in zip(_parts(x, offsets), _parts(g, offsets))]
    return np.stack([sum((p[k:] * q[:len(q) - k]).sum(0) for p, q in parts if len(p) > k) for k in range(3)])


RECORDS = [
    *[record for kind in POOLS for record in _pool(kind)],
    Record("fused_embedding_seq_pool", _apply("fused_embedding_seq_pool"), [IDS, floats(5, 4, seed=8), ONE],
           _summed_rows),
    Record("fused_embedding_seq_pool", _apply("fused_embedding_seq_pool", padding_idx=2),
           [IDS, floats(5, 4, seed=8), np.array([0, 2, 2, 6])],
           lambda i, w, o: _summed_rows(i, w * (np.arange(5) != 2)[:, None], o), label="padding"),
    Record("sequence_pool", lambda x, o: apply(find("sequence_pool"), x, [o], pooltype="MAX"), [X, ONE],
           lambda x, o: [_pool("MAX")[0].reference(x, o), np.stack([
               p.argmax(0) + a for p, a in zip(_parts(x, o), o)])], label="places of maxima"),
    Record("rows_of_pooled", lambda g, o: apply(find("rows_of_pooled"), g, None, [o], pooltype="AVERAGE"), [G, ONE],
           lambda g, o: np.repeat(g / np.diff(o)[:, None], np.diff(o), 0), label="mean", data_dependent=True),
    Record("rows_of_pooled", lambda g, o: apply(find("rows_of_pooled"), g, None, [o], pooltype="LAST", rows=6),
           [G, ONE], lambda g, o: _joined(
               [np.pad(row[None], ((n - 1, 0), (0, 0))) for row, n in zip(g, np.diff(o))], g), label="last"),
    Record("rows_of_pooled", lambda g, i, o: apply(find("rows_of_pooled"), g, i, [o], pooltype="MAX"),
           [G, INDEX, ONE], _rows_of_maxima, label="maxima", data_dependent=True),
    Record("sequence_softmax", _apply("sequence_softmax"), [floats(6, 1), EMPTY], _softmax),
    Record("sequence_expand", _apply("sequence_expand"), [X, Y_ROWS, ONE, OTHER_OFFSETS], _expand, batched=[0],
           differentiable=[0], data_dependent=True, label="sequences"),
    Record("sequence_expand", lambda x, y, o: apply(find("sequence_expand"), x, y, [], [o])[0], [FEW, Y_ROWS, ONE],
           lambda x, y, o: np.repeat(x, np.diff(o), 0), differentiable=[0], data_dependent=True, label="rows"),
    Record("expanded_rows", lambda o, y: apply(find("expanded_rows"), [o], [y]), [ONE, OTHER_OFFSETS],
           lambda o, y: _expand(np.arange(6), None, o, y)[0], data_dependent=True),
    Record("sequence_expand_as", _apply("sequence_expand_as"), [FEW, Y_ROWS, ONE],
           lambda x, y, o: np.repeat(x, np.diff(o), 0), differentiable=[0], batched=[0, 1]),
    Record("sequence_pad", _apply("sequence_pad", padded_length=4), [X, np.array([0.5]), ONE], _pad,
           differentiable=[0]),
    Record("sequence_pad", _apply("sequence_pad", padded_length=4), [X, np.array([0.5, 1.0, 2.0]), EMPTY], _pad,
           differentiable=[0], label="rows"),
    Record("sequence_unpad", _apply("sequence_unpad"), [PADDED, COUNTS], _unpad, batched=[0, 1], data_dependent=True),
    Record("padded_with_zeros", lambda g, n, like: apply(find("padded_with_zeros"), g, n, like),
           [floats(6, 2), COUNTS, PADDED], _padded_with_zeros, differentiable=[0], batched=[1, 2]),
    Record("sequence_slice", _apply("sequence_slice"), [X, START, LENGTH, ONE], _slice, data_dependent=True),
    Record("sliced_rows", lambda s, n, o: apply(find("sliced_rows"), s, n, [o]), [START, LENGTH, ONE],
           lambda s, n, o: _slice(np.arange(6), s, n, o)[0], data_dependent=True),
    Record("sequence_concat", lambda x, y, o, p: apply(find("sequence_concat"), [x, y], [o, p]),
           [X, OTHER, ONE, OTHER_OFFSETS], _concat, batched=[0, 1], data_dependent=True),
    Record("rows_in_joined", lambda o, p: apply(find("rows_in_joined"), [o, p], index=1), [ONE, OTHER_OFFSETS],
           lambda o, p: np.array([2, 7, 8, 9]), data_dependent=True),
    Record("joined_offsets", lambda o, p: apply(find("joined_offsets"), [o, p]), [ONE, OTHER_OFFSETS],
           lambda o, p: np.concatenate([o, o[-1] + p[1:]]), data_dependent=True),
    Record("sequence_reverse", _apply("sequence_reverse"), [X, EMPTY],
           lambda x, o: _joined([p[::-1] for p in _parts(x, o)], x)),
    Record("sequence_reshape", _apply("sequence_reshape", new_dim=2), [floats(6, 4), ONE],
           lambda x, o: [x.reshape(-1, 2), o * 2], data_dependent=True),
    Record("sequence_erase", _apply("sequence_erase", tokens=[2, 1]), [IDS, EMPTY], _erase, data_dependent=True),
    Record("sequence_enumerate", _apply("sequence_enumerate", win_size=3, pad_value=7), [IDS, EMPTY], _enumerate),
    Record("sequence_scatter", _apply("sequence_scatter"), [TABLE, PLACES, UPDATES, ONE], _scatter, batched=[0]),
    Record("sequence_scatter", _apply("sequence_scatter"), [TABLE.reshape(3, 2, 3), PLACES, UPDATES, ONE],
           lambda x, *others: _scatter(x.reshape(3, 6), *others).reshape(x.shape), label="planes", batched=[0]),
    Record("scattered_places", lambda i, o: apply(find("scattered_places"), i, [o]), [PLACES, ONE],
           lambda i, o: np.stack([np.repeat(np.arange(3), np.diff(o)), i[:, 0]], 1)),
    Record("lod_reset", lambda x, o: apply(find("lod_reset"), x, None, [o], [], target_lod=[0, 1, 6]), [X, ONE],
           lambda x, o: [x, np.array([0, 1, 6])], data_dependent=True),
    Record("lod_reset", lambda x, y, o: apply(find("lod_reset"), x, y, [o], [], append=True),
           [X, np.array([0, 2, 5, 6], "int32"), OUTER], lambda x, y, o: [x, o, y.astype("int64")], label="append",
           data_dependent=True),
    Record("lod_reset", lambda x, y, o: apply(find("lod_reset"), x, y, [], [o]), [X, Y_ROWS, ONE],
           lambda x, y, o: [x, o], label="of another", differentiable=[0], data_dependent=True),
    Record("lod_rank_table", lambda x, o: apply(find("lod_rank_table"), x, [o])[0], [X, ONE], lambda x, o: RANKS,
           differentiable=[], data_dependent=True),
    Record("max_sequence_len", _apply("max_sequence_len"), [RANKS], lambda t: np.array([t[0, 1] if len(t) else 0])),
    Record("reorder_lod_tensor_by_rank", _apply("reorder_lod_tensor_by_rank"), [X, RANKS, ONE],
           lambda x, t, o: [x[ORDER], np.array([0, 3, 5, 6])], data_dependent=True),
    Record("ranked_rows", lambda t, o: apply(find("ranked_rows"), t, [o]), [RANKS, ONE], lambda t, o: ORDER,
           data_dependent=True),
    Record("ranked_rows", lambda t, o: apply(find("ranked_rows"), t, [o], back=True), [RANKS, ONE],
           lambda t, o: np.argsort(ORDER), data_dependent=True, label="back"),
    Record("shrink_rnn_memory", lambda x, t, i: apply(find("shrink_rnn_memory"), x, t, i, [])[0], [STATE, RANKS, STEP],
           lambda x, t, i: x[:2], data_dependent=True),
    Record("unshrunk_rnn_memory", lambda g, t, i, x: apply(find("unshrunk_rnn_memory"), g, t, i, x, []),
           [STATE[:2], RANKS, STEP, STATE], lambda g, t, i, x: np.pad(g, ((0, 1), (0, 0))), differentiable=[0]),
    Record("split_lod_tensor", _apply("split_lod_tensor"), [X, MASK, ONE],
           lambda x, m, o: [x[[0, 1, 5]], x[2:5], TRUE_OFFSETS, FALSE_OFFSETS], data_dependent=True),
    Record("merge_lod_tensor", lambda x, m, t, f, a, b: apply(find("merge_lod_tensor"), x, m, t, f, [], [a], [b]),
           [X, MASK, TRUE, FALSE, TRUE_OFFSETS, FALSE_OFFSETS],
           lambda x, m, t, f, a, b: [np.concatenate([t[:2], f, t[2:]]), ONE], differentiable=[2, 3],
           batched=[0, 2, 3], data_dependent=True),
    Record("sequence_conv", lambda x, w, o: apply(find("sequence_conv"), x, None, w, [o], contextStart=-1,
                                                  contextLength=3), [X, FILTER, EMPTY],
           lambda x, w, o: _columns(x, o).reshape(6, 9) @ w, batched=[0]),
    Record("sequence_conv", lambda x, p, w, o: apply(find("sequence_conv"), x, p, w, [o], contextStart=-1,
                                                     contextLength=3), [X, EDGES, FILTER, ONE],
           lambda x, p, w, o: _columns(x, o, padding=p).reshape(6, 9) @ w, batched=[0], label="padding"),
    Record("sequence_columns", lambda x, p, o: apply(find("sequence_columns"), x, p, [o], start=-1, length=3),
           [X, EDGES, ONE], lambda x, p, o: _columns(x, o, padding=p)),
    Record("sequence_columns", lambda x, o: apply(find("sequence_columns"), x, None, [o], start=0, length=4),
           [X, ONE], lambda x, o: _columns(x, o, 0, 4), label="behind"),
    Record("sequence_columns_grad",
           lambda g, o: apply(find("sequence_columns_grad"), g, [o], start=-1, length=3, padded=True),
           [floats(6, 3, 3), ONE], _columns_grad),
    Record("im2sequence", lambda x: apply(find("im2sequence"), x, None, kernels=[2, 2], strides=[1, 2]), [IMAGES],
           _im2sequence, data_dependent=True),
    Record("row_conv", lambda x, w, o: apply(find("row_conv"), x, w, [o]), [X, floats(3, 3, seed=13), EMPTY],
           _row_conv, label="sequences"),
    Record("row_conv_filter_gradient", lambda x, g, w, o: apply(find("row_conv_filter_gradient"), x, g, w, [o]),
           [X, floats(6, 3, seed=14), floats(3, 3), EMPTY], _row_conv_filter, label="sequences", differentiable=[0, 1],
           batched=[0, 1]),
    Record("images_of_rows", lambda g, x: apply(find("images_of_rows"), g, x, kernels=[2, 2], strides=[2, 2]),
           [floats(4, 8), IMAGES], lambda g, x: np.pad(
               g.reshape(2, 2, 2, 2, 2).transpose(0, 2, 3, 1, 4).reshape(2, 2, 2, 4), ((0, 0), (0, 0), (0, 1), (0, 0))),
           batched=[1], differentiable=[0]),
]
