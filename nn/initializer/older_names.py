"""Initializers under the names and with the arguments that older code has for them: MSRAInitializer, NormalInitializer.

`seed` other than 0 is the draw's own, whatever `paddle.seed` says.
"""

from __future__ import annotations

from typing import Any

from .assign import Assign
from .fan import KaimingNormal, XavierNormal
from .simple import Constant, Normal, TruncatedNormal, Uniform


class ConstantInitializer(Constant):
    """Constant(value)."""

    def __init__(self, value: float = 0.0, force_cpu: bool = False):
        super().__init__(value)


class NormalInitializer(Normal):
    """Normal(mean=loc, std=scale)."""

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0):
        super().__init__(loc, scale)
        self.seed = seed


class TruncatedNormalInitializer(TruncatedNormal):
    """TruncatedNormal(mean=loc, std=scale)."""

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0, a: float = -2.0, b: float = 2.0):
        super().__init__(loc, scale, a=a, b=b)
        self.seed = seed


class UniformInitializer(Uniform):
    """Uniform(low, high)."""

    def __init__(self, low: float = -1.0, high: float = 1.0, seed: int = 0, diag_num: int = 0, diag_step: int = 0,
                 diag_val: float = 1.0):
        if diag_num:
            raise NotImplementedError("UniformInitializer(diag_num): setting a diagonal is not supported. Set it on "
                                      "the parameter: w.set_value(…).")
        super().__init__(low, high)
        self.seed = seed


class XavierInitializer(XavierNormal):
    """XavierUniform, or XavierNormal where `uniform` is False."""

    def __init__(self, uniform: bool = True, fan_in: float | None = None, fan_out: float | None = None, seed: int = 0):
        super().__init__(fan_in, fan_out)
        self.is_uniform, self.seed = uniform, seed


class MSRAInitializer(KaimingNormal):
    """KaimingUniform, or KaimingNormal where `uniform` is False."""

    def __init__(self, uniform: bool = True, fan_in: float | None = None, seed: int = 0, negative_slope: float = 0,
                 nonlinearity: str = "relu"):
        super().__init__(fan_in, negative_slope, nonlinearity)
        self.is_uniform, self.seed = uniform, seed


class NumpyArrayInitializer(Assign):
    """Assign of a NumPy array."""

    def __init__(self, value: Any):
        super().__init__(value)
