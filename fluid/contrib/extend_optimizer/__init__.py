"""`fluid.contrib.extend_optimizer`: optimizers with something added to them."""

from .extend_optimizer_with_weight_decay import extend_with_decoupled_weight_decay

__all__ = ["extend_with_decoupled_weight_decay"]
