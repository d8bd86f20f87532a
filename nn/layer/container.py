"""Containers of layers, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    LayerDict LayerList ParameterList Sequential
""")
