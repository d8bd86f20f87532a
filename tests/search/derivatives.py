"""A second judge: eager gradients are derivatives, by differences in float64 along a random direction.

For programs in which nothing stops gradients or has others of its own, and at points where steps to both sides, and of
two lengths, agree: there is no corner. `max` and `min` are left out: as in Paddle, each of equal elements gets all.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import proa as paddle

from . import loading

#: Features of programs whose gradients are meant to be others than derivatives.
WITHOUT = frozenset(
    "detach no_grad stop_gradient pylayer tensor_hooks grad_inside buffers dropout frozen amp float16 "
    "normed_weights in_place_methods".split()
)
STEP = 1e-5
OF_EQUALS = re.compile(r"\.(max|min)\((?!\) [<>])")
#: What stops gradients under another feature, or as labels do; casts to whole numbers, through which they flow.
STOPS = re.compile(r"no_grad|with_logits\(|detach\(|stop_gradient|set_grad_enabled|astype\('(bool|u?int\d+)'\)")
#: Positions that are written twice: as in Paddle, each value gets the gradient.
WRITTEN_TWICE = re.compile(r"\w\[[^=\n]*\[(?:-?\d+, )*(-?\d+), (?:-?\d+, )*\1[,\]][^=\n]*\] [-+*/]?= ")


def difference(module: loading.Module, loss_of: Any, seed: int = 300) -> str | None:
    """What differs, as text; None where nothing does, or where the loss has a corner close by."""
    if any(pattern.search(module.source) for pattern in (OF_EQUALS, STOPS, WRITTEN_TWICE)):
        return None
    arrays = loading.arrays(module, loading.TRAINING, seed)
    rng = np.random.default_rng(seed)
    net, given = _called(module, arrays)
    loss = loss_of(net(*given))
    if loss is None or loss.stop_gradient:
        return None
    loss.backward()
    leaves = [leaf for leaf in loading.leaves(given) if leaf.dtype is paddle.float64] + _trained(net)
    directions = [rng.standard_normal(leaf.shape) for leaf in leaves]
    terms = [
        0.0 if leaf.grad is None else float((leaf.grad.numpy() * v).sum())
        for leaf, v in zip(leaves, directions, strict=True)
    ]

    def slope(low: float, high: float) -> float:
        lower, upper = (_loss_at(module, arrays, directions, step, loss_of) for step in (low, high))
        return (upper - lower) / (high - low)

    fine, coarse = slope(-STEP / 4, STEP / 4), slope(-STEP, STEP)
    scale = 1.0 + abs(fine) + sum(map(abs, terms))
    if not abs(coarse - fine) < 1e-6 * scale or not abs(slope(0.0, STEP) - slope(-STEP, 0.0)) < 1e-3 * scale:
        return None
    found = sum(terms)
    return None if abs(found - fine) < 1e-5 * scale else f"gradients say {found:.9g}, differences {fine:.9g}"


def _called(module: loading.Module, arrays: Any) -> tuple[Any, Any]:
    net = module.net()
    (net.train if module.TRAIN else net.eval)()
    return net, loading.tensors(arrays, "float64", stop_gradient=False)


def _trained(net: Any) -> list:
    return [p for p in net.parameters() if not p.stop_gradient]


def _loss_at(module: loading.Module, arrays: Any, directions: list, step: float, loss_of: Any) -> float:
    net, given = _called(module, arrays)
    leaves = [leaf for leaf in loading.leaves(given) if leaf.dtype is paddle.float64] + _trained(net)
    with paddle.no_grad():
        for leaf, direction in zip(leaves, directions, strict=True):
            leaf.set_value(leaf.numpy() + step * direction)
    return float(loss_of(net(*given)))
