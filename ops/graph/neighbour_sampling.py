"""Neighbours drawn at random and nodes numbered anew, for training on parts of large graphs.

A graph is held by columns: the edges into node n come from `row[colptr[n]:colptr[n + 1]]`.
"""


from typing import Any

from ...core.dtype import int32
from ..array.concat_split import concat
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..random.draws import generator
from .segments import repeated


def _edges_of(xp: Any, row: Any, colptr: Any, nodes: Any) -> tuple[Any, Any]:
    """The positions in `row` of all edges into the nodes, one node after the other, and how many each has."""
    nodes = nodes.reshape(-1)
    if nodes.size and (int(nodes.min()) < 0 or int(nodes.max()) >= colptr.size - 1):
        raise ValueError(f"sample_neighbors(colptr, input_nodes): nodes must lie in [0, {colptr.size - 1}). "
                         f"Received {int(nodes.min())} to {int(nodes.max())}.")
    colptr = colptr.reshape(-1).astype("int64")
    starts, counts = colptr[nodes], colptr[nodes + 1] - colptr[nodes]
    before = counts.cumsum() - counts
    places = xp.arange(int(counts.sum())) + repeated(xp, starts - before, counts)
    return places, counts


def _drawn(xp: Any, places: Any, counts: Any, size: int, weights: Any = None) -> tuple[Any, Any]:
    """At most `size` of each node's edges, without replacement, in the order they had; -1: all of them.

    Each edge draws a key, exponential and divided by its weight; the smallest win (Efraimidis and Spirakis, 2006).
    """
    if size < 0 or not places.size or int(counts.max()) <= size:
        return places, counts
    keys = -xp.log1p(-generator(xp).random(places.size))
    if weights is not None:
        keys = keys / weights[places]
    owner = repeated(xp, xp.arange(len(counts)), counts)
    order = xp.lexsort(xp.stack([keys, owner.astype(keys.dtype)]))
    rank = xp.arange(places.size) - repeated(xp, counts.cumsum() - counts, counts)
    kept = xp.sort(order[rank < size])
    return places[kept], xp.minimum(counts, size)


def _eids(xp: Any, eids: Any, places: Any, wanted: bool) -> Any:
    if not wanted:
        return xp.zeros(0, "int64")
    if eids is None:
        raise ValueError("sample_neighbors(eids, return_eids=True): eids must be given to be returned.")
    return eids.reshape(-1)[places]


def _sample(xp, row, col_ptr, x, eids=None, perm_buffer=None, *, sample_size: int = -1, return_eids: bool = False,
            flag_perm_buffer: bool = False):
    places, counts = _drawn(xp, *_edges_of(xp, row, col_ptr, x), sample_size)
    return row.reshape(-1)[places], counts.astype("int32"), _eids(xp, eids, places, return_eids)


def _infer_sample(row, col_ptr, x, eids=None, perm_buffer=None, **_):
    return Spec((-1,), row.dtype), Spec((x.shape[0],), int32), Spec((-1,), row.dtype if eids is None else eids.dtype)


sample_op = operator("graph_sample_neighbors", "Row, Col_Ptr, X, Eids?, Perm_Buffer? -> Out, Out_Count, Out_Eids",
                     kernel=_sample, infer=_infer_sample, effects="random", fails="values")


def sample_neighbors(row: Any, colptr: Any, input_nodes: Any, sample_size: int = -1, eids: Any = None,
                     return_eids: bool = False, perm_buffer: Any = None, name: str | None = None) -> Any:
    """At most `sample_size` neighbours of each of `input_nodes` (-1: all), and how many each has.

    All are tensors of integers. With `return_eids` also those of `eids`, one an edge, that belong to the edges drawn.
    `perm_buffer`, PaddlePaddle's room to draw in on a GPU, is passed over.

    >>> import proa as paddle
    >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
    >>> neighbors, count = paddle.geometric.sample_neighbors(row, colptr, paddle.to_tensor([0, 2]))
    >>> neighbors.tolist(), count.tolist()
    ([1, 2], [2, 0])
    """
    if return_eids and eids is None:
        raise ValueError("sample_neighbors(eids, return_eids=True): eids must be given to be returned.")
    found = apply(sample_op, row, colptr, input_nodes, eids, perm_buffer, sample_size=sample_size,
                  return_eids=return_eids, flag_perm_buffer=perm_buffer is not None)
    return found if return_eids else found[:2]


