"""From a function to its converted form: the entry to the converters, and their cache.

The converted form does the same in plain Python and can be staged where values are symbolic. It is kept by the
function's code object: every function made from one `def` shares it, and keeps its own closure, defaults and globals.
Knows the converters and the operators; knows nothing of programs.
"""

from __future__ import annotations

import builtins
import copy
import dataclasses
import functools
import inspect
import operator
import textwrap
import weakref
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from ...ops.core.trace import offer_staging
from .. import operators
from ..errors import ConversionError, line_of, source_line
from ..footprint.value_guards import current
from ..identity_cache import IdentityCache
from ..operators import special
from ..operators.attributes import Attributes, noting_all
from ..operators.builtin import OVERLOADS
from ..operators.calls import Calls
from ..operators.library_calls import watched
from ..pyct.binding import bind, walk_code
from ..pyct.unreadable import SourceUnavailable, newer_python
from ..tracing.chance import refuse_chance
from . import kept_code
from .ignoring import (
    ignore_module,
    is_generator,
    is_left_alone,
    is_marked,
    is_public_function,
    not_to_static,
    why_not,
)
from .reporting import CONVERSIONS, LEFT_ALONE, get_code_level, tell, tell_code

__all__ = ["ConversionError", "convert", "generated_source", "ignore_module", "not_to_static"]

_converted = IdentityCache()  # a user's code object -> _Converted, or the ConversionError it ended in
_generated = IdentityCache()  # a generated code object -> a reference to the user's code object that it came from


@dataclass(frozen=True)
class _Converted:
    code: CodeType


def convert(function: Any) -> Any:
    """The converted form of a function, method, static or class method, or partial object.

    It shares the original's globals, defaults and closure cells, and its file and line numbers. Raises ConversionError
    when the source is not to be had or the function is a generator, and TypeError for what is no function.

    >>> from proa.jit.convert.functions import convert
    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> convert(sign)(3)  # doctest: +SKIP
    1
    """
    if isinstance(function, FunctionType):
        if is_generator(function):
            raise ConversionError(line_of(function), "generators and coroutines run in pieces, and cannot be part of "
                                  "a program.", "Call it from a function that is converted.")
        return _convert_function(function)
    if isinstance(function, MethodType):
        return MethodType(convert(function.__func__), function.__self__)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(convert(function.__func__))
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    call = getattr(type(function), "__call__", None)  # noqa: B004 - the function itself is wanted
    if isinstance(call, FunctionType):
        return MethodType(_convert_function(call), function)
    if callable(function):
        raise ConversionError(line_of(function), "it is no Python function: there is no source to convert.",
                              "Call it from a function that is converted, or leave it out of to_static.")
    raise TypeError(f"convert(function): function must be a Python function or method. Received {function!r}.")


def generated_source(function: Any) -> str:
    """The source that was generated for a function, to read; the function is converted if it is not yet.

    Of a function that is left as it is: its own.
    """
    inner = function if is_marked(function) else convert(function)
    while not isinstance(inner, FunctionType):
        inner = inner.func if isinstance(inner, functools.partial) else inner.__func__
    if not is_generated(inner):
        return textwrap.dedent(inspect.getsource(inner))
    from .generation import generate, text_of

    original = _generated.get(inner.__code__)()
    assert original is not None
    free = tuple(CellType() for _ in original.co_freevars)
    return text_of(generate(FunctionType(original, inner.__globals__, None, None, free))[1])


def is_generated(function: FunctionType) -> bool:
    """Whether a function is a converted one already."""
    return _generated.get(function.__code__) is not None


def _convert_function(function: FunctionType) -> FunctionType:
    if is_generated(function) or is_public_function(function):
        return function
    found = _converted.get(function.__code__)
    if found is None:
        found = _try_generate(function)
        _converted.put(function.__code__, found)
    if isinstance(found, ConversionError):
        raise ConversionError(found.where, found.cause, found.way_out) from found.__cause__
    return bind(found.code, function, {operators.NAME: _operators})


