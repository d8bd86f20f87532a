"""`nn.utils`: parameters as one vector and back, weights computed from others, gradients clipped in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..core.absent import asked_of
from ..core.lazy import listed
from ..ops.array.concat_split import concat
from ..ops.array.reshape import reshape
from .clip_grad import clip_grad_norm_, clip_grad_value_
from .reparameterization import remove_weight_norm, spectral_norm, weight_norm

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "remove_weight_norm", "spectral_norm",
           "vector_to_parameters", "weight_norm"]
__dir__ = listed(__name__)
__getattr__ = asked_of(__name__)


def parameters_to_vector(parameters: Iterable[Any], name: str | None = None) -> Any:
    """All elements of the parameters, in order, as one 1-D tensor.

    >>> import proa as paddle
    >>> paddle.nn.utils.parameters_to_vector(paddle.nn.Linear(2, 3).parameters()).shape
    [9]
    """
    return concat([reshape(p, [-1]) for p in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any], name: str | None = None) -> None:
    """Sets the parameters from a vector of all their elements; ValueError when their numbers differ.

    >>> import proa as paddle
    >>> net = paddle.nn.Linear(2, 1)
    >>> paddle.nn.utils.vector_to_parameters(paddle.to_tensor([1.0, 2.0, 3.0]), net.parameters())
    >>> net.weight.tolist(), net.bias.tolist()
    ([[1.0], [2.0]], [3.0])
    """
    parameters = list(parameters)
    wanted = sum(p.size for p in parameters)
    if vec.size != wanted:
        raise ValueError(f"vector_to_parameters: the parameters have {wanted} elements. Received {vec.size}.")
    start = 0
    for parameter in parameters:
        parameter.set_value(reshape(vec[start:start + parameter.size], parameter.shape))
        start += parameter.size
