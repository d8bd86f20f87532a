"""Convolutions, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    Conv1D Conv1DTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose
""", {"_ConvNd": "conv"})
