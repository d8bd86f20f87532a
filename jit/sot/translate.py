"""`symbolic_translate`: `to_static` without `full_graph`, asked for at each call; it keeps its Programs."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from ...nn.layer.layers import Layer
from ..api import to_static
from ..static_function import StaticFunction

_OPTIONS = ("backend", "build_strategy", "full_graph", "training")
_translated: weakref.WeakKeyDictionary[FunctionType, Translated] = weakref.WeakKeyDictionary()
_translations = [0]


class Translated(StaticFunction):
    """A function that `symbolic_translate` gave: how many Programs were made of such is counted."""

    def _program(self, key: Any, specs: dict[str, Any], whole: bool, wide_sizes: bool = False) -> Any:
        known = list(self._variants.get(key, ()))
        program = super()._program(key, specs, whole, wide_sizes)
        _translations[0] += not any(program is one for one in known)
        return program


def symbolic_translate(fn: Callable[..., Any], **kwargs: Any) -> Callable[..., Any]:
    """The function as compiled Programs, as far as it can become one; otherwise it runs as it was written.

    As `to_static(fn, full_graph=False)`; for a function that it was asked for before it gives the same one. Of the
    options of Paddle's (`training`, `build_strategy`, `backend`) none changes what is computed.

    >>> import proa as paddle
    >>> def double(x):
    ...     return x * 2
    >>> paddle.jit.sot.symbolic_translate(double)(paddle.ones([2])).tolist()
    [2.0, 2.0]
    """
    unknown = sorted(set(kwargs) - set(_OPTIONS))
    if unknown:
        raise TypeError(f"symbolic_translate() got unexpected arguments {unknown}. Known: {', '.join(_OPTIONS)}.")
    if isinstance(fn, MethodType):
        return Translated(fn.__func__, None, fn.__self__)
    if not isinstance(fn, FunctionType):
        return to_static(fn, full_graph=False) if isinstance(fn, (Layer, StaticFunction)) else fn
    found = _translated.get(fn)
    if found is None:
        found = _translated[fn] = Translated(fn)
    return found


def translations() -> int:
    """How many Programs `symbolic_translate` has made since `forget`."""
    return _translations[0]


def forget() -> None:
    """Translates each function anew when it is asked for next."""
    _translated.clear()
    _translations[0] = 0
