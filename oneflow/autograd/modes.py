"""no_grad, enable_grad, set_grad_enabled, inference_mode: blocks and functions with or without recording."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ...ops.core.trace import state


class set_grad_enabled:
    """Says from here on whether what is computed is recorded for gradients; as a block, within it.

    >>> import proa.oneflow as flow
    >>> x = flow.ones(1, requires_grad=True)
    >>> with flow.set_grad_enabled(False):
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __init__(self, mode: bool = True):
        self.mode, self.before = bool(mode), [state.grad_enabled]
        state.grad_enabled = self.mode

    def __enter__(self) -> None:
        state.grad_enabled = self.mode

    def __exit__(self, *error: Any) -> None:
        state.grad_enabled = self.before.pop() if self.before else True

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with recording or without it."""
        self.__exit__()
        return _within(function, self.mode)


class _Block:
    _mode: bool

    def __new__(cls, function: Any = None, *args: Any, **kwargs: Any) -> Any:
        if callable(function):
            return _within(function, cls._mode)
        return super().__new__(cls)

    def __init__(self, mode: bool = True):
        self._before: list[bool] = []
        self._wanted = self._mode if mode else not self._mode

    def __enter__(self) -> None:
        self._before.append(state.grad_enabled)
        state.grad_enabled = self._wanted

    def __exit__(self, *error: Any) -> None:
        state.grad_enabled = self._before.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with recording or without it."""
        return _within(function, self._wanted)


class no_grad(_Block):
    """Within the block, or as a decorator within the function, nothing is recorded for gradients."""

    _mode = False


class enable_grad(_Block):
    """Within the block, or as a decorator within the function, gradients are recorded."""

    _mode = True


class inference_mode(_Block):
    """As `no_grad`; `inference_mode(False)` records."""

    _mode = False


def is_grad_enabled() -> bool:
    """Whether what is computed is recorded for gradients."""
    return state.grad_enabled


def _within(function: Callable, mode: bool) -> Callable:
    if inspect.isgeneratorfunction(function):
        return _each_step(function, mode)

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        old, state.grad_enabled = state.grad_enabled, mode
        try:
            return function(*args, **kwargs)
        finally:
            state.grad_enabled = old

    return called


def _each_step(function: Callable, mode: bool) -> Callable:
    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> Iterator[Any]:
        steps = function(*args, **kwargs)
        while True:
            old, state.grad_enabled = state.grad_enabled, mode
            try:
                value = next(steps)
            except StopIteration:
                return
            finally:
                state.grad_enabled = old
            yield value

    return called