def _try_generate(function: FunctionType) -> _Converted | ConversionError:
    code = function.__code__
    where = source_line(code.co_filename, code.co_firstlineno, code.co_name)
    reason = why_not(function)
    if reason is not None:
        return ConversionError(where, f"{reason}.", "Call it from outside, or make it a plain function.")
    kept = kept_code.read(code) if get_code_level() == 0 else None
    if kept is not None:
        return _noted(kept, code)
    try:
        return _generate(function)
    except Exception as error:
        failure = _failure(error, where)
        if failure is None:
            raise
        failure.__cause__ = error
        return failure


def _failure(error: Exception, where: str) -> ConversionError | None:
    """What an error of making converted code says to the user; None where it is none of the user's matter."""
    if isinstance(error, SourceUnavailable):
        return ConversionError(where, f"{error}.", "Keep the function in a file, or mark it with `not_to_static`.")
    reason = newer_python(error)
    if reason is None:
        return None
    return ConversionError(where, f"{reason}.", "Use a Python that it knows, or mark it with `not_to_static`.")


def _generate(function: FunctionType) -> _Converted:
    from .generation import generate, text_of

    code = function.__code__
    new, tree = generate(function)
    if get_code_level() > 0:
        tell_code(code.co_filename, code.co_firstlineno, code.co_name, text_of(tree))
    kept_code.write(code, new)
    return _noted(new, code)


def _noted(new: CodeType, code: CodeType) -> _Converted:
    """Converted code, known as such from here on; `code` is what it came from."""
    for inner in walk_code(new):
        _generated.put(inner, weakref.ref(code))
    tell(CONVERSIONS, f"converted: {source_line(code.co_filename, code.co_firstlineno, code.co_name)}")
    return _Converted(new)


def _convert_called(function: FunctionType) -> FunctionType:
    """What a call in converted code does with a function: leave it alone where it must or cannot do otherwise."""
    if is_left_alone(function):
        return function
    try:
        return _convert_function(function)
    except ConversionError as error:
        tell(LEFT_ALONE, f"called as it is: {error}")
        return function


class _UsersCalls(Calls):
    """Calls in a user's function: while it is traced, it may not draw random numbers outside the Program."""

    def _instance(self, instance: Any) -> Any:
        refuse_chance(instance)
        if isinstance(instance, operator.attrgetter):
            return _attributes.getter(instance)
        owner, reads = getattr(instance, "__self__", None), current()
        if type(owner) is list and reads is not None and instance.__name__ == "append":
            reads.appends(owner)
        new = super()._instance(instance)
        return watched(instance) if new is instance else new

    def _method(self, method: MethodType, may_look: bool) -> Any:
        refuse_chance(method)
        reads = current()
        if reads is not None and isinstance(method.__func__, FunctionType):
            reads.method(method.__self__, method.__func__)
        new = super()._method(method, may_look)
        return watched(method) if new is method else new

    def _function(self, function: FunctionType) -> FunctionType:
        return super()._function(_entered(function))


def _entered(function: FunctionType) -> FunctionType:
    """A function that is about to be called, after a look at what it can reach."""
    reads = current()
    if reads is not None and not is_left_alone(function):
        reads.enter(function, is_generated(function))
    return function


_called = _UsersCalls(_convert_called, _convert_function)


def _entered_and_converted(function: FunctionType) -> FunctionType:
    return _convert_called(_entered(function))


_attributes = Attributes(_entered_and_converted)
special.offer_conversion(_entered_and_converted)


OVERLOADS.update({id(looking): noting_all(looking) for looking in (
    vars, copy.copy, copy.deepcopy, dataclasses.asdict, dataclasses.astuple, dataclasses.replace)})
OVERLOADS.update({id(builtins.getattr): _attributes.get, id(builtins.hasattr): _attributes.has})
_operators = operators.namespace(converted=_called, attribute=_attributes.read)


def converted_callable(callee: Any) -> Any:
    """What converted code calls for a function, a method, a Layer or any other callable."""
    return _called(callee)


offer_staging(convert)
