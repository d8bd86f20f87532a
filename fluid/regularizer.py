"""Penalties on parameters' size, by the names of Paddle 1.x."""

from __future__ import annotations

from typing import Any

from .. import regularizer as base
from ..core.lazy import listed
from ..ops.math.unary import sign


class L2DecayRegularizer(base.L2Decay):
    """Adds `regularization_coeff` times the parameter to its gradient.

    >>> import proa.fluid as fluid
    >>> fluid.regularizer.L2Decay(regularization_coeff=0.5).coeff
    0.5
    """

    def __init__(self, regularization_coeff: float = 0.0):
        super().__init__(regularization_coeff)


class L1DecayRegularizer(base.L1Decay):
    """Adds `regularization_coeff` times the parameter's sign to its gradient."""

    def __init__(self, regularization_coeff: float = 0.0):
        super().__init__(regularization_coeff)

    def __call__(self, parameter: Any, gradient: Any) -> Any:
        """gradient + coeff * sign(parameter): in dynamic mode of 1.x a parameter has no method for it."""
        return gradient + sign(parameter) * self.coeff


WeightDecayRegularizer = base.WeightDecayRegularizer
L1Decay, L2Decay = L1DecayRegularizer, L2DecayRegularizer

__all__ = ["L1Decay", "L1DecayRegularizer", "L2Decay", "L2DecayRegularizer", "WeightDecayRegularizer"]
__dir__ = listed(__name__)
