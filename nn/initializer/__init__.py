"""Initializers: what a parameter holds at first.

Each is called with a shape and a dtype, or with a parameter to fill.
"""

from ...core.absent import asked_of
from .assign import Assign, Bilinear, Dirac
from .fan import KaimingNormal, KaimingUniform, XavierNormal, XavierUniform, calculate_gain
from .initializer import Initializer, set_global_initializer
from .older_names import (
    ConstantInitializer,
    MSRAInitializer,
    NormalInitializer,
    NumpyArrayInitializer,
    TruncatedNormalInitializer,
    UniformInitializer,
    XavierInitializer,
)
from .orthogonal import Orthogonal
from .simple import Constant, Normal, TruncatedNormal, Uniform

__all__ = ["Assign", "Bilinear", "Constant", "ConstantInitializer", "Dirac", "Initializer", "KaimingNormal",
           "KaimingUniform", "MSRAInitializer", "Normal", "NormalInitializer", "NumpyArrayInitializer", "Orthogonal",
           "TruncatedNormal", "TruncatedNormalInitializer", "Uniform", "UniformInitializer", "XavierInitializer",
           "XavierNormal", "XavierUniform", "calculate_gain", "set_global_initializer"]
__getattr__ = asked_of(__name__)
