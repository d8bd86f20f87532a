"""Calls from converted code: what is called is converted on the way, if it is the user's own Python.

How a function is converted is given from outside; knows the kinds of callables there are.
"""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Callable
from types import BuiltinMethodType, CellType, FunctionType, MethodType, ModuleType
from typing import Any

from ...core import nest
from ...core.signatures import signature_of
from ..convert.ignoring import is_own
from . import staging
from .builtin import COUNTING, OVERLOADS
from .conditionals import if_exp
from .iteration import walked
from .partial import SHOWING, certain, is_optional, is_partial, note_key, parts, some_are_optional, used_within
from .size_functions import SIZE_FUNCTIONS, refusing
from .texts import method_of_text

Convert = Callable[[FunctionType], FunctionType]

_Cached = type(functools.lru_cache(lambda: None))
_POST_INIT, _FIELDS = "__post_init__", "__dataclass_fields__"
_OF_ALL_KEYS = ("keys", "values", "items", "popitem")
_OF_A_KEY = ("get", "pop", "setdefault")
_OF_RANK = ("dim", "ndimension")
_FUNCTION_TAKERS = (map, filter, functools.reduce)
_ITEM_TAKERS = (tuple, set, frozenset, sorted, iter, deque)
_METHODS_OF_ITEMS = (
    "join", "extend", "extendleft", "fromkeys", "union", "update", "intersection", "intersection_update", "difference",
    "difference_update", "symmetric_difference", "symmetric_difference_update", "issubset", "issuperset", "isdisjoint")


