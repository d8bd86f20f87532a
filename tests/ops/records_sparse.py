"""Records of products along the pattern of a sparse matrix, and of sparse convolution along a rulebook."""

import numpy as np
from proa.ops.core.trace import apply
from proa.ops.sparse.pattern_products import added_product_op, sampled_product_op
from proa.ops.sparse.rulebook import convolved_op, filter_gradient_op, rulebook_op
from records import Record, floats

ROWS, COLS = np.array([3, 0, 3, 1, 0]), np.array([0, 2, 1, 2, 2])
BASE, ENTRIES, DENSE = floats(4, 3), floats(5, seed=1), floats(3, 3, seed=2)
LEFT, RIGHT = floats(4, 2), floats(3, 2, seed=3)
SOURCES, TARGETS, COUNTS = np.array([0, 2, 1, 0, 3]), np.array([1, 0, 2, 2, 1]), np.array([2, 0, 3])
X, FILTER, OUT, GRAD = floats(4, 2), floats(3, 2, 5), floats(3, 5, seed=4), floats(3, 5, seed=5)
PLACES = np.array([[0, 0, 0, 1], [0, 1, 2, 2], [1, 0, 2, 3]])


def _added(x, rows, cols, values, y):
    matrix = np.zeros((len(x), len(y)))
    np.add.at(matrix, (rows, cols), values)
    return x + matrix @ y


def _pairs(sources, targets, counts):
    part = np.repeat(np.arange(len(counts)), counts)
    return zip(part, sources, targets, strict=True)


def _convolved(out, x, weight, sources, targets, counts):
    out = out.copy()
    for part, source, target in _pairs(sources, targets, counts):
        out[target] += x[source] @ weight[part]
    return out


def _filter_gradient(weight, x, g, sources, targets, counts):
    out = np.zeros_like(weight)
    for part, source, target in _pairs(sources, targets, counts):
        out[part] += np.outer(x[source], g[target])
    return out


BOOK = {"sizes": [2, 3, 4], "kernel": [2, 2], "dilations": [1, 1]}


def _book(places, keeps):
    """The same by every place of the result, and every part of the filter."""
    outs = [tuple(p) for p in places.T] if keeps else []
    before, sizes, stride = ((1, 1), (3, 4), 1) if keeps else ((0, 0), (1, 2), 2)
    pairs = []
    for part, (i, j) in enumerate(np.ndindex(2, 2)):
        for n, (batch, row, col) in enumerate(places.T):
            r, c = row + before[0] - i, col + before[1] - j
            if r >= 0 and c >= 0 and r % stride == c % stride == 0 and r // stride < sizes[0] and (
                    c // stride < sizes[1]):
                pairs.append((part, n, (batch, r // stride, c // stride)))
    outs = outs or sorted({place for *_, place in pairs})
    pairs = [(part, n, outs.index(place)) for part, n, place in pairs if place in outs]
    return [np.array(outs).T, np.array([n for _, n, _ in pairs]), np.array([n for *_, n in pairs]),
            np.bincount([part for part, *_ in pairs], minlength=4)]


def _rulebook(keeps):
    more = {"paddings": [1, 1], "strides": [1, 1], "out_sizes": [3, 4]} if keeps else {
        "paddings": [0, 0], "strides": [2, 2], "out_sizes": [1, 2]}
    return lambda places: apply(rulebook_op, places, keeps_places=keeps, **BOOK, **more)


RECORDS = [
    Record("sparse_matmul", lambda x, r, c, v, y: apply(added_product_op, x, r, c, v, y),
           [BASE, ROWS, COLS, ENTRIES, DENSE], _added, batched=[0]),
    Record("sampled_matmul", lambda r, c, x, y: apply(sampled_product_op, r, c, x, y), [ROWS, COLS, LEFT, RIGHT],
           lambda r, c, x, y: (x[r] * y[c]).sum(1), batched=[0, 1]),
    Record("sparse_conv", lambda *given: apply(convolved_op, *given), [OUT, X, FILTER, SOURCES, TARGETS, COUNTS],
           _convolved, batched=[0]),
    Record("sparse_conv_filter_grad", lambda *given: apply(filter_gradient_op, *given),
           [FILTER, X, GRAD, SOURCES, TARGETS, COUNTS], _filter_gradient, batched=[1], differentiable=[1, 2]),
    *(Record("sparse_conv_rulebook", _rulebook(keeps), [PLACES], lambda places, keeps=keeps: _book(places, keeps),
             label="submanifold" if keeps else "", data_dependent=True, batched=[]) for keeps in (False, True)),
]
