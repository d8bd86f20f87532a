"""BaseObserver: a quanter that leaves values as they are and finds out their range."""

from __future__ import annotations

import abc
from typing import Any

from .base_quanter import BaseQuanter


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """A quanter for measuring: it looks at what passes, for `cal_thresholds`.

    >>> import proa as paddle
    >>> from proa.quantization import BaseObserver
    >>> class Largest(BaseObserver):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.found = 0.0
    ...     def forward(self, input):
    ...         self.found = max(self.found, float(input.abs().max()))
    ...         return input
    ...     def cal_thresholds(self):
    ...         pass
    ...     def scales(self):
    ...         return paddle.to_tensor(self.found)
    ...     def zero_points(self):
    ...         return None
    ...     def quant_axis(self):
    ...         return -1
    ...     def bit_length(self):
    ...         return 8
    >>> observer = Largest()
    >>> _ = observer(paddle.to_tensor([0.5, -3.0]))
    >>> observer.scales().item()
    3.0
    """

    @abc.abstractmethod
    def cal_thresholds(self) -> Any:
        """Works the scales out of what has passed."""
