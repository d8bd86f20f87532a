"""BaseObserver: a quanter that leaves values as they are and finds out their range."""

from __future__ import annotations

import abc
from typing import Any

from .base_quanter import BaseQuanter


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """A quanter for measuring: it looks at what passes, for `cal_thresholds`."""

    @abc.abstractmethod
    def cal_thresholds(self) -> Any:
        """Works the scales out of what has passed."""
