"""deformable_psroi_pooling: regions of images in bins that are shifted (Dai et al., Deformable Convolutional Networks,
2017)."""

from collections.abc import Sequence
from typing import Any

from ...backend.scatter import add_at
from ..core.gradient import differentiable_once
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from .roi import _given_counts
from .roi_kernels import counts_of, images_of, rounded


class _Bins:
    """The samples in the bins of regions: their places, and the channels that they are of."""

    def __init__(self, xp: Any, x: Any, rois: Any, trans: Any, counts: Any, *, output_dim: int, spatial_scale: float,
                 bins: Sequence[int], group: Sequence[int], part: Sequence[int], samples: int, std: float):
        self.xp, self.samples, self.std = xp, samples, std
        self.kinds = 1 if trans is None else trans.shape[1] // 2  # of shifts, for a share of the channels each
        self.kind = xp.arange(output_dim) // (output_dim // self.kinds)
        start = rounded(xp, rois[:, :2]) * spatial_scale - 0.5
        self.spans = xp.maximum((rounded(xp, rois[:, 2:]) + 1) * spatial_scale - 0.5 - start, 0.1)  # across, down
        number = [xp.arange(n, dtype=rois.dtype) for n in bins]
        at = [xp.floor(number[n] / bins[n] * part[n]).astype("int64") for n in range(2)]
        self.shift_at = (at[0][:, None], at[1])
        shifts = xp.zeros((len(rois), 1, 2, *bins), rois.dtype) if trans is None else trans.reshape(
            len(rois), self.kinds, 2, *trans.shape[2:])[:, :, :, at[0][:, None], at[1]] * std
        places = []
        for n, size in enumerate(x.shape[2:]):
            axis = 1 - n
            step = self.spans[:, axis] / bins[n]
            first = number[n] * step[:, None] + start[:, axis, None]  # [R, bins]
            first = first[:, None, :, None] if n == 0 else first[:, None, None, :]
            first = first + shifts[:, :, axis] * self.spans[:, axis, None, None, None]
            inner = xp.arange(samples, dtype=rois.dtype) * (step / samples)[:, None, None, None, None]
            place = first[..., None] + inner
            places.append((place, (place >= -0.5) & (place <= size - 0.5), size))
        (down, down_there, _), (across, across_there, _) = places
        self.there = down_there[..., :, None] & across_there[..., None, :]  # [R, kinds, *bins, samples, samples]
        self.low, self.share = [], []
        for place, _, size in places:
            place = xp.clip(place, 0, size - 1)
            self.low.append(xp.floor(place).astype("int64"))
            self.share.append(place - xp.floor(place))
        self.size, self.channels = x.shape[2:], x.shape[1]
        self.image = images_of(xp, counts, len(rois)).reshape(-1, 1, 1, 1, 1, 1)
        groups = [xp.clip(xp.floor(number[n] * group[n] / bins[n]), 0, group[n] - 1).astype("int64") for n in range(2)]
        channel = (xp.arange(output_dim)[:, None, None] * group[0] + groups[0][:, None]) * group[1] + groups[1]
        self.channel = channel[None, :, :, :, None, None]
        self.count = self.there.sum((-2, -1))[:, self.kind].astype(x.dtype)

    def corners(self) -> list[tuple[Any, Any, Any]]:
        """For the four elements around each sample its flat position in all images, and its shares down and across."""
        xp, result = self.xp, []
        for a in range(2):
            for b in range(2):
                down = xp.minimum(self.low[0] + a, self.size[0] - 1)[:, self.kind][..., :, None]
                across = xp.minimum(self.low[1] + b, self.size[1] - 1)[:, self.kind][..., None, :]
                at = ((self.image * self.channels + self.channel) * self.size[0] + down) * self.size[1] + across
                shares = [(share if side else 1 - share)[:, self.kind]
                          for share, side in zip(self.share, (a, b), strict=True)]
                result.append((at, shares[0][..., :, None], shares[1][..., None, :]))
        return result

    def weights(self, g: Any) -> Any:
        """What each sample's gradient is, of the bins' `g`: [R, C, *bins, samples, samples]."""
        share = self.xp.where(self.count > 0, g / self.xp.maximum(self.count, 1), 0)
        return share[..., None, None] * self.there[:, self.kind]


def _bins(xp: Any, x: Any, rois: Any, trans: Any, counts: Any, *, no_trans: bool, spatial_scale: float, output_dim: int,
          group_size: Sequence[int], pooled_height: int, pooled_width: int, part_size: Sequence[int],
          sample_per_part: int, trans_std: float) -> _Bins:
    return _Bins(xp, x, rois, None if no_trans else trans, counts, output_dim=output_dim, spatial_scale=spatial_scale,
                 bins=(pooled_height, pooled_width), group=group_size, part=part_size, samples=sample_per_part,
                 std=trans_std)


