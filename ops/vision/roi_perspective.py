"""roi_perspective_transform: quadrangles of images as upright rectangles (text that stands askew, read in a row)."""

from typing import Any

from ...core import dtype as dt
from ..array.gather import add_at
from ..core.gradient import differentiable_once
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from .roi import _given_counts, _shape, _sizes
from .roi_kernels import counts_of, images_of, rounded

_NEAR = 1e-4  # places that are as near count as equal


def _distance(xp: Any, across: Any, down: Any, a: int, b: int) -> Any:
    return xp.sqrt((across[:, a] - across[:, b]) ** 2 + (down[:, a] - down[:, b]) ** 2)


class _Quadrangles:
    """Quadrangles [R, 8], corners clockwise from the upper left one, and the maps from rectangles [height, width]."""

    def __init__(self, xp: Any, rois: Any, size: tuple[int, int], scale: float):
        self.xp, self.size = xp, size
        self.across, self.down = rois[:, ::2] * scale, rois[:, 1::2] * scale
        self.matrices = self._matrices()

    def _matrices(self) -> Any:
        """The projective maps [R, 9], which bring the rectangle's corners to the quadrangle's."""
        xp, (x, y) = self.xp, (self.across, self.down)
        one, two, three, four = (_distance(xp, x, y, n, (n + 1) % 4) for n in range(4))
        high = max(2, self.size[0])
        wide = rounded(xp, (one + three) / 2 * (high - 1) / ((two + four) / 2)) + 1
        wide = xp.maximum(2, xp.minimum(wide, self.size[1])).astype(x.dtype)  # as the quadrangle's sides
        sides = [[part[:, 1] - part[:, 2], part[:, 3] - part[:, 2], part[:, 0] - part[:, 1] + part[:, 2] - part[:, 3]]
                 for part in (x, y)]
        (x1, x2, x3), (y1, y2, y3) = sides
        area = x1 * y2 - x2 * y1 + 1e-5
        bent = [(x3 * y2 - x2 * y3) / area / (wide - 1), (x1 * y3 - x3 * y1) / area / (high - 1)]
        rows = [[(part[:, 1] - part[:, 0] + bent[0] * (wide - 1) * part[:, 1]) / (wide - 1),
                 (part[:, 3] - part[:, 0] + bent[1] * (high - 1) * part[:, 3]) / (high - 1), part[:, 0]]
                for part in (x, y)]
        return xp.stack([*rows[0], *rows[1], *bent, xp.ones_like(area)], 1).astype(x.dtype)

    def _sources(self) -> tuple[Any, Any]:
        """Where each element of the rectangles stands in the image: [R, height, width] across and down."""
        xp = self.xp
        dtype = self.matrices.dtype
        along, below = xp.arange(self.size[1], dtype=dtype), xp.arange(self.size[0], dtype=dtype)[:, None]
        u, v, w = (m[0][:, None, None] * along + m[1][:, None, None] * below + m[2][:, None, None]
                   for m in (self.matrices[:, 3 * n:3 * n + 3].T for n in range(3)))
        return u / w, v / w

    def _contain(self, x: Any, y: Any) -> Any:
        """Whether places lie within their quadrangle or on its edge."""
        xp, on_edge, crossed = self.xp, False, 0
        for n in range(4):
            (xs, xe), (ys, ye) = ([part[:, k, None, None] for k in (n, (n + 1) % 4)]
                                  for part in (self.across, self.down))
            level = xp.abs(ys - ye) < _NEAR
            meets = (y - ys) * (xe - xs) / xp.where(level, 1, ye - ys) + xs
            along = (x >= xp.minimum(xs, xe) - _NEAR) & (x <= xp.maximum(xs, xe) + _NEAR)
            beside = (y >= xp.minimum(ys, ye) - _NEAR) & (y <= xp.maximum(ys, ye) + _NEAR)
            on_edge = on_edge | xp.where(level, (xp.abs(y - ys) < _NEAR) & (xp.abs(y - ye) < _NEAR) & along,
                                         (xp.abs(meets - x) < _NEAR) & beside)
            spanned = ~level & (y > xp.minimum(ys, ye) + _NEAR) & (y <= xp.maximum(ys, ye) + _NEAR)
            crossed = crossed + (spanned & (meets > x + _NEAR))
        return on_edge | (crossed % 2 == 1)

    def samples(self, image: Any, height: int, width: int) -> tuple[Any, Any, Any]:
        """Which elements the rectangles are, in the image and the quadrangle; flat positions in all images of the four
        elements around each, and their weights: [R * elements, 4]."""
        xp = self.xp
        x, y = self._sources()
        inside = self._contain(x, y)
        ends, shares = [], []
        for place, size in ((x, width), (y, height)):
            inside = inside & (place > -0.5 + _NEAR) & (place < size - 0.5 - _NEAR)
            place = xp.where(inside & (place > _NEAR), place, 0)
            low = xp.minimum(xp.floor(place), size - 1)
            share = xp.where(low >= size - 1, 0, place - low)
            ends.append([low, xp.minimum(low + 1, size - 1)])
            shares.append([1 - share, share])
        at = [(image[:, None, None] * height + ends[1][a]) * width + ends[0][b] for a in range(2) for b in range(2)]
        weights = [shares[1][a] * shares[0][b] * inside for a in range(2) for b in range(2)]
        return (inside, xp.stack(at, -1).astype("int64").reshape(-1, 4),
                xp.stack(weights, -1).reshape(-1, 4).astype(self.matrices.dtype))


