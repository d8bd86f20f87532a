"""InputSpec: what a function's tensor argument looks like, for conversion and export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.dtype import DType, convert_dtype, from_numpy_dtype
from ...ops.core.spec import Spec


class InputSpec:
    """Shape, dtype and name of an input; None (or -1) for a size that may differ from call to call.

    For `paddle.jit.to_static`, `paddle.jit.save` and `paddle.Model`. `InputSpec.from_tensor(x)` has those of a Tensor.
    A `name` is that of the input in the file. With `stop_gradient=False` gradients flow to it.

    >>> import proa as paddle
    >>> paddle.static.InputSpec([None, 784], "float32", "x")
    InputSpec(shape=(-1, 784), dtype=paddle.float32, name=x, stop_gradient=False)
    """

    def __init__(self, shape: Sequence[int | None], dtype: Any = "float32", name: str | None = None,
                 stop_gradient: bool = False):
        if isinstance(shape, int) or not isinstance(shape, Sequence):
            raise TypeError(f"InputSpec(shape): must be a list or tuple of ints and None. Received {shape!r}.")
        for size in shape:
            if size is not None and (not isinstance(size, (int, np.integer)) or size < -1):
                raise ValueError(f"InputSpec(shape): a size is None, -1 or an int of at least 0. Received {size!r}.")
        self.shape = tuple(-1 if size is None else int(size) for size in shape)
        self.dtype: DType = convert_dtype(dtype)
        self.name = name
        self.stop_gradient = stop_gradient

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> InputSpec:
        """The spec of a Tensor or Variable."""
        return cls(tensor.shape, tensor.dtype, name or tensor.name)

    @classmethod
    def from_numpy(cls, ndarray: np.ndarray, name: str | None = None) -> InputSpec:
        """The spec of a NumPy array."""
        return cls(ndarray.shape, from_numpy_dtype(ndarray.dtype), name)

    def batch(self, batch_size: int) -> InputSpec:
        """Puts a batch dimension in front, and gives the spec itself."""
        self.shape = (int(batch_size), *self.shape)
        return self

    def unbatch(self) -> InputSpec:
        """Takes the first dimension away, and gives the spec itself."""
        if not self.shape:
            raise ValueError("InputSpec.unbatch(): a spec without dimensions has no batch dimension.")
        self.shape = self.shape[1:]
        return self

    @property
    def spec(self) -> Spec:
        """Shape and dtype."""
        return Spec(self.shape, self.dtype)

    def __repr__(self) -> str:
        return (f"InputSpec(shape={self.shape}, dtype={self.dtype}, name={self.name}, "
                f"stop_gradient={self.stop_gradient})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InputSpec) and (self.spec, self.name) == (other.spec, other.name)

    def __hash__(self) -> int:
        return hash((self.spec, self.name))
