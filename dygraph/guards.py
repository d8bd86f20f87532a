"""`no_grad`, `enable_grad` and `set_grad_enabled`: whether what runs is recorded for a gradient."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, overload

from ..ops.core.trace import state

_Function = TypeVar("_Function", bound=Callable[..., Any])


class _GradMode:
    """A context manager, and a decorator for functions and generators, that sets whether gradients are recorded."""

    enabled = True

    def __init__(self) -> None:
        self._old: list[bool] = []

    def __enter__(self) -> None:
        self._old.append(state.grad_enabled)
        state.grad_enabled = self.enabled

    def __exit__(self, *_: Any) -> None:
        state.grad_enabled = self._old.pop()

    def __call__(self, function: _Function) -> _Function:
        if inspect.isgeneratorfunction(function):
            return self._around_generator(function)  # type: ignore[return-value]

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self._anew():
                return function(*args, **kwargs)

        return decorated  # type: ignore[return-value]

    def _anew(self) -> _GradMode:
        """A guard of its own for one call: calls in several threads end in any order."""
        guard = _GradMode()
        guard.enabled = self.enabled
        return guard

    def _around_generator(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            generator = function(*args, **kwargs)
            resume, given = generator.send, None
            while True:
                try:
                    with self._anew():
                        value = resume(given)
                except StopIteration as stop:
                    return stop.value
                try:
                    resume, given = generator.send, (yield value)
                except GeneratorExit:
                    with self._anew():
                        generator.close()
                    raise
                except BaseException as error:
                    resume, given = generator.throw, error

        return decorated


class no_grad(_GradMode):
    """Nothing inside is recorded for a gradient; as `with no_grad():`, `@no_grad()` or `@no_grad`.

    >>> import proa as paddle
    >>> x = paddle.ones([2]); x.stop_gradient = False
    >>> with paddle.no_grad():
    ...     (x * 2).stop_gradient
    True
    """

    enabled = False

    @overload
    def __new__(cls, function: None = None) -> no_grad: ...

    @overload
    def __new__(cls, function: _Function) -> _Function: ...  # type: ignore[misc]

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """A guard, or, given a function, that function decorated."""
        if function is not None and not callable(function):
            raise TypeError(f"no_grad(function): takes nothing, or the function that it decorates. Received "
                            f"{type(function).__name__}.")
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: Callable[..., Any] | None = None) -> None:
        super().__init__()


class enable_grad(_GradMode):
    """What runs inside is recorded for a gradient, also within `no_grad`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> with paddle.no_grad():
    ...     with paddle.enable_grad():
    ...         y = x * 2
    >>> y.stop_gradient
    False
    """

    enabled = True


class set_grad_enabled(_GradMode):
    """What runs inside (or, called plainly, from now on) is recorded for a gradient, or not, after `mode`.

    >>> import proa as paddle
    >>> x = paddle.to_tensor([1.0], stop_gradient=False)
    >>> with paddle.set_grad_enabled(False):
    ...     y = x * 2
    >>> y.stop_gradient
    True
    """

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self._before, self.enabled = state.grad_enabled, bool(mode)
        state.grad_enabled = self.enabled

    def __enter__(self) -> None:
        self._old.append(self._before)
        state.grad_enabled = self.enabled

    def __call__(self, function: _Function) -> _Function:
        """As a decorator, which sets nothing but what its function runs under."""
        state.grad_enabled = self._before
        return super().__call__(function)


def is_grad_enabled() -> bool:
    """True when what runs now is recorded for a gradient.

    >>> import proa as paddle
    >>> with paddle.no_grad():
    ...     paddle.is_grad_enabled()
    False
    >>> paddle.is_grad_enabled()
    True
    """
    return state.grad_enabled
