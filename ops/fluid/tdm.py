"""tdm_child, tdm_sampler: children of a tree's nodes, and other nodes of their layers (Zhu et al., 2018)."""

from ...core import dtype as dt
from ...core.dtype import DType
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..random.draws import numbers_apart

_ITEM, _CHILDREN = 0, 3  # columns of a node: its item, its level, its parent, its children


def _children(xp, x, tree, *, child_nums: int, dtype: DType = dt.int32):
    if x.size and not 0 <= int(x.min()) <= int(x.max()) < len(tree):
        raise ValueError(f"tdm_child(x): must lie in [0, {len(tree)}), the tree's nodes. Received {int(x.min())} to "
                         f"{int(x.max())}.")
    found = tree[x][..., _CHILDREN:_CHILDREN + child_nums]
    found = xp.where((x != 0)[..., None] & (found[..., :1] != 0), found, xp.zeros_like(found))
    leaves = (tree[found][..., _ITEM] != 0) & (found != 0)
    return found.astype(dtype.dtype), leaves.astype(dtype.dtype)


def _infer(x, tree, *, child_nums, dtype=dt.int32):
    if not (x.dtype.is_integer and tree.dtype.is_integer) or tree.rank != 2 or (
            tree.shape[1] not in (-1, _CHILDREN + child_nums)):
        raise ValueError(f"tdm_child(x, tree_info): must hold integers, and tree_info {_CHILDREN} + child_nums = "
                         f"{_CHILDREN + child_nums} of them for a node. Received x of {x.dtype.name}, tree_info of "
                         f"shape {list(tree.shape)} and {tree.dtype.name}.")
    spec = Spec((*x.shape, child_nums), dtype)
    return spec, spec


tdm_child_op = operator("tdm_child", "X, TreeInfo -> Child, LeafMask", kernel=_children, infer=_infer, fails="values")


# tdm_sampler

def _others(xp, nodes, positive, count, seed):
    """For each row `count` different nodes of a layer, not the positive one: [rows, count]."""
    order = numbers_apart(xp, (len(positive), len(nodes)), seed)
    order[nodes == positive[:, None]] = 2.0  # behind all that are drawn
    return nodes[xp.argsort(order, axis=1)[:, :count]]


def _sampler(xp, x, travel, layer, *, output_positive: bool = True, neg_samples_num_list: Ints = (),
             layer_offset_lod: Ints = (), seed: int = 0, dtype: DType = dt.int32):
    ids = x.reshape(-1)
    if ids.size and not 0 <= int(ids.min()) <= int(ids.max()) < len(travel):
        raise ValueError(f"tdm_sampler(x): must lie in [0, {len(travel)}), the tree's leaves. Received "
                         f"{int(ids.min())} to {int(ids.max())}.")
    nodes, columns, labels = layer.reshape(-1), [], []
    for number, count in enumerate(neg_samples_num_list):
        positive = travel[ids, number]
        of_layer = nodes[layer_offset_lod[number]:layer_offset_lod[number + 1]]
        drawn = _others(xp, of_layer, positive, count, seed)
        there = (positive != 0)[:, None]
        if output_positive:
            columns.append(positive[:, None])
            labels.append(there)
        columns.append(xp.where(there, drawn, 0))
        labels.append(xp.zeros(drawn.shape, bool))
    found = xp.concatenate(columns, 1)
    real = xp.concatenate([xp.broadcast_to(travel[ids, n][:, None] != 0, (len(ids), count + bool(output_positive)))
                           for n, count in enumerate(neg_samples_num_list)], 1)
    return tuple(part.astype(dtype.dtype) for part in (found, xp.concatenate(labels, 1), real))


def _infer_sampler(x, travel, layer, *, output_positive=True, neg_samples_num_list=(), layer_offset_lod=(),
                   dtype=dt.int32, **_):
    layers = len(neg_samples_num_list)
    if travel.rank != 2 or travel.shape[1] not in (-1, layers) or len(layer_offset_lod) != layers + 1:
        raise ValueError(f"tdm_sampler(neg_samples_num_list): must say how many nodes to draw for each layer of the "
                         f"tree. Received {list(neg_samples_num_list)}, paths of shape {list(travel.shape)} and layers "
                         f"that end at {list(layer_offset_lod)[1:]}.")
    for number, count in enumerate(neg_samples_num_list):
        size = layer_offset_lod[number + 1] - layer_offset_lod[number]
        if count >= size:
            raise ValueError(f"tdm_sampler(neg_samples_num_list): must be less than the layer's nodes. Received "
                             f"{count} for layer {number}, which has {size}.")
    spec = Spec((x.shape[0], sum(neg_samples_num_list) + layers * bool(output_positive)), dtype)
    return spec, spec, spec


tdm_sampler_op = operator("tdm_sampler", "X, Travel, Layer -> Out, Labels?, Mask", kernel=_sampler,
                          infer=_infer_sampler, effects="random", fails="values", lod="drop")
"""For each leaf and each layer of a tree, the node on its path and others of that layer; 0 where the path has ended."""
