"""Boxes of detection: prior_box lays them over an image, box_coder says them relative to others.

Boxes are (left, top, right, bottom).
"""

from typing import Any

from ..core.infer import broadcast_shapes, promoting
from ..core.operator import operator
from ..core.spec import Spec

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
    steps = (step_h or image.shape[2] / x.shape[2], step_w or image.shape[3] / x.shape[3])
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


prior_box_op = operator("prior_box", "Input, Image -> Boxes, Variances", kernel=_prior_box, infer=_infer_prior_box)


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


box_coder_op = operator("box_coder", "PriorBox, PriorBoxVar?, TargetBox -> OutputBox", kernel=_box_coder,
                        infer=promoting(_infer_box_coder), lod="drop")
