"""Penalties on parameters' size, added to their gradients before an update: L1Decay and L2Decay."""

from __future__ import annotations

from typing import Any

from .core.lazy import listed

__all__ = ["L1Decay", "L2Decay"]
__dir__ = listed(__name__)


class WeightDecayRegularizer:
    """Base of the regularizers: `coeff` times a penalty of the parameter."""

    def __init__(self, coeff: float = 0.0):
        self.coeff = float(coeff)

    _regularization_coeff = property(lambda self: self.coeff)

    def __call__(self, parameter: Any, gradient: Any) -> Any:
        """The gradient with the penalty's gradient added."""
        raise NotImplementedError

    def penalty(self, parameter: Any) -> Any:
        """The penalty itself, of no dimensions."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}, coeff={self.coeff}"


class L2Decay(WeightDecayRegularizer):
    """Penalty coeff / 2 * sum(w * w): adds coeff * w to the gradient of w.

    As an optimizer's `weight_decay`, of which a number is short for it, or as the `regularizer` of a ParamAttr.

    >>> import proa as paddle
    >>> w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
    >>> sgd = paddle.optimizer.SGD(0.5, parameters=[w], weight_decay=paddle.regularizer.L2Decay(0.5))
    >>> (w * 0).sum().backward()
    >>> sgd.step()
    >>> w.tolist()
    [0.75]
    """

    def __call__(self, parameter: Any, gradient: Any) -> Any:
        """gradient + coeff * parameter."""
        return gradient + parameter * self.coeff

    def penalty(self, parameter: Any) -> Any:
        """coeff / 2 * sum(w * w)."""
        return (parameter * parameter).sum() * (self.coeff / 2)


class L1Decay(WeightDecayRegularizer):
    """Penalty coeff * sum(abs(w)): adds coeff * sign(w) to the gradient of w.

    >>> import proa as paddle
    >>> sgd = paddle.optimizer.SGD(1.0, parameters=[w := paddle.create_parameter([1], "float32")],
    ...                            weight_decay=paddle.regularizer.L1Decay(0.25))
    >>> w.set_value(paddle.to_tensor([1.0]))
    >>> (w * 0).sum().backward()
    >>> sgd.step()
    >>> w.tolist()
    [0.75]
    """

    def __call__(self, parameter: Any, gradient: Any) -> Any:
        """gradient + coeff * sign(parameter)."""
        return gradient + parameter.sign() * self.coeff

    def penalty(self, parameter: Any) -> Any:
        """coeff * sum(abs(w))."""
        return parameter.abs().sum() * self.coeff
