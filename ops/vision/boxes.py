"""Boxes of detection: prior_box lays them over an image, box_coder says them relative to others.

Boxes are (left, top, right, bottom).
"""

from typing import Any

import numpy as np

from ..core.infer import broadcast_shapes, promoting
from ..core.operator import operator
from ..core.spec import Spec
from .matching import bounds_of

# prior_box


def _ratios(given: Any, flip: bool) -> list[float]:
    """1 and the given ratios, each once, with their inverses where `flip` says so."""
    found = [1.0]
    for ratio in given:
        if all(abs(ratio - other) > 1e-6 for other in found):
            found += [float(ratio), 1 / ratio] if flip else [float(ratio)]
    return found


def _sides(min_sizes: Any, max_sizes: Any, ratios: list[float], max_first: bool) -> list[tuple[float, float]]:
    """Width and height of the boxes of a cell."""
    result = []
    for n, size in enumerate(min_sizes):
        shaped = [(size * ratio ** 0.5, size / ratio ** 0.5) for ratio in ratios]
        between = [((size * max_sizes[n]) ** 0.5,) * 2] if len(max_sizes) else []
        result += [shaped[0], *between, *shaped[1:]] if max_first else [*shaped, *between]
    return result


def _prior_box(xp, x, image, *, min_sizes: list[float], max_sizes: list[float] = (), aspect_ratios: list[float] = (),
               variances: list[float] = (), flip: bool = False, clip: bool = False, step_w: float = 0.0,
               step_h: float = 0.0, offset: float = 0.5, min_max_aspect_ratios_order: bool = False):
    sides = _sides(min_sizes, max_sizes, _ratios(aspect_ratios, flip), min_max_aspect_ratios_order)
    half = xp.asarray(sides, dtype=x.dtype) / 2
    steps = (step_h, step_w)
    if not all(steps):
        steps = (image.shape[2] / max(x.shape[2], 1), image.shape[3] / max(x.shape[3], 1))
    down, along = ((xp.arange(size, dtype=x.dtype) + offset) * step
                   for size, step in zip(x.shape[2:], steps, strict=True))
    shape = (*x.shape[2:], len(sides))
    middle = xp.stack([xp.broadcast_to(along[None, :, None], shape), xp.broadcast_to(down[:, None, None], shape)], -1)
    size = xp.asarray([image.shape[3], image.shape[2]], dtype=x.dtype)
    boxes = xp.concatenate([(middle - half) / size, (middle + half) / size], -1)
    if clip:
        boxes = xp.clip(boxes, 0, 1)
    return boxes, xp.broadcast_to(xp.asarray(variances, dtype=x.dtype), boxes.shape).copy()


def _infer_prior_box(x, image, *, min_sizes, max_sizes=(), aspect_ratios=(), variances=(), flip=False,
                     min_max_aspect_ratios_order=False, **_):
    if len(max_sizes) not in (0, len(min_sizes)):
        raise ValueError(f"prior_box(max_sizes): must be as many as min_sizes, or none. "
                         f"Received {list(max_sizes)} for {list(min_sizes)}.")
    count = len(_sides(min_sizes, max_sizes, _ratios(aspect_ratios, flip), min_max_aspect_ratios_order))
    spec = Spec((*x.shape[2:], count, 4), x.dtype)
    return spec, spec


prior_box_op = operator("prior_box", "Input, Image -> Boxes, Variances", kernel=_prior_box, infer=_infer_prior_box,
                        unsaid={"flip": True, "clip": True})


# box_coder

def _middles(boxes: Any, more: float) -> tuple[Any, Any]:
    """Middles and sides [..., 2] of boxes; the last element counts where `more` is 1."""
    sides = boxes[..., 2:] - boxes[..., :2] + more
    return boxes[..., :2] + sides / 2, sides


def _along(xp: Any, values: Any, axis: int) -> Any:
    """[M, ...] beside [N, M, ...] (axis 0), or [N, ...] (axis 1)."""
    return values[:, None] if axis == 1 and values.ndim == 2 else values


def _box_coder(xp, prior, variances, target, *, code_type: str = "encode_center_size", box_normalized: bool = True,
               axis: int = 0, variance: list[float] = ()):
    more = 0.0 if box_normalized else 1.0
    factor = xp.asarray(variance, dtype=prior.dtype) if len(variance) else xp.ones(4, prior.dtype)
    if variances is not None:
        factor = variances
    if code_type == "encode_center_size":
        middle, sides = _middles(prior, more)
        wanted, _ = _middles(target, 0.0)
        wanted_sides = target[:, 2:] - target[:, :2] + more
        shift = (wanted[:, None] - middle) / sides
        growth = xp.log(xp.abs(wanted_sides[:, None] / sides))
        return xp.concatenate([shift, growth], -1) / factor
    middle, sides = (_along(xp, part, axis) for part in _middles(prior, more))
    moved = target * _along(xp, factor, axis)
    middle, half = moved[..., :2] * sides + middle, xp.exp(moved[..., 2:]) * sides / 2
    return xp.concatenate([middle - half, middle + half - more], -1)