def graph_sample_neighbors(row: Any, colptr: Any, input_nodes: Any, eids: Any = None, perm_buffer: Any = None,
                           sample_size: int = -1, return_eids: bool = False, flag_perm_buffer: bool = False,
                           name: str | None = None) -> Any:
    """As `paddle.geometric.sample_neighbors`, which took its place.

    >>> import proa as paddle
    >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
    >>> neighbors, count = paddle.incubate.graph_sample_neighbors(row, colptr, paddle.to_tensor([0, 1]))
    >>> neighbors.tolist(), count.tolist()
    ([1, 2, 0], [2, 1])
    """
    return sample_neighbors(row, colptr, input_nodes, sample_size, eids, return_eids, perm_buffer)


def _weighted(xp, row, colptr, edge_weight, input_nodes, eids=None, *, sample_size: int = -1,
              return_eids: bool = False):
    places, counts = _drawn(xp, *_edges_of(xp, row, colptr, input_nodes), sample_size, edge_weight.reshape(-1))
    return row.reshape(-1)[places], counts.astype("int32"), _eids(xp, eids, places, return_eids)


weighted_sample_op = operator(
    "weighted_sample_neighbors",
    "row, colptr, edge_weight, input_nodes, eids? -> out_neighbors, out_count, out_eids", kernel=_weighted,
    effects="random",
    infer=lambda row, colptr, weight, nodes, eids=None, **_: _infer_sample(row, colptr, nodes, eids), fails="values")


def weighted_sample_neighbors(row: Any, colptr: Any, edge_weight: Any, input_nodes: Any, sample_size: int = -1,
                              eids: Any = None, return_eids: bool = False, name: str | None = None) -> Any:
    """As `sample_neighbors`, edges with greater `edge_weight`, which is positive, being the likelier to be drawn.

    >>> import proa as paddle
    >>> row, starts = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
    >>> weights = paddle.to_tensor([1.0, 1.0, 1.0])
    >>> found, count = paddle.geometric.weighted_sample_neighbors(row, starts, weights, paddle.to_tensor([0, 1]))
    >>> found.tolist(), count.tolist()
    ([1, 2, 0], [2, 1])
    """
    if return_eids and eids is None:
        raise ValueError("weighted_sample_neighbors(eids, return_eids=True): eids must be given to be returned.")
    found = apply(weighted_sample_op, row, colptr, edge_weight, input_nodes, eids, sample_size=sample_size,
                  return_eids=return_eids)
    return found if return_eids else found[:2]


# new numbers

def _numbered(xp: Any, x: Any, neighbors: Any) -> tuple[Any, Any]:
    """All nodes in the order of their first occurrence in x and then in neighbors, and the numbers of both's items."""
    both = xp.concatenate([x.reshape(-1), neighbors.reshape(-1)])
    nodes, first, inverse = xp.unique(both, return_index=True, return_inverse=True)
    order = first.argsort()
    number = xp.empty_like(order)
    number[order] = xp.arange(order.size)
    return nodes[order], number[inverse.reshape(-1)]


def _reindex(xp, x, neighbors, count, value=None, index=None):
    if int(count.sum()) != neighbors.size or count.size % max(x.size, 1):
        raise ValueError(f"reindex_graph(x, neighbors, count): count must give each node's number of neighbors. "
                         f"Received {neighbors.size} neighbors, and counts that add up to {int(count.sum())}.")
    nodes, numbers = _numbered(xp, x, neighbors)
    owners = xp.arange(count.size) % max(x.size, 1)
    return (numbers[x.size:].astype(x.dtype), repeated(xp, numbers[:x.size][owners], count).astype(x.dtype),
            nodes.astype(x.dtype))


reindex_op = operator(
    "graph_reindex",
    "X, Neighbors, Count, HashTable_Value?, HashTable_Index? -> Reindex_Src, Reindex_Dst, Out_Nodes", kernel=_reindex,
    infer=lambda x, neighbors, *_: (Spec(neighbors.shape, x.dtype), Spec(neighbors.shape, x.dtype),
                                    Spec((-1,), x.dtype)), fails="values", lod="drop")


def reindex_graph(x: Any, neighbors: Any, count: Any, value_buffer: Any = None, index_buffer: Any = None,
                  name: str | None = None) -> Any:
    """The edges from `neighbors` to the nodes x, `count` to each, with nodes numbered from 0: sources and targets.

    The third result holds the nodes that the numbers stand for: those of x, and then the neighbors in order. The
    buffers, PaddlePaddle's room for a hash table on a GPU, are passed over.

    >>> import proa as paddle
    >>> x, neighbors, count = (paddle.to_tensor(v) for v in ([5, 3], [9, 5, 9], [2, 1]))
    >>> [v.tolist() for v in paddle.geometric.reindex_graph(x, neighbors, count)]
    [[2, 0, 2], [0, 0, 1], [5, 3, 9]]
    """
    return apply(reindex_op, x, neighbors, count, value_buffer, index_buffer)


