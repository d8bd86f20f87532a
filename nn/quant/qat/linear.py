"""nn.Linear with quanters."""

from __future__ import annotations

from typing import Any

from ... import functional as F
from .quanted import Quanted


class QuantedLinear(Quanted):
    """`nn.Linear` of which weight and input pass quanters first; made by `QAT` and `PTQ`."""

    def _compute(self, input: Any, weight: Any) -> Any:
        return F.linear(input, weight, self.bias)
