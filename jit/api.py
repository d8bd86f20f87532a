"""`to_static`, as decorator and as function; the tools around it, where Paddle has them."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

from ..nn import Layer
from ..ops.core.trace import state
from .convert.ignoring import ignore_module, not_to_static
from .convert.reporting import set_code_level, set_verbosity
from .files.save_hooks import (  # noqa: F401 - packages ask for them here
    HookRemoveHelper,
    _clear_save_pre_hooks,
    _register_save_pre_hook,
    _remove_save_pre_hook,
    _run_save_pre_hooks,
)
from .files.save_load import load, save
from .program_translator import ProgramTranslator
from .static_function import PropertyFunction, StaticFunction, enable_to_static, is_enabled
from .traced_layer import TracedLayer
from .translated_layer import TranslatedLayer

__all__ = ["ProgramTranslator", "StaticFunction", "TracedLayer", "TranslatedLayer", "dygraph_to_static_func",
           "enable_to_static", "ignore_module", "load", "not_to_static", "save", "set_code_level", "set_verbosity",
           "sot_mode_guard", "to_static"]

_FALLS_BACK = "ENABLE_FALL_BACK"  # Paddle's name


_Target = TypeVar("_Target")


@overload
def to_static(function: None = None, input_spec: Sequence[Any] | None = None, build_strategy: Any = None,
              backend: Any = None, **kwargs: Any) -> Callable[[_Target], _Target]: ...


@overload
def to_static(function: _Target, input_spec: Sequence[Any] | None = None, build_strategy: Any = None,
              backend: Any = None, **kwargs: Any) -> _Target: ...


def to_static(function: Any = None, input_spec: Sequence[Any] | None = None, build_strategy: Any = None,
              backend: Any = None, **kwargs: Any) -> Any:
    """Makes a function, a method or a Layer's `forward` run as a compiled Program.

    `input_spec`: InputSpecs (or example Tensors) of the tensor arguments; without it there is a Program for each
    combination of shapes that it is called with. Python's `if`, `while` and `for` on tensors become part of the
    Program. What cannot become a Program runs as it was written, after a FallbackWarning that says why;
    `full_graph=True` makes that an error (None: False, unless the variable ENABLE_FALL_BACK of the environment is
    False). `build_strategy` (a `paddle.static.BuildStrategy`) changes nothing: every Program is optimized. `backend`:
    None; there is no CINN here. `property=True`: the function gives a value of a model's, such as a number or a name;
    it runs as it was written, and `jit.save` leaves it out.

    >>> import proa as paddle
    >>> @paddle.jit.to_static
    ... def double_if_positive(x):
    ...     if x.sum() > 0:
    ...         x = x * 2
    ...     return x
    >>> double_if_positive(paddle.ones([2])).tolist()
    [2.0, 2.0]
    """
    full_graph, is_property = _flags(kwargs)
    kind = PropertyFunction if is_property else StaticFunction
    _check_options(input_spec, build_strategy, backend)

    def decorate(target: Any) -> Any:
        if isinstance(target, Layer):
            _decorate_layer(target, input_spec, full_graph)
            return target
        if isinstance(target, StaticFunction):
            return kind(target._function, input_spec, target.instance, full_graph)
        if isinstance(target, (staticmethod, classmethod)):
            raise TypeError(f"to_static takes a function, a method or a Layer. Received a {type(target).__name__}: put "
                            f"@{type(target).__name__} above @to_static.")
        if not callable(target) or isinstance(target, type):
            raise TypeError(f"to_static takes a function, a method or a Layer. Received {target!r}.")
        receiver = getattr(target, "__self__", None)
        if hasattr(target, "__func__") and receiver is not None:
            return kind(target.__func__, input_spec, receiver, full_graph)
        return kind(target, input_spec, None, full_graph)

    return decorate if function is None else decorate(function)


def _flags(options: dict[str, Any]) -> tuple[bool, bool]:
    """full_graph and property."""
    names = ("full_graph", "property")
    options = {name: value for name, value in options.items() if name not in names or value is not None}
    unknown = sorted(set(options) - set(names))
    if unknown:
        raise TypeError(f"to_static() got unexpected arguments {unknown}. Known: function, input_spec, build_strategy, "
                        "backend, full_graph, property.")
    for name in names:
        if not isinstance(options.get(name, False), bool):
            raise TypeError(f"to_static({name}): must be True or False. Received {options[name]!r}.")
    return options.get("full_graph", not _falls_back()), options.get("property", False)


def _falls_back() -> bool:
    """Whether functions run as they were written where nobody says what else, and no Program can be made of them."""
    return os.environ.get(_FALLS_BACK, "True").strip().lower() in ("true", "1")


@contextlib.contextmanager
def sot_mode_guard(value: bool) -> Iterator[None]:
    """Within the block `to_static` makes functions with `full_graph=not value` where that is not given.

    The variable ENABLE_FALL_BACK of the environment says the same for a process.

    >>> import proa as paddle
    >>> with paddle.jit.api.sot_mode_guard(False):
    ...     as_list = paddle.jit.to_static(lambda x: x.tolist())
    >>> as_list(paddle.ones([2]))  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    WrongKindError: x.tolist(): the variable 'x' of a static Program has no value while the Program is being built
    """
    before = os.environ.get(_FALLS_BACK)
    os.environ[_FALLS_BACK] = str(bool(value))
    try:
        yield
    finally:
        if before is None:
            del os.environ[_FALLS_BACK]
        else:
            os.environ[_FALLS_BACK] = before


def _check_options(input_spec: Any, build_strategy: Any, backend: Any) -> None:
    if input_spec is not None and not isinstance(input_spec, (list, tuple)):
        raise TypeError(f"to_static(input_spec): must be a list or tuple. Received {type(input_spec).__name__}.")
    if build_strategy is not None and type(build_strategy).__name__ != "BuildStrategy":
        raise TypeError("to_static(build_strategy): must be a paddle.static.BuildStrategy. "
                        f"Received {type(build_strategy).__name__}.")
    if backend not in (None, "CINN"):
        raise ValueError(f"to_static(backend): must be None. Received {backend!r}.")
    if backend == "CINN":
        raise NotImplementedError("to_static(backend='CINN'): there is no CINN here. Leave `backend` out: Programs are "
                                  "compiled all the same.")


def _decorate_layer(layer: Layer, input_spec: Sequence[Any] | None, full_graph: bool) -> None:
    forward: Callable = layer.forward
    function = forward._function if isinstance(forward, StaticFunction) else getattr(forward, "__func__", forward)
    layer.__dict__["forward"] = StaticFunction(function, input_spec, layer, full_graph)


def dygraph_to_static_func(dygraph_func: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose tensor control flow becomes part of the Program that is being written.

    Outside of static mode, and where conversion is turned off, it runs as it was written.

    >>> import numpy, proa as paddle
    >>> from proa.jit.api import dygraph_to_static_func
    >>> @dygraph_to_static_func
    ... def bounded(x):
    ...     if x.sum() > 0:
    ...         return x * 0
    ...     return x
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     y = bounded(paddle.static.data("x", [1]))
    >>> paddle.static.Executor().run(main, feed={"x": numpy.full([1], -2, "float32")}, fetch_list=[y])[0].tolist()
    [-2.0]
    """
    @functools.wraps(dygraph_func)
    def in_a_program(*args: Any, **kwargs: Any) -> Any:
        if state.trace.computes or not is_enabled():
            return dygraph_func(*args, **kwargs)
        from .convert.functions import convert

        return convert(dygraph_func)(*args, **kwargs)

    return in_a_program