class Calls:
    """`converted(f)` is what converted code calls for `f`; `convert` returns a function as it is to leave it alone.

    Functions, methods, partial objects and objects with a Python `__call__` are converted, and what a class does when
    an object of it is made. Builtins and everything else are called as they are, but for the builtins that have a
    meaning for symbolic values or call a function they are given. An object that runs its `forward` through
    `__call_with_hooks__(forward, args, kwargs)` gets its forward converted; `convert_own` does that for a layer of ours
    that holds layers, or hooks, of the user's.
    """

    def __init__(self, convert: Convert, convert_own: Convert):
        self._convert = convert
        self._convert_own = convert_own

    def __call__(self, callee: Any) -> Any:
        """The callable to call instead of `callee`."""
        new = self._converted(callee)
        return new if not some_are_optional() or self._takes_any(callee, new) else _given_values(new)

    @staticmethod
    def _takes_any(callee: Any, new: Any) -> bool:
        """Whether what is called can do with values that are None on some ways: the user's, a container's."""
        left_alone = isinstance(callee, (FunctionType, MethodType)) and new is callee
        knows_none = id(callee) in OVERLOADS and id(callee) not in COUNTING or id(callee) in SIZE_FUNCTIONS
        return not (left_alone or knows_none)

    def _converted(self, callee: Any, may_look: bool = True) -> Any:
        """`may_look`: whether layers that a layer of ours holds are looked at, too."""
        overload = OVERLOADS.get(id(callee)) or SIZE_FUNCTIONS.get(id(callee)) or refusing(callee)
        if overload is not None:
            return overload
        if isinstance(callee, FunctionType):
            return self._function(callee)
        if isinstance(callee, MethodType):
            return self._method(callee, may_look)
        if isinstance(callee, _Cached):
            return functools.partial(self._call_cached, callee)
        if any(callee is taker for taker in _FUNCTION_TAKERS):
            return lambda function, *args: callee(self(function), *map(walked, args))
        if isinstance(callee, functools.partial):
            return functools.partial(self(callee.func), *callee.args, **callee.keywords)
        if isinstance(callee, BuiltinMethodType) and isinstance(callee.__self__, dict):
            if callee.__name__ in _OF_ALL_KEYS:
                certain(callee.__self__)
            elif callee.__name__ in _OF_A_KEY:
                return functools.partial(_value_of_key, callee)
        if isinstance(callee, BuiltinMethodType) and isinstance(callee.__self__, str):
            return method_of_text(callee)
        new = self._class(callee) if isinstance(callee, type) else self._instance(callee)
        return _items_given(new) if _takes_items(callee) else new

    def _class(self, kind: type) -> Any:
        """What makes an object of a class, its `__init__`, or a dataclass's `__post_init__`, converted.

        Layers and errors are made as they are.
        """
        init: Any = kind.__init__  # type: ignore[misc]
        is_plain = isinstance(init, FunctionType) and type(kind).__call__ is type.__call__
        if not is_plain or issubclass(kind, BaseException) or _plain_call(kind) is not None:
            return kind
        post = getattr(kind, _POST_INIT, None)
        if isinstance(post, FunctionType) and _POST_INIT in init.__code__.co_names and hasattr(kind, _FIELDS):
            new = self._function(post)
            return kind if new is post or not kind.__dictoffset__ else functools.partial(_made_of_fields, kind, new)
        new = self._function(init)
        return kind if new is init else functools.partial(_made, kind, new)

    def _function(self, function: FunctionType) -> FunctionType:
        new = self._convert(function)
        return self._rewrapped(function) if new is function and hasattr(function, "__wrapped__") else new

    def _method(self, method: MethodType, may_look: bool) -> Any:
        function = method.__func__
        if getattr(function, "__name__", None) in _OF_RANK and staging.is_symbolic(method.__self__):
            return functools.partial(staging.rank, method.__self__)
        if isinstance(function, _Cached):
            return functools.partial(self._call_cached, function, method.__self__)
        if not isinstance(function, FunctionType):
            return method
        if isinstance(method.__self__, SHOWING):
            certain(method.__self__)
        if function is _plain_call(type(method.__self__)):
            return functools.partial(self._call_layer, method.__self__)
        new = self._function(function)
        if new is function and may_look and self._may_call_users(method, function):
            new = self._convert_own(function)
        return method if new is function else MethodType(new, method.__self__)

    def _may_call_users(self, method: MethodType, function: FunctionType) -> bool:
        """Whether it is a method of a layer of ours in which layers, or hooks, of the user's may be called."""
        layer = method.__self__
        base = next((kind for kind in type(layer).__mro__ if "__call_with_hooks__" in vars(kind)), None)
        is_part = base is not None and (function.__name__ == "forward" or not hasattr(base, function.__name__))
        return is_part and is_own(function) and self._holds_converted(layer)

    def _instance(self, instance: Any) -> Any:
        kind = type(instance)
        call = getattr(kind, "__call__", None)  # noqa: B004 - the function itself is wanted
        if call is not None and call is _plain_call(kind):
            return functools.partial(self._call_layer, instance)
        if not isinstance(call, FunctionType):
            return instance
        new = self._function(call)
        return instance if new is call else MethodType(new, instance)

    def _call_layer(self, layer: Any, *args: Any, **kwargs: Any) -> Any:
        forward = self._converted(layer.forward)
        forward = _given_values(forward) if some_are_optional() and forward == layer.forward else forward
        return layer.__call_with_hooks__(forward, args, kwargs, self)

    def _call_cached(self, cached: Any, *args: Any, **kwargs: Any) -> Any:
        """A function that keeps what it has given (`functools.lru_cache`), for whoever calls it.

        Of Python values it gives what it gives without conversion, a constant; of tensors nothing is kept.
        """
        block = None if any(map(staging.is_symbolic, nest.leaves([args, kwargs]))) else staging.outside()
        if block is None:
            return self(cached.__wrapped__)(*args, **kwargs)
        with block:
            return cached(*args, **kwargs)

    def _holds_converted(self, layer: Any) -> bool:
        functions = (function for inner in layer.sublayers() for function in _functions_of(inner))  # of all within
        return any(self._converted(function, False) is not function for function in functions)

    def _rewrapped(self, wrapper: FunctionType) -> FunctionType:
        """A wrapper that is left alone, around the converted form of what it wraps."""
        inner = wrapper.__wrapped__  # type: ignore[attr-defined]
        new = self._converted(inner)
        held = [_contents(cell) is inner for cell in wrapper.__closure__ or ()]
        if new is inner or not any(held):
            return wrapper
        cells = tuple(CellType(new) if h else c for h, c in zip(held, wrapper.__closure__ or (), strict=True))
        copy = FunctionType(wrapper.__code__, wrapper.__globals__, wrapper.__name__, wrapper.__defaults__, cells)
        copy.__kwdefaults__ = wrapper.__kwdefaults__
        copy.__dict__.update(wrapper.__dict__)
        return copy


