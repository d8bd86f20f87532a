"""Records of maps of several sizes, and of the rows of a sequence with those of another."""

import numpy as np
from proa.ops.core.operator import find
from proa.ops.core.trace import apply
from records import Record, floats

ROWS, COLUMNS = np.array([0, 2, 5]), np.array([0, 3, 7])
X, Y, W = floats(5, 3), floats(7, 4), floats(3, 2, 4)
LEFT, PAIRS = floats(5, 2, 4, seed=1), floats(36, 1)
MAPS, FILTER = floats(36, 1, seed=2), floats(3, 12)
SPANS = [(slice(0, 2), slice(0, 3)), (slice(2, 5), slice(3, 7))]
WINDOW = {"channels": 2, "kernel": [2, 3], "strides": [2, 1]}
POS = np.array([0, 2, -1, 1, 0, -1] * 4 + [3, 1, 2, 0, 3, 1], "int32").reshape(10, 3)


def _op(type, lists=2, **attrs):
    return lambda *inputs: apply(find(type), *inputs[:-lists], *([o] for o in inputs[-lists:]), **attrs)


def _but_second(function):
    """Without a result that is no part of what is trained."""
    def call(*inputs):
        first, _, *others = function(*inputs)
        return [first, *others]

    return call


def _products(left, y):
    return np.concatenate([np.einsum("itk,jk->tij", left[a], y[b]).reshape(-1, 1) for a, b in SPANS])


def _parts(values, channels=2):
    return [values[:channels * 6].reshape(channels, 2, 3), values[channels * 6:].reshape(channels, 3, 4)]


def _back_to_left(g, y):
    return np.concatenate([np.einsum("tij,jk->itk", p, y[b]) for p, (_, b) in zip(_parts(g), SPANS)])


def _back_to_right(g, left):
    return np.concatenate([np.einsum("tij,itk->jk", p, left[a]) for p, (a, _) in zip(_parts(g), SPANS)])


def _match(x, y, w, *_):
    left = np.einsum("nh,htk->ntk", x, w)
    return [_products(left, y), np.array([0, 12, 36])]


def _windows(x):
    """[windows, channels * kernel] of every second row."""
    found = []
    for part in _parts(x):
        around = np.pad(part, ((0, 0), (1, 1), (1, 1)))
        found += [around[:, r:r + 2, c:c + 3].ravel() for r in range(0, part.shape[1], 2) for c in range(part.shape[2])]
    return np.stack(found)


def _windows_back(g):
    out = np.zeros((36, 1))
    for n in range(36):
        one = np.zeros((36, 1))
        one[n] = 1
        out[n] = (_windows(one) * g).sum()
    return out


def _in_maps(values):
    """[places, channels] as maps, [channels, places] each."""
    return np.concatenate([values[:3].T.reshape(-1, 1), values[3:].T.reshape(-1, 1)])


def _conv(x, w, *_):
    windows = _windows(x)
    return [_in_maps(windows @ w.T), np.array([0, 9, 33]), np.array([0, 36, 132])]


def _top(x, *_):
    rows, places = [], []
    for part in _parts(x):
        for r in range(part.shape[1]):
            for line in part[:, r]:
                best = np.argsort(-line, kind="stable")[:3]
                places.append(np.pad(best, (0, 3 - len(best)), constant_values=-1))
                rows.append([line[best[:k]].sum() / k for k in (1, 3)])
    return [np.array(rows).reshape(5, 4), np.concatenate(places)]


def _lines():
    """The first place of each line: row by row, and there channel by channel."""
    return [base + (c * rows + r) * columns for base, rows, columns in ((0, 2, 3), (12, 3, 4))
            for r in range(rows) for c in range(2)]


def _put(g, pos):
    out = np.zeros((36, 1))
    for start, values, columns in zip(_lines(), g, pos):
        out[start + columns[columns >= 0], 0] = values[columns >= 0]
    return out


def _take(x, pos):
    return np.stack([np.where(columns >= 0, x[start + np.maximum(columns, 0), 0], 0)
                     for start, columns in zip(_lines(), pos)])


RECORDS = [
    Record("match_matrix_tensor", _but_second(_op("match_matrix_tensor", dim_t=2)), [X, Y, W, ROWS, COLUMNS], _match,
           batched=[0, 1], data_dependent=True),
    Record("match_products", _op("match_products"), [LEFT, Y, ROWS, COLUMNS], lambda x, y, *_: _products(x, y),
           data_dependent=True),
    Record("match_left", _op("match_left", channels=2), [PAIRS, Y, ROWS, COLUMNS], lambda g, y, *_: _back_to_left(g, y),
           data_dependent=True),
    Record("match_right", _op("match_right"), [PAIRS, LEFT, ROWS, COLUMNS], lambda g, x, *_: _back_to_right(g, x),
           data_dependent=True),
    Record("var_conv_2d", _but_second(lambda x, w, r, c: apply(
        find("var_conv_2d"), x, x, x, w, [], [r], [c], InputChannel=2, OutputChannel=3, StrideH=2, StrideW=1, KernelH=2,
        KernelW=3)), [MAPS, FILTER, ROWS, COLUMNS], _conv, data_dependent=True),
    Record("map_windows", _op("map_windows", **WINDOW), [MAPS, ROWS, COLUMNS], lambda x, *_: _windows(x),
           data_dependent=True),
    Record("map_windows_back", _op("map_windows_back", **WINDOW), [floats(11, 12), ROWS, COLUMNS],
           lambda g, *_: _windows_back(g), data_dependent=True),
    Record("map_channel_order", _op("map_channel_order", channels=3, strides=[2, 1]), [ROWS, COLUMNS],
           lambda *_: _in_maps(np.arange(33).reshape(11, 3))[:, 0], data_dependent=True),
    Record("map_channel_order", _op("map_channel_order", channels=3, strides=[2, 1], back=True), [ROWS, COLUMNS],
           lambda *_: np.argsort(_in_maps(np.arange(33).reshape(11, 3))[:, 0]), data_dependent=True, label="back"),
    Record("sequence_topk_avg_pooling", lambda x, row, r, c: apply(
        find("sequence_topk_avg_pooling"), x, row, x, [r], [c], topks=[1, 3], channel_num=2),
        [MAPS, np.zeros((5, 1)), ROWS, COLUMNS], _top, data_dependent=True, differentiable=[0]),
    Record("put_top", _op("put_top", channels=2, most=3), [floats(10, 3), POS, ROWS, COLUMNS],
           lambda g, p, *_: _put(g, p), batched=[0, 1], data_dependent=True),
    Record("take_top", _op("take_top", channels=2, most=3), [MAPS, POS, ROWS, COLUMNS], lambda x, p, *_: _take(x, p),
           batched=[0, 1], data_dependent=True),
]