def reindex_heter_graph(x: Any, neighbors: Any, count: Any, value_buffer: Any = None, index_buffer: Any = None,
                        name: str | None = None) -> Any:
    """As `reindex_graph`, for several kinds of edges: `neighbors` and `count` are lists of a tensor a kind.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([7, 5])
    >>> friends, rivals = paddle.to_tensor([5, 9]), paddle.to_tensor([9, 7])
    >>> counts = [paddle.to_tensor([1, 1], "int32"), paddle.to_tensor([1, 1], "int32")]
    >>> sources, targets, nodes = paddle.geometric.reindex_heter_graph(x, [friends, rivals], counts)
    >>> sources.tolist(), targets.tolist(), nodes.tolist()
    ([1, 2, 2, 0], [0, 1, 0, 1], [7, 5, 9])
    """
    return reindex_graph(x, concat(list(neighbors), 0), concat(list(count), 0), value_buffer, index_buffer)


def graph_reindex(x: Any, neighbors: Any, count: Any, value_buffer: Any = None, index_buffer: Any = None,
                  flag_buffer_hashtable: bool = False, name: str | None = None) -> Any:
    """As `paddle.geometric.reindex_graph`, which took its place.

    >>> import proa as paddle
    >>> x, neighbors = paddle.to_tensor([7, 5]), paddle.to_tensor([5, 9, 7])
    >>> sources, targets, nodes = paddle.incubate.graph_reindex(x, neighbors, paddle.to_tensor([2, 1], "int32"))
    >>> sources.tolist(), targets.tolist(), nodes.tolist()
    ([1, 2, 0], [0, 0, 1], [7, 5, 9])
    """
    return reindex_graph(x, neighbors, count, value_buffer, index_buffer)


# several hops

def _khop(xp, row, col_ptr, x, eids=None, *, sample_sizes: Ints, return_eids: bool = False):
    start = x.reshape(-1)
    known, frontier = start, start
    sources, targets, found = [], [], []
    for size in sample_sizes:
        places, counts = _drawn(xp, *_edges_of(xp, row, col_ptr, frontier), size)
        sources.append(row.reshape(-1)[places])
        targets.append(repeated(xp, frontier, counts))
        found.append(places)
        nodes = _numbered(xp, known, sources[-1])[0]
        known, frontier = nodes, nodes[_numbered(xp, known, known[:0])[0].size:]
    source, target, places = (xp.concatenate(parts) for parts in (sources, targets, found))
    nodes, numbers = _numbered(xp, start, xp.concatenate([source, target]))
    middle = start.size + source.size
    return (numbers[start.size:middle].reshape(-1, 1).astype(x.dtype), numbers[middle:].reshape(-1, 1).astype(x.dtype),
            nodes.astype(x.dtype), numbers[:start.size].astype(x.dtype), _eids(xp, eids, places, return_eids))


khop_op = operator(
    "graph_khop_sampler", "Row, Col_Ptr, X, Eids? -> Out_Src, Out_Dst, Sample_Index, Reindex_X, Out_Eids&",
    kernel=_khop, effects="random", infer=lambda row, col_ptr, x, eids=None, **_: (
        Spec((-1, 1), x.dtype), Spec((-1, 1), x.dtype), Spec((-1,), x.dtype), Spec((x.shape[0],), x.dtype),
        Spec((-1,), x.dtype)), fails="values")


def graph_khop_sampler(row: Any, colptr: Any, input_nodes: Any, sample_sizes: list[int], sorted_eids: Any = None,
                       return_eids: bool = False, name: str | None = None) -> Any:
    """The edges met in going out from `input_nodes`, hop by hop; hop k takes at most `sample_sizes[k]` of each node.

    Gives the sources and targets [E, 1] with nodes numbered from 0, the nodes that the numbers stand for, the numbers
    of `input_nodes`, and with `return_eids` the edges' `sorted_eids`.

    >>> import proa as paddle
    >>> row, colptr = paddle.to_tensor([1, 2, 0]), paddle.to_tensor([0, 2, 3, 3])
    >>> found = paddle.incubate.graph_khop_sampler(row, colptr, paddle.to_tensor([0]), [2, 2])
    >>> [v.flatten().tolist() for v in found]
    [[1, 2, 0], [0, 0, 1], [0, 1, 2], [0]]
    """
    if return_eids and sorted_eids is None:
        raise ValueError("graph_khop_sampler(sorted_eids, return_eids=True): sorted_eids must be given to be returned.")
    eids = sorted_eids if return_eids else None  # Paddle's own example gives False
    found = apply(khop_op, row, colptr, input_nodes, eids, sample_sizes=list(sample_sizes), return_eids=return_eids)
    return found if return_eids else found[:4]
