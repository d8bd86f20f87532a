"""Penalties on parameters' size, by the names of Paddle 1.x."""

from __future__ import annotations

from typing import Any

from .. import regularizer as base
from ..core.lazy import listed
from ..ops.core.trace import current_trace, using
from ..ops.math.unary import sign
from ..static.building.trace import GradientTrace
from ..static.ir.variable import Variable


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

    def __call__(self, param: Any, grad: Any, block: Any = None) -> Any:
        """coeff * sign(param): in dynamic mode of 1.x a parameter has no method for it."""
        return sign(param) * self.coeff


def append_regularization_ops(parameters_and_grads: Any, regularization: Any = None) -> list[tuple[Any, Any]]:
    """The pairs of parameters and gradients with penalties added to the gradients.

    A parameter's own regularizer comes before `regularization`; without either, and where there is no gradient, the
    pair stays as it is.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
    ...     loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 2]), 1))
    ...     pairs = fluid.backward.append_backward(loss)
    ...     decayed = fluid.regularizer.append_regularization_ops(pairs, fluid.regularizer.L2Decay(0.1))
    >>> [parameter.name.split('.')[1] for parameter, gradient in decayed]
    ['w_0', 'b_0']
    """
    return [(parameter, _penalized(parameter, gradient, regularization))
            for parameter, gradient in parameters_and_grads]


def _penalized(parameter: Any, gradient: Any, common: Any) -> Any:
    penalty = getattr(parameter, "regularizer", None) or common
    if gradient is None or penalty is None:
        return gradient
    if not isinstance(gradient, Variable):
        return penalty.added(parameter, gradient)
    program = gradient.block.program
    with using(GradientTrace(program)), current_trace().updating():  # behind what several devices sum
        return penalty.added(parameter, gradient)


WeightDecayRegularizer = base.WeightDecayRegularizer
L1Decay, L2Decay = L1DecayRegularizer, L2DecayRegularizer

__all__ = ["L1Decay", "L1DecayRegularizer", "L2Decay", "L2DecayRegularizer", "WeightDecayRegularizer",
           "append_regularization_ops"]
__dir__ = listed(__name__)
