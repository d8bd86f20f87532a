"""Maxima put back where max pooling found them: max_unpool1d, max_unpool2d, max_unpool3d."""

from __future__ import annotations

from typing import Any

from ...ops.array.full import full, is_value
from ...ops.array.reshape import reshape, squeeze, unsqueeze
from ...ops.array.take_along_axis import put_along_axis
from ...ops.array.unknown_sizes import count_of, only_a_run_knows, size_at
from ...ops.core.infer import shape_in
from ...ops.core.operator import Operator
from ...ops.core.trace import apply
from ...ops.nn.unpool import unpool3d_op, unpool_op
from ...ops.nn.window_arguments import check_format, repeated

__all__ = ["max_unpool1d", "max_unpool2d", "max_unpool3d"]


def _attributes(what: str, x: Any, kernel_size: Any, stride: Any, padding: Any, output_size: Any,
                rank: int) -> dict[str, list[int]]:
    if len(shape_in(x)) != rank + 2:
        raise ValueError(f"{what}(x): x must have {rank + 2} dimensions. Received x.shape={list(x.shape)}.")
    ksize = repeated(what, "kernel_size", kernel_size, rank)
    strides = ksize if stride is None else repeated(what, "stride", stride, rank)
    pads = repeated(what, "padding", padding, rank)
    usual = [(size_at(x, axis) - 1) * s - 2 * p + k
             for axis, s, p, k in zip((2, 3, 4), strides, pads, ksize, strict=False)]
    return {"ksize": ksize, "strides": strides, "paddings": pads,
            "output_size": usual if output_size is None else _chosen(what, output_size, usual, strides)}


def _chosen(what: str, output_size: Any, usual: list[int], strides: list[int]) -> list[int]:
    sizes = [n if only_a_run_knows(n) else int(n) for n in output_size]
    if len(sizes) == len(usual) + 2:
        sizes = sizes[2:]
    if len(sizes) != len(usual):
        raise ValueError(f"{what}(output_size): must have {len(usual)} sizes, or {len(usual) + 2}. "
                         f"Received {output_size!r}.")
    for n, (size, least, stride) in enumerate(zip(sizes, usual, strides, strict=True)):
        if not is_value(size) and not is_value(least) and not least - stride < size < least + stride:
            raise ValueError(f"{what}(output_size): size {n} must lie between {least - stride} and {least + stride}, "
                             f"without these. Received {output_size!r}.")
    return sizes


def _unpooled(op: Operator, x: Any, indices: Any, data_format: str, attrs: dict[str, Any]) -> Any:
    sizes = attrs["output_size"]
    if not any(map(only_a_run_knows, sizes)):
        return apply(op, x, indices, data_format=data_format, **attrs)
    if len(shape_in(indices)) != x.ndim:
        raise ValueError(f"max_unpool(x, indices): both must have the same shape. Received x.shape={list(x.shape)}, "
                         f"indices.shape={list(indices.shape)}.")
    images = [size_at(x, 0), size_at(x, 1)]
    zeros = full([*images, count_of(sizes)], 0, x.dtype)
    values, places = (reshape(each, [*images, -1]) for each in (x, indices))
    return reshape(put_along_axis(zeros, places, values, 2), [*images, *sizes])


def max_unpool1d(x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, data_format: str = "NCL",
                 output_size: Any = None, name: str | None = None) -> Any:
    """As `max_unpool2d` over x [N, C, L].

    >>> import proa as paddle
    >>> x = paddle.rand([1, 2, 4])
    >>> y, places = paddle.nn.functional.max_pool1d(x, 2, return_mask=True)
    >>> paddle.nn.functional.max_unpool1d(y, places, 2).shape
    [1, 2, 4]
    """
    check_format("max_unpool1d", data_format, ("NCL",))
    attrs = _attributes("max_unpool1d", x, kernel_size, stride, padding, output_size, 1)
    added = {"ksize": 1, "strides": 1, "paddings": 0, "output_size": 1}
    flat = {name: [added[name], *value] for name, value in attrs.items()}
    return squeeze(_unpooled(unpool_op, unsqueeze(x, 2), unsqueeze(indices, 2), "NCHW", flat), 2)


def max_unpool2d(x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 data_format: str = "NCHW", output_size: Any = None, name: str | None = None) -> Any:
    """Zeros with the elements of x [N, C, H, W] at `indices`, the positions that `max_pool2d` gave (return_mask=True).

    The result has the size that pooling with this window, stride and padding makes x of, or `output_size` where
    several are possible. Raises ValueError for one that is not.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([[[[1.0, 2.0], [4.0, 3.0]]]])
    >>> y, positions = paddle.nn.functional.max_pool2d(x, 2, return_mask=True)
    >>> paddle.nn.functional.max_unpool2d(y, positions, 2).tolist()
    [[[[0.0, 0.0], [4.0, 0.0]]]]
    """
    check_format("max_unpool2d", data_format, ("NCHW",))
    return _unpooled(unpool_op, x, indices, data_format,
                     _attributes("max_unpool2d", x, kernel_size, stride, padding, output_size, 2))


def max_unpool3d(x: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0,
                 data_format: str = "NCDHW", output_size: Any = None, name: str | None = None) -> Any:
    """As `max_unpool2d` over x [N, C, D, H, W].

    >>> import proa as paddle
    >>> x = paddle.rand([1, 2, 4, 4, 4])
    >>> y, places = paddle.nn.functional.max_pool3d(x, 2, return_mask=True)
    >>> paddle.nn.functional.max_unpool3d(y, places, 2).shape
    [1, 2, 4, 4, 4]
    """
    check_format("max_unpool3d", data_format, ("NCDHW",))
    return _unpooled(unpool3d_op, x, indices, data_format,
                     _attributes("max_unpool3d", x, kernel_size, stride, padding, output_size, 3))
