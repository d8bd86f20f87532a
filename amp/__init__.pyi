"""Made by `python -m tests.api.stubs`: what type checkers know of `proa.amp`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
from . import debugging as debugging
from proa.amp.auto_cast import auto_cast as auto_cast, decorate as decorate, is_bfloat16_supported as is_bfloat16_supported, is_float16_supported as is_float16_supported
from proa.amp.grad_scaler import GradScaler as GradScaler

