"""`paddle._legacy_C_ops`: operators called by their types, as code does that defines layers of its own.

`_legacy_C_ops.scale(x, "scale", 2.0)` applies the operator `scale`: the inputs slot by slot (None for one that is
absent, a list for one that is repeated), then names and values of attributes. Attributes that only say how to compute
(`use_cudnn`) are passed over; TypeError for others that the operator does not have. The results come in the order of
the operator's output slots; None stands for one that files alone have.
"""

from __future__ import annotations

import functools
from typing import Any

from .ops.core.hints import without_hints
from .ops.core.operator import Operator, find, is_declared
from .ops.core.trace import apply


def __getattr__(name: str) -> Any:
    if name.startswith("__") or not is_declared(name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: there is no operator of this type.")
    return functools.partial(_applied, find(name))


def _applied(op: Operator, *arguments: Any) -> Any:
    count = next((n for n, argument in enumerate(arguments) if isinstance(argument, str)), len(arguments))
    inputs, pairs = list(arguments[:count]), arguments[count:]
    if count > len(op.inputs) or len(pairs) % 2:
        raise TypeError(f"_legacy_C_ops.{op.type}: takes the inputs {[slot.name for slot in op.inputs]}, then names "
                        f"and values of attributes. Received {count} inputs and {len(pairs)} further arguments.")
    inputs += [None] * (len(op.inputs) - count)
    attributes = dict(zip(pairs[::2], pairs[1::2], strict=True))
    results = apply(op, *inputs, **without_hints(op, attributes, f"_legacy_C_ops.{op.type}"))
    if len(op.outputs) == 1:
        return results
    computed = iter(results if len(op.results) > 1 else (results,))
    return tuple(None if slot.file_only else next(computed) for slot in op.outputs)
