"""`paddle.incubate.nn.loss`: what marks the end of a loss."""

from ...ops.loss.identity_loss import identity_loss

__all__ = ["identity_loss"]
