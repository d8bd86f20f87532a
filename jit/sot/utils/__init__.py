"""`paddle.jit.sot.utils`: errors of translation, and blocks that Paddle's translator knows."""

from . import exceptions, paddle_api_config
from .exceptions import BreakGraphError, FallbackError, InnerError
from .guards import cost_model_guard, min_graph_size_guard, strict_mode_guard

__all__ = ["BreakGraphError", "FallbackError", "InnerError", "cost_model_guard", "exceptions", "min_graph_size_guard",
           "paddle_api_config", "strict_mode_guard"]
