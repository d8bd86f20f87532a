"""LazyGuard: layers whose parameters are filled later, when `parameter.initialize()` is called."""

from __future__ import annotations

from typing import Any

from .. import backend
from ..core.dtype import DType
from ..core.param_attr import ParamAttr
from ..core.place import expected_place
from ..ops.amp.autocast import with_same_precision
from ..ops.core.trace import initialized, state
from .eager import EagerTrace
from .parameter import Parameter


class LazyTrace(EagerTrace):
    """The eager trace, but for parameters: they get zeros, and keep their initializers."""

    def parameter(self, shape: tuple[int, ...], dtype: DType, attr: ParamAttr, initializer: Any) -> Parameter:
        """A Parameter of zeros, which take no memory until they are touched."""
        array = backend.namespace_at(expected_place()).zeros(shape, dtype.dtype)
        parameter: Any = self.parameter_class.of_array(array, attr)
        parameter.set_initializer(lambda: initialized(initializer, shape, dtype))
        return parameter


class LazyInitHelper:
    """Whether parameters are filled later, and the switch for it, which LazyGuard is a block of.

    >>> import proa as paddle
    >>> from proa.dygraph.lazy import lazy_init_helper
    >>> with paddle.LazyGuard():
    ...     lazy_init_helper().state
    True
    """

    def __init__(self) -> None:
        self._guards: list[LazyGuard] = []

    @property
    def state(self) -> bool:
        """Whether parameters that are made now are filled later."""
        return state.trace.find(LazyTrace) is not None

    _state = state  # which packages ask for

    def enable(self) -> None:
        """Parameters are filled later, from here on; where they are already, nothing changes."""
        if not self.state:
            self._guards.append(LazyGuard())
            self._guards[-1].__enter__()

    def disable(self) -> None:
        """Parameters are filled when they are made; where `enable` has not been called, nothing changes."""
        if self._guards:
            self._guards.pop().__exit__()

    def __enter__(self) -> None:
        self.enable()

    def __exit__(self, *_: Any) -> None:
        self.disable()


class LazyGuard:
    """Within the block layers are made at once, without drawing values: for a model whose state is loaded anyway.

    `parameter.initialize()` draws a parameter's values. While a Program is being built the guard changes nothing.

    >>> import proa as paddle
    >>> with paddle.LazyGuard():
    ...     net = paddle.nn.Linear(2, 3)
    >>> float(net.weight.abs().sum())
    0.0
    >>> for parameter in net.parameters():
    ...     parameter.initialize()
    >>> float(net.weight.abs().sum()) > 0
    True
    """

    def __init__(self) -> None:
        self._old: list[Any] = []

    def __enter__(self) -> None:
        self._old.append(state.trace)
        eager = state.trace.find(EagerTrace)
        if eager is not None:
            state.trace = with_same_precision(LazyTrace(eager.value_class, eager.parameter_class))

    def __exit__(self, *_: Any) -> None:
        state.trace = self._old.pop()


_helper = LazyInitHelper()


def lazy_init_helper() -> LazyInitHelper:
    """The switch of this process. `paddle.nn.initializer.lazy_init.lazy_init_helper`."""
    return _helper


__all__ = ["LazyGuard", "LazyInitHelper", "lazy_init_helper"]
