"""`paddle.distribution.variable`: what a transform takes and gives: numbers, how many dimensions a value has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ops.array.concat_split import stack, unbind
from . import constraint as constraints


class Variable:
    """A random variable: discrete or not, of values with `event_rank` dimensions that meet a constraint.

    >>> import proa as paddle
    >>> from proa.distribution import variable
    >>> variable.positive.constraint(paddle.to_tensor([1.0, -1.0])).tolist()
    [True, False]
    """

    def __init__(self, is_discrete: bool = False, event_rank: int = 0, constraint: Any = None):
        self._is_discrete, self._event_rank, self._constraint = is_discrete, event_rank, constraint

    @property
    def is_discrete(self) -> bool:
        """Whether values can be counted."""
        return self._is_discrete

    @property
    def event_rank(self) -> int:
        """How many of the last dimensions belong to one value."""
        return self._event_rank

    def constraint(self, value: Any) -> Any:
        """Whether the constraint holds, of each element of a value; a bool tensor."""
        if self._constraint is None:
            raise NotImplementedError(f"{type(self).__name__} was made without a constraint.")
        return self._constraint(value)


class Real(Variable):
    """Real numbers."""

    def __init__(self, event_rank: int = 0):
        super().__init__(False, event_rank, constraints.real)


class Positive(Variable):
    """Numbers of 0 or more."""

    def __init__(self, event_rank: int = 0):
        super().__init__(False, event_rank, constraints.positive)


class Independent(Variable):
    """A variable of which `reinterpreted_batch_rank` more of the last dimensions belong to one value.

    >>> import proa as paddle
    >>> from proa.distribution import variable
    >>> pairs = variable.Independent(variable.positive, 1)
    >>> pairs.event_rank, pairs.constraint(paddle.to_tensor([[1.0, 2.0], [1.0, -2.0]])).tolist()
    (1, [True, False])
    """

    def __init__(self, base: Variable, reinterpreted_batch_rank: int):
        self._base, self._more = base, reinterpreted_batch_rank
        super().__init__(base.is_discrete, base.event_rank + reinterpreted_batch_rank)

    def constraint(self, value: Any) -> Any:
        """Whether the base's constraint holds in all elements of a value."""
        found = self._base.constraint(value)
        if len(found.shape) < self._more:
            raise ValueError(f"Independent.constraint(value): needs at least {self._more} dimension(s). "
                             f"Received shape {list(value.shape)}.")
        return found.all(list(range(-self._more, 0))) if self._more > 0 else found


class Stack(Variable):
    """Several variables, one for each slice along `axis`.

    >>> import proa as paddle
    >>> from proa.distribution import variable
    >>> both = variable.Stack([variable.real, variable.positive])
    >>> both.constraint(paddle.to_tensor([[-1.0], [-1.0]])).tolist()
    [[True], [False]]
    """

    def __init__(self, vars: Sequence[Variable], axis: int = 0):
        self._vars, self._axis = list(vars), axis
        rank = max(var.event_rank for var in self._vars)
        super().__init__(any(var.is_discrete for var in self._vars), rank + 1 if axis + rank < 0 else rank)

    def constraint(self, value: Any) -> Any:
        """Whether each slice meets the constraint of its variable."""
        if not -len(value.shape) <= self._axis < len(value.shape):
            raise ValueError(f"Stack.constraint(value): needs the dimension {self._axis}. "
                             f"Received shape {list(value.shape)}.")
        slices = unbind(value, self._axis)
        return stack([var.constraint(part) for var, part in zip(self._vars, slices, strict=True)], self._axis)


real, positive = Real(), Positive()
"""Real numbers, and those of 0 or more, one to a value."""
