"""What layers compute, as functions: `paddle.nn.functional`.

Thin over `ops`: the functions check and translate arguments, and apply operators. No function knows a mode.
"""

from ...core.absent import asked_of
from . import (
    activation,
    attention,
    common,
    conv,
    distance,
    flash_attention,
    folding,
    input,
    likelihoods,
    loss,
    margin_losses,
    norm,
    patterned_attention,
    pooling,
    resizing,
    sequence_losses,
    unpooling,
    vision,
)
from .activation import *  # noqa: F403
from .attention import *  # noqa: F403
from .common import *  # noqa: F403
from .conv import *  # noqa: F403
from .distance import *  # noqa: F403
from .flash_attention import sdp_kernel
from .folding import *  # noqa: F403
from .input import *  # noqa: F403
from .likelihoods import *  # noqa: F403
from .loss import *  # noqa: F403
from .margin_losses import *  # noqa: F403
from .norm import *  # noqa: F403
from .patterned_attention import *  # noqa: F403
from .pooling import *  # noqa: F403
from .resizing import *  # noqa: F403
from .sequence_losses import *  # noqa: F403
from .unpooling import *  # noqa: F403
from .vision import *  # noqa: F403

__all__ = sorted({
    *activation.__all__, *attention.__all__, *common.__all__, *conv.__all__, *distance.__all__, *folding.__all__,
    *input.__all__, *likelihoods.__all__, *loss.__all__, *margin_losses.__all__, *norm.__all__,
    *patterned_attention.__all__, *pooling.__all__, *resizing.__all__, *sequence_losses.__all__, *unpooling.__all__,
    *vision.__all__, "sdp_kernel"})
__getattr__ = asked_of(__name__)
