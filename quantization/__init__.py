"""`paddle.quantization`: training for, and measuring networks for, numbers of few bits.

A `QuantConfig` says which quanters layers get; `QAT` puts them into a network that is trained on, `PTQ` observers into
one that is only run; `convert` replaces both by the scales that they have found. `ImperativeQuantAware` and
`ImperativePTQ` are the older way, for the same networks.
"""

from ..core.absent import asked_of
from . import imperative, observers, quanters
from .base_observer import BaseObserver
from .base_quanter import BaseQuanter
from .config import QuantConfig
from .factory import quanter
from .imperative import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    ImperativePTQ,
    ImperativeQuantAware,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    PTQRegistry,
    default_ptq_config,
)
from .ptq import PTQ
from .qat import QAT

__all__ = ["BaseObserver", "BaseQuanter", "PTQ", "QAT", "QuantConfig", "quanter"]

__getattr__ = asked_of(__name__)
