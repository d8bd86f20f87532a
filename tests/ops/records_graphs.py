"""Records of segments, messages along edges, and what is drawn and numbered of graphs."""

import numpy as np
from proa import geometric as G
from proa import incubate
from proa.ops.core.trace import apply
from proa.ops.graph import tree_conv
from proa.ops.loss import identity_loss
from records import Record, floats

ROWS = floats(6, 3, low=-2, high=2)
IDS = np.array([0, 0, 1, 3, 3, 3])
SRC, DST = np.array([0, 1, 2, 0, 5, 3, 0]), np.array([1, 2, 1, 0, 5, 1, 5])
EDGES = floats(7, 3, low=0.5, high=2, seed=1)
COLUMN = floats(7, 1, low=0.5, high=2, seed=2)
REDUCE = {"sum": np.sum, "mean": np.mean, "max": np.max, "min": np.min}


def _met(rows, places, count, how):
    out = np.zeros((count, *rows.shape[1:]), rows.dtype)
    for n in range(count):
        if (places == n).any():
            out[n] = REDUCE[how](rows[places == n], 0)
    return out


def _ue(message, how, size=None):
    def function(x, y, src, dst):
        return G.send_ue_recv(x, y, src, dst, message, how, size)

    def reference(x, y, src, dst):
        a = x[src]
        both = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide}[message](a, y)
        return _met(both, dst, size or len(x), how)

    return function, reference


ROW, COLPTR = np.array([3, 7, 0, 9, 1, 4, 2, 9, 3, 9, 1, 9, 7]), np.array([0, 2, 4, 5, 6, 7, 9, 11, 11, 13, 13])
NODES, EIDS = np.array([0, 8, 1, 2]), np.arange(100, 113)
X = floats(3, 4)

NODE_ROWS = floats(2, 5, 3)
TREES = np.array([[[1, 2], [1, 3], [1, 4], [2, 5]], [[1, 2], [2, 3], [3, 4], [0, 0]]], "int32")
FILTER = floats(3, 3, 2, 2, seed=1)


def _tree_shares(edges, nodes, depth):
    result = np.zeros((len(edges), 3, nodes, nodes))
    for n, tree in enumerate(edges):
        tree = [tuple(edge) for edge in tree if edge.all()]

        def enter(root, node, level, place, n=n, tree=tree):
            top = 1 - level / depth
            left = (1 - top) * place
            result[n, :, root - 1, node - 1] = left, (1 - top) * (1 - left), top
            below = [child for parent, child in tree if parent == node] if level + 1 < depth else []
            for i, child in enumerate(below):
                enter(root, child, level + 1, i / (len(below) - 1) if len(below) > 1 else 0.5)

        for root in {1, *(child for _, child in tree)}:
            enter(root, root, 0, 0.5)
    return result


def _tree_conv(x, edges, weight):
    return np.einsum("bknm,bmf,fkop->bnop", _tree_shares(edges, x.shape[1], 3), x, weight)


RECORDS = [
    *(Record("segment_pool", getattr(G, f"segment_{how}"), [ROWS, IDS],
             lambda x, i, how=how: _met(x, i, 4, how), label=how, data_dependent=True, batched=[0, 1])
      for how in REDUCE),
    *(Record("graph_send_recv", lambda x, s, d, how=how, size=size: G.send_u_recv(x, s, d, how, size),
             [ROWS, SRC, DST], lambda x, s, d, how=how, size=size: _met(x[s], d, size or 6, how),
             label=f"{how} {size}", batched=[0])
      for how, size in (("sum", None), ("mean", 7), ("max", None), ("min", 9))),
    Record("graph_send_recv", lambda x, s, d, n: G.send_u_recv(x, s, d, "sum", n), [ROWS, SRC, DST, np.array([8])],
           lambda x, s, d, n: _met(x[s], d, 8, "sum"), label="size from a tensor", data_dependent=True, batched=[0]),
    *(Record("graph_send_ue_recv", f, [ROWS, y, SRC, DST], r, label=f"{how} {message} {y.shape}", batched=[0],
             tolerance=1e-9 if message != "div" else 1e-8)
      for y in (EDGES, COLUMN) for message, how in (("add", "sum"), ("mul", "mean"), ("sub", "max"), ("div", "min"))
      for f, r in [_ue(message, how)]),
    *(Record("graph_send_uv", lambda x, y, s, d, m=m: G.send_uv(x, y, s, d, m), [ROWS, y, SRC, DST],
             lambda x, y, s, d, f=f: f(x[s], y[d]), label=f"{m} {y.shape}", batched=[0], tolerance=1e-8)
      for y in (floats(6, 3, low=0.5, high=2), floats(6, 1, low=0.5, high=2))
      for m, f in (("add", np.add), ("mul", np.multiply), ("div", np.divide))),
    Record("graph_sample_neighbors", lambda r, c, n, e: G.sample_neighbors(r, c, n, 5, e, True),
           [ROW, COLPTR, NODES, EIDS],
           lambda *_: [np.array([3, 7, 9, 7, 0, 9, 1]), np.array([2, 2, 2, 1]),
                       np.array([100, 101, 111, 112, 102, 103, 104])], data_dependent=True),
    Record("weighted_sample_neighbors", lambda r, c, w, n: G.weighted_sample_neighbors(r, c, w, n, 5),
           [ROW, COLPTR, floats(13, low=0.1), NODES],
           lambda *_: [np.array([3, 7, 9, 7, 0, 9, 1]), np.array([2, 2, 2, 1])], data_dependent=True,
           differentiable=[]),
    Record("graph_reindex", G.reindex_graph,
           [np.array([0, 1, 2]), np.array([8, 9, 0, 4, 7, 6, 7]), np.array([2, 3, 2], "int32")],
           lambda *_: [np.array([3, 4, 0, 5, 6, 7, 6]), np.array([0, 0, 1, 1, 1, 2, 2]),
                       np.array([0, 1, 2, 8, 9, 4, 7, 6])], data_dependent=True),
    Record("graph_khop_sampler", lambda r, c, n, e: incubate.graph_khop_sampler(r, c, n, [9, 9], e, True),
           [ROW, COLPTR, NODES, EIDS],
           lambda *_: [np.array([4, 5, 6, 5, 0, 6, 2, 7])[:, None], np.array([0, 0, 1, 1, 2, 2, 3, 4])[:, None],
                       np.array([0, 8, 1, 2, 3, 7, 9, 4]), np.array([0, 1, 2, 3]),
                       np.array([100, 101, 111, 112, 102, 103, 104, 105])], data_dependent=True),
    *(Record("identity_loss", lambda x, r=r: incubate.identity_loss(x, r), [X], f, label=r)
      for r, f in (("sum", np.sum), ("mean", np.mean), ("none", np.copy))),
    Record("identity_loss_share", lambda x, g: apply(identity_loss.share_op, x, g), [X, np.array(3.0)],
           lambda x, g: g / 12, differentiable=[1]),
    Record("tree_conv", lambda x, e, w: apply(tree_conv.tree_conv_op, x, e, w, max_depth=3), [NODE_ROWS, TREES, FILTER],
           _tree_conv, float32=False),
    Record("tree_shares", lambda x, e: apply(tree_conv.shares_op, x, e, max_depth=3), [NODE_ROWS, TREES],
           lambda x, e: _tree_shares(e, x.shape[1], 3), differentiable=[]),
]
