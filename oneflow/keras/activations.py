"""`flow.keras.activations`: activations, as OneFlow 0.1 had them before `flow.math` and `flow.nn`."""

from ..math import gelu, relu, sigmoid, tanh

__all__ = ["gelu", "relu", "sigmoid", "tanh"]
