"""Values that Paddle 1.x declares with one dimension where the operators' rules give none: `mean` is [1] there.

A Program says so by the variable's shape, as do the files of 1.x. What compiles it, and what takes gradients of it,
puts the dimension there.
"""

from __future__ import annotations

from ...ops.core.operator import find, is_declared
from .operation import Operation
from .usage import sub_block


def widened(op: Operation) -> list[str]:
    """The names of an operation's results of one dimension whose rule gives them none."""
    declared = [name for name in op.output_arg_names if _is_of_one(op, name)]
    if not declared or not is_declared(op.type) or sub_block(op) is not None:
        return []
    bare = _without_dimensions(op)
    return [name for name in declared if name in bare]


def _is_of_one(op: Operation, name: str) -> bool:
    variable = op.block.find_var(name)
    return variable is not None and variable.shape == (1,) and variable.kind == "tensor"


def _without_dimensions(op: Operation) -> set[str]:
    """The names of the results that are values without dimensions by the operator's rule."""
    operator = find(op.type)
    specs = op.inferred[1] if op.inferred is not None else _inferred(op)
    found: set[str] = set()
    for index, (slot, spec) in enumerate(zip(operator.results, specs, strict=False)):
        if spec is not None and not any(index == result for result, _ in operator.aliases):
            given = spec if slot.many else [spec]
            found.update(name for name, one in zip(op.output(slot.name), given, strict=False) if one.shape == ())
    return found


def _inferred(op: Operation) -> tuple:
    """What the rule says of an operation that was read from a file; nothing where it cannot tell."""
    operator = find(op.type)
    taken = []
    for slot in operator.inputs:
        variables = [op.block.find_var(name) for name in op.input(slot.name)]
        if any(v is None or v._dtype is None for v in variables):
            return ()
        specs = [v.spec for v in variables if v is not None]
        taken.append((specs or slot.nothing) if slot.many else specs[0] if specs else None)
    attrs = {**operator.defaults, **{k: v for k, v in op.attrs.items() if k in operator.attributes}}
    try:
        return operator.infer_specs(tuple(taken), attrs)
    except (ValueError, TypeError, IndexError):  # the run itself will tell the user, with the place
        return ()
