"""Windows of an image as columns, and columns added up to an image: unfold and fold, which are each other's gradients.
"""


import itertools
from collections.abc import Sequence
from typing import Any

from ...core.errors import AssertedError
from ..core.infer import product
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from .windows import Geometry, geometry, padded, windows


def _geometry(what: str, sizes: Sequence[int], kernel: Sequence[int], strides: Sequence[int], paddings: Sequence[int],
              dilations: Sequence[int]) -> Geometry:
    """Where the windows lie; `paddings` is top, left, bottom, right."""
    top, left, bottom, right = paddings
    return geometry(what, sizes, kernel, strides, [top, bottom, left, right], dilations)


def _unfold(xp, x, *, kernel_sizes: Ints, strides: Ints, paddings: Ints, dilations: Ints):
    geo = _geometry("unfold", x.shape[2:], kernel_sizes, strides, paddings, dilations)
    columns = windows(xp, padded(xp, x, geo), geo)
    return columns.reshape(x.shape[0], x.shape[1] * product(geo.kernel), product(geo.out))


def _infer_unfold(x, *, kernel_sizes, strides, paddings, dilations):
    if x.rank != 4:
        raise AssertedError(f"unfold(x): x must have 4 dimensions [N, C, H, W]. Received x.shape={list(x.shape)}.")
    geo = _geometry("unfold", x.shape[2:], kernel_sizes, strides, paddings, dilations)
    channels = x.shape[1] * product(geo.kernel) if x.shape[1] >= 0 else -1
    return Spec((x.shape[0], channels, product(geo.out)), x.dtype)


def _folded(xp: Any, columns: Any, geo: Geometry) -> Any:
    samples, channels = columns.shape[0], columns.shape[1] // product(geo.kernel)
    columns = columns.reshape(samples, channels, *geo.kernel, *geo.out)
    result = xp.zeros((samples, channels, *geo.padded), columns.dtype)
    for offsets in itertools.product(*map(range, geo.kernel)):
        result[(..., *geo.place(offsets))] += columns[(slice(None), slice(None), *offsets)]
    return result[(..., *geo.inner)]


def _fold(xp, x, *, output_sizes: Ints, kernel_sizes: Ints, strides: Ints, paddings: Ints, dilations: Ints):
    return _folded(xp, x, _geometry("fold", output_sizes, kernel_sizes, strides, paddings, dilations))


def _infer_fold(x, *, output_sizes, kernel_sizes, strides, paddings, dilations):
    geo = _geometry("fold", output_sizes, kernel_sizes, strides, paddings, dilations)
    each, count = product(kernel_sizes), product(geo.out)
    if x.rank != 3 or (x.shape[1] >= 0 and x.shape[1] % each) or x.shape[2] not in (-1, count):
        raise AssertedError(
            f"fold(x, output_sizes): x must have the shape [N, C * {each}, {count}], a column for each of the windows "
            f"in an image of size {list(output_sizes)}. Received x.shape={list(x.shape)}."
        )
    return Spec((x.shape[0], x.shape[1] // each if x.shape[1] >= 0 else -1, *output_sizes), x.dtype)


def _fold_like(xp, x, like, *, kernel_sizes: Ints, strides: Ints, paddings: Ints, dilations: Ints):
    return _folded(xp, x, _geometry("fold", like.shape[2:], kernel_sizes, strides, paddings, dilations))


def _to_image(g, X_shape, kernel_sizes, strides, paddings, dilations):
    attrs = {"kernel_sizes": kernel_sizes, "strides": strides, "paddings": paddings, "dilations": dilations}
    shape = X_shape if type(X_shape) is tuple else tuple(X_shape.shape)
    if -1 in shape[2:]:
        return apply(fold_like_op, g, X_shape, **attrs)
    return apply(fold_op, g, output_sizes=list(shape[2:]), **attrs)


def _to_columns(g, kernel_sizes, strides, paddings, dilations):
    return apply(unfold_op, g, kernel_sizes=kernel_sizes, strides=strides, paddings=paddings, dilations=dilations)


unfold_op = operator("unfold", "X -> Y", kernel=_unfold, infer=_infer_unfold, grad={"X": _to_image}, moves=True,
                     lod="drop")
fold_op = operator("fold", "X -> Y", kernel=_fold, infer=_infer_fold, grad={"X": _to_columns}, lod="drop")
fold_like_op = operator("fold_like", "X, Like -> Y", kernel=_fold_like,
                        infer=lambda x, like, **_: Spec(like.shape, x.dtype), grad={"X": _to_columns}, only_here=True)
