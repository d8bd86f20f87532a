"""What converted code means when it runs: each operator stays plain Python unless a value is symbolic.

Knows how to stage (through `staging`, the one door to programs); knows nothing of syntax trees.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .attempts import attempt, everything
from .attributes import augment, begun, set_name, set_stop_gradient, state_of
from .builtin import bool_, float_, int_, len_, print_
from .comprehensions import binding, comprehension, generator
from .conditionals import if_exp, if_stmt, raising
from .holders import holding
from .items import augment_item, begun_item, item, set_item
from .iteration import enumerate_, range_, walked, zip_
from .logical import and_, and_value, compare, computed, equal, is_same, is_truth, not_, or_, or_value, unequal
from .loops import for_stmt, while_stmt
from .partial import is_none, load, narrowed, not_none, used
from .special import items_of, manager, operate, operate_alone, operate_in_place, order
from .statements import assert_stmt, nothing, plain, subject, subject_of_classes, subject_of_sequences
from .texts import percent, shown, text
from .undefined import Undefined, changed, read

__all__ = ["Undefined", "and_", "and_value", "assert_stmt", "attempt", "augment", "augment_item", "begun", "begun_item",
           "binding", "bool_", "changed", "compare", "comprehension", "computed", "equal", "everything",
           "float_", "for_stmt", "generator", "holding", "if_exp", "if_stmt", "int_", "is_none", "is_same", "is_truth",
           "item", "items_of", "len_", "load", "manager", "narrowed", "not_", "not_none", "nothing", "operate",
           "operate_alone", "operate_in_place", "or_", "or_value", "order", "percent", "plain", "print_", "raising",
           "range_", "read", "set_item", "set_name", "set_stop_gradient", "shown", "state_of", "subject",
           "subject_of_classes", "subject_of_sequences", "text", "unequal", "used", "walked", "while_stmt"]

NAME = "__proa__"
"""The one name that generated code knows; converters know it too."""


def namespace(**more: Any) -> SimpleNamespace:
    """What the one name that generated code knows stands for."""
    return SimpleNamespace(**{name: globals()[name] for name in __all__}, **more)
