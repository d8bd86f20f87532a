"""`flow.keras`: names of OneFlow 0.1, by which its first networks are written."""

from . import activations

__all__ = ["activations"]
