"""dropout: elements set to 0 at random in training (Srivastava et al., 2014)."""


from typing import Any

import numpy as np

from ...backend.engines import LOOPS
from ...backend.kernels import dropout as fast
from ...core import dtype as dt
from ..core.kernels import by
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..random.draws import as_float32, uniform_array

UPSCALE, DOWNGRADE = "upscale_in_train", "downgrade_in_infer"


def _dropout(xp, x, seed_tensor=None, *, dropout_prob: float = 0.5, is_test: bool = False,
             dropout_implementation: str = DOWNGRADE, seed: int = 0, fix_seed: bool = False):
    if is_test:
        return x.view() if dropout_implementation == UPSCALE else x * _kept_share(dropout_prob), None
    keep = _noise(xp, x, dropout_prob, seed_tensor, seed, fix_seed) >= dropout_prob
    kept = x / _divisor(dropout_prob, dropout_implementation)
    return xp.where(keep, kept, xp.zeros((), x.dtype)), keep.view("uint8")


def _noise(xp: Any, x: Any, probability: float, seed_tensor: Any, seed: int, fix_seed: bool) -> Any:
    """A float32 number in [0, 1) for each element; nothing is drawn where all elements are dropped."""
    if probability == 1:
        return xp.zeros(x.shape, "float32")
    fixed = int(seed_tensor.item()) if seed_tensor is not None else seed if fix_seed else 0
    return uniform_array(xp, x.shape, dt.float32, seed=fixed)


def _dropout_by_loops(x, seed_tensor=None, *, dropout_prob: float = 0.5, is_test: bool = False,
                      dropout_implementation: str = DOWNGRADE, seed: int = 0, fix_seed: bool = False):
    if is_test or not fast.takes(x):
        return NotImplemented
    noise = _noise(np, x, dropout_prob, seed_tensor, seed, fix_seed)
    return fast.drop(x, noise, as_float32(dropout_prob), _divisor(dropout_prob, dropout_implementation))


def _kept_share(probability: float) -> float:
    """1 - probability, as float32 has it."""
    return float(np.float32(1) - np.float32(probability))


def _divisor(probability: float, implementation: str) -> float:
    """What an element that is kept is divided by."""
    return (_kept_share(probability) if implementation == UPSCALE else 1.0) or 1.0


def _infer(x, seed_tensor=None, *, is_test=False, **_):
    return x, None if is_test else Spec(x.shape, dt.uint8)


def _gradient(g: Any, mask: Any, dropout_prob: float, is_test: bool, dropout_implementation: str) -> Any:
    upscale = dropout_implementation == UPSCALE
    if is_test:
        return g if upscale else g * _kept_share(dropout_prob)
    return apply(dropout_backward_op, g, mask, dropout_prob=dropout_prob, dropout_implementation=dropout_implementation)


def _dropout_backward(xp, g, mask, *, dropout_prob: float, dropout_implementation: str):
    return g * mask.astype(g.dtype) / _divisor(dropout_prob, dropout_implementation)


dropout_backward_op = operator(
    "dropout_backward", "G, Mask -> XGrad", kernel=_dropout_backward, infer=lambda g, mask, **_: g,
    formula=lambda dropout_prob, dropout_implementation: (
        f"G * (Mask * 1.0) / {_divisor(dropout_prob, dropout_implementation)!r}"),
    grad={
        "G": lambda g, Mask, dropout_prob, dropout_implementation: apply(
            dropout_backward_op, g, Mask, dropout_prob=dropout_prob, dropout_implementation=dropout_implementation)},
    only_here=True)
dropout_op = operator(
    "dropout", "X, Seed? -> Out~X, Mask&", kernel=_dropout, engines=[by(LOOPS, _dropout_by_loops)], infer=_infer,
    effects="random",
    grad={"X": lambda g, Mask, dropout_prob, is_test, dropout_implementation: _gradient(
        g, Mask, dropout_prob, is_test, dropout_implementation)})

