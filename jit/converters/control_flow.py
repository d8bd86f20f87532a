"""`if`, `while` and `for` become calls of an operator that decides, when it runs, whether to stage them.

    if c: y = 1         def if_body():              (and the same for else)
    else: y = 2             nonlocal y
                            y = 1
                        __proa__.if_stmt(c, if_body, else_body, get_state, set_state, ('y',), 1, ())

Expects jumps to be lowered. Knows pyct alone.
"""

from __future__ import annotations

from typing import Any

import gast

from ..pyct.activity import dotted
from ..pyct.source import private_name
from ..pyct.statements import split_docstring
from ..pyct.templates import quote, quote_expression
from ..pyct.trees import Transformer as _Base
from .context import Context
from .expressions import surely_plain
from .state import Plan, State, plan

_GET = """
def get_state():
    return (elements,)
"""
_SET = """
def set_state(new_state):
    nonlocal own
    global others
    (targets,) = new_state
    stores
"""
_BODY = """
def name():
    nonlocal own
    global others
    body
"""
_LOOP_BODY = """
def name(item):
    nonlocal own
    global others
    target = item
    body
"""
_TEST = """
def name():
    return test
"""
_IF = "__proa__.if_stmt(test, body, orelse, get_state, set_state, (names,), count, (held,))"
_WHILE = "__proa__.while_stmt(test, body, get_state, set_state, (names,), (held,), (kept,))"
_FOR = "__proa__.for_stmt(iterable, body, guard, get_state, set_state, (names,), (held,), (kept,))"


def convert(function: Any, context: Context) -> None:
    """Converts the control flow of a function, but not of the functions in it."""
    transformer = _Transformer(function, plan(function), context)
    docstring, body = split_docstring(function.body)
    function.body = docstring + transformer.function_body(body)


