"""`paddle.jit.sot.utils`: errors of translation, and blocks that Paddle's translator knows."""

from . import envs, exceptions, paddle_api_config
from .envs import cost_model_guard, min_graph_size_guard, strict_mode_guard
from .exceptions import BreakGraphError, FallbackError, InnerError

__all__ = ["BreakGraphError", "FallbackError", "InnerError", "cost_model_guard", "envs", "exceptions",
           "min_graph_size_guard", "paddle_api_config", "strict_mode_guard"]