def _infer_box_coder(prior, variances, target, *, code_type="encode_center_size", axis=0, **_):
    if code_type == "encode_center_size":
        return Spec((target.shape[0], prior.shape[0], 4), target.dtype)
    beside = (prior.shape[0], 1, 4) if axis == 1 else (prior.shape[0], 4)
    return Spec(broadcast_shapes("box_coder(prior_box, target_box)", target.shape, beside), target.dtype)


def _lod_of_coded_boxes(lods, attrs):
    """That of the target boxes; decoded with a prior box a row (`axis=1`), that of the prior boxes."""
    by_rows = attrs.get("code_type") == "decode_center_size" and attrs.get("axis") == 1
    return lods[0 if by_rows else 2]


box_coder_op = operator("box_coder", "PriorBox, PriorBoxVar?, TargetBox -> OutputBox", kernel=_box_coder,
                        infer=promoting(_infer_box_coder), lod=_lod_of_coded_boxes)


# box_clip

def _box_clip(xp, boxes, sizes, lod=()):
    image = xp.asarray(np.repeat(np.arange(len(sizes)), [b - a for a, b in bounds_of("box_clip(input)", boxes, lod)])
                       if lod else np.zeros(len(boxes), "int64"))
    most = xp.floor(sizes[:, :2] / sizes[:, 2:3] + 0.5)[:, ::-1] - 1  # halves are rounded up, as C++ does
    edge = xp.concatenate([most, most], 1)[image].reshape(-1, *[1] * (boxes.ndim - 2), 4)
    return xp.maximum(xp.minimum(boxes, edge), 0).astype(boxes.dtype)


def _infer_box_clip(boxes, sizes, lod=()):
    if boxes.shape[-1] not in (4, -1) or sizes.rank != 2 or sizes.shape[1] not in (3, -1):
        raise ValueError(f"box_clip(input, im_info): must have the shapes [..., 4] and [N, 3]. "
                         f"Received {list(boxes.shape)} and {list(sizes.shape)}.")
    return Spec(boxes.shape, boxes.dtype)


box_clip_op = operator("box_clip", "Input, ImInfo, lod^Input -> Output", kernel=_box_clip, infer=_infer_box_clip,
                       fails="values")
"""Boxes cut at the edges of their images, which ImInfo [N, 3] gives: height, width, and the scale that they were
multiplied by."""


# polygon_box_transform

def _polygon_box_transform(xp, x):
    rows, columns = xp.arange(x.shape[2], dtype=x.dtype)[:, None], xp.arange(x.shape[3], dtype=x.dtype)
    at = xp.stack([xp.broadcast_to(part, x.shape[2:]) for part in (columns, rows)])
    return 4 * at[xp.arange(x.shape[1]) % 2] - x


def _infer_polygon(x):
    if x.rank != 4:
        raise ValueError(f"polygon_box_transform(input): must have the shape [N, G, H, W]. Received {list(x.shape)}.")
    return x


polygon_box_transform_op = operator("polygon_box_transform", "Input -> Output", kernel=_polygon_box_transform,
                                    infer=_infer_polygon, lod="drop")
"""Coordinates of corners [N, G, H, W] out of how far they are from their cells: 4 * x for even channels, 4 * y for odd
ones, less the distance."""


# box_decoder_and_assign

def _decode_and_assign(xp, prior, variances, target, scores, *, box_clip: float = 4.135):
    middle, sides = _middles(prior, 1.0)
    moves = target.reshape(len(target), -1, 4) * variances
    centre = moves[..., :2] * sides[:, None] + middle[:, None]
    half = xp.exp(xp.minimum(moves[..., 2:], box_clip)) * sides[:, None] / 2
    decoded = xp.concatenate([centre - half, centre + half - 1], -1).astype(target.dtype)
    if scores.shape[1] < 2:
        return decoded.reshape(target.shape), prior.astype(target.dtype)
    best = scores[:, 1:].argmax(1) + 1
    assigned = xp.where(scores[xp.arange(len(best)), best][:, None] > -1, decoded[xp.arange(len(best)), best], prior)
    return decoded.reshape(target.shape), assigned.astype(target.dtype)


def _infer_decode_and_assign(prior, variances, target, scores, **_):
    if -1 not in (target.shape[1], scores.shape[1]) and target.shape[1] != 4 * scores.shape[1]:
        raise ValueError(f"box_decoder_and_assign(target_box, box_score): must have the shapes [N, classes * 4] and "
                         f"[N, classes]. Received {list(target.shape)} and {list(scores.shape)}.")
    return Spec(target.shape, target.dtype), Spec((target.shape[0], 4), target.dtype)


box_decoder_and_assign_op = operator(
    "box_decoder_and_assign", "PriorBox, PriorBoxVar, TargetBox, BoxScore -> DecodeBox, OutputAssignBox",
    kernel=_decode_and_assign, infer=_infer_decode_and_assign)
"""The boxes of each class that deltas make of priors [N, 4], and that of the best class, the first one aside."""
