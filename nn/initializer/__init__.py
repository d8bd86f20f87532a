"""Initializers: what a parameter holds at first.

Each is called with a shape and a dtype, or with a parameter to fill.
"""

from .assign import Assign, Bilinear, Dirac
from .fan import KaimingNormal, KaimingUniform, XavierNormal, XavierUniform, calculate_gain
from .initializer import Initializer, set_global_initializer
from .orthogonal import Orthogonal
from .simple import Constant, Normal, TruncatedNormal, Uniform

__all__ = ["Assign", "Bilinear", "Constant", "Dirac", "Initializer", "KaimingNormal", "KaimingUniform", "Normal",
           "Orthogonal", "TruncatedNormal", "Uniform", "XavierNormal", "XavierUniform", "calculate_gain",
           "set_global_initializer"]
