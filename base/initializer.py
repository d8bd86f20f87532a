"""`paddle.base.initializer`: what fills parameters that say nothing, by the path of older code."""

from ..nn.initializer import set_global_initializer

__all__ = ["set_global_initializer"]
