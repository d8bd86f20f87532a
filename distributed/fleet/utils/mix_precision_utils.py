"""`paddle.distributed.fleet.utils.mix_precision_utils`: gradients in float32 beside 16-bit parameters.

They are not supported: `paddle.amp.decorate` keeps float32 copies of the parameters, which an optimizer updates.
"""

from typing import Any, NoReturn

__all__ = ["MixPrecisionLayer", "MixPrecisionOptimizer", "MixPrecisionScaler"]


class _Refused:
    """Says what to use instead."""

    def __init__(self, *args: Any, **kwargs: Any):
        _refuse(type(self).__name__)


class MixPrecisionLayer(_Refused):
    """Keeps gradients in float32: NotImplementedError."""


class MixPrecisionOptimizer(_Refused):
    """Updates by gradients in float32: NotImplementedError."""


class MixPrecisionScaler(_Refused):
    """Unscales gradients in float32: NotImplementedError."""


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"{name}: gradients apart in float32 are not supported. Use "
                              f"paddle.amp.decorate(models, optimizers, level='O2'), which keeps float32 copies of the "
                              f"parameters.")
