"""Layers with quanters of their weights and inputs, in the place of plain ones."""

from .conv import QuantedConv2D
from .linear import QuantedLinear

__all__ = ["QuantedConv2D", "QuantedLinear"]
