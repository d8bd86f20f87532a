"""A network that gives what some of its layers compute, by the path under which networks for detection take it."""

from __future__ import annotations

from typing import Any

from ...nn import Layer, LayerDict, Linear
from ...ops.array.reshape import flatten


class IntermediateLayerGetter(LayerDict):
    """The layers of a network up to the last one asked for, one behind the other; gives what those asked for compute.

    `return_layers` names them, and what each is called in the dict that comes out. They must be direct sublayers, which
    the network applies once each, in the order in which it holds them; before a Linear all but the first dimension
    become one. Raises ValueError for others.

    >>> import proa as paddle
    >>> net = paddle.vision.models.resnet18()
    >>> features = paddle.vision.models._utils.IntermediateLayerGetter(net, {"layer1": "low", "layer3": "high"})
    >>> [(name, value.shape) for name, value in features(paddle.ones([1, 3, 32, 32])).items()]
    [('low', [1, 64, 8, 8]), ('high', [1, 256, 2, 2])]
    """

    def __init__(self, model: Layer, return_layers: dict[str, str]):
        layers = dict(model.named_children())
        unknown = sorted(set(return_layers) - set(layers))
        if unknown:
            raise ValueError(f"IntermediateLayerGetter(model, return_layers): {', '.join(unknown)} of return_layers is "
                             f"no direct sublayer of {type(model).__name__}. It has {', '.join(layers)}.")
        last = max(list(layers).index(name) for name in return_layers) if return_layers else -1
        super().__init__({name: layers[name] for name in list(layers)[:last + 1]})
        self.return_layers = {str(name): str(new) for name, new in return_layers.items()}

    def forward(self, x: Any) -> dict[str, Any]:
        """What the layers asked for give, by their new names."""
        found = {}
        for name, layer in self.items():
            x = layer(flatten(x, 1) if isinstance(layer, Linear) else x)
            if name in self.return_layers:
                found[self.return_layers[name]] = x
        return found
