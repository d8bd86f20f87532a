"""Boxes laid over the cells of an image: anchor_generator, density_prior_box."""

from __future__ import annotations

import math
from typing import Any

from ..core.operator import Ints, operator
from ..core.spec import Spec


def _spread(xp: Any, sides: Any, down: Any, along: Any) -> Any:
    """The boxes [H, W, boxes, 4] around middles (along, down), from the corners (left, top, right, bottom) around 0."""
    shape = (len(down), len(along), len(sides))
    x, y = (xp.broadcast_to(part, shape) for part in (along[None, :, None], down[:, None, None]))
    return xp.stack([x, y, x, y], -1) + sides


# anchor_generator

def _anchors(sizes: Any, ratios: Any, stride: Any) -> list[tuple[float, float]]:
    """Width and height of the anchors of a cell."""
    found = []
    for ratio in ratios:
        width = math.floor(math.sqrt(stride[0] * stride[1] / ratio) + 0.5)
        height = math.floor(width * ratio + 0.5)
        found += [(size / stride[0] * width, size / stride[1] * height) for size in sizes]
    return found


def _anchor_generator(xp, x, *, anchor_sizes: list[float], aspect_ratios: list[float], variances: list[float],
                      stride: list[float], offset: float = 0.5):
    sides = [(-0.5 * (w - 1), -0.5 * (h - 1), 0.5 * (w - 1), 0.5 * (h - 1))
             for w, h in _anchors(anchor_sizes, aspect_ratios, stride)]
    down, along = (xp.arange(count, dtype=x.dtype) * step + offset * (step - 1)
                   for count, step in zip(x.shape[2:], stride[::-1], strict=True))
    boxes = _spread(xp, xp.asarray(sides, dtype=x.dtype), down, along)
    return boxes, xp.broadcast_to(xp.asarray(variances, dtype=x.dtype), boxes.shape).copy()


def _infer_anchor_generator(x, *, anchor_sizes, aspect_ratios, variances, stride, offset=0.5):
    if x.rank != 4:
        raise ValueError(f"anchor_generator(input): must have the shape [N, C, H, W]. Received {list(x.shape)}.")
    spec = Spec((*x.shape[2:], len(anchor_sizes) * len(aspect_ratios), 4), x.dtype)
    return spec, spec


anchor_generator_op = operator("anchor_generator", "Input -> Anchors, Variances", kernel=_anchor_generator,
                               infer=_infer_anchor_generator, lod="drop")
"""For each cell of an image [N, C, H, W] a box of each size and ratio, in pixels: [H, W, boxes, 4]; and `variances` for
each."""


# density_prior_box

_DENSEST = 256


def _shifts(density: int, size: float, step: int) -> list[float]:
    shift = int(step / density)
    return [-step / 2.0 + shift / 2.0 + n * shift for n in range(density)]


def _check_densities(densities: Any, sizes: Any) -> None:
    if len(sizes) != len(densities) or not all(1 <= density <= _DENSEST for density in densities):
        raise ValueError(f"density_prior_box(densities): must be as many as fixed_sizes, from 1 to {_DENSEST}. "
                         f"Received {list(densities)} for {list(sizes)}.")


def _cell(densities: Any, sizes: Any, ratios: Any, step: int) -> list[tuple[float, float, float, float]]:
    """The boxes of a cell around its middle: several a size, `density` in each direction."""
    found = []
    for size, density in zip(sizes, densities, strict=True):
        for ratio in ratios:
            width, height = size * math.sqrt(ratio) / 2.0, size / math.sqrt(ratio) / 2.0
            found += [(x - width, y - height, x + width, y + height)
                      for y in _shifts(density, size, step) for x in _shifts(density, size, step)]
    return found


def _density_prior_box(xp, x, image, *, variances: list[float], fixed_sizes: list[float], fixed_ratios: list[float],
                       densities: Ints, clip: bool = False, flatten_to_2d: bool = False, step_w: float = 0.0,
                       step_h: float = 0.0, offset: float = 0.5):
    _check_densities(densities, fixed_sizes)
    height, width = image.shape[2:]
    steps = (step_h or height / max(x.shape[2], 1), step_w or width / max(x.shape[3], 1))
    if not (step_h and step_w):
        steps = (height / max(x.shape[2], 1), width / max(x.shape[3], 1))
    sides = xp.asarray(_cell(densities, fixed_sizes, fixed_ratios, int((steps[0] + steps[1]) * 0.5)), dtype=x.dtype)
    down, along = ((xp.arange(count, dtype=x.dtype) + offset) * step
                   for count, step in zip(x.shape[2:], steps, strict=True))
    boxes = _spread(xp, sides, down, along) / xp.asarray([width, height, width, height], dtype=x.dtype)
    boxes = xp.concatenate([xp.maximum(boxes[..., :2], 0), xp.minimum(boxes[..., 2:], 1)], -1)
    if clip:
        boxes = xp.clip(boxes, 0, 1)
    boxes = boxes.reshape(-1, 4) if flatten_to_2d else boxes
    return boxes, xp.broadcast_to(xp.asarray(variances, dtype=x.dtype), boxes.shape).copy()


def _infer_density(x, image, *, fixed_sizes, fixed_ratios, densities, flatten_to_2d=False, **_):
    _check_densities(densities, fixed_sizes)
    count = len(fixed_ratios) * sum(density * density for density in densities)
    rows = -1 if -1 in x.shape[2:] else x.shape[2] * x.shape[3] * count
    spec = Spec((rows, 4) if flatten_to_2d else (*x.shape[2:], count, 4), x.dtype)
    return spec, spec


density_prior_box_op = operator("density_prior_box", "Input, Image -> Boxes, Variances", kernel=_density_prior_box,
                                infer=_infer_density, lod="drop")
"""For each cell of Input [N, C, H, W] boxes of `fixed_sizes` and `fixed_ratios`, `densities` of them in each direction,
as parts of Image: [H, W, boxes, 4], or one row each; and `variances` for each."""
