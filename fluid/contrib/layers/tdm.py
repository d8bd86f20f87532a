"""Trees of items (tree-based deep models; Zhu et al., 2018): tdm_child, tdm_sampler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....core.dtype import convert_dtype
from ...initializer import Constant
from ...layer_helper import LayerHelper
from ...layers import reshape, slice
from ...mode import face

__all__ = ["tdm_child", "tdm_sampler"]


@face
def tdm_child(x: Any, node_nums: int, child_nums: int, param_attr: Any = None, dtype: Any = "int32") -> tuple[Any, Any]:
    """The children of a tree's nodes, [..., child_nums], 0 for none, and which of these are items.

    The tree is a parameter [node_nums, 3 + child_nums]: for a node its item or 0, its level, its parent, its children.
    """
    helper = LayerHelper("tdm_child")
    tree = helper.parameter(param_attr, [node_nums, 3 + child_nums], dtype, default_initializer=Constant(0))
    tree.stop_gradient = True
    child, leaf_mask = helper.apply("tdm_child", x, tree, child_nums=child_nums, dtype=convert_dtype(dtype))
    return child, leaf_mask


@face
def tdm_sampler(x: Any, neg_samples_num_list: Sequence[int], layer_node_num_list: Sequence[int], leaf_node_num: int,
                tree_travel_attr: Any = None, tree_layer_attr: Any = None, output_positive: bool = True,
                output_list: bool = True, seed: int = 0, tree_dtype: Any = "int32",
                dtype: Any = "int32") -> tuple[Any, Any, Any]:
    """For each leaf and each layer of a tree the node on its path, and others of that layer: (nodes, labels, mask).

    Labels are 1 for nodes on the path; the mask is 0 where the path has ended before. With `output_list` lists of
    [-1, n, 1], one for each layer, otherwise [-1, sum of n]. Two parameters hold the tree: the paths [leaf_node_num,
    layers], 0 where one has ended, and the nodes [all, 1], layer by layer.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x = fluid.data("x", [None, 1], dtype="int32")
    ...     nodes, labels, mask = fluid.contrib.layers.tdm_sampler(x, [1, 2], [2, 4], 4)
    >>> [each.shape for each in nodes]
    [(-1, 2, 1), (-1, 3, 1)]
    """
    if len(neg_samples_num_list) != len(layer_node_num_list):
        raise ValueError(f"tdm_sampler(neg_samples_num_list, layer_node_num_list): must be equally long. Received "
                         f"{list(neg_samples_num_list)} and {list(layer_node_num_list)}.")
    ends = [0]
    for count in layer_node_num_list:
        ends.append(ends[-1] + count)
    if not leaf_node_num < ends[-1]:
        raise ValueError(f"tdm_sampler(leaf_node_num): must be less than the tree's {ends[-1]} nodes. "
                         f"Received {leaf_node_num}.")
    helper = LayerHelper("tdm_sampler")
    travel, layer = (helper.parameter(attr, shape, tree_dtype, default_initializer=Constant(0)) for attr, shape in (
        (tree_travel_attr, [leaf_node_num, len(layer_node_num_list)]), (tree_layer_attr, [ends[-1], 1])))
    found = helper.apply("tdm_sampler", x, travel, layer, neg_samples_num_list=list(neg_samples_num_list),
                         output_positive=output_positive, layer_offset_lod=ends, seed=seed,
                         dtype=convert_dtype(dtype))
    if not output_list:
        return found
    lists: tuple[list, list, list] = ([], [], [])
    start = 0
    for count in neg_samples_num_list:
        width = count + bool(output_positive)
        cut = [slice(value, [1], [start], [start + width]) for value in found]
        for made, part in zip(lists, cut, strict=True):
            made.append(reshape(part, [-1, width, 1]))
            made[-1].stop_gradient = True
        start += width
    return lists
