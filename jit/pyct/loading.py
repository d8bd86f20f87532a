"""From a syntax tree back to a function that stands in for the one it came from, and to source text, for reading.

Nothing of the new code is run to make it: it is compiled inside a frame that gives it the same surroundings
(free variables, class), its code object is taken out, and a function is built around the original's own globals,
defaults and closure cells. File and line numbers are the original's, so tracebacks and debuggers lie in its source.
Knows nothing of what the code is for; `injected` names reach it as extra closure cells.
"""

from __future__ import annotations
import __future__

import ast
import copy
from collections.abc import Mapping
from types import CodeType
from typing import Any

import gast

from .binding import bind, walk_code
from .first_line import with_first_line

__all__ = ["bind", "compile_function", "walk_code"]

_WITHIN = ".<locals>."
_FUTURES = __future__.annotations.compiler_flag


def compile_function(node: Any, original: CodeType, class_name: str | None, injected: list[str],
                     helpers: Mapping[str, str]) -> CodeType:
    """The code of `node`, standing where `original` stood. `helpers`: new inner functions and whose name they show."""
    module = ast.fix_missing_locations(gast.gast_to_ast(_surroundings(node, original, class_name, injected)))
    code = compile(module, original.co_filename, "exec", flags=original.co_flags & _FUTURES, dont_inherit=True)
    name = original.co_name
    frame = _inner(code, "frame")
    code = _inner(_inner(frame, class_name) if class_name else frame, name)
    return _renamed(code, helpers, getattr(original, "co_qualname", None))


def _surroundings(node: Any, original: CodeType, class_name: str | None, injected: list[str]) -> gast.Module:
    """A module whose one function has the free variables as parameters and holds `node`, in its class if it has one."""
    free = [n for n in (*injected, *original.co_freevars) if n != "__class__"]
    inner = _bare(node)
    if class_name is not None:
        (holder,) = gast.parse(f"class {class_name}: pass").body
        holder.body, inner = [inner], holder
    module = gast.parse(f"def frame({', '.join(free)}): pass")
    module.body[0].body = [*_global(getattr(inner, "name", None), free), inner]
    return module


def _global(name: str | None, free: list[str]) -> list[Any]:
    """Keeps the name that the frame binds from hiding the global of that name."""
    return [] if name is None or name in free else gast.parse(f"global {name}").body


def _bare(node: Any) -> Any:
    """The function without what runs when it is made: defaults, annotations, decorators (their line is kept)."""
    node = copy.copy(node)
    node.args = copy.deepcopy(node.args)
    for parameter in gast.walk(node.args):
        if isinstance(parameter, gast.Name) and isinstance(parameter.ctx, gast.Param):
            parameter.annotation = None
    node.args.defaults, node.args.kw_defaults = [], [None] * len(node.args.kwonlyargs)
    if isinstance(node, gast.Lambda):
        return gast.copy_location(gast.Expr(value=node), node)
    node.returns, node.type_params = None, []
    node.decorator_list = [gast.copy_location(gast.Constant(value=None, kind=None), d) for d in node.decorator_list]
    return node


def _inner(code: CodeType, name: str) -> CodeType:
    """The code object of that name among the constants; the outermost comes last."""
    return [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name][-1]


def _renamed(code: CodeType, helpers: Mapping[str, str], qualified: str | None) -> CodeType:
    """The code with its helpers named, in tracebacks, like the functions they are part of, and beginning with them."""
    begin = len(getattr(code, "co_qualname", ""))

    def renamed(inner: CodeType, owners_first: int) -> CodeType:
        first = owners_first if inner.co_name in helpers else inner.co_firstlineno
        changes: dict[str, Any] = {"co_name": helpers.get(inner.co_name, inner.co_name), "co_consts": tuple(
            renamed(c, first) if isinstance(c, CodeType) else c for c in inner.co_consts)}
        if qualified is not None:
            parts = inner.co_qualname[begin:].split(_WITHIN)
            changes["co_qualname"] = qualified + _WITHIN.join(part for part in parts if part not in helpers)
        return with_first_line(inner.replace(**changes), first)

    return renamed(code, code.co_firstlineno)


def source_text(node: Any) -> str:
    """The source of a syntax tree."""
    tree = ast.fix_missing_locations(gast.gast_to_ast(gast.Module(body=[_statement(node)], type_ignores=[])))
    return ast.unparse(tree) + "\n"


def _statement(node: Any) -> Any:
    return node if isinstance(node, gast.stmt) else gast.Expr(value=node)
