"""`paddle.static.amp.amp_nn`: loss scaling as functions, by Paddle's path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...ops.amp import loss_scaling
from ..building.argument_checks import check_type


def check_finite_and_unscale(x: Sequence[Any], scale: Any, name: str | None = None,
                             float_status: Any = None) -> tuple[Any, Any]:
    """The gradients, each divided by `scale` in place, and whether any element is infinite or not a number, a bool [1].

    >>> import proa as paddle
    >>> from proa.static.amp.amp_nn import check_finite_and_unscale
    >>> (gradient,), found = check_finite_and_unscale([paddle.to_tensor([2.0, 4.0])], paddle.to_tensor([2.0]))
    >>> gradient.tolist(), found.tolist()
    ([1.0, 2.0], [False])
    """
    check_type(x, "x", (tuple, list), "check_finite_and_unscale")
    return x, loss_scaling.check_finite_and_unscale(list(x), scale)


def update_loss_scaling(x: Sequence[Any], found_inf: Any, prev_loss_scaling: Any, num_good_steps: Any,
                        num_bad_steps: Any, incr_every_n_steps: int, decr_every_n_nan_or_inf: int, incr_ratio: float,
                        decr_ratio: float, stop_update: bool = False, name: str | None = None) -> Any:
    """The gradients, zeros in place where `found_inf` is true; adapts the scale and the counters of steps in place.

    After `incr_every_n_steps` good steps in a row the scale grows by `incr_ratio`; after `decr_every_n_nan_or_inf` bad
    ones it shrinks by `decr_ratio`, to 1 at least. With `stop_update` the scale and the counters stay.
    """
    check_type(x, "x", (tuple, list), "update_loss_scaling")
    loss_scaling.update_loss_scaling(list(x), found_inf, prev_loss_scaling, num_good_steps, num_bad_steps,
                                     incr_every_n_steps, decr_every_n_nan_or_inf, incr_ratio, decr_ratio, stop_update)
    return x


__all__ = ["check_finite_and_unscale", "update_loss_scaling"]
