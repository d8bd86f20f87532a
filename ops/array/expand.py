"""Values repeated: expand, expand_as, broadcast_to, broadcast_shape, tile."""


from collections.abc import Sequence
from typing import Any

from ...backend.engines import NUMPY
from ...backend.kernels.copying import broadcast
from ...core.errors import public_function
from ..core.infer import broadcast_shapes
from ..core.kernels import by
from ..core.operator import Ints, operator
from ..core.result_names import results_named
from ..core.spec import Spec
from ..core.trace import apply
from .full import inferred_sizes, shape_inputs, sizes_of, value_of
from .gradient_shapes import sum_to
from .sizes import sizes_one_by_one


def _expanded(sizes: Sequence[int], wanted: Sequence[int]) -> tuple[int, ...]:
    """The wanted sizes, those of -1 (or, in files, -2 for a tensor's) being kept; ValueError where x does not fit."""
    extra = len(wanted) - len(sizes)
    if sizes == wanted[extra:] and extra >= 0 and -1 not in wanted:
        return tuple(wanted)
    result = tuple(size if size >= 0 else (sizes[n - extra] if n >= extra else -1) for n, size in enumerate(wanted))
    fits = extra >= 0 and all(
        have in (want, 1, -1) or want < 0 for have, want in zip(sizes, result[extra:], strict=False))
    if not fits or any(size == -1 for size in wanted[:extra]):
        raise ValueError(
            f"expand(x, shape): each size must be that of x, or -1 to keep it, or any where x has 1; counted from the "
            f"last dimension. Received x.shape={list(sizes)}, shape={list(wanted)}."
        )
    return result


def _expand(xp, x, shape_tensor=None, shape_list=None, *, shape: Ints = ()):
    return xp.broadcast_to(x, _expanded(x.shape, sizes_of(shape, shape_tensor, shape_list)))


def _expand_by_strides(x, shape_tensor=None, shape_list=None, *, shape: Ints = ()):
    return broadcast(x, _expanded(x.shape, sizes_of(shape, shape_tensor, shape_list)))


def _infer_expand(x, shape_tensor=None, shape_list=None, *, shape=()):
    if shape_tensor is not None or shape_list:
        return Spec(tuple(max(n, -1) for n in inferred_sizes(shape, shape_tensor, shape_list)), x.dtype)
    return Spec(_expanded(x.shape, shape), x.dtype)


expand_op = operator("expand_v2", "X, Shape?, expand_shapes_tensor*? -> Out~X", kernel=_expand, infer=_infer_expand,
                     engines=[by(NUMPY, _expand_by_strides)], grad={"X": lambda g, X_shape: sum_to(g, X_shape)},
                     moves=True, lod="drop", compiled="expand")


def _expand_as(xp, x, y=None, *, target_shape: Ints = ()):
    return xp.broadcast_to(x, _expanded(x.shape, target_shape if y is None else y.shape))


expand_as_op = operator("expand_as_v2", "X, Y? -> Out~X", kernel=_expand_as,
                        infer=lambda x, y=None, *, target_shape=(): Spec(
                            _expanded(x.shape, target_shape) if y is None else tuple(y.shape), x.dtype),
                        grad={"X": lambda g, X_shape: sum_to(g, X_shape)}, moves=True, lod="drop")


def _to(x: Any, shape: Any) -> Any:
    attribute, tensor, parts = shape_inputs(shape)
    if min(attribute, default=0) < -1:
        raise ValueError(f"{public_function()}(shape): a size must be -1, which keeps x's, 0 or more. "
                         f"Received {list(attribute)}.")
    return apply(expand_op, x, tensor, parts, shape=list(attribute))


@sizes_one_by_one
@results_named("expand")
def expand(x: Any, shape: Any, name: str | None = None) -> Any:
    """x repeated along its dimensions of size 1, and new ones in front, to `shape`; -1 keeps a size.

    >>> import proa as paddle
    >>> paddle.expand(paddle.to_tensor([[1], [2]]), [2, 3]).tolist()
    [[1, 1, 1], [2, 2, 2]]
    """
    return _to(x, shape)


