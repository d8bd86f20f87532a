"""Pooling, fixed and adaptive."""

from __future__ import annotations

from typing import Any

from ...ops.nn.window_arguments import padding_attributes, repeated
from ..layer_helper import LayerHelper, need_format
from ..mode import face


def _pooled(type: str, rank: int, input: Any, pool_size: Any, pool_type: str, pool_stride: Any, pool_padding: Any,
            global_pooling: bool, ceil_mode: bool, name: str | None, exclusive: bool, data_format: str) -> Any:
    if pool_type not in ("max", "avg"):
        raise ValueError(f"{type}(pool_type): must be 'max' or 'avg'. Received {pool_type!r}.")
    if not global_pooling and pool_size == -1:
        raise ValueError(f"{type}(pool_size): must be given unless global_pooling=True.")
    need_format(f"{type}(data_format)", data_format, rank)
    paddings, algorithm = padding_attributes(type, pool_padding, rank, data_format[-1] == "C")
    if len(paddings) == 2 * rank and paddings[::2] == paddings[1::2]:
        paddings = paddings[::2]
    return LayerHelper(type, name=name).apply(
        type, input, pooling_type=pool_type, ksize=repeated(type, "pool_size", pool_size, rank),
        global_pooling=global_pooling, strides=repeated(type, "pool_stride", pool_stride, rank), paddings=paddings,
        padding_algorithm=algorithm, ceil_mode=ceil_mode, exclusive=exclusive, data_format=data_format)


@face
def pool2d(input: Any, pool_size: Any = -1, pool_type: str = "max", pool_stride: Any = 1, pool_padding: Any = 0,
           global_pooling: bool = False, use_cudnn: bool = True, ceil_mode: bool = False, name: str | None = None,
           exclusive: bool = True, data_format: str = "NCHW") -> Any:
    """The largest or the mean of each window of images; of all of it with `global_pooling`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program()):
    ...     fluid.layers.pool2d(fluid.data("x", [None, 3, 8, 8]), 2, "avg", 2).shape
    (-1, 3, 4, 4)
    """
    return _pooled("pool2d", 2, input, pool_size, pool_type, pool_stride, pool_padding, global_pooling, ceil_mode,
                   name, exclusive, data_format)


@face
def pool3d(input: Any, pool_size: Any = -1, pool_type: str = "max", pool_stride: Any = 1, pool_padding: Any = 0,
           global_pooling: bool = False, use_cudnn: bool = True, ceil_mode: bool = False, name: str | None = None,
           exclusive: bool = True, data_format: str = "NCDHW") -> Any:
    """As `pool2d`, of volumes."""
    return _pooled("pool3d", 3, input, pool_size, pool_type, pool_stride, pool_padding, global_pooling, ceil_mode,
                   name, exclusive, data_format)


def _adapted(rank: int, input: Any, pool_size: Any, pool_type: str, require_index: bool, name: str | None) -> Any:
    what = f"adaptive_pool{rank}d"
    if pool_type not in ("max", "avg") or pool_type == "avg" and require_index:
        raise ValueError(f"{what}(pool_type): must be 'max' or 'avg', and 'max' with require_index. Received "
                         f"{pool_type!r}, require_index={require_index}.")
    type = f"max_pool{rank}d_with_index" if pool_type == "max" else f"pool{rank}d"
    size, ones, zeros = repeated(what, "pool_size", pool_size, rank), [1] * rank, [0] * rank
    helper = LayerHelper(type, name=name)
    if pool_type == "avg":
        return helper.apply(type, input, pooling_type="avg", ksize=size, strides=ones, paddings=zeros, adaptive=True,
                            data_format="NCHW" if rank == 2 else "NCDHW")
    result, index = helper.apply(type, input, ksize=size, strides=ones, paddings=zeros, adaptive=True)
    return (result, index) if require_index else result


@face
def adaptive_pool2d(input: Any, pool_size: Any, pool_type: str = "max", require_index: bool = False,
                    name: str | None = None) -> Any:
    """The largest or the mean of windows that make the result of a size, and where the largest were."""
    return _adapted(2, input, pool_size, pool_type, require_index, name)


@face
def adaptive_pool3d(input: Any, pool_size: Any, pool_type: str = "max", require_index: bool = False,
                    name: str | None = None) -> Any:
    """As `adaptive_pool2d`, of volumes."""
    return _adapted(3, input, pool_size, pool_type, require_index, name)


__all__ = ["adaptive_pool2d", "adaptive_pool3d", "pool2d", "pool3d"]
