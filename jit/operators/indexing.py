"""`a[i]` where the index may be symbolic, of a list too.

Knows what is symbolic; the list itself becomes one of the program.
"""

from __future__ import annotations

from typing import Any

from . import staging
from .partial import load
from .retracing import example_of
from .values import is_staged


def item(value: Any, index: Any) -> Any:
    """`value[index]`; of a Python list of tensors or numbers by a symbolic index, read when the program runs."""
    if type(value) in (list, tuple) and staging.is_symbolic(index) and value and all(map(is_staged, value)):
        tensors = [v for v in value if staging.is_tensor(v)]
        value = staging.new_list(list(value), example_of((tensors or value)[0]))
    return load(value[index])
