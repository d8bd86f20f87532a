"""Puts operations that quantize into a Program, with their scales in a scope."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.block import Block
from ..ir.operation import Operation
from ..run.scope import Scope

_FLOATS = ("float32", "float64", "float16", "bfloat16")


def is_float(block: Block, name: str) -> bool:
    """Whether a variable holds floats."""
    variable = block.find_var(name)
    return variable is not None and getattr(variable.dtype, "name", "") in _FLOATS


def is_kept(block: Block, name: str) -> bool:
    """Whether a variable is a parameter or other state that outlives a run."""
    variable = block.find_var(name)
    return variable is not None and bool(variable.persistable)


def numbers_of(values: np.ndarray, scale: Any, bits: int, axis: int) -> np.ndarray:
    """The whole numbers of so many bits that a weight becomes, as floats: `scale` is one, or one for each channel."""
    most = (1 << (bits - 1)) - 1
    scale = np.asarray(scale, values.dtype)
    if scale.size > 1:
        scale = scale.reshape([-1 if n == axis else 1 for n in range(values.ndim)])
    scale = np.where(scale <= 0.0, values.dtype.type(1e-8), scale)
    return np.clip(np.round(values / scale * most), -most - 1, most)


class Insertion:
    """Makes a block's operations anew, with further ones before and behind each of them.

    >>> import proa as paddle
    >>> from proa.static.quantization.insertion import Insertion
    >>> paddle.enable_static()
    >>> with paddle.static.program_guard(paddle.static.Program()) as none:
    ...     x = paddle.static.data("x", [2])
    ...     y = paddle.nn.functional.relu(x)
    >>> put = Insertion(x.block, paddle.static.Scope())
    >>> scale = put.constant("x@scale", [2.0])
    >>> for op in put.each():
    ...     put.add("scale", {"X": ["x"]}, {"Out": [put.like("x", "x.twice")]}, {"scale": 2.0})
    ...     op.rename_input("x", "x.twice")
    >>> [op.type for op in x.block.ops]
    ['scale', 'relu']
    >>> paddle.disable_static()
    """

    def __init__(self, block: Block, scope: Scope):
        self.block, self.scope = block, scope
        self._ops: list[Operation] = []

    def each(self) -> Any:
        """The operations there were; what is added before the next is asked for stands before it, or behind by `keep`.
        """
        before, self._ops = list(self.block.ops), []
        for op in before:
            self._current: Operation | None = op
            yield op
            self.keep()
        self.block.ops[:] = self._ops
        self.block.program.version += 1

    def keep(self) -> None:
        """Puts the operation itself here; what is added from now on stands behind it."""
        if self._current is not None:
            self._ops.append(self._current)
            self._current = None

    def add(self, type: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]],
            attrs: dict[str, Any]) -> None:
        """An operation."""
        role = self._current.attrs.get("op_role") if self._current is not None else None
        attrs = attrs if role is None else {**attrs, "op_role": role}
        self._ops.append(Operation(self.block, type, inputs, outputs, attrs))

    def like(self, name: str, made: str) -> str:
        """A variable of the sizes and dtype of another one; its name."""
        if self.block.find_var(made) is None:
            shown: Any = self.block.find_var(name)
            self.block.new_var(name=made, shape=shown.shape, dtype=shown.dtype, persistable=False)
        return made

    def constant(self, name: str, values: Any, dtype: str = "float32") -> str:
        """State that a scope holds, with these values; its name."""
        array = np.asarray(values, dtype)
        home = self.block.program.global_block()
        if not home.has_var(name):
            home.new_var(name=name, shape=list(array.shape), dtype=dtype, persistable=True, stop_gradient=True)
        self.scope.set_array(name, array)
        return name

    def weight(self, name: str, values: np.ndarray) -> None:
        """Other values, of another dtype it may be, for a parameter."""
        variable = self.block.find_var(name)
        if variable is not None and variable.dtype.name != values.dtype.name:
            variable.block.new_var(name=name, shape=list(values.shape), dtype=values.dtype.name, persistable=True)
        self.scope.set_array(name, values)
