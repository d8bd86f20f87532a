"""The converters, one Python construct each, in the order in which they run.

Jumps are lowered first, so that control flow meets plain `if`, `while` and `for`; expressions come last. They import
pyct alone; what the generated code does is the business of `operators`.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.activity import changed_in_place
from ..pyct.statements import is_generator, looks_at_its_names, own_functions
from ..pyct.templates import Namer, identifiers
from . import (
    annotated,
    asserts,
    attempts,
    attributes,
    breaks,
    calls,
    comprehensions,
    conditionals,
    control_flow,
    declarations,
    guards,
    logical,
    loop_else,
    loop_returns,
    matches,
    narrowing,
    none_tests,
    numbers_matched,
    operations,
    returns,
    subscripts,
    supers,
    texts,
    walks,
    walrus,
)
from .context import OPERATORS, Context

STATEMENTS = (  # one function at a time
    annotated, declarations, supers, guards, numbers_matched, walrus, loop_returns, loop_else, returns, breaks, asserts,
    attempts, matches, narrowing, control_flow)
GENERATOR = (  # whose jumps stay
    annotated, declarations, supers, guards, numbers_matched, walrus, breaks, asserts, attempts, matches, narrowing,
    control_flow)
EXPRESSIONS = (comprehensions, walks, none_tests, attributes, conditionals, logical, subscripts,
               texts, operations, calls)  # a function and those in it

__all__ = ["EXPRESSIONS", "OPERATORS", "STATEMENTS", "Context", "convert_tree", "new_context"]


def new_context(tree: Any, class_name: str | None, taken: set[str]) -> Context:
    """The context in which a function is converted; `taken` are further names to keep clear of."""
    return Context(Namer(identifiers(tree) | taken | {OPERATORS}), class_name)


def convert_tree(tree: Any, context: Context) -> Any:
    """Converts a function's tree, a lambda's too; functions defined in it are converted in place."""
    context.changed = changed_in_place(tree)
    if isinstance(tree, gast.FunctionDef):
        _convert_statements(tree, context)
    for converter in EXPRESSIONS:
        tree = converter.convert(tree, context)
    return tree


def _convert_statements(function: Any, context: Context) -> None:
    for inner in list(own_functions(function)):
        _convert_statements(inner, context)
    if not looks_at_its_names(function):
        for converter in GENERATOR if is_generator(function) else STATEMENTS:
            converter.convert(function, context)
