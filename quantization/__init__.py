"""`paddle.quantization`: training for, and measuring networks for, numbers of few bits.

A `QuantConfig` says which quanters layers get; `QAT` puts them into a network that is trained on, `PTQ` observers into
one that is only run; `convert` replaces both by the scales that they have found.
"""

from ..core.absent import asked_of
from . import observers, quanters
from .base_observer import BaseObserver
from .base_quanter import BaseQuanter
from .config import QuantConfig
from .factory import quanter
from .ptq import PTQ
from .qat import QAT

__all__ = ["BaseObserver", "BaseQuanter", "PTQ", "QAT", "QuantConfig", "quanter"]

__getattr__ = asked_of(__name__)
