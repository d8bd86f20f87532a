"""ComplexVariable: how Paddle 1.8 holds complex numbers, as two values, the real parts and the imaginary ones."""

from __future__ import annotations

from typing import Any

import numpy as np


class ComplexVariable:
    """Complex numbers: `real` and `imag` are values of one shape and dtype, each with a gradient of its own.

    `fluid.dygraph.to_variable` makes one of an array of complex numbers; `paddle.complex` computes with them.
    Raises ValueError where the parts differ in shape or dtype.

    >>> import numpy as np
    >>> import proa.fluid as fluid
    >>> with fluid.dygraph.guard():
    ...     x = fluid.dygraph.to_variable(np.array([1.0 + 2.0j, 0.2]))
    ...     x.dtype, x.shape, x.numpy(), x.imag.numpy()
    ('complex128', [2], array([1. +2.j, 0.2+0.j]), array([2., 0.]))
    """

    def __init__(self, real: Any, imag: Any):
        for what in ("shape", "dtype"):
            of_real, of_imag = getattr(real, what), getattr(imag, what)
            if of_real != of_imag:
                raise ValueError(f"ComplexVariable(real, imag): both need one {what}. "
                                 f"Received {of_real} and {of_imag}.")
        self.real, self.imag = real, imag

    @property
    def dtype(self) -> str:
        """'complex128' where the parts are float64, else 'complex64'."""
        return "complex128" if self.real.dtype.name == "float64" else "complex64"

    @property
    def shape(self) -> Any:
        """The shape of each part."""
        return self.real.shape

    @property
    def name(self) -> dict[str, str]:
        """The names of both parts; a text gives both one, a pair of texts each its own."""
        return {"real": self.real.name, "imag": self.imag.name}

    @name.setter
    def name(self, name: Any) -> None:
        names = (f"{name}.real", f"{name}.imag") if isinstance(name, str) else name
        if not isinstance(names, (tuple, list)) or len(names) != 2:
            raise ValueError(f"ComplexVariable.name: must be a str, or a pair of them for real and imag. "
                             f"Received {name!r}.")
        self.real.name, self.imag.name = names

    def numpy(self) -> np.ndarray:
        """The numbers as an array."""
        value: np.ndarray = self.real.numpy() + 1j * self.imag.numpy()
        return value

    def __str__(self) -> str:
        return f"REAL: {self.real}IMAG: {self.imag}"

    __repr__ = __str__
