"""The functions of the language: kernels, and what they call, which is always inlined.

A function is read from its Python source when it is first compiled, never at import.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

_named: dict[str, Function] = {}
_CALLED = re.compile(r"\b([A-Za-z_]\w*)\(")
_PARTS = ("co_name", "co_argcount", "co_kwonlyargcount", "co_varnames", "co_names", "co_consts", "co_code")


class Function:
    """A function in the language of kernels, given as a Python function or as source.

    `chosen` says by name which functions the keyword-only parameters of a Python function stand for. Of a kernel that
    is `exact`, each operation is rounded by itself: no product and sum become one operation.
    """

    def __init__(self, python: Callable[..., Any] | None = None, source: str | None = None,
                 chosen: Mapping[str, str] | None = None, exact: bool = False):
        self._python, self._source, self._chosen, self.exact = python, source, chosen or {}, exact

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

    @property
    def name(self) -> str:
        """Its name."""
        return self.tree.name if self._python is None else self._python.__name__

    @cached_property
    def parameters(self) -> list[str]:
        """The names of its parameters."""
        return [argument.arg for argument in self.tree.args.args]

    @cached_property
    def _own_content(self) -> tuple[str, frozenset[str]]:
        """What tells it from any other function, and the names that may be of functions which it calls.

        Of a Python function that is its bytecode: to read its source takes long.
        """
        if self._python is None:
            assert self._source is not None
            return self._source, frozenset(_CALLED.findall(self._source))
        code = self._python.__code__
        told = [getattr(code, part) for part in _PARTS]
        return repr((told, sorted(self._chosen.items()))), frozenset((*code.co_names, *self._chosen.values()))

    def content(self) -> str:
        """All that its machine code is made from: itself, and every function it reaches."""
        found: dict[str, str] = {}
        own, names = self._own_content
        pending = list(names)
        while pending:
            called = pending.pop()
            for name in (called, f"{called}_f32", f"{called}_f64"):
                if name not in found and (callee := find(name)) is not None:
                    found[name], names = callee._own_content
                    pending += names
        return "\n".join([f"{own} {self.exact}", *(f"{name} {found[name]}" for name in sorted(found))])


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
    """The declared function of this name; the elementary ones `compiler.py` has had declared."""
    return _named.get(name)
