"""one_hot and topk, of numbers with a last dimension of 1; hash of ids, filter_by_instag of samples with tags."""

from __future__ import annotations

from typing import Any

from ...ops.array.full import is_value
from ..layer_helper import LayerHelper
from ..mode import face


@face
def one_hot(input: Any, depth: Any, allow_out_of_range: bool = False) -> Any:
    """[..., depth] with 1 at the place that each number of an input [..., 1] names."""
    tensor, count = (depth, -1) if is_value(depth) else (None, depth)
    return LayerHelper("one_hot").apply("one_hot", input, tensor, depth=count, allow_out_of_range=allow_out_of_range)


@face
def topk(input: Any, k: Any, name: str | None = None) -> Any:
    """The k largest elements of the last dimension, in order, and their places.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.topk(fluid.data("x", [None, 4]), 2)[0].shape
    (-1, 2)
    """
    tensor, count = (k, 1) if is_value(k) else (None, k)
    values, indices = LayerHelper("top_k", name=name).apply("top_k", input, tensor, k=count)
    values.stop_gradient = indices.stop_gradient = True
    return values, indices


@face
def hash(input: Any, hash_size: int, num_hash: int = 1, name: str | None = None) -> Any:
    """Each row of integers [..., n] as `num_hash` numbers below `hash_size`: [..., num_hash, 1].

    The k-th is the row's XXH64 with the seed k, modulo `hash_size`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.hash(fluid.data("x", [None, 2], "int64"), 1000, 4).shape
    (-1, 4, 1)
    """
    made = LayerHelper("hash", name=name).apply("hash", input, num_hash=num_hash, mod_by=hash_size)
    made.stop_gradient = True
    return made


@face
def filter_by_instag(ins: Any, ins_tag: Any, filter_tag: Any, is_lod: bool, out_val_if_empty: int = 0) -> list[Any]:
    """The samples of which a tag is among `filter_tag`, and their weights in a loss: [kept, weight].

    `ins` [rows, n]: samples are sequences with `is_lod`, rows without; `ins_tag` int64: a sequence of tags for each.
    Where none is kept: a row of `out_val_if_empty` that weighs 0.
    """
    found = LayerHelper("filter_by_instag").apply("filter_by_instag", ins, ins_tag, filter_tag, None, None,
                                                  is_lod=is_lod, out_val_if_empty=out_val_if_empty)
    return list(found[:2])


__all__ = ["filter_by_instag", "hash", "one_hot", "topk"]
