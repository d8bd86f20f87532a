"""Convolution and maximum pooling of coo tensors whose last dimension, the channels, is dense: conv2d, conv3d, ….

A submanifold convolution (`subm_…`) has its result at the input's places alone; the others have one wherever a filter
meets an entry.
"""


import math
from collections.abc import Sequence
from typing import Any

from ..array.full import zeros
from ..array.reshape import reshape
from ..core.infer import shape_in
from ..core.trace import apply
from ..graph.messages import send_recv_op
from ..nn.window_arguments import check_format, padding_attributes, repeated
from .conversion import coalesce
from .rulebook import convolved_op, rulebook_op
from .values import check_sparse, coo


def _check_input(what: str, x: Any, count: int) -> None:
    check_sparse(what, x)
    if not x.is_sparse_coo() or len(x.shape) != count + 2 or x.indices().shape[0] != count + 1:
        kind = f"coo with sparse_dim={x.indices().shape[0]}" if x.is_sparse_coo() else "csr"
        raise ValueError(f"paddle.sparse.{what}: x must be a coo tensor of {count + 2} dimensions, batch and channels "
                         f"among them, with indices of all but the channels (sparse_dim={count + 1}). Received {kind} "
                         f"of shape {list(x.shape)}.")


def _around(what: str, padding: Any, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int],
            reaches: Sequence[int]) -> list[tuple[int, int]]:
    """How many zeros stand before and behind each dimension."""
    pads, algorithm = padding_attributes(what, padding, len(sizes), channels_last=True)
    if algorithm == "SAME":
        lacking = [max((math.ceil(n / s) - 1) * s + r - n, 0) for n, s, r in zip(sizes, strides, reaches, strict=True)]
        return [(n // 2, n - n // 2) for n in lacking]
    if len(pads) == len(sizes):
        return [(n, n) for n in pads]
    return list(zip(pads[::2], pads[1::2], strict=True))


def _rules(what: str, x: Any, kernel: list[int], stride: Any, padding: Any, dilation: Any, ceil_mode: bool = False,
           keeps_places: bool = False) -> tuple[Any, Any, Any, Any, list[int]]:
    """Places, sources, targets and counts of the rulebook, and the result's sizes without batch and channels."""
    sizes = list(x.shape)[1:-1]
    strides = repeated(what, "stride", stride, len(sizes))
    steps = repeated(what, "dilation", dilation, len(sizes))
    reaches = [step * (k - 1) + 1 for step, k in zip(steps, kernel, strict=True)]
    if keeps_places:
        strides, out = [1] * len(sizes), sizes
        before = [step * (k // 2) for step, k in zip(steps, kernel, strict=True)]
    else:
        around = _around(what, padding, sizes, kernel, strides, reaches)
        before = [first for first, _ in around]
        extra = [s - 1 if ceil_mode else 0 for s in strides]
        out = [(n + sum(pads) - r + e) // s + 1
               for n, pads, r, s, e in zip(sizes, around, reaches, strides, extra, strict=True)]
    if min(out) < 1:
        raise ValueError(f"paddle.sparse.{what}: the kernel {kernel} with dilation {steps} does not fit into the sizes "
                         f"{sizes} with padding {padding}.")
    book = apply(rulebook_op, x.indices(), sizes=[x.shape[0], *sizes], out_sizes=out, kernel=kernel, strides=strides,
                 paddings=before, dilations=steps, keeps_places=keeps_places)
    return *book, out


def _conv(what: str, x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int,
          data_format: str, keeps_places: bool) -> Any:
    count = len(shape_in(weight)) - 2
    check_format(f"paddle.sparse.{what}", data_format, ["NHWC" if count == 2 else "NDHWC"])
    if groups != 1:
        raise ValueError(f"paddle.sparse.{what}(groups): must be 1. Received {groups}.")
    _check_input(f"{what}(x)", x, count)
    kernel, channels = list(weight.shape[:count]), weight.shape[count]
    if x.shape[-1] != channels:
        raise ValueError(f"paddle.sparse.{what}(x, weight): x must have {channels} channels, as weight of shape "
                         f"{list(weight.shape)} says. Received shape {list(x.shape)}.")
    x = x if keeps_places else coalesce(x)
    places, sources, targets, counts, sizes = _rules(what, x, kernel, stride, padding, dilation,
                                                     keeps_places=keeps_places)
    base = zeros([places.shape[1], weight.shape[-1]], x.dtype)
    base = base if bias is None else base + bias
    parts = reshape(weight, [-1, channels, weight.shape[-1]])
    values = apply(convolved_op, base, x.values(), parts, sources, targets, counts)
    return coo(places.astype(x.indices().dtype), values, [x.shape[0], *sizes, weight.shape[-1]])


def conv3d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1, data_format: str = "NDHWC", name: str | None = None) -> Any:
    """Convolution of a coo tensor [N, D, H, W, C] (sparse_dim=4) with `weight` [kD, kH, kW, C, M], dense.

    The result is coo, with an entry wherever the filter meets one of x; `bias` [M] is added to these alone. Stride,
    padding and dilation as in `paddle.nn.functional.conv3d`; `groups` must be 1.

    >>> import proa as paddle
    >>> x = paddle.ones([1, 2, 2, 2, 3]).to_sparse_coo(4)
    >>> paddle.sparse.nn.functional.conv3d(x, paddle.ones([2, 2, 2, 3, 1])).values().tolist()
    [[24.0]]
    """
    return _conv("nn.functional.conv3d", x, weight, bias, stride, padding, dilation, groups, data_format, False)


def subm_conv3d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                groups: int = 1, data_format: str = "NDHWC", key: str | None = None, name: str | None = None) -> Any:
    """Submanifold convolution: as `conv3d`, with a result at the places of x, over which the filter is centred.

    Stride is 1 and the padding follows from the filter, whatever is given. `key` names a rulebook to be shared; here
    each call makes its own.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 0], [0, 0], [1, 1], [0, 1]], [[1.0], [2.0]], [1, 1, 4, 4, 1])
    >>> y = paddle.sparse.nn.functional.subm_conv3d(x, paddle.ones([3, 3, 3, 1, 1]))
    >>> y.indices().tolist() == x.indices().tolist(), y.values().tolist()
    (True, [[3.0], [3.0]])
    """
    return _conv("nn.functional.subm_conv3d", x, weight, bias, stride, padding, dilation, groups, data_format, True)


def conv2d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
           groups: int = 1, data_format: str = "NHWC", name: str | None = None) -> Any:
    """As `conv3d`, of a coo tensor [N, H, W, C] (sparse_dim=3) with `weight` [kH, kW, C, M].

    >>> import proa as paddle
    >>> x = paddle.ones([1, 2, 2, 3]).to_sparse_coo(3)
    >>> paddle.sparse.nn.functional.conv2d(x, paddle.ones([2, 2, 3, 1])).values().tolist()
    [[12.0]]
    """
    return _conv("nn.functional.conv2d", x, weight, bias, stride, padding, dilation, groups, data_format, False)


def subm_conv2d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                groups: int = 1, data_format: str = "NHWC", key: str | None = None, name: str | None = None) -> Any:
    """As `subm_conv3d`, of a coo tensor [N, H, W, C] with `weight` [kH, kW, C, M].

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0, 0], [1, 1], [0, 1]], [[1.0], [2.0]], [1, 4, 4, 1])
    >>> y = paddle.sparse.nn.functional.subm_conv2d(x, paddle.ones([3, 3, 1, 1]))
    >>> y.indices().tolist() == x.indices().tolist(), y.values().tolist()
    (True, [[3.0], [3.0]])
    """
    return _conv("nn.functional.subm_conv2d", x, weight, bias, stride, padding, dilation, groups, data_format, True)


def max_pool3d(x: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
               data_format: str = "NDHWC", name: str | None = None) -> Any:
    """The maxima of the entries of a coo tensor [N, D, H, W, C] (sparse_dim=4) in each window that has any.

    Places without an entry do not count as zeros. Of equal maxima each has the whole gradient.

    >>> import proa as paddle
    >>> x = paddle.sparse.sparse_coo_tensor([[0], [1], [0], [1]], [[-5.0]], [1, 2, 2, 2, 1])
    >>> paddle.sparse.nn.functional.max_pool3d(x, 2).values().tolist()
    [[-5.0]]
    """
    what = "nn.functional.max_pool3d"
    check_format(f"paddle.sparse.{what}", data_format, ["NDHWC"])
    _check_input(f"{what}(x)", x, 3)
    kernel = repeated(what, "kernel_size", kernel_size, 3)
    x = coalesce(x)
    places, sources, targets, _, sizes = _rules(what, x, kernel, kernel if stride is None else stride, padding, 1,
                                                ceil_mode)
    values = apply(send_recv_op, x.values(), sources, targets, None, reduce_op="MAX", out_size=[places.shape[1]])[0]
    return coo(places.astype(x.indices().dtype), values, [x.shape[0], *sizes, x.shape[-1]])
