"""Generated code as text, for reading.

Knows syntax only.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

import gast


def source_text(node: Any) -> str:
    """The source of a syntax tree, as astor prints it; syntax newer than astor is printed by `ast`."""
    tree = ast.fix_missing_locations(gast.gast_to_ast(gast.Module(body=[_statement(node)], type_ignores=[])))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # astor asks for names that `ast` gives up
            import astor

            return astor.to_source(tree)
    except (AttributeError, NotImplementedError, AssertionError, ValueError):
        return ast.unparse(tree) + "\n"


def _statement(node: Any) -> Any:
    return node if isinstance(node, gast.stmt) else gast.Expr(value=node)
