"""Normalization, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    BatchNorm BatchNorm1D BatchNorm2D BatchNorm3D GroupNorm InstanceNorm1D InstanceNorm2D InstanceNorm3D LayerNorm
    LocalResponseNorm SpectralNorm SyncBatchNorm
""", {"_BatchNormBase": "batch_norm", "_InstanceNormBase": "norm"})
