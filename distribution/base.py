"""Distribution: what all have in common; ExponentialFamily: entropy from the log-normalizer's gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core import dtype as dt
from ..dygraph.engine import grad
from ..nn.functional import softmax
from ..ops.array.concat_split import broadcast_tensors
from ..ops.array.creation import to_tensor
from ..ops.array.full import is_value
from ..ops.array.unknown_sizes import sizes
from ..ops.math.casting import cast, dtype_of
from ..ops.math.unary import exp, log, log1p
from ..ops.nn.activation import sigmoid


def as_parameters(*values: Any) -> list[Any]:
    """The values as floating tensors that are broadcast to one shape and are of one dtype."""
    found = [_floating(value) for value in values]
    kind = found[0].dtype
    for value in found[1:]:
        kind = dt.promote(kind, value.dtype)
    found = [value if value.dtype is kind else cast(value, kind) for value in found]
    return found if len(found) == 1 else list(broadcast_tensors(found))


def _floating(value: Any) -> Any:
    """A tensor as it is, an array in its own dtype, numbers and lists in the default one; integers in that too."""
    if not is_value(value):
        known = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        return to_tensor(value, dtype=None if known else dt.get_default_dtype_object())
    return value if dtype_of(value).is_differentiable else cast(value, dt.get_default_dtype_object())


def as_shape(shape: Any) -> list[int]:
    """A sample's shape as a list."""
    if is_value(shape) or isinstance(shape, (np.ndarray, np.integer)):
        shape = shape.tolist()
    if isinstance(shape, int):
        return [shape]
    if not isinstance(shape, Sequence) or isinstance(shape, str):
        raise TypeError(f"sample(shape): must be a sequence of ints. Received {type(shape).__name__}.")
    return [int(size) for size in shape]


class Distribution:
    """A distribution, or a batch of them: `batch_shape` numbers them, `event_shape` is the shape of one value.

    A sample of shape S has the shape S + batch_shape + event_shape.
    """

    def __init__(self, batch_shape: Sequence[int] = (), event_shape: Sequence[int] = ()):
        self._batch_shape, self._event_shape = tuple(batch_shape), tuple(event_shape)

    @property
    def batch_shape(self) -> Sequence[int]:
        """The shape of the batch of distributions."""
        return self._batch_shape

    @property
    def event_shape(self) -> Sequence[int]:
        """The shape of one value."""
        return self._event_shape

    @property
    def mean(self) -> Any:
        """The mean."""
        raise self._missing("a mean")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise self._missing("a variance")

    def sample(self, shape: Any = ()) -> Any:
        """Values drawn at random, through which no gradient flows."""
        found = self.rsample(shape)
        return found.detach() if hasattr(found, "detach") else found

    def rsample(self, shape: Any = ()) -> Any:
        """Values drawn at random, with gradients with respect to the parameters."""
        raise self._missing("samples with gradients (rsample)")

    def entropy(self) -> Any:
        """The entropy, in nats."""
        raise self._missing("an entropy in closed form")

    def kl_divergence(self, other: Distribution) -> Any:
        """The divergence of Kullback and Leibler of `other` from this distribution, in nats."""
        return kl_divergence(self, other)

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or of the probability, of a value."""
        raise self._missing("a density")

    def prob(self, value: Any) -> Any:
        """The density, or the probability, of a value."""
        return exp(self.log_prob(value))

    def _probs(self, value: Any) -> Any:
        """As `prob`."""
        return self.prob(value)

    probs: Any = _probs  # where it is a parameter of the distribution, an attribute of that name stands before it

    def _missing(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__} does not have {what}.")

    # What distributions of users call, that were written for Paddle

    def _extend_shape(self, sample_shape: Any) -> tuple[int, ...]:
        """The shape of a sample of this shape."""
        return (*sample_shape, *self._batch_shape, *self._event_shape)

    def _validate_args(self, *args: Any) -> bool:
        """Whether all are tensors; ValueError where only some are."""
        tensors = [is_value(arg) for arg in args]
        if any(tensors) and not all(tensors):
            raise ValueError("if one argument is a Tensor, all must be. Received "
                             f"{', '.join(type(arg).__name__ for arg in args)}.")
        return any(tensors)

    def _to_tensor(self, *args: Any) -> tuple[Any, ...]:
        """Numbers and arrays as float32 tensors of one shape."""
        return tuple(to_tensor(array) for array in np.broadcast_arrays(*(np.asarray(a, "float32") for a in args)))

    def _check_values_dtype_in_probs(self, param: Any, value: Any) -> Any:
        """The value in the dtype of a parameter."""
        return value if dtype_of(value) is dtype_of(param) else cast(value, dtype_of(param))

    def _probs_to_logits(self, probs: Any, is_binary: bool = False) -> Any:
        """The logarithms of probabilities; with `is_binary` of their odds."""
        return log(probs) - log1p(probs * -1.0) if is_binary else log(probs)

    def _logits_to_probs(self, logits: Any, is_binary: bool = False) -> Any:
        """Probabilities by a softmax over the last dimension; with `is_binary` by a sigmoid."""
        return sigmoid(logits) if is_binary else softmax(logits, -1)

    def _shaped_as(self, parameter: Any, events: int = 0) -> None:
        """Takes the batch's shape from a parameter, and from its last `events` dimensions that of a value."""
        cut = len(parameter.shape) - events
        Distribution.__init__(self, parameter.shape[:cut], parameter.shape[cut:])
        self._sized = parameter

    def _sample_shape(self, shape: Any) -> list[Any]:
        """The sizes of a sample of this shape; what only a run can tell is a value, asked of the parameter."""
        own = [*self._batch_shape, *self._event_shape]
        if self._sized is not None and min(own, default=0) < 0:
            own = sizes(self._sized)[:len(own)]
        return [*as_shape(shape), *own]

    def _like(self, value: Any) -> Any:
        """A value as a tensor of the parameters' dtype, or of its own where the distribution keeps wider ones."""
        found = value if is_value(value) else to_tensor(np.asarray(value))
        own = dtype_of(found)
        kind = dt.promote(own, self._dtype) if self._keeps_wider and own.is_floating else self._dtype
        return found if own is kind else cast(found, kind)

    _sized: Any = None  # a parameter whose shape begins with that of a value of each distribution
    _dtype: Any = dt.float32
    _keeps_wider = False  # float64 values are computed with in float64, whatever the parameters are

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_shape={list(self._batch_shape)}, event_shape={list(self._event_shape)})"


