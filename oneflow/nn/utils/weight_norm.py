"""weight_norm and remove_weight_norm."""

from __future__ import annotations

from typing import Any

from ....ops.math import elementwise, reduce, unary
from ...charge import flowing
from ..module import Module, Parameter


@flowing
def norm_except(v: Any, dim: int | None) -> Any:
    """The norms of what stands along a dimension, of all for None or -1."""
    square = elementwise.multiply(v, v)
    if dim is None or dim == -1:
        return unary.sqrt(reduce.sum(square))
    others = [n for n in range(len(v.shape)) if n != dim]
    return unary.sqrt(reduce.sum(square, others, keepdim=True))


class WeightNorm:
    """The hook that computes a weight from its norm and direction before each `forward`."""

    def __init__(self, name: str, dim: int | None):
        self.name, self.dim = name, dim

    @flowing
    def weight_of(self, module: Any) -> Any:
        """The weight: g * v / |v|."""
        g, v = getattr(module, f"{self.name}_g"), getattr(module, f"{self.name}_v")
        return elementwise.multiply(v, elementwise.divide(g, norm_except(v, self.dim)))

    def __call__(self, module: Any, inputs: Any) -> None:
        """Computes the weight."""
        module.__dict__[self.name] = self.weight_of(module)


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Makes a parameter the product of its norm `NAME_g` and its direction `NAME_v` (Salimans and Kingma, 2016).

    >>> import proa.oneflow as flow
    >>> layer = flow.nn.utils.weight_norm(flow.nn.Linear(3, 2))
    >>> sorted(layer.state_dict())
    ['bias', 'weight_g', 'weight_v']
    """
    if any(isinstance(hook, WeightNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
        raise RuntimeError(f"weight_norm(module, name={name!r}): it has a weight norm already.")
    hook, weight = WeightNorm(name, dim), getattr(module, name)
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(norm_except(weight.detach(), dim)))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    module.__dict__[name] = hook.weight_of(module)
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Makes the weight one parameter again."""
    for key, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, WeightNorm) and hook.name == name:
            weight = hook.weight_of(module).detach()
            del module._forward_pre_hooks[key]
            for part in (f"{name}_g", f"{name}_v"):
                del module._parameters[part]
            module.__dict__.pop(name, None)
            module.register_parameter(name, Parameter(weight))
            return module
    raise ValueError(f"remove_weight_norm(name): {name!r} of {type(module).__name__} has no weight norm.")
