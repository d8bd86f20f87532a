"""Where the pixels of an image, moved by affine maps, lie in another: affine_grid."""

from collections.abc import Sequence
from typing import Any

from ...backend.devices import host_values
from ..array.assign import shape
from ..array.concat_split import concat
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply


def _line(xp: Any, count: int, align_corners: bool, dtype: Any) -> Any:
    """The coordinates of `count` elements from -1 to 1: of their middles, or of the first and the last at the ends."""
    line = xp.linspace(-1.0, 1.0, count, dtype=dtype)
    return line if align_corners else line * ((count - 1) / count)


def _base(xp: Any, sizes: Sequence[int], align_corners: bool, dtype: Any) -> Any:
    """[places, rank + 1]: the coordinates of each place, the last dimension first, and a 1."""
    rank = len(sizes)
    result = xp.ones((*sizes, rank + 1), dtype)
    for n, size in enumerate(sizes):
        result[..., rank - 1 - n] = _line(xp, size, align_corners, dtype).reshape(-1, *(1,) * (rank - n - 1))
    return result.reshape(-1, rank + 1)


def _affine_grid(xp, theta, output_tensor=None, *, align_corners: bool = True, output_shape: Ints = ()):
    sizes = [int(n) for n in (output_shape if output_tensor is None else host_values(output_tensor))]
    base = _base(xp, sizes[2:], align_corners, theta.dtype)
    return (base @ theta.swapaxes(1, 2)).reshape(theta.shape[0], *sizes[2:], theta.shape[1])


def _infer(theta, output_tensor=None, *, align_corners=True, output_shape=()):
    rank = theta.shape[-2]
    if theta.rank != 3 or rank not in (2, 3) or theta.shape[2] != rank + 1:
        raise ValueError("affine_grid(theta): must have the shape [N, 2, 3], or [N, 3, 4] for volumes. "
                         f"Received theta.shape={list(theta.shape)}.")
    if output_tensor is None and len(output_shape) != rank + 2:
        raise ValueError(f"affine_grid(theta, out_shape): out_shape must have {rank + 2} sizes for theta.shape="
                         f"{list(theta.shape)}. Received {list(output_shape)}.")
    sizes = [-1] * rank if output_tensor is not None else list(output_shape[2:])
    return Spec((theta.shape[0], *sizes, rank), theta.dtype)


def _back(xp, g, *, align_corners: bool = True):
    samples, sizes, rank = g.shape[0], g.shape[1:-1], g.shape[-1]
    base = _base(xp, sizes, align_corners, g.dtype)
    return g.reshape(samples, -1, rank).swapaxes(1, 2) @ base


def _again(g, G_shape, align_corners):
    if type(G_shape) is tuple:
        return apply(affine_grid_op, g, None, align_corners=align_corners,
                     output_shape=[G_shape[0], 1, *G_shape[1:-1]])
    sizes = shape(G_shape)
    whole = concat([sizes[:1], sizes[:1], sizes[1:-1]])
    return apply(affine_grid_op, g, whole, align_corners=align_corners, output_shape=[])


affine_grid_op = operator(
    "affine_grid", "Theta, OutputShape? -> Output", kernel=_affine_grid, infer=_infer,
    grad={"Theta": lambda g, align_corners: apply(affine_grid_grad_op, g, align_corners=align_corners)})
affine_grid_grad_op = operator(
    "affine_grid_grad", "G -> ThetaGrad", kernel=_back,
    infer=lambda g, *, align_corners=True: Spec((g.shape[0], g.shape[-1], g.shape[-1] + 1), g.dtype),
    grad={"G": _again}, only_here=True)
