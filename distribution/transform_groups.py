"""Transforms made of others: side by side (StackTransform), with more dimensions to a value, and reshaping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ops.array.concat_split import stack, unbind
from ..ops.array.reshape import reshape
from ..ops.core.infer import product
from . import variable
from .transformed import Transform, Type, _summed


class IndependentTransform(Transform):
    """A transform of which `reinterpreted_batch_rank` more dimensions belong to one value.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> both = D.IndependentTransform(D.ExpTransform(), 1)
    >>> both.forward_log_det_jacobian(paddle.to_tensor([1.0, 2.0])).item()
    3.0
    """

    def __init__(self, base: Transform, reinterpreted_batch_rank: int):
        if not isinstance(base, Transform):
            raise TypeError(f"IndependentTransform(base): must be a Transform. Received {type(base).__name__}.")
        if reinterpreted_batch_rank <= 0:
            raise ValueError(f"IndependentTransform(reinterpreted_batch_rank): must be above 0. "
                             f"Received {reinterpreted_batch_rank}.")
        self._base, self._more = base, reinterpreted_batch_rank

    def _is_injective(self) -> bool:  # type: ignore[override]  # as the base is
        return self._base._is_injective()

    @property
    def _domain(self) -> variable.Variable:
        return variable.Independent(self._base._domain, self._more)

    @property
    def _codomain(self) -> variable.Variable:
        return variable.Independent(self._base._codomain, self._more)

    def _forward(self, x: Any) -> Any:
        return self._base.forward(x)

    def _inverse(self, y: Any) -> Any:
        return self._base.inverse(y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return _summed(self._base.forward_log_det_jacobian(x), self._more)

    def _forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self._base.forward_shape(shape)

    def _inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self._base.inverse_shape(shape)


class ReshapeTransform(Transform):
    """A value of shape in_event_shape in the shape out_event_shape.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> D.ReshapeTransform((2, 3), (6,)).forward(paddle.ones([4, 2, 3])).shape
    [4, 6]
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape: Sequence[int], out_event_shape: Sequence[int]):
        if product(in_event_shape) != product(out_event_shape):
            raise ValueError(f"ReshapeTransform: as many elements in as out. Received {list(in_event_shape)} "
                             f"and {list(out_event_shape)}.")
        self._in, self._out = tuple(in_event_shape), tuple(out_event_shape)

    @property
    def _domain(self) -> variable.Variable:
        return variable.Independent(variable.real, len(self._in))

    @property
    def _codomain(self) -> variable.Variable:
        return variable.Independent(variable.real, len(self._out))

    @property
    def in_event_shape(self) -> tuple[int, ...]:
        """The shape of a value."""
        return self._in

    @property
    def out_event_shape(self) -> tuple[int, ...]:
        """The shape of a transformed value."""
        return self._out

    def _forward(self, x: Any) -> Any:
        return reshape(x, list(self.forward_shape(x.shape)))

    def _inverse(self, y: Any) -> Any:
        return reshape(y, list(self.inverse_shape(y.shape)))

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return _summed(x * 0.0, len(self._in))

    def _forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self._replaced(shape, self._in, self._out)

    def _inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        return self._replaced(shape, self._out, self._in)

    @staticmethod
    def _replaced(shape: Sequence[int], old: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
        cut = len(shape) - len(old)
        if cut < 0 or tuple(shape[cut:]) != old:
            raise ValueError(f"ReshapeTransform: the shape must end with {list(old)}. Received {list(shape)}.")
        return (*shape[:cut], *new)


class StackTransform(Transform):
    """As many transforms as there are slices along `axis`, each of its slice.

    >>> import proa as paddle
    >>> from proa import distribution as D
    >>> each = D.StackTransform([D.ExpTransform(), D.AbsTransform()], axis=0)
    >>> each.forward(paddle.to_tensor([[0.0], [-2.0]])).tolist()
    [[1.0], [2.0]]
    """

    def __init__(self, transforms: Sequence[Transform], axis: int = 0):
        if not transforms or not isinstance(transforms, Sequence) or not all(
                isinstance(t, Transform) for t in transforms):
            raise TypeError("StackTransform(transforms): must be a sequence of Transforms, and not empty.")
        self._transforms, self._axis = list(transforms), int(axis)

    def _is_injective(self) -> bool:  # type: ignore[override]  # of these slices, not of all
        return all(transform._is_injective() for transform in self._transforms)

    @property
    def _domain(self) -> variable.Variable:
        return variable.Stack([transform._domain for transform in self._transforms], self._axis)

    @property
    def _codomain(self) -> variable.Variable:
        return variable.Stack([transform._codomain for transform in self._transforms], self._axis)

    @property
    def transforms(self) -> list[Transform]:
        """The transforms of the slices."""
        return self._transforms

    @property
    def axis(self) -> int:
        """The dimension of the slices."""
        return self._axis

    def _each(self, method: str, value: Any) -> Any:
        slices = unbind(value, self._axis)
        if len(slices) != len(self._transforms):
            raise ValueError(f"StackTransform: {len(self._transforms)} transforms need as many slices along dimension "
                             f"{self._axis}. Received shape {list(value.shape)}.")
        return stack([getattr(t, method)(v) for t, v in zip(self._transforms, slices, strict=True)], self._axis)

    def _forward(self, x: Any) -> Any:
        return self._each("forward", x)

    def _inverse(self, y: Any) -> Any:
        return self._each("inverse", y)

    def _forward_log_det_jacobian(self, x: Any) -> Any:
        return self._each("forward_log_det_jacobian", x)