class _Transformer(_Base):
    def __init__(self, function: Any, planned: Plan, context: Context):
        self._owner = function.name
        self._plan = planned
        self._context = context
        self._scopes: list[tuple[set[str], set[str]]] = []  # (names that are not the body's own, names to begin with)

    # Bodies and names without a value

    def function_body(self, statements: list[Any]) -> list[Any]:
        scope = self._plan.scope
        declared = [s for s in statements if isinstance(s, (gast.Global, gast.Nonlocal))]
        rest = [s for s in statements if not isinstance(s, (gast.Global, gast.Nonlocal))]
        return declared + self._body(rest, scope.globals | scope.nonlocals)

    def _body(self, statements: list[Any], shared: set[str]) -> list[Any]:
        """The statements of a new function, which begins by noting which of its names have no value."""
        self._scopes.append((shared, set()))
        new = self._visit_all(statements)
        _, unbound = self._scopes.pop()
        at = statements[0] if statements else None
        return [s for name in sorted(unbound) for s in self._unbind(name, at)] + new

    def _visit_all(self, statements: list[Any]) -> list[Any]:
        new: list[Any] = []
        for statement in statements:
            made = self.visit(statement)
            new += made if isinstance(made, list) else [made]
        return new

    def _unbind(self, name: str, at: Any) -> list[Any]:
        text = gast.Constant(value=name, kind=None)
        return quote("name = __proa__.Undefined(text)", at, name=name, text=text)

    def _note_unbound(self, state: State) -> None:
        for name in state.unbound:
            for shared, unbound in reversed(self._scopes):
                if name not in shared:
                    unbound.add(name)
                    break

    def visit_Name(self, node: gast.Name) -> Any:
        if node in self._plan.used:
            return quote_expression("__proa__.used(name)", node, name=node)
        return quote_expression("__proa__.load(name)", node, name=node) if node in self._plan.checked else node

    def visit_Attribute(self, node: gast.Attribute) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, gast.Load) and dotted(node) in self._plan.attributes:
            return quote_expression("__proa__.load(attribute)", node, attribute=node)
        return node

    def visit_Delete(self, node: gast.Delete) -> Any:
        new: list[Any] = []
        for target in node.targets:
            unbinds = isinstance(target, gast.Name) and target.id in self._plan.unbindable & self._plan.scope.local
            if unbinds:
                new += quote("__proa__.load(name)", node, name=target.id) + self._unbind(target.id, node)
            else:
                new.append(gast.copy_location(gast.Delete(targets=[self.visit(target)]), node))
        return new

    # Statements

    def visit_If(self, node: gast.If) -> Any:
        state = self._plan.states.get(node)
        if state is None:
            return self._plainly(node, surely_plain(node.test))
        self._note_unbound(state)
        test = self.visit(node.test)
        body, define_body = self._function(_BODY, "if_body", node.body, state.shared[0], node)
        orelse, define_orelse = self._function(_BODY, "else_body", node.orelse, state.shared[1], node)
        handles, define_state = self._state(state, node)
        count = gast.Constant(value=len(state.outputs) + len(state.attributes), kind=None)
        body, orelse = _marked(body, node.body, node), _marked(orelse, node.orelse, node)
        call = quote(_IF, test, test=test, body=body, orelse=orelse, count=count, **handles)
        return [*define_state, *define_body, *define_orelse, *call]

    def visit_While(self, node: gast.While) -> Any:
        state = self._plan.states.get(node)
        if state is None:
            return self._plainly(node, surely_plain(node.test))
        self._note_unbound(state)
        test, define_test = self._test(node.test, node)
        body, define_body = self._function(_BODY, "loop_body", node.body, state.shared[0], node)
        handles, define_state = self._state(state, node)
        return [*define_state, *define_test, *define_body, *quote(_WHILE, node.test, test=test, body=body, **handles)]

    def visit_For(self, node: gast.For) -> Any:
        state = self._plan.states.get(node)
        if state is None:
            return self.generic_visit(node)
        self._note_unbound(state)
        iterable = self.visit(node.iter)
        guard, define_guard = self._test(getattr(node, "guard", None), node)
        parts = (node.body, state.shared[0], node, node.target)
        body, define_body = self._function(_LOOP_BODY, "loop_body", *parts)
        handles, define_state = self._state(state, node)
        call = quote(_FOR, iterable, iterable=iterable, body=body, guard=guard, **handles)
        return [*define_state, *define_guard, *define_body, *call]

    def _plainly(self, node: Any, surely: bool) -> Any:
        """Leaves a statement to Python, which must then be able to decide its test."""
        if not surely:
            node.test = quote_expression("__proa__.plain(test)", node.test, test=node.test)
        return self.generic_visit(node)

    def _leave(self, node: Any) -> Any:
        """What is defined here is converted by itself; only its reads of this function's names may need a check."""
        return gast.NodeTransformer.generic_visit(_Loads(self), node)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave

    # Functions made of their parts

    def _function(self, template: str, stem: str, statements: list[Any], shared: set[str], at: Any,
                  target: Any = None) -> tuple[Any, list[Any]]:
        """The name of a new function with these statements, and its definition."""
        if not statements:
            return _nothing(at), []
        name = self._context.helper(stem, self._owner)
        own, others = self._declared(shared)
        item = self._context.namer.new("item") if target is not None else "item"
        extra = {} if target is None else {"target": self.visit(target)}
        body = self._body(statements, shared)
        return name, quote(template, at, name=name, own=own, others=others, item=item, body=body, **extra)

    def _test(self, test: Any, at: Any) -> tuple[Any, list[Any]]:
        if test is None:
            return quote_expression("None", at), []
        name = self._context.helper("loop_test", self._owner)
        self._context.tests.add(name)
        return name, quote(_TEST, at, name=name, test=self.visit(test))

    def _declared(self, names: Any) -> tuple[list[str], list[str]]:
        """Names split into those to declare nonlocal and those to declare global."""
        others = set(names) & self._plan.scope.globals
        return sorted(set(names) - others), sorted(others)

    def _state(self, state: State, at: Any) -> tuple[dict[str, Any], list[Any]]:
        """The replacements that name a statement's state, and the two functions that read and write it."""
        names = [*state.outputs, *state.attributes, *state.restored]
        texts = [gast.copy_location(gast.Constant(value=n, kind=None), at) for n in names]
        if not names:
            return {"get_state": _nothing(at), "set_state": _nothing(at), "names": [], "held": [], "kept": []}, []
        get = self._context.helper("get_state", self._owner)
        set_ = self._context.helper("set_state", self._owner)
        define_get = quote(_GET, at, get_state=get, elements=[self._element(n, state, at) for n in names])
        held, kept = ([gast.copy_location(gast.Constant(value=n, kind=None), at) for n in names]
                      for names in (state.held, state.kept))
        handles = {"get_state": get, "set_state": set_, "names": texts, "held": held, "kept": kept}
        return handles, define_get + self._setter(set_, names, state, at)

    def _element(self, name: str, state: State, at: Any) -> Any:
        scope = self._plan.scope
        direct = name in scope.local and name not in scope.handlers
        template = name if direct else f"__proa__.read(lambda: {name}, {name!r})"
        if name in state.attributes:
            owner, _, key = name.rpartition(".")
            key = private_name(key, self._context.class_name)
            template = f"__proa__.state_of(lambda: {owner}, {key!r}, lambda: {name}, {name!r})"
        return quote_expression(template, at)

    def _setter(self, set_state: str, names: list[str], state: State, at: Any) -> list[Any]:
        own, others = self._declared(state.names)
        new_state = self._context.namer.new("new_state")
        fresh = {text: self._context.namer.new(text.replace(".", "_")) for text in state.attributes}
        stores = [s for text, new in fresh.items() for s in quote(_store(text), at, new=new)]
        targets = [fresh.get(n, n) for n in names]
        return quote(_SET, at, set_state=set_state, own=own, others=others, new_state=new_state, targets=targets,
                     stores=stores)


class _Loads(gast.NodeTransformer):
    def __init__(self, transformer: _Transformer):
        self.visit_Name = transformer.visit_Name


def _store(attribute: str) -> str:
    return f"if __proa__.changed(new, lambda: {attribute}): {attribute} = new"


def _nothing(at: Any) -> Any:
    return quote_expression("__proa__.nothing", at)


def _marked(name: Any, statements: list[Any], at: Any) -> Any:
    """A branch that runs into a `raise` of its own is marked: it can run in Python, and cannot be staged as it is.

    One that does nothing else can be staged as an assertion.
    """
    raises = any(isinstance(s, gast.Raise) for s in statements)
    if not raises:
        return name
    template = "__proa__.raising(body, True)" if statements[0].__class__ is gast.Raise else "__proa__.raising(body)"
    return quote_expression(template, at, body=name)
