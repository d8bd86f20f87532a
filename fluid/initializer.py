"""What parameters begin with, by the names and arguments of Paddle 1.x."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

from ..core.dtype import convert_dtype
from ..core.lazy import listed
from ..nn.initializer import Assign
from ..nn.initializer import Bilinear as BilinearInitializer
from ..nn.initializer.initializer import Initializer, sizes
from ..ops.array.full import full
from ..ops.core.trace import apply, current_trace
from ..ops.random.default_initial_values import fans
from ..ops.random.sampling import gaussian, truncated_gaussian, uniform, uniform_op
from ..static.building.mode import default_main_program
from .later_names import later


class ConstantInitializer(Initializer):
    """Every element is `value`.

    >>> import proa.fluid as fluid
    >>> fluid.initializer.Constant(0.5).number
    0.5
    """

    def __init__(self, value: float = 0.0, force_cpu: bool = False):
        self.number = value

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return full(sizes(shape), self.number, dtype)


def _begun(seed: int) -> int:
    """An initializer's seed; in dynamic mode, without one, the default main Program's. A Program puts in its own."""
    if seed or not current_trace().computes:
        return seed
    return getattr(default_main_program(), "random_seed", 0)


class UniformInitializer(Initializer):
    """Uniform in [low, high). Of the elements one behind the other, those at `i * (diag_step + 1)` are `diag_val`, for
    the first `diag_num` whole numbers i: the diagonal of a matrix of `diag_step` columns.

    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     fluid.initializer.Uniform(0.0, 0.0, diag_num=2, diag_step=2).value((2, 2), "float32").numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, low: float = -1.0, high: float = 1.0, seed: int = 0, diag_num: int = 0, diag_step: int = 0,
                 diag_val: float = 1.0):
        if high < low:
            raise ValueError(f"Uniform(low, high): low must not exceed high. Received {low} and {high}.")
        if (diag_num > 0) is not (diag_step > 0):
            raise ValueError(f"Uniform(diag_num, diag_step): give both, or neither. Received {diag_num} and "
                             f"{diag_step}.")
        self.low, self.high, self.seed = low, high, seed
        self.diag_num, self.diag_step, self.diag_val = diag_num, diag_step, diag_val

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        last = (self.diag_num - 1) * (self.diag_step + 1)
        if self.diag_num and math.prod(shape) <= last:
            raise ValueError(f"Uniform(diag_num, diag_step): the last place is {last}, beyond the {math.prod(shape)} "
                             f"elements of shape {list(shape)}.")
        return apply(uniform_op, None, None, shape=list(sizes(shape)), dtype=convert_dtype(dtype), min=float(self.low),
                     max=float(self.high), seed=_begun(self.seed), diag_num=self.diag_num, diag_step=self.diag_step,
                     diag_val=float(self.diag_val))


class NormalInitializer(Initializer):
    """Normal with the mean `loc` and the standard deviation `scale`.

    >>> import proa.fluid as fluid
    >>> with fluid.program_guard(fluid.Program(), fluid.Program()):
    ...     attr = fluid.ParamAttr(initializer=fluid.initializer.Normal(0.0, 0.02))
    ...     fluid.layers.fc(fluid.data("x", [None, 4]), 3, param_attr=attr).shape
    (-1, 3)
    """

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0):
        self.loc, self.scale, self.seed = loc, scale, seed

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return gaussian(sizes(shape), self.loc, self.scale, _begun(self.seed), dtype)


class TruncatedNormalInitializer(NormalInitializer):
    """Normal, drawn again beyond two standard deviations from the mean."""

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        return truncated_gaussian(sizes(shape), self.loc, self.scale, _begun(self.seed), dtype)


class _Scaled(Initializer):
    """Centred on 0, uniform or normal, with a variance that depends on the shape."""

    uniform: bool
    seed: int

    def variance(self, shape: tuple[int, ...]) -> float:
        """The variance of an element."""
        raise NotImplementedError

    def value(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """A value of this shape and dtype."""
        if self.uniform:
            limit = math.sqrt(3.0 * self.variance(shape))
            return uniform(sizes(shape), dtype, -limit, limit, _begun(self.seed))
        return gaussian(sizes(shape), 0.0, math.sqrt(self.variance(shape)), _begun(self.seed), dtype)


class XavierInitializer(_Scaled):
    """Variance 2 / (fan_in + fan_out) (Glorot and Bengio, 2010)."""

    def __init__(self, uniform: bool = True, fan_in: float | None = None, fan_out: float | None = None, seed: int = 0):
        self.uniform, self.fan_in, self.fan_out, self.seed = uniform, fan_in, fan_out, seed

    def variance(self, shape: tuple[int, ...]) -> float:
        """The variance of an element."""
        fan_in, fan_out = fans(shape)
        return 2.0 / ((fan_in if self.fan_in is None else self.fan_in)
                      + (fan_out if self.fan_out is None else self.fan_out))


class MSRAInitializer(_Scaled):
    """Variance 2 / fan_in (He et al., Delving Deep into Rectifiers, 2015)."""

    def __init__(self, uniform: bool = True, fan_in: float | None = None, seed: int = 0):
        self.uniform, self.fan_in, self.seed = uniform, fan_in, seed

    def variance(self, shape: tuple[int, ...]) -> float:
        """The variance of an element."""
        return 2.0 / (fans(shape)[0] if self.fan_in is None else self.fan_in)


class NumpyArrayInitializer(Assign):
    """The elements of an array."""

    def __init__(self, value: Any):
        super().__init__(value)


def force_init_on_cpu() -> bool:
    """Whether `init_on_cpu` is in force: what is initialized on the host is moved where it is used, so always False."""
    return False


@contextlib.contextmanager
def init_on_cpu() -> Iterator[None]:
    """A block that changes nothing: parameters are initialized where the Executor runs the startup Program.

    >>> import proa.fluid as fluid
    >>> with fluid.initializer.init_on_cpu():
    ...     pass
    """
    yield


Constant, Uniform, Normal = ConstantInitializer, UniformInitializer, NormalInitializer
TruncatedNormal, Xavier, MSRA, Bilinear = (TruncatedNormalInitializer, XavierInitializer, MSRAInitializer,
                                           BilinearInitializer)

__all__ = ["MSRA", "Bilinear", "BilinearInitializer", "Constant", "ConstantInitializer", "Initializer",
           "MSRAInitializer", "Normal", "NormalInitializer", "NumpyArrayInitializer", "TruncatedNormal",
           "TruncatedNormalInitializer", "Uniform", "UniformInitializer", "Xavier", "XavierInitializer",
           "force_init_on_cpu", "init_on_cpu"]
__dir__ = listed(__name__)
__getattr__ = later(__name__)
