"""Layers that lay boxes over images: prior_box, density_prior_box, anchor_generator, multi_box_head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..layer_helper import LayerHelper
from ..mode import face
from . import nn, tensor

_VARIANCE = (0.1, 0.1, 0.2, 0.2)


def constants(*results: Any) -> Any:
    """Results that get no gradient: the only one, or a tuple of them."""
    for result in results:
        result.stop_gradient = True
    return results[0] if len(results) == 1 else results


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _pair(what: str, steps: Any) -> list[float]:
    if not isinstance(steps, (list, tuple)) or len(steps) != 2:
        raise ValueError(f"{what}: must be a list of two numbers, along the width and along the height. "
                         f"Received {steps!r}.")
    return [float(step) for step in steps]


@face
def prior_box(input: Any, image: Any, min_sizes: Sequence[float], max_sizes: Any = None,
              aspect_ratios: Sequence[float] = (1.0,), variance: Sequence[float] = _VARIANCE, flip: bool = False,
              clip: bool = False, steps: Sequence[float] = (0.0, 0.0), offset: float = 0.5, name: str | None = None,
              min_max_aspect_ratios_order: bool = False) -> tuple[Any, Any]:
    """For each cell of `input` [N, C, H, W] boxes of several sizes and ratios, as parts of the image, and variances.

    Both are [H, W, boxes, 4]. Liu et al., SSD: Single Shot MultiBox Detector, 2016.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     x, image = fluid.data("x", [None, 8, 4, 5]), fluid.data("image", [None, 3, 32, 40])
    ...     [v.shape for v in fluid.layers.prior_box(x, image, [8.0], [16.0], [2.0], flip=True)]
    [(4, 5, 4, 4), (4, 5, 4, 4)]
    """
    step_w, step_h = _pair("prior_box(steps)", steps)
    attrs: dict[str, Any] = {
        "min_sizes": [float(size) for size in _listed(min_sizes)],
        "aspect_ratios": [float(ratio) for ratio in _listed(aspect_ratios)], "variances": list(variance),
        "flip": flip, "clip": clip, "step_w": step_w, "step_h": step_h, "offset": offset,
        "min_max_aspect_ratios_order": min_max_aspect_ratios_order}
    largest = [] if max_sizes is None else _listed(max_sizes)
    if largest and largest[0] > 0:
        attrs["max_sizes"] = [float(size) for size in largest]
    return constants(*LayerHelper("prior_box", name=name).apply("prior_box", input, image, **attrs))


@face
def density_prior_box(input: Any, image: Any, densities: Sequence[int] = (), fixed_sizes: Sequence[float] = (),
                      fixed_ratios: Sequence[float] = (), variance: Sequence[float] = _VARIANCE, clip: bool = False,
                      steps: Sequence[float] = (0.0, 0.0), offset: float = 0.5, flatten_to_2d: bool = False,
                      name: str | None = None) -> tuple[Any, Any]:
    """For each cell boxes of fixed sizes and ratios, `densities` of them in each direction, and variances.

    Both are [H, W, boxes, 4], or [H * W * boxes, 4]. Zhang et al., FaceBoxes, 2017.
    """
    for what, value in (("densities", densities), ("fixed_sizes", fixed_sizes), ("fixed_ratios", fixed_ratios)):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"density_prior_box({what}): must be a list. Received {type(value).__name__}.")
    step_w, step_h = _pair("density_prior_box(steps)", steps)
    return constants(*LayerHelper("density_prior_box", name=name).apply(
        "density_prior_box", input, image, variances=list(variance), clip=clip, step_w=step_w, step_h=step_h,
        offset=offset, densities=[int(n) for n in densities], fixed_sizes=[float(n) for n in fixed_sizes],
        fixed_ratios=[float(n) for n in fixed_ratios], flatten_to_2d=flatten_to_2d))


@face
def anchor_generator(input: Any, anchor_sizes: Any = None, aspect_ratios: Any = None,
                     variance: Sequence[float] = _VARIANCE, stride: Any = None, offset: float = 0.5,
                     name: str | None = None) -> tuple[Any, Any]:
    """For each cell of `input` [N, C, H, W] an anchor of each size and ratio, in pixels, and variances.

    Both are [H, W, anchors, 4]. Ren et al., Faster R-CNN, 2015.
    """
    return constants(*LayerHelper("anchor_generator", name=name).apply(
        "anchor_generator", input, anchor_sizes=[float(n) for n in _listed(anchor_sizes)],
        aspect_ratios=[float(n) for n in _listed(aspect_ratios)], variances=list(variance),
        stride=_pair("anchor_generator(stride)", stride), offset=offset))


def _sizes(base_size: float, min_ratio: int, max_ratio: int, layers: int) -> tuple[list[float], list[float]]:
    """The sizes of boxes of each layer, which grow evenly from the second one on."""
    step = (max_ratio - min_ratio) // (layers - 2)
    ratios = range(min_ratio, max_ratio + 1, step)
    return ([base_size * 0.1, *(base_size * ratio / 100.0 for ratio in ratios)],
            [base_size * 0.2, *(base_size * (ratio + step) / 100.0 for ratio in ratios)])


def _check_each(name: str, value: Any, layers: int) -> None:
    if value is not None and (not isinstance(value, (list, tuple)) or len(value) != layers):
        raise ValueError(f"multi_box_head({name}): must be a list with one for each of the {layers} inputs. "
                         f"Received {value!r}.")


@face
def multi_box_head(inputs: Sequence[Any], image: Any, base_size: float, num_classes: int, aspect_ratios: Sequence[Any],
                   min_ratio: int | None = None, max_ratio: int | None = None, min_sizes: Any = None,
                   max_sizes: Any = None, steps: Any = None, step_w: Any = None, step_h: Any = None,
                   offset: float = 0.5, variance: Sequence[float] = _VARIANCE, flip: bool = True, clip: bool = False,
                   kernel_size: int = 1, pad: int = 0, stride: int = 1, name: str | None = None,
                   min_max_aspect_ratios_order: bool = False) -> tuple[Any, Any, Any, Any]:
    """What SSD predicts from several feature maps: (locations [N, M, 4], scores [N, M, classes], boxes, variances).

    Each input gives its boxes (`prior_box`), and by two convolutions what moves them and what they show.
    """
    if not isinstance(inputs, (list, tuple)):
        raise ValueError(f"multi_box_head(inputs): must be a list. Received {type(inputs).__name__}.")
    count = len(inputs)
    if min_sizes is None and max_sizes is None and count > 2:
        if min_ratio is None or max_ratio is None:
            raise ValueError("multi_box_head: give min_ratio and max_ratio, or min_sizes and max_sizes.")
        min_sizes, max_sizes = _sizes(base_size, min_ratio, max_ratio, count)
    if min_sizes is None or max_sizes is None:
        raise ValueError("multi_box_head: give min_sizes and max_sizes for one or two inputs.")
    step_w, step_h = (steps, steps) if steps is not None else (step_w, step_h)
    for key, value in (("aspect_ratios", aspect_ratios or None), ("min_sizes", list(min_sizes)[:count]),
                       ("max_sizes", list(max_sizes)[:count]), ("step_w", step_w), ("step_h", step_h)):
        _check_each(key, value, count)
    locations: list[Any] = []
    scores: list[Any] = []
    boxes, variances = [], []
    for n, x in enumerate(inputs):
        ratios = [] if aspect_ratios is None else _listed(aspect_ratios[n])
        step = [step_w[n] if step_w else 0.0, step_h[n] if step_h else 0.0]
        box, var = prior_box(x, image, _listed(min_sizes[n]), _listed(max_sizes[n]), ratios, variance, flip, clip, step,
                             offset, None, min_max_aspect_ratios_order)
        boxes.append(box)
        variances.append(var)
        for found, width in ((locations, 4), (scores, num_classes)):
            made = nn.conv2d(input=x, num_filters=box.shape[2] * width, filter_size=kernel_size, padding=pad,
                             stride=stride)
            found.append(nn.flatten(nn.transpose(made, perm=[0, 2, 3, 1]), axis=1))
    if count == 1:
        return locations[0], scores[0], *constants(boxes[0], variances[0])
    flat_boxes, flat_variances = [], []
    for box, var in zip(boxes, variances, strict=True):
        flat_boxes.append(nn.flatten(box, axis=3))
        flat_variances.append(nn.flatten(var, axis=3))
    all_boxes, all_variances = tensor.concat(flat_boxes), tensor.concat(flat_variances)
    location = nn.reshape(tensor.concat(locations, axis=1), shape=[0, -1, 4])
    score = nn.reshape(tensor.concat(scores, axis=1), shape=[0, -1, num_classes])
    return location, score, *constants(all_boxes, all_variances)


__all__ = ["anchor_generator", "density_prior_box", "multi_box_head", "prior_box"]