def _transform(xp, x, rois, lod=(), *, transformed_height: int = 1, transformed_width: int = 1,
               spatial_scale: float = 1.0):
    found = _Quadrangles(xp, rois, (transformed_height, transformed_width), spatial_scale)
    image = images_of(xp, counts_of(xp, rois, lod), len(rois))
    inside, at, weights = found.samples(image, *x.shape[2:])
    rows = xp.ascontiguousarray(x.transpose(0, 2, 3, 1)).reshape(-1, x.shape[1])
    made = xp.matmul(weights[:, None], rows[at])[:, 0].reshape(*inside.shape, x.shape[1])
    return made.transpose(0, 3, 1, 2).astype(x.dtype), inside[:, None].astype("int32"), found.matrices


def _infer(x, rois, lod=(), *, transformed_height=1, transformed_width=1, **_):
    if x.rank != 4 or rois.rank != 2 or rois.shape[1] not in (8, -1):
        raise ValueError(f"roi_perspective_transform(input, rois): must be images [N, C, H, W] and the four corners of "
                         f"regions, [R, 8]. Received shapes {list(x.shape)} and {list(rois.shape)}.")
    size = (transformed_height, transformed_width)
    return (Spec((rois.shape[0], x.shape[1], *size), x.dtype), Spec((rois.shape[0], 1, *size), dt.int32),
            Spec((rois.shape[0], 9), x.dtype))


def _back(xp, g, rois, counts, like=None, *, size: Ints = (), spatial_scale: float = 1.0):
    shape = _shape(like, size)
    found = _Quadrangles(xp, rois, g.shape[2:], spatial_scale)
    _, at, weights = found.samples(images_of(xp, counts, len(rois)), *shape[2:])
    rows = xp.zeros((shape[0] * shape[2] * shape[3], shape[1]), g.dtype)
    given = weights[:, :, None] * g.transpose(0, 2, 3, 1).reshape(-1, 1, shape[1])
    add_at(xp, rows, at.reshape(-1), given.reshape(-1, shape[1]).astype(g.dtype))
    return rows.reshape(shape[0], *shape[2:], shape[1]).transpose(0, 3, 1, 2)


def _gradient(g, ROIs, lod, X_shape, spatial_scale):
    like, size = _sizes(X_shape)
    return apply(back_op, g, ROIs, _given_counts(ROIs, None, lod), like, size=size, spatial_scale=spatial_scale)


roi_perspective_transform_op = operator(
    "roi_perspective_transform", "X, ROIs, lod^ROIs -> Out, Mask, TransformMatrix, Out2InIdx!, Out2InWeights!",
    kernel=_transform, infer=_infer, grad={"X": _gradient}, fails="values",
    lod=lambda lods, attrs: list(lods[1] or []))
"""Mask is 1 where an element lies in its quadrangle and in the image; elsewhere Out is 0."""
back_op = operator("roi_perspective_back", "G, ROIs, RoisNum, Like? -> Out", kernel=_back,
                   infer=lambda g, rois, counts, like=None, *, size=(), **_: Spec(_shape(like, size), g.dtype),
                   only_here=True, fails="values", grad=differentiable_once("G", "roi_perspective_transform"))
