"""What `match` looks at is shown to an operator, where a pattern compares items of a sequence with values, or classes.

Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.statements import rewrite
from ..pyct.templates import quote_expression
from .context import Context


def convert(function: Any, _: Context) -> None:
    """Wraps the subjects of the function's `match` statements."""
    rewrite(function, _shown)


def _shown(statement: Any) -> list[Any]:
    if isinstance(statement, gast.Match):
        for operator, asks in (("subject", _compares_items), ("subject_of_classes", _names_classes),
                               ("subject_of_sequences", _has_sequences)):
            if any(asks(case.pattern) for case in statement.cases):
                statement.subject = quote_expression(f"__proa__.{operator}(value)", statement.subject,
                                                     value=statement.subject)
    return [statement]


def _names_classes(pattern: Any) -> bool:
    return any(isinstance(node, gast.MatchClass) for node in gast.walk(pattern))


def _has_sequences(pattern: Any) -> bool:
    return any(isinstance(node, gast.MatchSequence) for node in gast.walk(pattern))


def _compares_items(pattern: Any) -> bool:
    sequences = [node for node in gast.walk(pattern) if isinstance(node, gast.MatchSequence)]
    values = [node.value for each in sequences for node in gast.walk(each) if isinstance(node, gast.MatchValue)]
    return any(not isinstance(value, gast.Constant) or isinstance(value.value, (int, float)) for value in values)
