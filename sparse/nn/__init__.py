"""`paddle.sparse.nn`: layers of sparse tensors."""

from ...core.absent import asked_of
from . import functional
from .activation import LeakyReLU, ReLU, ReLU6, Softmax
from .conv import Conv2D, Conv3D, SubmConv2D, SubmConv3D
from .norm import BatchNorm, SyncBatchNorm
from .pooling import MaxPool3D

__all__ = ["BatchNorm", "Conv2D", "Conv3D", "LeakyReLU", "MaxPool3D", "ReLU", "ReLU6", "Softmax", "SubmConv2D",
           "SubmConv3D", "SyncBatchNorm"]
__getattr__ = asked_of(__name__)
