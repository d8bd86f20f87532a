"""Which expressions are surely plain Python, and which may be put off into a `lambda`.

Knows syntax alone.
"""

from __future__ import annotations

from typing import Any

import gast

_NEVER_TENSORS = {"isinstance", "issubclass", "hasattr", "callable"}


def surely_plain(test: Any) -> bool:
    """Whether a test can never be a tensor: `is`, `isinstance`, constants, and what is made of them."""
    if isinstance(test, gast.Constant):
        return True
    if isinstance(test, gast.Compare):
        return all(isinstance(op, (gast.Is, gast.IsNot)) for op in test.ops)
    if isinstance(test, gast.UnaryOp):
        return isinstance(test.op, gast.Not) and surely_plain(test.operand)
    if isinstance(test, gast.BoolOp):
        return all(surely_plain(v) for v in test.values)
    return isinstance(test, gast.Call) and isinstance(test.func, gast.Name) and test.func.id in _NEVER_TENSORS


def can_wait(*expressions: Any) -> bool:
    """Whether expressions mean the same inside a `lambda`: none binds a name, yields or awaits."""
    kinds = (gast.NamedExpr, gast.Yield, gast.YieldFrom, gast.Await)
    return not any(isinstance(n, kinds) for e in expressions for n in gast.walk(e))
