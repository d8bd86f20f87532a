"""`[f(x) for x in rows]` becomes a call that can also make a list of the program, where only a run knows the rows.

    [f(x) for x in rows if c(x)]     __proa__.comprehension(rows, lambda rows: [f(x) for x in rows if c(x)],
                                                            lambda x: f(x), lambda x: c(x))

So do generators that are the only argument of a call, `sum(f(x) for x in rows)`, or have a start in `sum`. Knows pyct
alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.templates import quote_expression
from ..pyct.trees import copied
from .context import Context
from .expressions import ExpressionConverter, can_wait


def convert(function: Any, context: Context) -> Any:
    """Converts the comprehensions of a function that go through one iterable."""
    return _Comprehensions(context).visit(function)


_STOPPING = ("any", "all")  # functions that do not ask for every item


class _Comprehensions(ExpressionConverter):
    def __init__(self, context: Context):
        self._context = context

    def visit_ListComp(self, node: gast.ListComp) -> Any:
        self.generic_visit(node)
        return self._converted(node, "comprehension")

    def visit_Call(self, node: gast.Call) -> Any:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, gast.Name) else ""
        if len(node.args) in (1, 1 + (name == "sum")) and isinstance(node.args[0], gast.GeneratorExp):
            made = self._converted(node.args[0], "generator")
            binds = name in _STOPPING and made is node.args[0] and not can_wait(made)
            node.args[0] = quote_expression("__proa__.binding(made)", made, made=made) if binds else made
        return node

    def _converted(self, node: Any, operator: str) -> Any:
        generator = node.generators[0]
        names = _names(generator.target)
        if len(node.generators) > 1 or generator.is_async or names is None or not can_wait(node):
            return node
        item, iterable = self._context.namer.new("item"), generator.iter
        element = _of_item(node.elt, generator.target, node)
        tests = generator.ifs
        together = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.And(), values=tests)
        condition = _of_item(together, generator.target, node) if tests else None
        given = gast.copy_location(gast.Name(id=item, ctx=gast.Load(), annotation=None, type_comment=None), node)
        made = copied(node)
        made.generators[0].iter = given
        call = quote_expression(f"__proa__.{operator}(iterable, made, element)", node, iterable=iterable,
                                made=_function([item], made, node), element=element)
        return _with(call, condition)


def _with(call: Any, condition: Any) -> Any:
    call.args += [condition] if condition is not None else []
    return call


def _of_item(expression: Any, target: Any, at: Any) -> Any:
    """An expression as a function of one item, `lambda x: …`, or of its parts, `lambda x, y: …`."""
    return _function(_names(target) or [], copied(gast.copy_location(expression, at)), at)


def _names(target: Any) -> list[str] | None:
    """The names that a target of a `for` binds: one, or a flat tuple of them; None for any other."""
    if isinstance(target, gast.Name):
        return [target.id]
    if not isinstance(target, gast.Tuple) or not all(isinstance(each, gast.Name) for each in target.elts):
        return None
    names = [each.id for each in target.elts]
    return names if len(set(names)) == len(names) > 1 else None


def _function(names: list[str], body: Any, at: Any) -> Any:
    made = quote_expression(f"lambda {', '.join(names)}: None", at)
    made.body = body
    return made
