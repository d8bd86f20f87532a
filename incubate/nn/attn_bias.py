"""Masks for `memory_efficient_attention`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ...ops.array.full import full
from ...ops.array.triangles import triu

__all__ = ["AttentionBias", "LowerTriangularMask", "LowerTriangularMaskWithTensorBias"]


class AttentionBias(ABC):
    """What is added to the scores of attention."""

    @abstractmethod
    def materialize(self, shape: Any, dtype: Any = "float32") -> Any:
        """The bias as a tensor."""


class LowerTriangularMask(AttentionBias):
    """A position sees those up to itself.

    >>> from proa.incubate.nn.attn_bias import LowerTriangularMask
    >>> LowerTriangularMask().materialize([2, 2]).tolist()
    [[0.0, -inf], [0.0, 0.0]]
    """

    def materialize(self, shape: Any, dtype: Any = "float32") -> Any:
        """0 up to the diagonal and minus infinity above it."""
        return triu(full(shape, float("-inf"), dtype), 1)

    def add_bias(self, bias: Any) -> LowerTriangularMaskWithTensorBias:
        """This mask and a tensor that is added to the scores."""
        return LowerTriangularMaskWithTensorBias(bias)


class LowerTriangularMaskWithTensorBias(LowerTriangularMask):
    """A position sees those up to itself, and a tensor is added to the scores."""

    def __init__(self, bias: Any):
        self._bias = bias

    def materialize(self, shape: Any, dtype: Any = "float32") -> Any:
        """The mask with the tensor added."""
        return super().materialize(shape, dtype) + self._bias
