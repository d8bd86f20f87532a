"""What layers compute, as functions: `paddle.nn.functional`.

Thin over `ops`: the functions check and translate arguments, and apply operators. No function knows a mode.
"""

from . import activation, attention, common, conv, input, loss, norm, pooling
from .activation import *  # noqa: F403
from .attention import *  # noqa: F403
from .common import *  # noqa: F403
from .conv import *  # noqa: F403
from .input import *  # noqa: F403
from .loss import *  # noqa: F403
from .norm import *  # noqa: F403
from .pooling import *  # noqa: F403

__all__ = sorted({
    *activation.__all__, *attention.__all__, *common.__all__, *conv.__all__, *input.__all__, *loss.__all__,
    *norm.__all__, *pooling.__all__})
