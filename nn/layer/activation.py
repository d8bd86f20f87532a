"""Activations, where PaddlePaddle has them."""

from .family import family

__getattr__, __dir__ = family(__name__, """
    CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Maxout Mish PReLU
    RReLU ReLU ReLU6 SELU Sigmoid Silu Softmax Softmax2D Softplus Softshrink Softsign Swish Tanh Tanhshrink
    ThresholdedReLU
""")