class ExponentialFamily(Distribution):
    """Densities of the form exp(θ · t(x) - F(θ) + k(x)): a subclass gives θ, F and the mean of k.

    Nielsen and Nock, Entropies and cross-entropies of exponential families, 2010.

    >>> import proa as paddle
    >>> class Waiting(paddle.distribution.ExponentialFamily):  # density: rate * exp(-rate * x)
    ...     def __init__(self, rate):
    ...         super().__init__(rate.shape)
    ...         self.rate = rate
    ...     @property
    ...     def _natural_parameters(self):
    ...         return (-self.rate,)
    ...     def _log_normalizer(self, theta):
    ...         return -(-theta).log()
    ...     @property
    ...     def _mean_carrier_measure(self):
    ...         return 0.0
    >>> Waiting(paddle.to_tensor([1.0])).entropy().tolist()
    [1.0]
    """

    @property
    def _natural_parameters(self) -> tuple[Any, ...]:
        raise self._missing("natural parameters")

    def _log_normalizer(self, *parameters: Any) -> Any:
        raise self._missing("a log-normalizer")

    @property
    def _mean_carrier_measure(self) -> float:
        raise self._missing("a carrier measure")

    def entropy(self) -> Any:
        """F(θ) - θ · ∇F(θ) - E[k], in nats; of Tensors."""
        carrier = self._mean_carrier_measure
        parameters, normalizer, slopes = self._slopes()
        entropy = -carrier + normalizer
        for parameter, slope in zip(parameters, slopes, strict=True):
            product = parameter * slope
            entropy = entropy - (product.sum(-1) if len(product.shape) > len(entropy.shape) else product)
        return entropy

    def _slopes(self) -> tuple[list[Any], Any, list[Any]]:
        """θ apart from what it was computed of, F(θ) and its gradient."""
        parameters = [parameter.detach() for parameter in self._natural_parameters]
        for parameter in parameters:
            parameter.stop_gradient = False
        normalizer = self._log_normalizer(*parameters)
        return parameters, normalizer, grad([normalizer.sum()], parameters, create_graph=True)


kl_rules: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}


def register_kl(cls_p: type, cls_q: type) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the function computes the divergence of distributions of these classes, or of their subclasses.

    >>> import proa as paddle
    >>> from proa.distribution import Normal, register_kl
    >>> class Mine(Normal):
    ...     pass
    >>> @register_kl(Mine, Mine)
    ... def zero(p, q):
    ...     return paddle.zeros([])
    >>> float(paddle.distribution.kl_divergence(Mine(0.0, 1.0), Mine(2.0, 1.0)))
    0.0
    """
    for label, given in (("cls_p", cls_p), ("cls_q", cls_q)):
        if not isinstance(given, type) or not issubclass(given, Distribution):
            raise TypeError(f"register_kl({label}): must be a subclass of Distribution. Received {given!r}.")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        kl_rules[cls_p, cls_q] = function
        return function

    return register


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """∫ p log(p / q), in nats, by the rule for the nearest classes; NotImplementedError where there is none.

    >>> import proa as paddle
    >>> from proa.distribution import Normal, kl_divergence
    >>> float(kl_divergence(Normal(1.0, 1.0), Normal(0.0, 1.0)))
    0.5
    """
    return kl_rule(type(p), type(q))(p, q)


def kl_rule(cls_p: type, cls_q: type) -> Callable[[Any, Any], Any]:
    """The rule for the nearest classes; NotImplementedError where there is none."""
    found = [(cls_p.__mro__.index(a) + cls_q.__mro__.index(b), a, b)
             for a, b in kl_rules if issubclass(cls_p, a) and issubclass(cls_q, b)]
    if not found:
        raise NotImplementedError(f"kl_divergence: no rule for {cls_p.__name__} and {cls_q.__name__}. "
                                  f"Register one with paddle.distribution.register_kl.")
    _, a, b = min(found, key=lambda match: match[0])
    return kl_rules[a, b]
