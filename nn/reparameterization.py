"""Weights that are computed from others before each call of their layer: weight_norm, spectral_norm.

A hook before `forward` computes the weight and sets it on the layer, so a layer knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ..core.errors import AssertedError
from ..core.param_attr import ParamAttr
from ..ops.array.creation import assign
from ..ops.array.reshape import reshape
from ..ops.core.trace import current_trace
from ..ops.math.elementwise import divide, multiply
from ..ops.math.reduce import sum
from ..ops.math.unary import sqrt, square
from ..ops.nn.spectral_norm import power_iteration
from ..ops.nn.spectral_norm import spectral_norm as by_stretch
from ..ops.random.default_initial_values import initial_value
from .initializer import Assign, Normal
from .layer import Layer


def _taken(what: str, layer: Layer, name: str) -> Any:
    """The layer's parameter `name`, which is no longer its own."""
    weight = layer._parameters.get(name)
    if weight is None:
        raise KeyError(f"{what}(layer, name): {type(layer).__name__} has no parameter {name!r}, but "
                       f"{', '.join(layer._parameters) or 'none'}.")
    del layer._parameters[name]
    return weight


def _refuse_second(layer: Layer, kind: type, name: str) -> None:
    if any(isinstance(hook, kind) and hook.name == name for hook in layer._forward_pre_hooks.values()):  # type: ignore[attr-defined]
        raise RuntimeError(f"{kind.what}: {name!r} of {type(layer).__name__} is normalized already.")  # type: ignore[attr-defined]


def _filled(layer: Layer, shape: Any, dtype: Any, make: Callable[[], Any]) -> Any:
    """A new parameter with the value that `make()` gives; what its initializer draws is passed over, as in Paddle.

    In a Program the startup Program computes it, from what it has filled before.
    """
    def fill(shape: tuple[int, ...], dtype: Any) -> Any:
        initial_value(False)(shape, dtype)
        return Assign(make())(shape, dtype) if current_trace().computes else make()

    return layer.create_parameter(list(shape), ParamAttr(initializer=fill), dtype)


# weight normalization

class _WeightNorm:
    """Computes g * v / |v|, the norms being those along all dimensions but `dim` (-1: along all)."""

    what = "weight_norm"

    def __init__(self, name: str, dim: int):
        self.name, self.dim = name, dim

    def length(self, v: Any) -> Any:
        """The norms."""
        axes = [n for n in range(len(v.shape)) if n != self.dim]
        return sqrt(sum(square(v), axes) + 1e-12)

    def weight(self, layer: Layer) -> Any:
        """The weight."""
        g, v = getattr(layer, f"{self.name}_g"), getattr(layer, f"{self.name}_v")
        factor = divide(g, self.length(v))
        if self.dim >= 0:
            factor = reshape(factor, [-1 if n == self.dim else 1 for n in range(len(v.shape))])
        return multiply(v, factor)

    def __call__(self, layer: Layer, inputs: Any) -> None:
        setattr(layer, self.name, self.weight(layer))


def weight_norm(layer: Layer, name: str = "weight", dim: int | None = 0) -> Layer:
    """The layer with its parameter `name` as g * v / |v|: its length and its direction are trained instead.

    The parameters are then `name_g`, of the size of dimension `dim` (or one number, where dim is None), and `name_v`.
    Raises RuntimeError for a second time, KeyError for an unknown parameter. Salimans and Kingma, Weight Normalization,
    2016.

    >>> import proa as paddle
    >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(2, 3), dim=1)
    >>> {name: value.shape for name, value in layer.named_parameters()}
    {'bias': [3], 'weight_v': [2, 3], 'weight_g': [3]}
    """
    _refuse_second(layer, _WeightNorm, name)
    shape = layer._parameters[name].shape if layer._parameters.get(name) is not None else None
    dim = -1 if dim is None else dim
    if shape is not None and not -len(shape) <= dim < len(shape):
        raise AssertedError(f"weight_norm(dim): must name one of the {len(shape)} dimensions of {name!r}. "
                         f"Received {dim}.")
    weight = _taken("weight_norm", layer, name)
    hook = _WeightNorm(name, dim if dim == -1 else dim % len(weight.shape))
    lengths = [] if hook.dim == -1 else [weight.shape[hook.dim]]
    layer.add_parameter(f"{name}_v", _filled(layer, weight.shape, weight.dtype, partial(assign, weight)))
    layer.add_parameter(f"{name}_g", _filled(layer, lengths, weight.dtype, partial(hook.length, weight)))
    hook(layer, ())
    layer.register_forward_pre_hook(hook)
    return layer


