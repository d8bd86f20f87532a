"""Pooling, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    AdaptiveAvgPool1D AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveMaxPool1D AdaptiveMaxPool2D AdaptiveMaxPool3D
    AvgPool1D AvgPool2D AvgPool3D MaxPool1D MaxPool2D MaxPool3D MaxUnPool1D MaxUnPool2D MaxUnPool3D
""")
