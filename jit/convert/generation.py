"""A function's converted code, made from its source: what conversion needs a parser for.

Imported when a function is converted that no earlier process has converted.
"""

from __future__ import annotations

import copy
from types import CodeType, FunctionType
from typing import Any

from ..converters import OPERATORS, convert_tree, new_context
from ..pyct.loading import compile_function, source_text
from ..pyct.source import function_source


def generate(function: FunctionType) -> tuple[CodeType, Any]:
    """The converted code of a function, and its syntax tree. Raises SourceUnavailable."""
    code, source = function.__code__, function_source(function)
    context = new_context(source.node, source.class_name, {*code.co_freevars, *code.co_names})
    tree = convert_tree(source.node, context)
    return compile_function(tree, code, source.class_name, [OPERATORS], context.helpers), tree


def text_of(tree: Any) -> str:
    """A converted tree as source, to read."""
    tree = copy.copy(tree)
    tree.decorator_list = []
    return source_text(tree)