def remove_weight_norm(layer: Layer, name: str = "weight") -> Layer:
    """The layer with one parameter `name` again, of the value it has now; ValueError where `weight_norm` is not there.

    >>> import proa as paddle
    >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(2, 3))
    >>> sorted(name for name, _ in paddle.nn.utils.remove_weight_norm(layer).named_parameters())
    ['bias', 'weight']
    """
    for key, hook in layer._forward_pre_hooks.items():
        if isinstance(hook, _WeightNorm) and hook.name == name:
            v = getattr(layer, f"{name}_v")
            weight = _filled(layer, v.shape, v.dtype, partial(hook.weight, layer))
            if name in layer.__dict__:
                delattr(layer, name)
            del layer._parameters[f"{name}_g"], layer._parameters[f"{name}_v"], layer._forward_pre_hooks[key]
            layer.add_parameter(name, weight)
            return layer
    raise ValueError(f"remove_weight_norm: {name!r} of {type(layer).__name__} has no weight_norm.")


# spectral normalization

class _SpectralNorm:
    """Computes weight / (u · weight · v); in training u and v first come nearer to the singular vectors."""

    what = "spectral_norm"

    def __init__(self, name: str, steps: int, eps: float, dim: int):
        self.name, self.steps, self.eps, self.dim = name, steps, eps, dim

    def __call__(self, layer: Layer, inputs: Any) -> None:
        weight = getattr(layer, f"{self.name}_orig")
        u, v = getattr(layer, f"{self.name}_u"), getattr(layer, f"{self.name}_v")
        if layer.training:
            nearer = power_iteration(weight.detach(), u, v, self.dim, self.steps, self.eps)
            assign(nearer[0], u)
            assign(nearer[1], v)
            u, v = nearer
        setattr(layer, self.name, by_stretch(weight, u, v, self.dim, 0, self.eps))


_BY_SECOND = ("Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose", "Linear")


def spectral_norm(layer: Layer, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
                  dim: int | None = None) -> Layer:
    """The layer with its parameter `name` divided by its largest singular value, as a matrix of `dim` by the rest.

    The parameter is then called `name_orig`; the vectors of the power method, which makes `n_power_iterations` steps
    before each call in training, are the buffers `name_u` and `name_v`; a length below `eps` counts as `eps`. `dim` is
    1 for Linear and for transposed convolutions, 0 for other layers, unless given. Miyato et al., Spectral
    Normalization for Generative Adversarial Networks, 2018.

    >>> import proa as paddle
    >>> layer = paddle.nn.utils.spectral_norm(paddle.nn.Linear(2, 3))
    >>> sorted(layer.state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    _refuse_second(layer, _SpectralNorm, name)
    if n_power_iterations < 1:
        raise ValueError(f"spectral_norm(n_power_iterations): must be at least 1. Received {n_power_iterations}.")
    if dim is None:
        dim = int(any(type(layer).__name__ == known for known in _BY_SECOND))
    weight = _taken("spectral_norm", layer, name)
    shape = [int(n) for n in weight.shape]
    count = 1
    for size in shape:
        count *= size
    layer.add_parameter(f"{name}_orig", weight)
    for part, size in (("u", shape[dim]), ("v", count // shape[dim])):
        initial_value(False)((size,), weight.dtype)  # a parameter is drawn before it is filled, in Paddle
        drawn = Normal(0.0, 1.0)((size,), weight.dtype)
        drawn = divide(drawn, sqrt(sum(square(drawn))))
        layer.register_buffer(f"{name}_{part}", drawn)
    hook = _SpectralNorm(name, n_power_iterations, eps, dim)
    setattr(layer, name, by_stretch(weight, layer._buffers[f"{name}_u"], layer._buffers[f"{name}_v"], dim, 0, eps))
    layer.register_forward_pre_hook(hook)
    return layer
