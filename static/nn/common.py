"""`paddle.static.nn.common`: layers by Paddle's path."""

from ..building.averages import ExponentialMovingAverage
from ..building.debugging import py_func
from .conv import conv2d, conv2d_transpose, conv3d, conv3d_transpose, deform_conv2d, deformable_conv
from .dense import (
    bilinear_tensor_product,
    continuous_value_model,
    embedding,
    fc,
    prelu,
    row_conv,
    sparse_embedding,
)
from .norm import batch_norm, data_norm, group_norm, instance_norm, layer_norm, spectral_norm

__all__ = ["ExponentialMovingAverage", "batch_norm", "bilinear_tensor_product", "continuous_value_model", "conv2d",
           "conv2d_transpose", "conv3d", "conv3d_transpose", "data_norm", "deform_conv2d", "deformable_conv",
           "embedding", "fc", "group_norm", "instance_norm", "layer_norm", "prelu", "py_func", "row_conv",
           "sparse_embedding", "spectral_norm"]
