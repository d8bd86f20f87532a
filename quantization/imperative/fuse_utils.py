"""Batch normalization folded into the convolution or linear layer in front of it, for inference."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ... import nn
from ...nn.layer import Layer
from ...ops.array.full import zeros
from .utils import find_parent_layer_and_sub_name, put

_NORMS = (nn.BatchNorm, nn.BatchNorm1D, nn.BatchNorm2D, nn.SyncBatchNorm)


class Identity(nn.Layer):
    """What stands where a normalization was."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


def fuse_conv_bn(model: Layer) -> Layer:
    """Folds each BatchNorm2D into the Conv2D that stands last in front of it, by the order of `named_sublayers`."""
    training, pairs, waiting = model.training, [], None
    for name, layer in model.named_sublayers():
        if isinstance(layer, nn.Conv2D):
            waiting = name
        elif isinstance(layer, nn.BatchNorm2D) and waiting is not None:
            pairs.append([waiting, name])
            waiting = None
    model.eval()
    fuse_layers(model, pairs, inplace=True)
    if training:
        model.train()
    return model


def fuse_layers(model: Layer, layers_to_fuse: Sequence[Sequence[str]], inplace: bool = False) -> Layer:
    """The model with pairs of layers, [["conv1", "bn1"], ["fc", "bn2"]] by their paths, as one each.

    >>> import proa as paddle
    >>> net = paddle.nn.Sequential(paddle.nn.Conv2D(1, 2, 3), paddle.nn.BatchNorm2D(2))
    >>> net.eval()
    >>> fused = paddle.quantization.imperative.fuse_utils.fuse_layers(net, [["0", "1"]])
    >>> x = paddle.ones([1, 1, 3, 3])
    >>> bool(paddle.allclose(fused(x), net(x)))
    True
    """
    model = model if inplace else copy.deepcopy(model)
    for names in layers_to_fuse:
        layers = []
        for name in names:
            parent, part = find_parent_layer_and_sub_name(model, name)
            layers.append(parent._sub_layers[part])
        first, second = layers if len(layers) == 2 else (None, None)
        if not (isinstance(first, (nn.Conv2D, nn.Linear)) and isinstance(second, _NORMS)):
            raise ValueError("fuse_layers(layers_to_fuse): pairs of a Conv2D or Linear and a batch normalization. "
                             f"Received {list(names)}: {[type(layer).__name__ for layer in layers]}.")
        if first.training or second.training:
            raise ValueError("fuse_layers(model): must be in evaluation mode, as the running mean and variance are "
                             "folded in. Call model.eval().")
        put(model, names[0], _folded(first, second))
        put(model, names[1], Identity())
    return model


def _folded(layer: Any, norm: Any) -> Layer:
    """The layer with a normalization of its result, by what the normalization has in evaluation."""
    fused, factor = copy.deepcopy(layer), (norm._variance + norm._epsilon).rsqrt()
    if norm.weight is not None:
        factor = factor * norm.weight
    bias = zeros([factor.shape[0]], factor.dtype) if layer.bias is None else layer.bias
    shift = (bias - norm._mean) * factor + (0.0 if norm.bias is None else norm.bias)
    shape = [-1, 1, 1, 1] if isinstance(layer, nn.Conv2D) else [1, -1]
    fused.weight.set_value((layer.weight * factor.reshape(shape)).detach())
    if layer.bias is None:
        fused.bias = fused.create_parameter([factor.shape[0]], is_bias=True)
    fused.bias.set_value(shift.detach())
    return fused