def _pooled(xp, x, rois, trans=None, lod=(), *, no_trans: bool = False, spatial_scale: float = 1.0,
            output_dim: int = 1, group_size: Ints = (1, 1), pooled_height: int = 1, pooled_width: int = 1,
            part_size: Ints = (1, 1), sample_per_part: int = 1, trans_std: float = 0.1):
    found = _bins(xp, x, rois, trans, counts_of(xp, rois, lod), no_trans=no_trans, spatial_scale=spatial_scale,
                  output_dim=output_dim, group_size=group_size, pooled_height=pooled_height, pooled_width=pooled_width,
                  part_size=part_size, sample_per_part=sample_per_part, trans_std=trans_std)
    flat = x.reshape(-1)
    total = sum(flat[at] * (down * across) for at, down, across in found.corners())
    made = (total * found.there[:, found.kind]).sum((-2, -1)) / xp.maximum(found.count, 1)
    return made.astype(x.dtype), found.count


def _infer(x, rois, trans=None, lod=(), *, no_trans=False, output_dim=1, group_size=(1, 1), pooled_height=1,
           pooled_width=1, part_size=(1, 1), **_):
    what = "deformable_roi_pooling"
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] not in (4, -1):
        raise ValueError(f"{what}(input, rois): must be images [N, C, H, W] and regions [R, 4]. Received shapes "
                         f"{list(x.shape)} and {list(rois.shape)}.")
    if x.shape[1] not in (-1, output_dim * group_size[0] * group_size[1]):
        raise ValueError(f"{what}(input, group_size): the result has {output_dim} channels, of which each takes "
                         f"{group_size[0] * group_size[1]} of the input's. Received an input of {x.shape[1]}.")
    if not no_trans and (trans is None or trans.rank != 4 or trans.shape[1] % 2
                         or any(n not in (-1, m) and n < m for n, m in zip(trans.shape[2:], part_size, strict=True))):
        raise ValueError(f"{what}(trans): must hold shifts across and down of each part, [R, 2 * kinds, "
                         f"{part_size[0]}, {part_size[1]}]. Received "
                         f"{'none' if trans is None else list(trans.shape)}.")
    spec = Spec((rois.shape[0], output_dim, pooled_height, pooled_width), x.dtype)
    return spec, spec


def _slopes(xp, g, x, rois, trans, counts, *, no_trans: bool = False, spatial_scale: float = 1.0,
            output_dim: int = 1, group_size: Ints = (1, 1), pooled_height: int = 1, pooled_width: int = 1,
            part_size: Ints = (1, 1), sample_per_part: int = 1, trans_std: float = 0.1):
    found = _bins(xp, x, rois, trans, counts, no_trans=no_trans, spatial_scale=spatial_scale, output_dim=output_dim,
                  group_size=group_size, pooled_height=pooled_height, pooled_width=pooled_width, part_size=part_size,
                  sample_per_part=sample_per_part, trans_std=trans_std)
    given, d_x, flat = found.weights(g), xp.zeros(x.size, g.dtype), x.reshape(-1)
    d_trans = xp.zeros(trans.shape, g.dtype)
    along = []
    for number, (at, down, across) in enumerate(found.corners()):
        add_at(xp, d_x, at.reshape(-1), xp.broadcast_to(given * down * across, at.shape).reshape(-1))
        held = flat[at] * given
        along.append(((1 if number % 2 else -1) * held * down, (1 if number // 2 else -1) * held * across))
    if not no_trans:
        parts = d_trans.reshape(len(rois), found.kinds, 2, *trans.shape[2:])
        moves = [share > 0 for share in found.share]  # a sample on an element, or at the edge, has no neighbour
        moves = [moves[1][:, found.kind][..., None, :], moves[0][:, found.kind][..., :, None]]
        for axis in range(2):
            slope = (sum(pair[axis] for pair in along) * moves[axis]).sum((-2, -1))
            slope = slope * found.spans[:, axis, None, None, None] * found.std
            each = slope.reshape(len(rois), found.kinds, -1, *slope.shape[2:]).sum(2)
            add_at(xp, parts[:, :, axis].transpose(2, 3, 0, 1), found.shift_at, each.transpose(2, 3, 0, 1))
    return d_x.reshape(x.shape), d_trans


def _gradients(g, Input, ROIs, Trans, lod, no_trans, spatial_scale, output_dim, group_size, pooled_height,
               pooled_width, part_size, sample_per_part, trans_std, wants):
    shifts = Input if no_trans else Trans  # which is not read then
    d_input, d_trans = apply(
        slopes_op, g, Input, ROIs, shifts, _given_counts(ROIs, None, lod), no_trans=no_trans,
        spatial_scale=spatial_scale, output_dim=output_dim, group_size=group_size, pooled_height=pooled_height,
        pooled_width=pooled_width, part_size=part_size, sample_per_part=sample_per_part, trans_std=trans_std)
    return d_input, None if no_trans else d_trans


deformable_psroi_pooling_op = operator(
    "deformable_psroi_pooling", "Input, ROIs, Trans?, lod^ROIs -> Output, TopCount", kernel=_pooled, infer=_infer,
    grad={"Input, Trans": _gradients}, fails="values", lod="drop")
"""Shifts are shares of a region's width and height, times `trans_std`. TopCount: how many samples a bin has."""
slopes_op = operator("deformable_psroi_slopes", "G, Input, ROIs, Trans, RoisNum -> InputGrad, TransGrad",
                     kernel=_slopes, only_here=True, fails="values",
                     infer=lambda g, x, rois, trans, counts, **_: (Spec(x.shape, g.dtype), Spec(trans.shape, g.dtype)),
                     grad=differentiable_once("G, Input, Trans", "deformable_psroi_pooling"))