@results_named("expand")
def broadcast_to(x: Any, shape: Any, name: str | None = None) -> Any:
    """x repeated to `shape`, into which it must broadcast: `expand`. -1 keeps a size.

    >>> import proa as paddle
    >>> paddle.broadcast_to(paddle.to_tensor([1, 2]), [2, 2]).tolist()
    [[1, 2], [1, 2]]
    """
    return _to(x, shape)


@results_named("expand_as")
def expand_as(x: Any, y: Any, name: str | None = None) -> Any:
    """x repeated to the shape of y.

    >>> import proa as paddle
    >>> paddle.expand_as(paddle.to_tensor([1, 2]), paddle.zeros([2, 2])).tolist()
    [[1, 2], [1, 2]]
    """
    x, y = value_of(x), value_of(y)
    return apply(expand_as_op, x, y, target_shape=list(y.shape))


def broadcast_shape(x_shape: Sequence[int], y_shape: Sequence[int]) -> list[int]:
    """The shape to which two shapes broadcast; ValueError when they do not.

    >>> import proa as paddle
    >>> paddle.broadcast_shape([2, 1, 3], [1, 3, 1])
    [2, 3, 3]
    """
    return list(broadcast_shapes("broadcast_shape", x_shape, y_shape))


def _repeats(repeat_times: Sequence[int], rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(repeat_times)) + tuple(repeat_times)


def _tile(xp, x, repeat_tensor=None, repeat_list=None, *, repeat_times: Ints = ()):
    return xp.tile(x, sizes_of(repeat_times, repeat_tensor, repeat_list))


def _infer_tile(x, repeat_tensor=None, repeat_list=None, *, repeat_times=()):
    times = inferred_sizes(repeat_times, repeat_tensor, repeat_list)
    times = _repeats(times, x.rank)
    sizes = (1,) * (len(times) - x.rank) + x.shape
    return Spec(tuple(-1 if -1 in pair else pair[0] * pair[1] for pair in zip(sizes, times, strict=True)), x.dtype)


def _fold_tiles(xp, g, repeat_tensor=None, repeat_list=None, *, repeat_times: Ints = (), rank: int):
    times = _repeats(sizes_of(repeat_times, repeat_tensor, repeat_list), g.ndim)
    parts = [n for size, count in zip(g.shape, times, strict=True) for n in (count, size // count if count else 0)]
    folded = g.reshape(parts).sum(axis=tuple(range(0, 2 * g.ndim, 2)), dtype=g.dtype)
    return folded.reshape(folded.shape[g.ndim - rank:])


def _infer_fold(g, repeat_tensor=None, repeat_list=None, *, repeat_times=(), rank):
    times = _repeats(inferred_sizes(repeat_times, repeat_tensor, repeat_list), g.rank)
    sizes = tuple(-1 if -1 in pair else pair[0] // pair[1] for pair in zip(g.shape, times, strict=True))
    return Spec(sizes[g.rank - rank:], g.dtype)


def _rank(shape: Any) -> int:
    return len(shape) if type(shape) is tuple else shape.ndim


tile_op = operator(
    "tile", "X, RepeatTimes?, repeat_times_tensor*? -> Out", kernel=_tile, infer=_infer_tile,
    grad={"X": lambda g, X_shape, RepeatTimes, repeat_times_tensor, repeat_times: apply(
        fold_tiles_op, g, RepeatTimes, repeat_times_tensor, repeat_times=repeat_times, rank=_rank(X_shape))},
    moves=True)
fold_tiles_op = operator(
    "fold_tiles", "X, RepeatTimes?, repeat_times_tensor*? -> Out", kernel=_fold_tiles, infer=_infer_fold,
    grad={"X": lambda g, RepeatTimes, repeat_times_tensor, repeat_times: apply(
        tile_op, g, RepeatTimes, repeat_times_tensor, repeat_times=repeat_times)}, only_here=True)


def tile(x: Any, repeat_times: Any, name: str | None = None) -> Any:
    """x laid side by side `repeat_times[i]` times along each dimension i; new dimensions come in front.

    >>> import proa as paddle
    >>> paddle.tile(paddle.to_tensor([1, 2]), [2, 2]).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    attribute, tensor, parts = shape_inputs(repeat_times)
    return apply(tile_op, x, tensor, parts, repeat_times=list(attribute))
