"""Which functions are left as they are: marked ones, other people's modules, and what is no plain function.

Knows functions and module names; converts nothing.
"""

from __future__ import annotations

import functools
import inspect
import os
import sysconfig
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

_MARK = "__not_to_static__"
CONVERSION_OPTIONS = _MARK  # Paddle's name for the attribute
_OWN = __name__.partition(".")[0]
_TESTS = f"{_OWN}.tests"
_WRITTEN_FOR_IT = {f"{_OWN}.nn.decode",  # of this package, and to be converted all the same
                   f"{_OWN}.nn.layers.open_steps"}
_ignored = {_OWN, "paddle", "numpy", "scipy", "cupy"}  # where this is imported as paddle, its classes say so
_STANDARD_LIBRARY = sysconfig.get_path("stdlib") + os.sep
_INSTALLED = tuple(f"{os.sep}{folder}{os.sep}" for folder in ("site-packages", "dist-packages"))


class ConversionOptions(NamedTuple):
    """What a function says of its conversion; Paddle's name for it."""

    not_convert: bool = False


def not_to_static(func: Any = None) -> Any:
    """Marks a function to be called as it is from converted code; it is a decorator, and returns the function.

    >>> from proa.jit.convert.ignoring import is_marked, not_to_static
    >>> @not_to_static
    ... def report(x):
    ...     print(x)
    >>> is_marked(report)
    True
    """
    if func is None:
        return not_to_static
    target = func.__func__ if isinstance(func, (staticmethod, classmethod)) or inspect.ismethod(func) else func
    setattr(target, _MARK, ConversionOptions(not_convert=True))
    return func


def is_marked(function: Any) -> bool:
    """Whether a function was given to `not_to_static`."""
    mark = getattr(function, _MARK, None)
    return isinstance(mark, ConversionOptions) and mark.not_convert


def ignore_module(modules: Iterable[ModuleType | str]) -> None:
    """Leaves every function of these modules, and of the modules in them, as it is.

    >>> import json
    >>> from proa.jit.convert.ignoring import ignore_module
    >>> ignore_module([json])
    """
    if isinstance(modules, (str, ModuleType)):
        raise TypeError(f"ignore_module(modules): modules must be a list of modules. Received {modules!r}. "
                        "Write ignore_module([module]).")
    _ignored.update(m if isinstance(m, str) else m.__name__ for m in modules)
    is_ignored_module.cache_clear()


@functools.lru_cache(1024)
def is_ignored_module(name: str) -> bool:
    """Whether a module, or a package it is in, is left alone."""
    if name in _WRITTEN_FOR_IT or name == _TESTS or name.startswith(_TESTS + "."):
        return False
    parts = name.split(".")
    return any(".".join(parts[: i + 1]) in _ignored for i in range(len(parts)))


def is_users_module(module: ModuleType) -> bool:
    """Whether a module is neither left alone nor of the standard library or of an installed package."""
    return not is_ignored_module(module.__name__) and not is_foreign_file(getattr(module, "__file__", None) or "", {})


def is_foreign(function: FunctionType) -> bool:
    """Whether a function is of the standard library, or of an installed package that makes no use of this one."""
    return is_foreign_file(function.__code__.co_filename, function.__globals__)


def is_foreign_file(filename: str, module_globals: dict[str, Any]) -> bool:
    """Whether code of this file, with these globals, is of the standard library or of such a package."""
    if any(folder in filename for folder in _INSTALLED):
        return not any(_is_ours(value) for value in list(module_globals.values()))
    return filename.startswith(_STANDARD_LIBRARY)


def _is_ours(value: Any) -> bool:
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return isinstance(name, str) and name.partition(".")[0] == _OWN


def is_public_function(function: FunctionType) -> bool:
    """Whether it is a function of this package as `paddle.exp` is: no method; a Layer's calls others'.

    What an example in a docstring defines has its module's globals, and no file.
    """
    module, owner = function.__globals__.get("__name__") or "", function.__qualname__.rpartition(".")[0]
    return module.partition(".")[0] == _OWN and is_ignored_module(module) and (
        not owner or owner.endswith("<locals>")) and not function.__code__.co_filename.startswith("<")


def is_own(function: FunctionType) -> bool:
    """Whether this package's code is left as it is for being that, and not because somebody marked it."""
    module = function.__globals__.get("__name__") or ""
    return module.partition(".")[0] == _OWN and is_ignored_module(module) and not is_marked(function)


def why_not(function: FunctionType) -> str | None:
    """Why a function cannot be converted as a whole; None when it can."""
    flags = function.__code__.co_flags
    if flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        return "generators and coroutines run in pieces, and cannot be part of a program"
    return None


def is_generator(function: FunctionType) -> bool:
    """Whether calling a function makes a generator, which runs in pieces."""
    return bool(function.__code__.co_flags & inspect.CO_GENERATOR)


def is_left_alone(function: FunctionType) -> bool:
    """Whether converted code calls the function as it is."""
    name = function.__globals__.get("__name__") or ""
    return is_marked(function) or is_ignored_module(name) or is_foreign(function) or why_not(function) is not None
