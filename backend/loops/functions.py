"""The functions of the language: kernels, and what they call, which is always inlined.

A function is read from its Python source when it is first compiled, never at import.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

_named: dict[str, Function] = {}


class Function:
    """A function in the language of kernels, given as a Python function or as source.

    `chosen` says by name which functions the keyword-only parameters of a Python function stand for.
    """

    def __init__(self, python: Callable[..., Any] | None = None, source: str | None = None,
                 chosen: Mapping[str, str] | None = None):
        self._python, self._source, self._chosen = python, source, chosen or {}

    @cached_property
    def source(self) -> str:
        """Its source, from its `def` on."""
        if self._source is not None:
            return self._source
        assert self._python is not None
        lines = textwrap.dedent(inspect.getsource(self._python)).splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("def "))
        source = "\n".join(lines[start:])
        return ast.unparse(_Choice(self._chosen).visit(ast.parse(source))) if self._chosen else source

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """Its syntax."""
        found = ast.parse(self.source).body[0]
        assert isinstance(found, ast.FunctionDef)
        return found

    @cached_property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        return [argument.arg for argument in self.tree.args.args]

    def whole_source(self) -> str:
        """Its source and that of every function it reaches."""
        found: dict[str, str] = {}
        pending = [self]
        while pending:
            function = pending.pop()
            for node in ast.walk(function.tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    for name in (node.func.id, f"{node.func.id}_f32", f"{node.func.id}_f64"):
                        if (callee := find(name)) is not None and name not in found:
                            found[name] = callee.source
                            pending.append(callee)
        return "\n".join([self.source, *(found[name] for name in sorted(found))])


class _Choice(ast.NodeTransformer):
    """Puts the names of functions in the place of the keyword-only parameters that stand for them."""

    def __init__(self, chosen: Mapping[str, str]):
        self._chosen = chosen

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        node.kwonlyargs, node.kw_defaults = [], []
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        name = self._chosen.get(node.id, node.id)
        return ast.copy_location(ast.Name(name, node.ctx), node)


def function(python: Callable[..., Any]) -> Callable[..., Any]:
    """Declares a function that kernels, and other such functions, may call by its name."""
    if python.__name__ in _named:
        raise ValueError(f"The function {python.__name__!r} of generated loops is declared twice.")
    _named[python.__name__] = Function(python)
    return python


def declare(name: str, source: str) -> None:
    """Declares a function of which only the source is given, because it is made by a program."""
    if name in _named:
        raise ValueError(f"The function {name!r} of generated loops is declared twice.")
    _named[name] = Function(source=source)


def find(name: str) -> Function | None:
    """The declared function of this name."""
    from . import math  # noqa: F401 - declares the elementary functions

    return _named.get(name)
