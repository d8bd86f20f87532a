"""The source of a function: its syntax tree, its file and the class it was written in.

The whole file is parsed, not the function's own lines: line numbers are then the file's own, and a lambda, an odd
indentation or a comment in column 0 is no special case. Knows files and syntax; runs nothing.
"""

from __future__ import annotations

import ast
import functools
import linecache
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import gast

from .unreadable import SourceUnavailable

__all__ = ["FunctionSource", "SourceUnavailable", "function_source", "private_name"]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclass(frozen=True)
class FunctionSource:
    """Where a function comes from. `node` is the caller's to change."""

    node: Any  # gast.FunctionDef, gast.AsyncFunctionDef or gast.Lambda
    filename: str
    class_name: str | None  # the innermost class around it, for private names and super()


@dataclass(frozen=True)
class _Found:
    node: Any
    class_name: str | None


def function_source(function: FunctionType) -> FunctionSource:
    """The source of `function`; decorators are still there. Raises SourceUnavailable."""
    code = function.__code__
    text = _file_text(code.co_filename, function.__globals__)
    found = _choose(code, _index(text, code.co_filename).get((code.co_name, code.co_firstlineno), []))
    return FunctionSource(_to_gast(found.node), code.co_filename, found.class_name)


def _file_text(filename: str, module_globals: dict) -> str:
    linecache.checkcache(filename)
    shared = filename in ("<string>", "<stdin>")  # names that any executed text has: what is kept may be another's
    lines = [] if shared else linecache.getlines(filename, module_globals)
    if not lines and hasattr(sys, "_MEIPASS"):  # a PyInstaller bundle: names of its files begin at this folder
        lines = linecache.getlines(os.path.join(sys._MEIPASS, filename))
    if not lines:
        raise SourceUnavailable(f"there is no source to read in {filename!r}")
    return "".join(lines)


@functools.lru_cache(maxsize=32)
def _index(text: str, filename: str) -> dict[tuple[str, int], list[_Found]]:
    """Every function of a file by its code's name and first line."""
    try:
        module = ast.parse(text, filename)
    except SyntaxError as error:
        raise SourceUnavailable(f"{filename!r} cannot be parsed: {error}") from error
    table: dict[tuple[str, int], list[_Found]] = {}
    for found in _functions(module):
        table.setdefault((_name(found.node), _first_line(found.node)), []).append(found)
    return table


def _functions(module: ast.Module) -> Iterator[_Found]:
    pending: list[_Found] = [_Found(module, None)]
    while pending:
        found = pending.pop()
        if isinstance(found.node, _FUNCTIONS):
            yield found
        owner = found.node.name if isinstance(found.node, ast.ClassDef) else found.class_name
        pending.extend(_Found(child, owner) for child in ast.iter_child_nodes(found.node))


def _name(node: Any) -> str:
    return "<lambda>" if isinstance(node, ast.Lambda) else node.name


def _first_line(node: Any) -> int:
    return min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])


def _choose(code: CodeType, candidates: list[_Found]) -> _Found:
    fitting = [c for c in candidates if _parameters(c) == _code_parameters(code)]
    for narrow in (_by_position, _by_names):
        if len(fitting) > 1:
            fitting = narrow(code, fitting) or fitting
    if fitting and len({ast.dump(found.node) for found in fitting}) == 1:  # one is as good as another
        return fitting[0]
    why = "several lambdas there look the same" if fitting else "it is not there; the file may have changed"
    raise SourceUnavailable(f"{code.co_name} was not found at {code.co_filename}:{code.co_firstlineno}: {why}")


def private_name(name: str, class_name: str | None) -> str:
    """What the compiler makes of a name in a class: `__x` in class `C` is `_C__x`."""
    if class_name is None or not name.startswith("__") or name.endswith("__") or not class_name.strip("_"):
        return name
    return f"_{class_name.lstrip('_')}{name}"


def _parameters(found: _Found) -> list[str]:
    a = found.node.args
    named = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
    return [private_name(p.arg, found.class_name) for p in named]


def _code_parameters(code: CodeType) -> list[str]:
    starred = bool(code.co_flags & 0x04) + bool(code.co_flags & 0x08)  # CO_VARARGS, CO_VARKEYWORDS
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + starred])


def _by_position(code: CodeType, candidates: list[_Found]) -> list[_Found]:
    """The smallest candidate whose body holds every span of the code (Python 3.11 and later know columns)."""
    if not hasattr(code, "co_positions"):
        return []
    # What begins and ends a function has no span of its own: its line and column 0.
    spans = [((line, column), (last, end)) for line, last, column, end in code.co_positions()
             if None not in (line, last, column, end) and (line, column) != (last, end)]
    holding = [c for c in candidates if all(_begin(c.node) <= begin and end <= _end(c.node) for begin, end in spans)]
    return sorted(holding, key=lambda c: _begin(c.node))[-1:]


def _begin(node: Any) -> tuple[int, int]:
    body = node.body if isinstance(node, ast.Lambda) else node  # its own span is that of the code that makes it
    return body.lineno, body.col_offset


def _end(node: Any) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset


def _by_names(code: CodeType, candidates: list[_Found]) -> list[_Found]:
    """The candidates that mention exactly the names and constants the code does."""
    used = {*code.co_names, *code.co_freevars, *code.co_varnames, *code.co_cellvars}
    constants = {repr(c) for c in code.co_consts if not isinstance(c, CodeType)} - {"None"}
    return [c for c in candidates if _mentions(c.node) == (used, constants)]


def _mentions(node: Any) -> tuple[set[str], set[str]]:
    inner = list(ast.walk(node))
    names = {n.id for n in inner if isinstance(n, ast.Name)} | {n.arg for n in inner if isinstance(n, ast.arg)}
    names |= {n.attr for n in inner if isinstance(n, ast.Attribute)}
    return names, {repr(n.value) for n in inner if isinstance(n, ast.Constant)} - {"None"}


def _to_gast(node: Any) -> Any:
    unknown = {what for n in ast.walk(node) for what in _unknown(n)}
    if unknown:  # an older gast would leave them out
        names = ", ".join(sorted(unknown))
        raise SourceUnavailable(f"it uses {names}, which the installed gast does not know; upgrade it")
    statement = ast.Expr(value=node) if isinstance(node, ast.Lambda) else node
    converted = gast.ast_to_gast(ast.Module(body=[statement], type_ignores=[])).body[0]
    return converted.value if isinstance(node, ast.Lambda) else converted


def _unknown(node: ast.AST) -> list[str]:
    """What of a syntax tree's node the installed gast has no place for: its kind, or fields that say something."""
    kind = type(node).__name__
    if kind == "arg":  # a Name there
        return []
    known = getattr(gast, kind, None)
    if known is None:
        return [kind]
    return [f"{kind}.{name}" for name in node._fields if name not in known._fields and getattr(node, name, None)]