def _takes_items(callee: Any) -> bool:
    """Whether a builtin goes over the items of what it is given."""
    if isinstance(callee, BuiltinMethodType) and not isinstance(callee.__self__, ModuleType):
        return callee.__name__ in _METHODS_OF_ITEMS and not isinstance(callee.__self__, dict)
    return any(callee is taker for taker in _ITEM_TAKERS) or getattr(callee, "__module__", None) == "itertools"


def _items_given(function: Any) -> Any:
    """A builtin that goes over its arguments' items."""
    return lambda *args, **kwargs: function(*map(walked, args), **kwargs)


def _value_of_key(method: BuiltinMethodType, key: Any, *default: Any, **named: Any) -> Any:
    """`d.get(key, default)`, `pop`, `setdefault`: the default where the run has no such key, which a tensor decides."""
    mapping: Any = method.__self__
    note_key(mapping, key)
    found, given = dict.get(mapping, key), (*default, *named.values())
    if not is_partial(found) or not given and method.__name__ == "pop":
        return method(key, *default, **named)
    content, flag = parts(found)
    value = if_exp(flag, lambda: content, lambda: given[0] if given else None)
    if method.__name__ == "pop":
        del mapping[key]
    elif method.__name__ == "setdefault":
        mapping[key] = value
    return value


def _given_values(function: Any) -> Any:
    """A function that knows nothing of values that are None on some ways.

    Where None is the default of what it is given one for, it is called with None on those ways; otherwise it is given
    the value of the others.
    """
    @functools.wraps(function)
    def given(*args: Any, **kwargs: Any) -> Any:
        key = _may_be_none(function, args, kwargs)
        if key is None:
            return function(*map(used_within, args), **{name: used_within(value) for name, value in kwargs.items()})
        value, flag = parts(kwargs[key] if isinstance(key, str) else args[key])

        def call(new: Any) -> Any:
            if isinstance(key, str):
                return given(*args, **{**kwargs, key: new})
            return given(*args[:key], new, *args[key + 1:], **kwargs)

        return if_exp(flag, lambda: call(value), lambda: call(None))

    return given


def _may_be_none(function: Any, args: tuple, kwargs: dict[str, Any]) -> int | str | None:
    """An argument, by position or name, that is None on some ways and for which None is the default."""
    given: list[tuple[Any, Any]] = [*enumerate(args), *kwargs.items()]
    optional = [key for key, value in given if is_optional(value)]
    if not optional:
        return None
    try:
        parameters = signature_of(function).parameters
    except (TypeError, ValueError):  # some builtins do not say
        return None
    names = [p.name for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for key in optional:
        name = key if isinstance(key, str) else names[key] if key < len(names) else ""
        if name in parameters and parameters[name].default is None:
            return key
    return None


def _made(kind: type, init: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """`kind(*args, **kwargs)` with another `__init__`."""
    made = kind.__new__(kind, *args, **kwargs)
    if isinstance(made, kind):
        init(made, *args, **kwargs)
    return made


def _made_of_fields(kind: type, post_init: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The same for a dataclass with another `__post_init__`: the `__init__` that Python has written calls it last."""
    made = kind.__new__(kind, *args, **kwargs)
    given: list[tuple] = []
    vars(made)[_POST_INIT] = lambda *values: given.append(values)
    try:
        kind.__init__(made, *args, **kwargs)  # type: ignore[misc]
    finally:
        vars(made).pop(_POST_INIT, None)
    for values in given:
        post_init(made, *values)
    return made


def _plain_call(kind: type) -> Any:
    """What calling a layer does, unless its class has its own `__call__`; None for what is no layer."""
    return next((vars(each)["__call__"] for each in kind.__mro__ if "__call_with_hooks__" in vars(each)), None)


def _functions_of(layer: Any) -> list[Any]:
    """What calling a layer runs."""
    own = [] if type(layer).__call__ is _plain_call(type(layer)) else [layer.__call__]
    return [*own, layer.forward, *layer._forward_pre_hooks.values(), *layer._forward_post_hooks.values()]


def _contents(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # an empty cell
        return None
