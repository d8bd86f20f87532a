"""What layers compute, as functions: `paddle.nn.functional`.

Thin over `ops`: the functions check and translate arguments, and apply operators. No function knows a mode.
"""

from . import activation, conv
from .activation import *  # noqa: F403
from .conv import *  # noqa: F403

__all__ = sorted({*activation.__all__, *conv.__all__})
