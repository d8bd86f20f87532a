"""`fluid.core.ops`: operators by their types, as `_legacy_C_ops` has them, but in the order of 1.8's descriptions."""

from __future__ import annotations

import functools
from typing import Any

from .. import _legacy_C_ops as later

# Where 1.8 describes slots in another order than Paddle 2 does: the places there of what comes first, second, … here.
_INPUTS = {
    "deformable_conv": (0, 1, 3, 2),  # Input, Offset, Mask, Filter
    "lookup_table_v2": (1, 0),  # W, Ids
    "margin_rank_loss": (1, 2, 0),  # X1, X2, Label
    "multiplex": (1, 0),  # Ids, X
}
_OUTPUTS = {
    "huber_loss": (1, 0),  # Residual, Out
    "margin_rank_loss": (1, 0),  # Activated, Out
    "norm": (1, 0),  # Norm, Out
    "warpctc": (1, 0),  # WarpCTCGrad, Loss
}


def __getattr__(name: str) -> Any:
    called = getattr(later, name)
    return functools.partial(_reordered, name, called) if name in _INPUTS or name in _OUTPUTS else called


def _reordered(name: str, called: Any, *arguments: Any) -> Any:
    places = _INPUTS.get(name, ())
    given = list(arguments)
    for place, argument in zip(places, arguments, strict=False):
        given[place] = argument
    results = called(*given)
    return tuple(results[place] for place in _OUTPUTS[name]) if name in _OUTPUTS else results
