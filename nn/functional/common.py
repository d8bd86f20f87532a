"""linear, dropout, padding and similarity as functions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...core.errors import AssertedError
from ...core.lazy import beside
from ...core.random import program_seed
from ...ops.array.concat_split import concat
from ...ops.array.full import exact, full, is_value, value_of
from ...ops.array.pad import MODES, pad_image_op, pad_op, padded_as_volume
from ...ops.array.slices import slice_
from ...ops.array.unknown_sizes import surrounded, vector_of
from ...ops.core.trace import apply, drawing
from ...ops.linalg.matrix_product import matmul_op
from ...ops.loss.cross_entropy import label_smooth
from ...ops.math.casting import cast
from ...ops.math.clip import clip
from ...ops.math.comparison import greater_equal
from ...ops.math.elementwise import add_op, multiply, scale
from ...ops.math.reduce import sum
from ...ops.math.unary import sqrt
from ...ops.nn.dropout import DOWNGRADE, UPSCALE, dropout_op
from ...ops.nn.window_arguments import check_format
from ...ops.random.sampling import uniform

__all__ = ["alpha_dropout", "cosine_similarity", "dropout", "dropout2d", "dropout3d", "label_smooth", "linear", "pad",
           "zeropad2d"]

if not TYPE_CHECKING:
    __getattr__ = beside(__name__)


def linear(x: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    """x · weight + bias: [..., m] by [m, n] gives [..., n].

    >>> import proa as paddle
    >>> paddle.nn.functional.linear(paddle.ones([1, 2]), paddle.ones([2, 3]), paddle.ones([3])).tolist()
    [[3.0, 3.0, 3.0]]
    """
    drawing("linear", name)
    product = apply(matmul_op, x, weight, trans_x=False, trans_y=False)
    return product if bias is None else apply(add_op, product, bias)


# dropout

_MODES = {"upscale_in_train": UPSCALE, "downscale_in_infer": DOWNGRADE}


def dropout(x: Any, p: float = 0.5, axis: int | Sequence[int] | None = None, training: bool = True,
            mode: str = "upscale_in_train", name: str | None = None) -> Any:
    """In training, x with each element set to 0 with probability p; in evaluation, all of x.

    'upscale_in_train' divides what is left by 1 - p in training; 'downscale_in_infer' multiplies by 1 - p in
    evaluation instead. With `axis` elements that differ only in other dimensions are dropped together.
    After "Dropout" (Srivastava et al., 2014).

    >>> import proa as paddle
    >>> x = paddle.ones([1000])
    >>> y = paddle.nn.functional.dropout(x, 0.5)
    >>> sorted(set(y.tolist())), 400 < int((y > 0).sum()) < 600
    ([0.0, 2.0], True)
    """
    if is_value(p):
        p = float(p)
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise TypeError(f"dropout(p): p must be a number. Received {p!r}.")
    if not 0 <= p <= 1:
        raise ValueError(f"dropout(p): p must lie in [0, 1]. Received {p}.")
    implementation = _MODES.get(mode)
    if implementation is None:
        raise ValueError(f"dropout(mode): must be 'upscale_in_train' or 'downscale_in_infer'. Received {mode!r}.")
    if p == 0:
        return value_of(x)
    if axis is None:
        seed = program_seed()
        return apply(dropout_op, x, None, dropout_prob=float(p), is_test=not training,
                     dropout_implementation=implementation, seed=seed, fix_seed=seed != 0)[0]
    return _dropout_along(x, float(p), [axis] if isinstance(axis, int) else list(axis), training, mode)


def _dropout_along(x: Any, p: float, axes: list[int], training: bool, mode: str) -> Any:
    rank = len(x.shape)
    if not axes or any(not -rank <= n < rank for n in axes):
        raise ValueError(f"dropout(axis): must name dimensions of x, which has {rank}. Received {axes}.")
    if not training:
        return value_of(x) if mode == "upscale_in_train" else scale(x, 1 - p)
    if p == 1:
        return scale(x, 0.0)
    kept = {n % rank for n in axes}
    scaled = scale(x, 1 / (1 - p)) if mode == "upscale_in_train" else x
    drawn = uniform(_sizes(x, kept), "float32", 0.0, 1.0)
    return multiply(scaled, cast(greater_equal(drawn, full([], p, "float32")), x.dtype))


def _sizes(x: Any, kept: set[int]) -> list[Any]:
    """The sizes of x in some dimensions and 1 in the others; a value where a size is not yet known."""
    from ...ops.array.assign import shape

    sizes: list[Any] = [size if n in kept else 1 for n, size in enumerate(x.shape)]
    return [shape(x)[n] if size == -1 else size for n, size in enumerate(sizes)]


def dropout2d(x: Any, p: float = 0.5, training: bool = True, data_format: str = "NCHW", name: str | None = None) -> Any:
    """dropout of whole channels of images [N, C, H, W] (or [N, H, W, C]).

    >>> import proa as paddle
    >>> x = paddle.ones([1, 2, 2, 2])
    >>> bool((paddle.nn.functional.dropout2d(x, 0.5, training=False) == x).all())
    True
    """
    return _dropout_channels("dropout2d", x, p, training, data_format, ("NCHW", "NHWC"))


def dropout3d(x: Any, p: float = 0.5, training: bool = True, data_format: str = "NCDHW",
              name: str | None = None) -> Any:
    """dropout of whole channels of volumes [N, C, D, H, W] (or [N, D, H, W, C]).

    >>> import proa as paddle
    >>> x = paddle.ones([1, 2, 1, 2, 2])
    >>> bool((paddle.nn.functional.dropout3d(x, 0.5, training=False) == x).all())
    True
    """
    return _dropout_channels("dropout3d", x, p, training, data_format, ("NCDHW", "NDHWC"))


def _dropout_channels(what: str, x: Any, p: float, training: bool, data_format: str, formats: tuple[str, str]) -> Any:
    x = value_of(x)
    if data_format not in formats or len(x.shape) != len(data_format):
        raise ValueError(f"{what}(x, data_format): data_format must be {formats[0]!r} or {formats[1]!r} and x have "
                         f"{len(formats[0])} dimensions. Received {data_format!r}, x.shape={list(x.shape)}.")
    return dropout(x, p, [0, data_format.index("C")], training)


def alpha_dropout(x: Any, p: float = 0.5, training: bool = True, name: str | None = None) -> Any:
    """dropout that keeps mean and variance of what selu gives: dropped elements get selu's limit, all are rescaled.

    After "Self-Normalizing Neural Networks" (Klambauer et al., 2017).

    >>> import proa as paddle
    >>> x = paddle.ones([2, 3])
    >>> bool((paddle.nn.functional.alpha_dropout(x, 0.5, training=False) == x).all())
    True
    """
    x = value_of(x)
    if not 0 <= p <= 1:
        raise ValueError(f"alpha_dropout(p): p must lie in [0, 1]. Received {p}.")
    if not training:
        return value_of(x)
    if p == 1:
        return scale(x, 0.0)
    limit = -1.6732632423543772 * 1.0507009873554805
    gain = 1 / math.sqrt((1 - p) * (1 + p * limit * limit))
    drawn = uniform(_sizes(x, set(range(len(x.shape)))), "float32", 0.0, 1.0)
    keep = cast(greater_equal(drawn, full([], p, "float32")), x.dtype)
    return scale(multiply(x, keep) + scale(keep, -limit, limit), gain, -gain * p * limit)


# padding

def pad(x: Any, pad: Any, mode: str = "constant", value: float = 0.0, data_format: str = "NCHW",
        name: str | None = None) -> Any:
    """x with something around it: `value` ('constant'), its mirror image ('reflect'), its edge ('replicate'), or what
    stands at its other end ('circular').

    `pad` holds (before, after) for the spatial dimensions, the last first: [left, right, top, bottom] of an image. With
    two numbers for every dimension of x and mode 'constant' it begins with the first dimension instead. Negative
    numbers take something away.

    >>> import proa as paddle
    >>> paddle.nn.functional.pad(paddle.ones([1, 1, 2, 2]), [1, 1, 0, 0]).tolist()
    [[[[0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]]]]
    """
    x = value_of(x)
    rank = len(x.shape)
    if mode not in MODES:
        raise AssertedError(f"pad(mode): must be one of {', '.join(MODES)}. Received {mode!r}.")
    check_format("pad", data_format, _PADDED)
    widths = pad if is_value(pad) else [pad] * (2 * (rank - 2)) if isinstance(pad, int) else list(pad)
    if isinstance(widths, list) and any(map(is_value, widths)):
        if len(widths) == 2 * rank and mode == "constant":
            return surrounded(x, widths, exact(value))
        widths = vector_of(widths)
    widths = widths if is_value(widths) else list(map(int, widths))
    if not is_value(widths) and min(widths, default=0) < 0:
        return _cut(pad_(x, [max(n, 0) for n in widths], mode, value, data_format), x, widths, mode, data_format)
    if not is_value(widths) and len(widths) == 2 * rank and mode == "constant":
        return apply(pad_op, x, paddings=widths, pad_value=exact(value))
    if rank not in (3, 4, 5):
        raise ValueError(f"pad(x, pad): x must have 3, 4 or 5 dimensions, or pad two numbers for each of its "
                         f"dimensions. Received x.shape={list(x.shape)}, pad={widths}.")
    return _pad_spatial(x, widths, mode, exact(value), data_format)


_PADDED = ("NCL", "NLC", "NCHW", "NHWC", "NCDHW", "NDHWC")
pad_ = pad  # under another name where an argument is called so


def _cut(padded: Any, x: Any, widths: list[int], mode: str, data_format: str) -> Any:
    """`padded`, which is x with the widths above 0, without what those below 0 take away."""
    rank, pairs = len(x.shape), list(zip(widths[::2], widths[1::2], strict=True))
    if len(pairs) == rank and mode == "constant":
        axes = list(range(rank))
    else:
        axes = list(range(rank - 1, 1, -1)) if data_format.startswith("NC") else list(range(rank - 2, 0, -1))
    for axis, pair in zip(axes, pairs, strict=True):
        if 0 <= x.shape[axis] < -(pair[0] + pair[1]):
            raise ValueError(f"pad(x, pad): more is taken away than there is along dimension {axis}. "
                             f"Received x.shape={list(x.shape)}, pad={widths}.")
    return slice_(padded, axes, [max(-before, 0) for before, _ in pairs],
                  [min(after, 0) or 2**31 - 1 for _, after in pairs])


def _pad_spatial(x: Any, widths: Any, mode: str, value: float, data_format: str) -> Any:
    spatial = len(x.shape) - 2
    tensor = None
    if is_value(widths):
        tensor, widths = cast(widths, "int32"), [0] * (2 * spatial)
        if spatial < 3:
            tensor = concat([tensor, full([6 - 2 * spatial], 0, "int32")])
    if len(widths) != 2 * spatial:
        raise ValueError(f"pad(x, pad): pad must hold {2 * spatial} numbers for x of {len(x.shape)} dimensions. "
                         f"Received {widths}.")
    if mode == "constant" and spatial < 3 and tensor is None:
        return apply(pad_image_op, x, paddings=widths, value=value, data_format=data_format)
    return padded_as_volume(x, paddings=widths, mode=mode, value=value, data_format=data_format, tensor=tensor)


def zeropad2d(x: Any, padding: Any, data_format: str = "NCHW", name: str | None = None) -> Any:
    """An image with zeros around it; `padding` is [left, right, top, bottom], or one int for all.

    >>> import proa as paddle
    >>> paddle.nn.functional.zeropad2d(paddle.ones([1, 1, 1, 2]), [1, 0, 0, 0]).tolist()
    [[[[0.0, 1.0, 1.0]]]]
    """
    return pad(x, [padding] * 4 if isinstance(padding, int) else padding, "constant", 0.0, data_format)


def cosine_similarity(x1: Any, x2: Any, axis: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between x1 and x2 along `axis`: x1 · x2 / max(|x1| |x2|, eps).

    >>> import proa as paddle
    >>> x, y = paddle.to_tensor([[1.0, 0.0]]), paddle.to_tensor([[0.0, 2.0]])
    >>> paddle.nn.functional.cosine_similarity(x, y).tolist()
    [0.0]
    """
    dot = sum(multiply(x1, x2), axis)
    squares = sum(multiply(x1, x1), axis) * sum(multiply(x2, x2), axis)
    return dot / sqrt(clip(squares, min=eps * eps))
