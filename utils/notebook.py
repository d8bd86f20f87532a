"""An extension of IPython, `%load_ext proa.utils.notebook`: dicts that hold Tensors, as states, are shown as tables.

Tensors, Layers, Programs and what `Model.fit` gives show themselves without it.
"""

from __future__ import annotations

import collections
from typing import Any

from ..dygraph.tables import state_html
from ..dygraph.tensor import Tensor


def _state_html(state: Any) -> str | None:
    """A table; None, for the usual text, of a dict that holds no Tensor."""
    return state_html(state) if any(isinstance(value, Tensor) for value in state.values()) else None


def load_ipython_extension(shell: Any) -> None:
    """Has the shell show states as tables, names, shapes, dtypes and ranges, from here on."""
    formatter = shell.display_formatter.formatters["text/html"]
    for kind in (dict, collections.OrderedDict):
        formatter.for_type(kind, _state_html)


def unload_ipython_extension(shell: Any) -> None:
    """Takes that back."""
    formatter = shell.display_formatter.formatters["text/html"]
    for kind in (dict, collections.OrderedDict):
        formatter.pop(kind, None)
