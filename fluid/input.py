"""`fluid.data`, `fluid.embedding` and `fluid.one_hot`: inputs of a Program, and what ids without a last 1 are for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.lazy import listed
from ..static.building import data as static_data
from .layer_helper import LayerHelper
from .mode import face


@face
def data(name: str, shape: Sequence[int | None], dtype: Any = "float32", lod_level: int = 0) -> Any:
    """An input of the default main Program, to be fed by name; None or -1 for a size that may differ from run to run.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.data("x", [None, 3]).shape
    (-1, 3)
    """
    return static_data.data(name, shape, dtype, lod_level)


@face
def embedding(input: Any, size: Sequence[int], is_sparse: bool = False, is_distributed: bool = False,
              padding_idx: int | None = None, param_attr: Any = None, dtype: Any = "float32") -> Any:
    """The rows of a parameter of shape `size` by their numbers, [..., size[1]] for an input [...].

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     words = fluid.data("words", [None, 7], "int64")
    ...     fluid.embedding(words, size=[100, 8]).shape
    (-1, 7, 8)
    """
    return looked_up(LayerHelper("embedding"), "lookup_table_v2", input, size, is_sparse, is_distributed, padding_idx,
                     param_attr, dtype)


def looked_up(helper: LayerHelper, type: str, input: Any, size: Sequence[int], is_sparse: bool, is_distributed: bool,
              padding_idx: int | None, param_attr: Any, dtype: Any) -> Any:
    """What both `embedding`s do, with the operator that they look up with."""
    weight = helper.parameter(param_attr, size, dtype)
    padding = -1 if padding_idx is None else padding_idx if padding_idx >= 0 else size[0] + padding_idx
    return helper.apply(type, input, weight, is_sparse=is_sparse, is_distributed=is_distributed,
                        remote_prefetch=is_sparse and not is_distributed, padding_idx=padding)


@face
def one_hot(input: Any, depth: int, allow_out_of_range: bool = False) -> Any:
    """[..., depth] with 1 at the place that each number of an input [...] names."""
    return LayerHelper("one_hot_v2").apply("one_hot_v2", input, None, depth=depth,
                                           allow_out_of_range=allow_out_of_range)


__all__ = ["data", "embedding", "one_hot"]
__dir__ = listed(__name__)
