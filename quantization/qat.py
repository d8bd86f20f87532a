"""QAT: training with what whole numbers will show."""

from __future__ import annotations

from ..nn.layer import Layer
from .quantize import Quantization


class QAT(Quantization):
    """Quantization-aware training: quanters go into a network, which is trained on and then converted.

    >>> import proa as paddle
    >>> from proa.quantization import QAT, QuantConfig
    >>> from proa.quantization.quanters import FakeQuanterWithAbsMaxObserver
    >>> quanter = FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    >>> model = QAT(QuantConfig(activation=quanter, weight=quanter)).quantize(
    ...     paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU()))
    >>> [type(layer).__name__ for layer in model.children()]
    ['QuantedLinear', 'ObserveWrapper']
    """

    def quantize(self, model: Layer, inplace: bool = False) -> Layer:
        """The model, which is in training mode, with quanters in it: a copy, unless `inplace`."""
        if not model.training:
            raise ValueError("QAT.quantize(model): must be in training mode. Call model.train(); for a model that is "
                             "not trained on there is PTQ.")
        return self._prepared(model, inplace)
