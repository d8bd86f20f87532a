"""tree_conv: a convolution over trees, each node with what lies below it.

Mou et al., Convolutional Neural Networks over Tree Structures for Programming Language Processing, 2016.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...backend.devices import host_values
from ..array.reshape import reshape, transpose, unsqueeze
from ..core.infer import promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.matrix_product import matmul
from ..math import reduce


def _children(edges: list[list[int]]) -> dict[int, list[int]]:
    """The nodes below each node, which count from 1; a pair with a 0 ends the list."""
    below: dict[int, list[int]] = {}
    for parent, child in edges:
        if parent == 0 or child == 0:
            break
        below.setdefault(parent, []).append(child)
    return below


def _around(root: int, below: dict[int, list[int]], depth: int) -> list[tuple[int, int, float]]:
    """The nodes less than `depth` levels below a root: number, level, and place among its siblings from 0 to 1."""
    found = [(root, 0, 0.5)]
    seen = {root}
    for node, level, _ in found:
        siblings = below.get(node, []) if level + 1 < depth else []
        for position, child in enumerate(siblings):
            if child not in seen:
                seen.add(child)
                found.append((child, level + 1, position / (len(siblings) - 1) if len(siblings) > 1 else 0.5))
    return found


def _shares_of_tree(nodes: int, edges: list[list[int]], depth: int) -> np.ndarray:
    """How much of each node enters the convolution at each node: [left, right, top; nodes; nodes]."""
    below = _children(edges)
    numbers = [number for edge in edges for number in edge]
    if min(numbers, default=0) < 0 or max(numbers, default=0) > nodes:
        raise ValueError(f"tree_conv(EdgeSet): names nodes from 1 to {nodes}, or 0. Received {min(numbers)} to "
                         f"{max(numbers)}.")
    shares = np.zeros((3, nodes, nodes))
    for root in range(1, 2 + sum(map(len, below.values()))):
        for node, level, place in _around(root, below, depth):
            top = (depth - level) / depth
            left = (1 - top) * place
            shares[:, root - 1, node - 1] = left, (1 - top) * (1 - left), top
    return shares


def _shares(xp, x, edges, *, max_depth: int = 2):
    trees = [_shares_of_tree(x.shape[1], tree, max_depth) for tree in host_values(edges)]
    return xp.asarray(np.stack(trees), x.dtype)


shares_op = operator("tree_shares", "NodesVector, EdgeSet -> Out", kernel=_shares, only_here=True, fails="values",
                     infer=lambda x, edges, max_depth=2: Spec((x.shape[0], 3, x.shape[1], x.shape[1]), x.dtype))


def _tree_conv(xp, x, edges, weight, *, max_depth: int = 2):
    patches = _shares(xp, x, edges, max_depth=max_depth) @ x[:, None]  # [N, 3, nodes, features]
    return xp.einsum("nkif,fkom->niom", patches, weight)


def _infer(x, edges, weight, *, max_depth=2):
    if x.rank != 3 or edges.rank != 3 or edges.shape[2] not in (2, -1):
        raise ValueError(f"tree_conv(NodesVector, EdgeSet): must be [N, nodes, features] and [N, edges, 2]. "
                         f"Received {list(x.shape)} and {list(edges.shape)}.")
    if weight.rank != 4 or weight.shape[1] != 3 or -1 not in (weight.shape[0], x.shape[2]) and (
            weight.shape[0] != x.shape[2]):
        raise ValueError(f"tree_conv(Filter): must be [features, 3, output_size, num_filters] for {x.shape[2]} "
                         f"features. Received {list(weight.shape)}.")
    return Spec((x.shape[0], x.shape[1], *weight.shape[2:]), x.dtype)


def _by_share(weight: Any) -> Any:
    """The filter as matrices [3, features, output_size * num_filters]."""
    features, _, *sizes = weight.shape
    return reshape(transpose(weight, [1, 0, 2, 3]), [3, features, math.prod(sizes)])


def _rows(g: Any) -> Any:
    """A gradient [N, nodes, output_size, num_filters] as [N, 1, nodes, output_size * num_filters]."""
    return unsqueeze(reshape(g, [*g.shape[:2], math.prod(g.shape[2:])]), 1)


def _of_nodes(g, NodesVector, EdgeSet, Filter, max_depth):
    shares = apply(shares_op, NodesVector, EdgeSet, max_depth=max_depth)
    return reduce.sum(matmul(shares, matmul(_rows(g), _by_share(Filter), False, True), True), 1)


def _of_filter(g, NodesVector, EdgeSet, Filter, max_depth):
    shares = apply(shares_op, NodesVector, EdgeSet, max_depth=max_depth)
    whole = reduce.sum(matmul(matmul(shares, unsqueeze(NodesVector, 1)), _rows(g), True), 0)
    features, _, *sizes = Filter.shape
    return transpose(reshape(whole, [3, features, *sizes]), [1, 0, 2, 3])


tree_conv_op = operator("tree_conv", "NodesVector, EdgeSet, Filter -> Out", kernel=_tree_conv,
                        infer=promoting(_infer), fails="values",
                        grad={"NodesVector": _of_nodes, "Filter": _of_filter})
"""[N, nodes, output_size, num_filters] of nodes [N, nodes, features], their trees' edges [N, edges, 2] (parent, child,
counted from 1; 0 behind the last) and a filter [features, 3, output_size, num_filters]."""
