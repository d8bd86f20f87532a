"""Penalties on parameters' size, added to their gradients before an update: L1Decay and L2Decay."""

from __future__ import annotations

from typing import Any

from .core.errors import WrongKindError
from .core.lazy import listed

__all__ = ["L1Decay", "L2Decay"]
__dir__ = listed(__name__)


class WeightDecayRegularizer:
    """Base of the regularizers: `coeff` times a penalty of the parameter.

    A subclass defines `__call__`, the penalty's gradient, which optimizers add to that of the loss; LBFGS, which looks
    at the loss as well, asks for the `penalty` too.
    """

    is_penalty = True  # by which a parameter's attr is known to be one: an initializer can be called as well

    def __init__(self, coeff: float = 0.0):
        if coeff is None or isinstance(coeff, str):
            raise WrongKindError(f"{type(self).__name__}(coeff): must be a number. Received {coeff!r}.")
        self.coeff = float(coeff)

    _regularization_coeff = property(lambda self: self.coeff)

    def __call__(self, param: Any, grad: Any, block: Any = None) -> Any:
        """The penalty's gradient with respect to a parameter, in a Program appended to `block`."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__(param, grad, block).")

    def penalty(self, parameter: Any) -> Any:
        """The penalty itself, of no dimensions."""
        raise NotImplementedError(f"{type(self).__name__} must define penalty(parameter).")

    def added(self, param: Any, grad: Any) -> Any:
        """The gradient of a parameter with the penalty's added."""
        return grad + self(param, grad, getattr(grad, "block", None))

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

    def __call__(self, param: Any, grad: Any, block: Any = None) -> Any:
        """coeff * param."""
        return param * self.coeff

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

    def __call__(self, param: Any, grad: Any, block: Any = None) -> Any:
        """coeff * sign(param)."""
        return param.sign() * self.coeff

    def penalty(self, parameter: Any) -> Any:
        """coeff * sum(abs(w))."""
        return parameter.abs().sum() * self.coeff
