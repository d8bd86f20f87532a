"""Records of what mixed precision needs: loss scaling."""

import numpy as np
import proa as paddle
from proa.ops.amp.loss_scaling import check_finite_and_unscale, update_loss_scaling
from records import Record, floats


def unscaled(x, y, scale):
    held = [paddle.assign(x), paddle.assign(y)]
    found = check_finite_and_unscale(held, scale)
    return [*held, found]


def unscaled_reference(x, y, scale):
    x, y = x / scale, y / scale
    return [x, y, np.array([not (np.isfinite(x).all() and np.isfinite(y).all())])]


def updated(x, found, scale, good, bad):
    held = [paddle.assign(v) for v in (x, scale, good, bad)]
    update_loss_scaling([held[0]], found, *held[1:], incr_every_n_steps=2, decr_every_n_nan_or_inf=2, incr_ratio=2.0,
                        decr_ratio=0.5)
    return held


def updated_reference(x, found, scale, good, bad):
    if found[0]:
        good, bad, x = good * 0, bad + 1, x * 0
        return [x, scale * 0.5, good, bad * 0] if bad[0] == 2 else [x, scale, good, bad]
    good, bad = good + 1, bad * 0
    return [x, scale * 2, good * 0, bad] if good[0] == 2 else [x, scale, good, bad]


def counts(*values):
    return [np.array([v], "int32") for v in values]


RECORDS = [
    Record("check_finite_and_unscale", unscaled, [floats(2, 3), floats(4), np.array([8.0])], unscaled_reference,
           differentiable=[], batched=[0]),
    Record("check_finite_and_unscale", unscaled, [np.array([1.0, np.inf]), floats(4), np.array([8.0])],
           unscaled_reference, "infinite", differentiable=[], batched=[0]),
    *[Record("update_loss_scaling", updated, [floats(2, 3), np.array([found]), np.array([8.0]), *counts(good, bad)],
             updated_reference, f"{found}-{good}-{bad}", differentiable=[], batched=[0])
      for found in (False, True) for good, bad in ((0, 0), (1, 0), (0, 1))],
]
