"""`flow.layers`: functions for jobs that have variables of their own."""

from ..refused import explaining
from .convolution import conv1d, conv2d, conv3d
from .dense import dense
from .normalization import (
    batch_normalization,
    batch_normalization_add_relu,
    batch_normalization_relu,
    layer_norm,
    layer_norm_grad,
    layer_norm_param_grad,
)
from .ordinal_encoder import categorical_ordinal_encoder
from .prelu import prelu
from .resizing import upsample_2d

__all__ = [
    "batch_normalization", "batch_normalization_add_relu", "batch_normalization_relu",
    "categorical_ordinal_encoder", "conv1d", "conv2d", "conv3d", "dense", "layer_norm", "layer_norm_grad",
    "layer_norm_param_grad", "prelu", "upsample_2d",
]
__getattr__ = explaining(__name__)
