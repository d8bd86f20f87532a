"""`paddle.sparse.nn.functional`: layers of sparse tensors as functions."""

from ....core.absent import asked_of
from ....ops.sparse.attention import attention
from ....ops.sparse.conv import conv2d, conv3d, max_pool3d, subm_conv2d, subm_conv3d
from ....ops.sparse.softmax import softmax
from ....ops.sparse.unary import leaky_relu, relu, relu6

__all__ = ["attention", "conv2d", "conv3d", "leaky_relu", "max_pool3d", "relu", "relu6", "softmax", "subm_conv2d",
           "subm_conv3d"]
__getattr__ = asked_of(__name__)
