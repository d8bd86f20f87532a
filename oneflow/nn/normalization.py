"""Normalization of values by statistics that are given, or by those of a layer, a group or an instance."""

from __future__ import annotations

from typing import Any

from ...nn import functional
from ...ops.array.reshape import reshape
from ...ops.math.casting import in_dtype
from ...ops.math.elementwise import add, multiply, subtract
from ...ops.math.reduce import mean
from ...ops.math.unary import rsqrt, square
from ..initializers import ones_initializer, zeros_initializer
from ..job.current import current
from ..variables import get_variable


def moments(x: Any, axes: list[int], keepdims: bool | None = False, name: str | None = None) -> tuple[Any, Any]:
    """The mean of x over `axes`, and its variance: the mean of the squared differences from it.

    >>> import proa.oneflow as flow
    >>> import proa as paddle
    >>> [round(float(part), 4) for part in flow.nn.moments(paddle.to_tensor([1.0, 2.0, 3.0]), [0])]
    [2.0, 0.6667]
    """
    if not isinstance(axes, (list, tuple)):
        raise TypeError(f"moments(axes): must be a list of dimensions. Received {axes!r}.")
    around = mean(x, list(axes), keepdim=True)
    variance = mean(square(subtract(x, around)), list(axes), keepdim=bool(keepdims))
    return (around if keepdims else mean(x, list(axes))), variance


def batch_normalization(x: Any, mean: Any, variance: Any, offset: Any = None, scale: Any = None,
                        variance_epsilon: float | None = 1e-5, axis: int = 1, name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + variance_epsilon) * scale + offset, for each index of dimension `axis`.

    Mean and variance have one element for each index, or as many dimensions as x; they may be float32 where x is
    float16. Gradients go to them as well.
    """
    rank = len(x.shape)
    if not -rank <= axis < rank:
        raise ValueError(f"batch_normalization(axis): must be a dimension of x. Received {axis} for x.shape="
                         f"{list(x.shape)}.")
    if len(mean.shape) == 1 != rank:
        sizes = [1] * rank
        sizes[axis] = x.shape[axis]
        mean, variance = reshape(mean, sizes), reshape(variance, sizes)
        scale = None if scale is None else reshape(scale, sizes)
        offset = None if offset is None else reshape(offset, sizes)
    elif len(mean.shape) != rank:
        raise ValueError(f"batch_normalization(mean, variance): must have one dimension, or as many as x. Received "
                         f"x.shape={list(x.shape)}, mean.shape={list(mean.shape)}.")
    result = multiply(subtract(x, mean), rsqrt(variance + variance_epsilon))
    result = result if scale is None else multiply(result, scale)
    return in_dtype(result if offset is None else add(result, offset), x.dtype)


def layer_norm(inputs: Any, gamma: Any = None, beta: Any = None, begin_norm_axis: int = 1, begin_params_axis: int = -1,
               epsilon: float = 1e-5, name: str | None = None) -> Any:
    """(inputs - mean) / sqrt(variance + epsilon) * gamma + beta, over the dimensions from `begin_norm_axis` on.

    `gamma` and `beta` have the sizes of the dimensions from `begin_params_axis` on.
    """
    sizes, rank = list(inputs.shape), len(inputs.shape)
    for argument, axis in (("begin_norm_axis", begin_norm_axis), ("begin_params_axis", begin_params_axis)):
        if not -rank <= axis < rank:
            raise ValueError(f"layer_norm({argument}): must be a dimension of the inputs. Received {axis} for "
                             f"inputs.shape={sizes}.")
    normalized, parameters = sizes[begin_norm_axis:], sizes[begin_params_axis:]
    if normalized == parameters:
        gamma, beta = (None if value is None else reshape(value, [-1]) for value in (gamma, beta))
        return functional.layer_norm(inputs, normalized, gamma, beta, epsilon)
    result = functional.layer_norm(inputs, normalized, epsilon=epsilon)
    result = result if gamma is None else multiply(result, gamma)
    return result if beta is None else add(result, beta)


# groups and instances; their parameters are variables, NAME_gamma and NAME_beta

def _affine(kind: str, name: str | None, x: Any) -> tuple[Any, Any]:
    name = current(f"flow.nn.{kind} with variables").automatic_name(kind) if name is None else name
    shape = (1, x.shape[1], 1)
    gamma = get_variable(f"{name}_gamma", shape=shape, dtype=x.dtype, initializer=ones_initializer(), trainable=True)
    beta = get_variable(f"{name}_beta", shape=shape, dtype=x.dtype, initializer=zeros_initializer(), trainable=True)
    return reshape(gamma, [-1]), reshape(beta, [-1])


def group_normalization(x: Any, num_groups: int = 32, eps: float = 1e-5, affine: bool = True,
                        name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + eps), by sample and group of channels, x being [N, C, ...].

    With `affine`, times the variable `NAME_gamma` and plus `NAME_beta`, each [1, C, 1].
    """
    if len(x.shape) < 3 or x.shape[1] % num_groups:
        raise ValueError(f"GroupNorm: x must be [N, C, ...] with channels that num_groups divides. Received x.shape="
                         f"{list(x.shape)}, num_groups={num_groups}.")
    gamma, beta = _affine("GroupNorm", name, x) if affine else (None, None)
    return functional.group_norm(x, num_groups, eps, gamma, beta)


def _instances(rank: int, x: Any, eps: float, affine: bool, name: str | None) -> Any:
    if len(x.shape) != rank + 2:
        raise ValueError(f"InstanceNorm{rank}d: x must have {rank + 2} dimensions. Received x.shape={list(x.shape)}.")
    gamma, beta = _affine(f"InstanceNorm{rank}D", name, x) if affine else (None, None)
    return functional.instance_norm(x, weight=gamma, bias=beta, eps=eps)


def instance_normalization1d(x: Any, eps: float = 1e-5, affine: bool = True, name: str | None = None) -> Any:
    """As `instance_normalization2d`, of sequences [N, C, L]."""
    return _instances(1, x, eps, affine, name)


def instance_normalization2d(x: Any, eps: float = 1e-5, affine: bool = True, name: str | None = None) -> Any:
    """(x - mean) / sqrt(variance + eps), by sample and channel, of images [N, C, H, W].

    With `affine`, times the variable `NAME_gamma` and plus `NAME_beta`, each [1, C, 1].
    """
    return _instances(2, x, eps, affine, name)


def instance_normalization3d(x: Any, eps: float = 1e-5, affine: bool = True, name: str | None = None) -> Any:
    """As `instance_normalization2d`, of volumes [N, C, D, H, W]."""
    return _instances(3, x, eps, affine, name)
