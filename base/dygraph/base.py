"""`paddle.base.dygraph.base`: eager mode with the names of older code, and what it asks about the mode it runs in."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...core import unique_name
from ...core.place import Place
from ...device import get_device, set_device
from ...dygraph.engine import grad
from ...dygraph.guards import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from ...dygraph.tensor import Tensor
from ...jit.tracing.tensors_as_variables import TensorsAsVariables
from ...ops.array.creation import to_tensor
from ...ops.core.trace import current_trace, in_to_static_mode, using
from ...static.building.mode import (
    appending,
    default_main_program,
    default_startup_program,
    disable_static,
    enable_static,
    in_dynamic_mode,
)

no_grad_ = no_grad


@contextmanager
def guard(place: Place | None = None) -> Iterator[None]:
    """Eager mode within the block, on `place`, with names that count from 0; the mode before comes back after it.

    >>> import proa as paddle
    >>> with paddle.base.dygraph.guard():
    ...     paddle.base.dygraph.to_variable([1.0, 2.0]).sum().tolist()
    3.0
    """
    was_eager, device = in_dynamic_mode(), get_device()
    disable_static()
    try:
        if place is not None:
            set_device(place)
        with unique_name.guard():
            yield
    finally:
        set_device(device)
        if not was_eager:
            enable_static()


def to_variable(value: Any, name: str | None = None, zero_copy: bool | None = None, dtype: Any = None) -> Tensor:
    """A Tensor with the values of an array, whose gradients are asked for unless stop_gradient is set."""
    if isinstance(value, Tensor):
        return value
    found = to_tensor(value, dtype=dtype)
    if name is not None:
        found.name = name
    return found


def switch_to_static_graph(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function runs in static mode, and the mode before comes back behind it.

    >>> import proa as paddle
    >>> paddle.base.dygraph.base.switch_to_static_graph(paddle.in_dynamic_mode)(), paddle.in_dynamic_mode()
    (False, True)
    """
    @functools.wraps(func)
    def in_static_mode(*args: Any, **kwargs: Any) -> Any:
        with appending():
            return func(*args, **kwargs)

    return in_static_mode


@contextmanager
def param_guard(parameters: dict[str, Any] | None) -> Iterator[None]:
    """A block that changes nothing: a Program takes parameters as they are.

    >>> import proa as paddle
    >>> with paddle.base.dygraph.base.param_guard({}):
    ...     pass
    """
    yield


@contextmanager
def program_desc_tracing_guard(enable: bool) -> Iterator[None]:
    """A block that changes nothing: what eager code does is written into no Program.

    >>> import proa as paddle
    >>> with paddle.base.dygraph.base.program_desc_tracing_guard(False):
    ...     pass
    """
    yield


@contextmanager
def _to_static_mode_guard_(is_to_static: bool = True) -> Iterator[None]:
    """Within the block static mode takes eager layers: their Tensors are variables of the Program, by their names.

    >>> import proa as paddle
    >>> layer, main = paddle.nn.Linear(2, 3), paddle.static.Program()
    >>> paddle.enable_static()
    >>> with paddle.static.program_guard(main), paddle.base.dygraph.base._to_static_mode_guard_():
    ...     y = layer(paddle.static.data("x", [None, 2]))
    >>> paddle.disable_static()
    >>> [p.name for p in main.all_parameters()] == [p.name for p in layer.parameters()]
    True
    """
    if not is_to_static or in_dynamic_mode():
        yield
        return
    with using(TensorsAsVariables(default_main_program(), default_startup_program())):
        yield


class _GlobalVar:
    """The mode of this thread, by attributes that can only be read."""

    @property
    def _in_to_static_mode_(self) -> bool:
        return in_to_static_mode() or isinstance(current_trace().bare(), TensorsAsVariables)

    @property
    def _use_pir_api_(self) -> bool:
        return False


global_var = _GlobalVar()
enabled = in_dynamic_mode
in_declarative_mode = in_to_static_mode
enable_dygraph, disable_dygraph = disable_static, enable_static

__all__ = ["disable_dygraph", "enable_dygraph", "enable_grad", "enabled", "global_var", "grad", "guard",
           "in_declarative_mode", "in_to_static_mode", "is_grad_enabled", "no_grad", "param_guard",
           "program_desc_tracing_guard", "set_grad_enabled", "switch_to_static_graph", "to_variable"]
