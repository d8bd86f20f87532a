"""PTQ: scales of a network that is trained already."""

from __future__ import annotations

from ..nn.layer import Layer
from .quantize import Quantization


class PTQ(Quantization):
    """Post-training quantization: observers go into a network, which is run on samples and then converted.

    >>> import proa as paddle
    >>> from proa.quantization import PTQ, QuantConfig
    >>> from proa.quantization.observers import AbsmaxObserver
    >>> network = paddle.nn.Sequential(paddle.nn.Linear(2, 2))
    >>> network.eval()
    >>> method = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
    >>> model = method.quantize(network)
    >>> _ = model(paddle.to_tensor([[1.0, -3.0]]))
    >>> model[0].activation_quanter.scales().item()
    3.0
    """

    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """The model, which is in evaluation mode, with observers in it: a copy, unless `inplace`."""
        if model.training:
            raise ValueError("PTQ.quantize(model): must be in evaluation mode. Call model.eval(); for a model that is "
                             "trained on there is QAT.")
        return self._prepared(model, inplace)
