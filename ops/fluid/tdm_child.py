"""tdm_child: the children of a tree's nodes (tree-based deep models; Zhu et al., 2018)."""

from ...core import dtype as dt
from ...core.dtype import DType
from ..core.operator import operator
from ..core.spec import Spec

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
