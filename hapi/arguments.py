"""What a Model is given, in the forms that it works with; and what of a batch the network takes."""

from __future__ import annotations

import inspect
from typing import Any

from ..static.ir.input_spec import InputSpec


def as_list(value: Any) -> list[Any]:
    """A value as a list: None is an empty one."""
    return list(value) if isinstance(value, (list, tuple)) else [] if value is None else [value]


def specs_of(what: str, given: Any) -> list[InputSpec] | None:
    """InputSpecs as a list; None where none are given."""
    if given is None:
        return None
    specs = list(given.values()) if isinstance(given, dict) else as_list(given)
    for spec in specs:
        if not isinstance(spec, InputSpec) and not hasattr(spec, "shape"):
            raise TypeError(f"Model({what}): must be InputSpecs. Received {type(spec).__name__}.")
    return specs


def inputs_of_forward(network: Any, parts: int, labels: int, is_prediction: bool) -> int:
    """How many of a sample's parts the network's `forward` takes, where nobody has said so."""
    function = getattr(network.forward, "dygraph_function", network.forward)
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return parts - labels
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in positional)
    if is_prediction:
        return min(parts, max(needed, 1))
    return min(len(positional), max(needed, parts - labels))
