"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.quantization`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import imperative as imperative, observers as observers, quanters as quanters
from proa.quantization.base_observer import BaseObserver as BaseObserver
from proa.quantization.base_quanter import BaseQuanter as BaseQuanter
from proa.quantization.config import QuantConfig as QuantConfig
from proa.quantization.factory import quanter as quanter
from proa.quantization.ptq import PTQ as PTQ
from proa.quantization.qat import QAT as QAT

