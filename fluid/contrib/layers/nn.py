"""`fluid.contrib.layers.nn`: layers that others contributed to 1.x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....static.building.mode import default_main_program
from ...layer_helper import LayerHelper
from ...layers import concat, slice, sum
from ...layers.nn import index_sample
from ...layers.prior_boxes import constants
from ...layers.random import kept_seed
from ...mode import face
from .match import match_matrix_tensor, sequence_topk_avg_pooling, var_conv_2d
from .slots import batch_fc, rank_attention
from .tdm import tdm_child, tdm_sampler


@face
def shuffle_batch(x: Any, seed: Any = None) -> Any:
    """The rows of x, along its last dimension, in random order; gradients go back to where the rows were.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     fluid.contrib.layers.shuffle_batch(fluid.data("x", [None, 4])).shape
    (-1, 4)
    """
    helper = LayerHelper("shuffle_batch")
    start = seed if seed is not None else default_main_program().random_seed or None
    seed, start = kept_seed(helper, start)
    return helper.apply("shuffle_batch", x, seed, out={"SeedOut": seed}, startup_seed=start)[0]


@face
def fused_embedding_seq_pool(input: Any, size: Sequence[int], is_sparse: bool = False, padding_idx: int | None = None,
                             combiner: str = "sum", param_attr: Any = None, dtype: Any = "float32") -> Any:
    """For each sequence of ids the sum of their rows of a parameter of shape `size`; `padding_idx` counts for nothing.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     ids = fluid.data("ids", [None, 1], dtype="int64", lod_level=1)
    ...     fluid.contrib.layers.fused_embedding_seq_pool(ids, [20, 32]).shape
    (-1, 32)
    """
    helper = LayerHelper("fused_embedding_seq_pool")
    table = helper.parameter(param_attr, size, dtype)
    padding = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else size[0] + padding_idx
    return helper.apply("fused_embedding_seq_pool", input, table, is_sparse=is_sparse, combiner=combiner,
                        padding_idx=padding)


def _parts(input: Any, start_index: int, length: int) -> list[Any]:
    values = list(input) if isinstance(input, (list, tuple)) else [input]
    width = values[0].shape[1]
    start = start_index + width if start_index < 0 else start_index
    end = width if length < 0 else start + length
    return [slice(value, [1], [start], [end]) for value in values]


@face
def partial_concat(input: Any, start_index: int = 0, length: int = -1) -> Any:
    """The columns from `start_index` on, `length` of them or all, of each matrix side by side."""
    return concat(_parts(input, start_index, length), axis=1)


@face
def partial_sum(input: Any, start_index: int = 0, length: int = -1) -> Any:
    """The sum of these columns of each matrix."""
    return sum(_parts(input, start_index, length))


@face
def tree_conv(nodes_vector: Any, edge_set: Any, output_size: int, num_filters: int = 1, max_depth: int = 2,
              act: str | None = "tanh", param_attr: Any = None, bias_attr: Any = None, name: str | None = None) -> Any:
    """A convolution over the nodes of trees, each with those near it (Mou et al., 2016).

    The bias has a number for each node, size and filter; one for each filter where the number of nodes is not known.
    """
    helper = LayerHelper("tree_conv", name=name)
    weight = helper.parameter(param_attr, [nodes_vector.shape[2], 3, output_size, num_filters], nodes_vector.dtype)
    made = helper.apply("tree_conv", nodes_vector, edge_set, weight, max_depth=max_depth)
    return helper.activated(helper.biased(made, bias_attr, 3 if made.shape[1] == -1 else 1), act)


@face
def fused_elemwise_activation(x: Any, y: Any, functor_list: Sequence[str], axis: int = -1, scale: float = 0.0,
                              save_intermediate_out: bool = True) -> Any:
    """An activation and an operation on two operands, one after the other: "relu,elementwise_add" and the like."""
    names = functor_list.split(",") if isinstance(functor_list, str) else list(functor_list)
    outer, inner = (name.strip() for name in names)
    helper = LayerHelper("fused_elemwise_activation")

    def applied(name: str, *operands: Any) -> Any:
        more: dict[str, Any] = {"axis": axis} if len(operands) == 2 and name.startswith("elementwise") else {}
        more = {"scale": scale} if name == "scale" else more
        return helper.apply(name, *operands, *((None,) if name == "scale" else ()), **more)

    return applied(outer, x, applied(inner, y)) if outer.startswith("elementwise") else applied(
        outer, applied(inner, x, y))


@face
def multiclass_nms2(bboxes: Any, scores: Any, score_threshold: float, nms_top_k: int, keep_top_k: int,
                    nms_threshold: float = 0.3, normalized: bool = True, nms_eta: float = 1.0,
                    background_label: int = 0, return_index: bool = False, name: str | None = None) -> Any:
    """As `fluid.layers.multiclass_nms`; with `return_index` the boxes' numbers [K, 1] beside. Nothing where none is.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     boxes, scores = fluid.data("boxes", [1, 3, 4]), fluid.data("scores", [1, 2, 3])
    ...     kept, numbers = fluid.contrib.layers.multiclass_nms2(boxes, scores, 0.1, 10, 10, return_index=True)
    >>> numbers.dtype.name
    'int32'
    """
    kept = LayerHelper("multiclass_nms2", name=name).apply(
        "multiclass_nms2", bboxes, scores, background_label=background_label, score_threshold=score_threshold,
        nms_top_k=nms_top_k, nms_threshold=nms_threshold, nms_eta=nms_eta, keep_top_k=keep_top_k,
        normalized=normalized)
    return constants(*kept[:2]) if return_index else constants(kept[0])


__all__ = [
    "batch_fc", "fused_elemwise_activation", "fused_embedding_seq_pool", "index_sample", "match_matrix_tensor",
    "multiclass_nms2", "partial_concat", "partial_sum", "rank_attention", "sequence_topk_avg_pooling",
    "shuffle_batch", "tdm_child", "tdm_sampler", "tree_conv", "var_conv_2d",
]
