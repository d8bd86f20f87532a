"""Loss scaling, as mixed precision needs it: gradients divided by the scale and checked, and the scale adapted.

Micikevicius et al., Mixed Precision Training, 2018. `check_finite_and_unscale` and `update_loss_scaling`.
"""

from typing import Any

from ...core import dtype as dt
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply


def _wide(x: Any) -> Any:
    return x.astype("float32") if x.dtype.itemsize == 2 else x


def _unscale(xp, values, scale):
    found = xp.zeros((1,), "bool")
    results = []
    for x in values:
        unscaled = _wide(x) * (1 / _wide(scale).reshape(())).astype(_wide(x).dtype)
        found = found | ~xp.isfinite(unscaled).all()
        results.append(unscaled.astype(x.dtype))
    return results, found


check_finite_and_unscale_op = operator(
    "check_finite_and_unscale", "X*, Scale -> Out*=X, FoundInfinite", kernel=_unscale,
    infer=lambda values, scale: (values, Spec((1,), dt.bool_)), precision="keep")


def check_finite_and_unscale(values: list[Any], scale: Any) -> Any:
    """Divides each of these by `scale`, in place; whether any element is infinite or not a number, a bool [1].

    >>> import proa as paddle
    >>> from proa.ops.amp.loss_scaling import check_finite_and_unscale
    >>> gradient = paddle.to_tensor([2.0, 4.0])
    >>> check_finite_and_unscale([gradient], paddle.to_tensor([2.0])).item(), gradient.tolist()
    (False, [1.0, 2.0])
    """
    return apply(check_finite_and_unscale_op, values, scale)[1]


def _update(xp, values, found, previous, good_steps, bad_steps, stop=None, *, incr_every_n_steps: int,
            decr_every_n_nan_or_inf: int, incr_ratio: float, decr_ratio: float, stop_update: bool = False):
    found = found.reshape(())
    values = [xp.where(found, xp.zeros_like(x), x) for x in values]
    if stop_update if stop is None else bool(stop.reshape(())):
        return values, previous, good_steps, bad_steps
    good, bad = xp.where(found, 0, good_steps + 1), xp.where(found, bad_steps + 1, 0)
    rises, falls = good == incr_every_n_steps, bad == decr_every_n_nan_or_inf
    higher, lower = previous * previous.dtype.type(incr_ratio), previous * previous.dtype.type(decr_ratio)
    scale = xp.where(rises & xp.isfinite(higher), higher, xp.where(falls, xp.maximum(lower, 1.0), previous))
    return (values, scale.astype(previous.dtype), xp.where(rises, 0, good).astype(good_steps.dtype),
            xp.where(falls, 0, bad).astype(bad_steps.dtype))


update_loss_scaling_op = operator(
    "update_loss_scaling", "X*, FoundInfinite, PrevLossScaling, InGoodSteps, InBadSteps, StopUpdate? -> "
    "Out*=X, LossScaling=PrevLossScaling, OutGoodSteps=InGoodSteps, OutBadSteps=InBadSteps", kernel=_update,
    infer=lambda values, found, previous, good, bad, stop=None, **_: (values, previous, good, bad), precision="keep",
    lod="first")


def update_loss_scaling(values: list[Any], found: Any, scale: Any, good_steps: Any, bad_steps: Any,
                        incr_every_n_steps: int, decr_every_n_nan_or_inf: int, incr_ratio: float, decr_ratio: float,
                        stop_update: bool = False) -> None:
    """Sets gradients to zeros where `found` is true, and adapts the scale and the counters of steps, all in place.

    After `incr_every_n_steps` good steps in a row the scale grows by `incr_ratio`; after `decr_every_n_nan_or_inf` bad
    ones it shrinks by `decr_ratio`, to 1 at least.
    """
    apply(update_loss_scaling_op, values, found, scale, good_steps, bad_steps, None,
          incr_every_n_steps=incr_every_n_steps, decr_every_n_nan_or_inf=decr_every_n_nan_or_inf,
          incr_ratio=incr_ratio, decr_ratio=decr_ratio, stop_update=stop_update)
