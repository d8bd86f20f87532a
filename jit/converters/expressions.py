"""What converters of expressions share: where they go, which are surely plain Python, which may wait in a `lambda`.

They go everywhere but into class bodies, decorators and annotations. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.trees import Transformer


def _statements(made: Any) -> list[Any]:
    return made if isinstance(made, list) else [made]


class ExpressionConverter(Transformer):
    """Visits the expressions of a function and of the functions in it."""

    def visit_ClassDef(self, node: gast.ClassDef) -> Any:
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        node.body = [made for s in node.body for made in _statements(self.visit(s))]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node: gast.AnnAssign) -> Any:
        node.value = node.value and self.visit(node.value)
        node.target = self.visit(node.target)
        return node


_SYMBOLS = {gast.Add: "+=", gast.Sub: "-=", gast.Mult: "*=", gast.Div: "/=", gast.FloorDiv: "//=", gast.Mod: "%=",
            gast.Pow: "**=", gast.MatMult: "@=", gast.BitAnd: "&=", gast.BitOr: "|=", gast.BitXor: "^=",
            gast.LShift: "<<=", gast.RShift: ">>="}


def symbol_of(node: gast.AugAssign) -> Any:
    """The operator of `a += b` as a constant in code: "+="."""
    return gast.copy_location(gast.Constant(value=_SYMBOLS[type(node.op)], kind=None), node)


_NEVER_TENSORS = {"isinstance", "issubclass", "hasattr", "callable"}


def surely_plain(test: Any) -> bool:
    """Whether a test can never be a tensor: `is` of two values, `isinstance`, constants, and what is made of them."""
    if isinstance(test, gast.Constant):
        return True
    if isinstance(test, gast.Compare):
        plain = all(isinstance(op, (gast.Is, gast.IsNot)) for op in test.ops)
        return plain and not compares_with_none(test) and not compares_with_truth(test)
    if isinstance(test, gast.UnaryOp):
        return isinstance(test.op, gast.Not) and surely_plain(test.operand)
    if isinstance(test, gast.BoolOp):
        return all(surely_plain(v) for v in test.values)
    return isinstance(test, gast.Call) and isinstance(test.func, gast.Name) and test.func.id in _NEVER_TENSORS


def compares_with_none(test: Any) -> bool:
    """Whether a test is `x is None` or `x is not None`."""
    return _is_constant(test, (type(None),))


def compares_with_truth(test: Any) -> bool:
    """Whether a test is `x is True`, `x is not False` or the like."""
    return _is_constant(test, (bool,))


def _is_constant(test: Any, kinds: tuple[type, ...]) -> bool:
    if not isinstance(test, gast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], (gast.Is, gast.IsNot)):
        return False
    other = test.comparators[0]
    return isinstance(other, gast.Constant) and type(other.value) in kinds and not isinstance(test.left, gast.Constant)


def not_none(test: Any, holds: bool) -> set[str]:
    """The names that are surely not None where a test holds, or does not."""
    if compares_with_none(test):
        names = {test.left.id} if isinstance(test.left, gast.Name) else set()
        return names if isinstance(test.ops[0], gast.IsNot) == holds else set()
    if isinstance(test, gast.UnaryOp) and isinstance(test.op, gast.Not):
        return not_none(test.operand, not holds)
    if isinstance(test, gast.BoolOp) and isinstance(test.op, gast.And) == holds:
        return set().union(*(not_none(value, holds) for value in test.values))
    return set()


def can_wait(*expressions: Any) -> bool:
    """Whether expressions mean the same inside a `lambda`: none binds a name, yields or awaits."""
    kinds = (gast.NamedExpr, gast.Yield, gast.YieldFrom, gast.Await)
    return not any(isinstance(n, kinds) for e in expressions for n in gast.walk(e))
