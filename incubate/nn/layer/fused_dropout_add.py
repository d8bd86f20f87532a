"""FusedDropoutAdd: dropout and an addition."""

from __future__ import annotations

from typing import Any

from ....nn import Layer
from .. import functional

__all__ = ["FusedDropoutAdd"]


class FusedDropoutAdd(Layer):
    """dropout(x) + y.

    >>> import proa as paddle
    >>> layer = paddle.incubate.nn.FusedDropoutAdd(0.5)
    >>> layer.eval()
    >>> layer(paddle.ones([2]), paddle.ones([2])).tolist()
    [2.0, 2.0]
    """

    def __init__(self, p: float = 0.5, mode: str = "upscale_in_train", name: str | None = None):
        super().__init__()
        self.p, self.mode, self.name = p, mode, name

    def forward(self, x: Any, y: Any) -> Any:
        """The sum."""
        return functional.fused_dropout_add(x, y, self.p, self.training, self.mode)

    def extra_repr(self) -> str:
        """The settings."""
        return f"p={self.p}, mode={self.mode}"
