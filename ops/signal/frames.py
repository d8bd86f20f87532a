"""Signals cut into frames that overlap, and frames added up to a signal: frame, overlap_add, each other's gradients.

Along the last dimension frames are columns, [..., frame_length, count], along the first [count, frame_length, ...].
"""


from typing import Any

from ...core.errors import AssertedError
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.matrices import checked


def _frame(xp, x, *, frame_length: int, hop_length: int, axis: int = -1):
    _check_lengths(x.shape, frame_length, hop_length, axis)
    if axis == 0:
        count = 1 + (x.shape[0] - frame_length) // hop_length
        return x[xp.arange(count)[:, None] * hop_length + xp.arange(frame_length)]
    count = 1 + (x.shape[-1] - frame_length) // hop_length
    return x[..., xp.arange(frame_length)[:, None] + xp.arange(count) * hop_length]


def _check_axis(what: str, axis: int, hop_length: int) -> None:
    if axis not in (0, -1):
        raise AssertedError(f"{what}: axis must be 0 or -1. Received {axis}.")
    if hop_length <= 0:
        raise AssertedError(f"{what}: hop_length must be positive. Received {hop_length}.")


def _check_lengths(shape: tuple[int, ...], frame_length: int, hop_length: int, axis: int) -> int:
    """The size along the axis."""
    _check_axis("frame(x)", axis, hop_length)
    size = shape[axis] if shape else 0
    if frame_length <= 0 or (0 <= size < frame_length):
        raise AssertedError(f"frame(x, frame_length): must lie between 1 and the length {size} of the signal. "
                            f"Received frame_length={frame_length}, x.shape={list(shape)}, axis={axis}.")
    return size


def _infer_frame(x, *, frame_length, hop_length, axis=-1):
    size = _check_lengths(x.shape, frame_length, hop_length, axis)
    count = -1 if size == -1 else 1 + (size - frame_length) // hop_length
    shape = (count, frame_length, *x.shape[1:]) if axis == 0 else (*x.shape[:-1], frame_length, count)
    return Spec(shape, x.dtype)


def _added(xp: Any, x: Any, hop: int, axis: int, size: int | None) -> Any:
    """The sum of frames at their places, in a signal of the length that they take, or of a given one.

    A frame is cut into pieces of a hop; the n-th pieces of all frames lie side by side, and are added at once.
    """
    frames = xp.moveaxis(x, (0, 1), (-2, -1)) if axis == 0 else x.swapaxes(-1, -2)  # [..., count, length]
    batch, (count, length) = frames.shape[:-2], frames.shape[-2:]
    pieces = -(-length // hop)
    padded = xp.zeros((*batch, count, pieces * hop), x.dtype)
    padded[..., :length] = frames
    padded = padded.reshape(*batch, count, pieces, hop)
    signal = xp.zeros((*batch, count + pieces - 1, hop), x.dtype)
    for n in range(pieces):
        signal[..., n:n + count, :] += padded[..., n, :]
    signal = signal.reshape(*batch, (count + pieces - 1) * hop)
    taken = (count - 1) * hop + length
    if size is None or size <= taken:
        result = signal[..., :taken if size is None else size]
    else:
        result = xp.zeros((*batch, size), x.dtype)
        result[..., :taken] = signal[..., :taken]
    return xp.moveaxis(result, -1, 0) if axis == 0 else result


def _overlap_add(xp, x, *, hop_length: int, axis: int = -1):
    return _added(xp, x, hop_length, axis, None)


def _frame_sizes(x: Spec, axis: int) -> tuple[tuple[int, ...], int, int]:
    """The other dimensions, the frames' length, and their count."""
    return (x.shape[2:], x.shape[1], x.shape[0]) if axis == 0 else (x.shape[:-2], x.shape[-2], x.shape[-1])


def _infer_overlap_add(x, *, hop_length, axis=-1):
    _check_axis("overlap_add(x)", axis, hop_length)
    if x.rank < 2:
        raise ValueError(f"overlap_add(x): x must have at least 2 dimensions. Received shape {list(x.shape)}.")
    batch, length, count = _frame_sizes(x, axis)
    size = -1 if -1 in (length, count) else (count - 1) * hop_length + length
    return Spec((size, *batch) if axis == 0 else (*batch, size), x.dtype)


def _overlap_add_to(xp, x, like=None, *, shape: list[int] = (), hop_length: int, axis: int = -1):
    return _added(xp, x, hop_length, axis, (shape if like is None else like.shape)[axis])


def _frame_gradient(g: Any, shape: Any, hop_length: int, axis: int) -> Any:
    known = type(shape) is tuple
    return apply(overlap_add_to_op, g, None if known else shape, shape=list(shape) if known else [],
                 hop_length=hop_length, axis=axis)


def _overlap_add_gradient(g: Any, shape: Any, hop_length: int, axis: int) -> Any:
    length = (shape if type(shape) is tuple else shape.shape)[1 if axis == 0 else -2]
    if length == -1:
        raise ValueError("overlap_add(x): its gradient needs the length of the frames, which is not known. Declare "
                         f"that size of x. Received x.shape={list(shape.shape)}.")
    return apply(frame_op, g, frame_length=length, hop_length=hop_length, axis=axis)


frame_op = operator("frame", "X -> Out", kernel=_frame, infer=_infer_frame, grad={
    "X": lambda g, X_shape, hop_length, axis: _frame_gradient(g, X_shape, hop_length, axis)}, moves=True, lod="drop")
overlap_add_op = operator("overlap_add", "X -> Out", kernel=_overlap_add, infer=_infer_overlap_add, grad={
    "X": lambda g, X_shape, hop_length, axis: _overlap_add_gradient(g, X_shape, hop_length, axis)}, lod="drop")
overlap_add_to_op = operator(
    "overlap_add_to", "X, Like? -> Out", kernel=_overlap_add_to,
    infer=lambda x, like=None, *, shape=(), hop_length, axis=-1: Spec(
        tuple(shape) if like is None else like.shape, x.dtype),
    grad={"X": lambda g, X_shape, hop_length, axis: _overlap_add_gradient(g, X_shape, hop_length, axis)},
    only_here=True)


def frame(x: Any, frame_length: int, hop_length: int, axis: int = -1, name: str | None = None) -> Any:
    """The parts of `frame_length` elements that begin each `hop_length` elements of a signal.

    Along the last dimension frames are columns, [..., frame_length, count]; with axis=0 x is [size, ...] and the
    result [count, frame_length, ...]. What does not fill a frame at the end is left out. Raises ValueError where
    frame_length exceeds the signal.

    >>> import proa as paddle
    >>> paddle.signal.frame(paddle.arange(6), 4, 2, axis=0).tolist()
    [[0, 1, 2, 3], [2, 3, 4, 5]]
    """
    return checked(frame_op, x, frame_length=int(frame_length), hop_length=int(hop_length), axis=axis)


def overlap_add(x: Any, hop_length: int, axis: int = -1, name: str | None = None) -> Any:
    """The sum of frames as `frame` gives them, each at its place: [..., frame_length, count] gives [..., size].

    >>> import proa as paddle
    >>> paddle.signal.overlap_add(paddle.ones([4, 2]), 2).tolist()
    [1.0, 1.0, 2.0, 2.0, 1.0, 1.0]
    """
    return checked(overlap_add_op, x, hop_length=int(hop_length), axis=axis)
