"""From a function to its converted form: the entry to the converters, and their cache.

The converted form does the same in plain Python and can be staged where values are symbolic. It is kept by the
function's code object: every function made from one `def` shares it, and keeps its own closure, defaults and globals.
Knows the converters and the operators; knows nothing of programs.
"""

from __future__ import annotations

import copy
import functools
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any

from . import operators
from .converters import OPERATORS, convert_tree, new_context
from .errors import ConversionError, place
from .identity_cache import IdentityCache
from .ignoring import ignore_module, is_left_alone, not_to_static, why_not
from .operators.calls import Calls
from .pyct.loading import bind, compile_function, walk_code
from .pyct.printing import source_text
from .pyct.source import SourceUnavailable, function_source

__all__ = ["ConversionError", "convert", "generated_source", "ignore_module", "not_to_static"]

_converted = IdentityCache()  # a user's code object -> _Converted, or the ConversionError it ended in
_generated = IdentityCache()  # a generated code object -> the tree it was compiled from


@dataclass(frozen=True)
class _Converted:
    code: CodeType
    tree: Any


def convert(function: Any) -> Any:
    """The converted form of a function, method, static or class method, or partial object.

    It shares the original's globals, defaults and closure cells, and its file and line numbers. Raises ConversionError
    when the source is not to be had or the function is a generator, and TypeError for what is no function.

    >>> from proa.jit.conversion import convert
    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> convert(sign)(3)  # doctest: +SKIP
    1
    """
    if isinstance(function, FunctionType):
        return _convert_function(function)
    if isinstance(function, MethodType):
        return MethodType(convert(function.__func__), function.__self__)
    if isinstance(function, (staticmethod, classmethod)):
        return type(function)(convert(function.__func__))
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    raise TypeError(f"convert(function): function must be a Python function or method. Received {function!r}.")


def generated_source(function: Any) -> str:
    """The source that was generated for a function, to read; the function is converted if it is not yet."""
    inner = convert(function)
    while not isinstance(inner, FunctionType):
        inner = inner.func if isinstance(inner, functools.partial) else inner.__func__
    tree = copy.copy(_generated.get(inner.__code__))
    tree.decorator_list = []
    return source_text(tree)


def is_generated(function: FunctionType) -> bool:
    """Whether a function is a converted one already."""
    return _generated.get(function.__code__) is not None


def _convert_function(function: FunctionType) -> FunctionType:
    if is_generated(function):
        return function
    found = _converted.get(function.__code__)
    if found is None:
        found = _try_generate(function)
        _converted.put(function.__code__, found)
    if isinstance(found, ConversionError):
        raise ConversionError(found.where, found.cause, found.way_out) from found.__cause__
    return bind(found.code, function, {OPERATORS: _operators})


def _try_generate(function: FunctionType) -> _Converted | ConversionError:
    code = function.__code__
    where = place(code.co_filename, code.co_firstlineno, code.co_name)
    reason = why_not(function)
    if reason is not None:
        return ConversionError(where, f"{reason}.", "Call it from outside, or make it a plain function.")
    try:
        return _generate(function)
    except SourceUnavailable as error:
        failure = ConversionError(where, f"{error}.", "Keep the function in a file, or mark it with `not_to_static`.")
        failure.__cause__ = error
        return failure


def _generate(function: FunctionType) -> _Converted:
    code, source = function.__code__, function_source(function)
    context = new_context(source.node, source.class_name, {*code.co_freevars, *code.co_names})
    tree = convert_tree(source.node, context)
    new = compile_function(tree, code, source.class_name, [OPERATORS], context.helpers)
    for inner in walk_code(new):
        _generated.put(inner, tree)
    return _Converted(new, tree)


def _convert_called(function: FunctionType) -> FunctionType:
    """What a call in converted code does with a function: leave it alone where it must or cannot do otherwise."""
    if is_left_alone(function):
        return function
    try:
        return _convert_function(function)
    except ConversionError:
        return function


_called = Calls(_convert_called, _convert_function)
_operators = operators.namespace(converted=_called)


def converted_callable(callee: Any) -> Any:
    """What converted code calls for a function, a method, a Layer or any other callable."""
    return _called(callee)
