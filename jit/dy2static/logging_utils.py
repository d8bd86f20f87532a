"""Names of `paddle.jit.dy2static.logging_utils`."""

from ..convert.reporting import get_code_level, get_verbosity, set_code_level, set_verbosity

__all__ = ["get_code_level", "get_verbosity", "set_code_level", "set_verbosity"]
