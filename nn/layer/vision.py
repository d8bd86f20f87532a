"""Shuffles of images, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    ChannelShuffle PixelShuffle PixelUnshuffle
""")
