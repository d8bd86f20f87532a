"""Jacobians and Hessians of tensors that were computed, row by row, as they are asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..ops.array.concat_split import stack
from ..ops.array.creation import zeros_like
from ..ops.array.full import is_value
from .engine import grad
from .value import EagerValue


def gradient(y: EagerValue, xs: Sequence[EagerValue], start: Any = None) -> list[EagerValue]:
    """The gradients of y, zeros where it does not depend on an x; they have gradients themselves."""
    found = grad([y], list(xs), None if start is None else [start], create_graph=True, retain_graph=True,
                 allow_unused=True)
    return [zeros_like(x) if g is None else g for x, g in zip(xs, found, strict=True)]


def _forwarded(name: str) -> Callable[..., Any]:
    """A method of the matrix itself."""
    def method(self: Jacobian, *arguments: Any) -> Any:
        return getattr(self._whole(), name)(*[a._whole() if isinstance(a, Jacobian) else a for a in arguments])

    method.__name__ = name
    return method


class Jacobian:
    """The derivatives of y's elements with respect to x's: a matrix whose rows are computed when they are first used.

    Its shape is that of y followed by that of x, with the batch first and once where there is one. It is indexed and
    computed with as a Tensor is.
    """

    def __init__(self, ys: Any, xs: EagerValue, is_batched: bool = False):
        self._y, self._x, self._is_batched = ys, xs, is_batched
        inner = ys.shape[1:] if is_batched else ys.shape
        self._has_rows = bool(inner)
        self.shape = [*ys.shape[:1], *inner, *xs.shape[1:]] if is_batched else [*inner, *xs.shape]
        self._rows: dict[int, EagerValue] = {}

    def _row(self, index: int) -> EagerValue:
        if index not in self._rows:
            if self._is_batched:
                y = (self._y[:, index] if self._has_rows else self._y).sum()
            else:
                y = self._y[index] if self._has_rows else self._y
            self._rows[index] = gradient(y, [self._x])[0]
        return self._rows[index]

    def _axis(self) -> int:
        return 1 if self._is_batched else 0

    def _whole(self) -> EagerValue:
        if not self._has_rows:
            return self._row(0)
        return stack([self._row(index) for index in range(self.shape[self._axis()])], self._axis())

    def __getitem__(self, key: Any) -> EagerValue:
        keys = key if isinstance(key, tuple) else (key,)
        axis = self._axis()
        if self._has_rows and len(keys) > axis and isinstance(keys[axis], int) and not any(
                k is Ellipsis for k in keys[:axis]):
            size, index = self.shape[axis], keys[axis]
            if not -size <= index < size:
                raise IndexError(f"Jacobian: index {index} is out of range for {size} rows.")
            rest = keys[:axis] + keys[axis + 1:]
            row = self._row(index % size)
            return row[rest] if rest else row
        return self._whole()[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._whole(), name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        array = self._whole().numpy()
        return array if dtype is None else array.astype(dtype)

    def __len__(self) -> int:
        return self.shape[0]

    __add__, __radd__, __sub__, __rsub__ = map(_forwarded, ("__add__", "__radd__", "__sub__", "__rsub__"))
    __mul__, __rmul__, __truediv__, __rtruediv__ = map(
        _forwarded, ("__mul__", "__rmul__", "__truediv__", "__rtruediv__"))
    __matmul__, __pow__, __neg__, __float__ = map(_forwarded, ("__matmul__", "__pow__", "__neg__", "__float__"))
    __eq__, __ne__ = map(_forwarded, ("__eq__", "__ne__"))
    __lt__, __le__, __gt__, __ge__ = map(_forwarded, ("__lt__", "__le__", "__gt__", "__ge__"))
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape})"


class Hessian(Jacobian):
    """The second derivatives of a function's one value (an item of the batch): the Jacobian of its gradient."""


def _checked(ys: Sequence[EagerValue], xs: Sequence[EagerValue], batch_axis: int | None, name: str) -> None:
    if batch_axis not in (None, 0):
        raise ValueError(f"{name}(batch_axis): must be None or 0. Received {batch_axis!r}.")
    most = 1 if batch_axis is None else 2
    for label, values in (("ys", ys), ("xs", xs)):
        for value in values:
            if not is_value(value):
                raise TypeError(f"{name}({label}): must be Tensors. Received {type(value).__name__}.")
            if not most - 1 <= len(value.shape) <= most:
                raise ValueError(
                    f"{name}({label}, batch_axis={batch_axis}): takes {most - 1} or {most} dimensions. "
                    f"Received shape {list(value.shape)}. Flatten it with reshape before it is computed with."
                )
            if -1 in value.shape[most - 1:]:
                raise ValueError(f"{name}({label}, batch_axis={batch_axis}): of {value.name!r} the size must be known, "
                                 f"the batch's aside. Received shape {list(value.shape)}.")


def _each(make: Callable[[EagerValue, EagerValue], Any], ys: Any, xs: Any) -> Any:
    """make(y, x) for every pair, nested as ys and xs are."""
    def along(y: EagerValue) -> Any:
        return tuple(make(y, x) for x in xs) if isinstance(xs, Sequence) else make(y, xs)

    return tuple(along(y) for y in ys) if isinstance(ys, Sequence) else along(ys)


def _listed(values: Any) -> Sequence[EagerValue]:
    return values if isinstance(values, Sequence) else [values]


def jacobian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """The Jacobian of `ys`, which were computed from `xs`: ∂y/∂x, [M, N] of vectors, computed row by row when used.

    Shapes: [] or [M] and [] or [N]; with batch_axis=0, [B] or [B, M] and [B] or [B, N], for [B, M, N]. Sequences of ys
    or xs give tuples of Jacobians. Raises ValueError for other shapes. After `paddle.autograd.jacobian`. Of Variables
    of a Program the rows are appended to it; the size of the batch alone need not be known there.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> paddle.autograd.jacobian(x * x, x)[:].tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    _checked(_listed(ys), _listed(xs), batch_axis, "jacobian")
    return _each(lambda y, x: Jacobian(y, x, batch_axis is not None), ys, xs)


def hessian(ys: Any, xs: Any, batch_axis: int | None = None) -> Any:
    """The Hessian of one value `ys` (one an item with batch_axis=0), which was computed from `xs`: ∂²y/∂x∂x'.

    Shapes are those of `jacobian`; a sequence of xs gives a tuple of tuples. After `paddle.autograd.hessian`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> paddle.autograd.hessian((x ** 3).sum(), x)[:].tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    _checked([ys], _listed(xs), batch_axis, "hessian")
    if math.prod(ys.shape[0 if batch_axis is None else 1:]) != 1:
        raise ValueError(f"hessian(ys, batch_axis={batch_axis}): must be one value"
                         f"{'' if batch_axis is None else ' an item of the batch'}. Received shape {list(ys.shape)}.")
    inputs = _listed(xs)
    slopes = gradient(ys.sum(), inputs)
    found = tuple(tuple(Hessian(slope, x, batch_axis is not None) for x in inputs) for slope in slopes)
    return found if isinstance(xs, Sequence) else found[0][0]
