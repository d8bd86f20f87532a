"""Compiles the statements of the language: assignments, loops, branches; and inlines the functions that are called."""

from __future__ import annotations

import ast
from typing import Any

from llvmlite import ir

from .expressions import Expressions
from .functions import Function
from .types import Array, Literal, Value, is_real, llvm_type

_IN_ANY_ORDER = ("reassoc", "contract", "nsz")
"""A sum written with `+=`, or a product with `*=`, may be taken in any order: that lets it be taken in vectors."""


class Statements:
    """The body of a function, emitted where `builder` stands.

    `share` is the part of a parallel loop that this thread does: (its index, the number of threads), LLVM values.
    """

    def __init__(self, builder: Any, real: str, share: tuple[Any, Any] | None = None, exact: bool = False):
        self.builder, self.real, self.share, self.exact = builder, real, share, exact
        self.scope: dict[str, Any] = {}
        self.result: Any = None
        self.expressions = Expressions(builder, self.scope, real, self.inline, exact)

    def inline(self, function: Function, values: list[Any]) -> Any:
        """The result of a called function, whose body is emitted here."""
        body = Statements(self.builder, self.real, exact=self.exact)
        for name, value in zip(function.parameters, values, strict=True):
            body.scope[name] = value if isinstance(value, (Array, Literal)) else body.variable(value)
        body.emit(function.tree.body)
        return body.result

    def emit(self, statements: list[ast.stmt]) -> None:
        """Emits statements in order."""
        for statement in statements:
            method = getattr(self, f"_{type(statement).__name__}", None)
            if method is None:
                self.expressions.refuse(statement, f"{type(statement).__name__} is not in the language")
            method(statement)

    def variable(self, value: Value) -> Value:
        """A variable that holds the value, in the function's first block."""
        with self.builder.goto_entry_block():
            place = self.builder.alloca(value.llvm.type)
        self.builder.store(value.llvm, place)
        return Value(place, value.type)

    # Statements

    def _Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring
            self.expressions.emit(node.value)

    def _Pass(self, node: ast.Pass) -> None:
        pass

    def _Return(self, node: ast.Return) -> None:
        if node.value is not None:
            value = self.expressions.emit(node.value)
            self.result = value

    def _Assign(self, node: ast.Assign) -> None:
        self._assign(node.targets[0], self.expressions.emit(node.value), node)

    def _assign(self, target: ast.expr, value: Any, node: ast.AST) -> None:
        if isinstance(target, ast.Tuple):
            for item, part in zip(target.elts, value, strict=True):
                self._assign(item, part, node)
        elif isinstance(target, ast.Subscript):
            self._store(target, value)
        elif isinstance(target, ast.Name):
            self._assign_name(target.id, value, node)
        else:
            self.expressions.refuse(node, "assign to a name or an element")

    def _assign_name(self, name: str, value: Any, node: ast.AST) -> None:
        if isinstance(value, Array):
            self.scope[name] = value
            return
        known = self.scope.get(name)
        if isinstance(value, Literal):
            kind = known.type if isinstance(known, Value) else self.real if isinstance(value.number, float) else "i64"
            value = self.expressions.convert(value, kind)
        if known is None:
            self.scope[name] = self.variable(value)
        elif is_real(value.type) and not is_real(known.type):
            self.expressions.refuse(node, f"{name!r} holds whole numbers; begin it with 0.0")
        else:
            self.builder.store(self.expressions.convert(value, known.type).llvm, known.llvm)

    def _store(self, target: ast.Subscript, value: Any) -> None:
        array = self.expressions.array(target.value)
        address = self.expressions.address(array, target.slice)
        if array.type == "b8":
            value = self.expressions.is_true(value)
            value = Value(self.builder.zext(value.llvm, ir.IntType(8)), "b8")
        self.builder.store(self.expressions.convert(value, array.type).llvm, address)

    def _AugAssign(self, node: ast.AugAssign) -> None:
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        left, right = self.expressions.emit(load), self.expressions.emit(node.value)
        if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
            value = self.expressions.binary(node, left, right, _IN_ANY_ORDER)
        else:
            value = self.expressions.binary(node, left, right)
        self._assign(node.target, value, node)

    def _If(self, node: ast.If) -> None:
        condition = self.expressions.truth(node.test)
        known = set(self.scope)
        with self.builder.if_else(condition.llvm) as (then, otherwise):
            with then:
                self.emit(node.body)
            with otherwise:
                self.emit(node.orelse)
        for name in set(self.scope) - known:  # a variable of one branch has no value after it
            del self.scope[name]

    def _While(self, node: ast.While) -> None:
        head, body, end = (self.builder.append_basic_block(name) for name in ("head", "body", "end"))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        self.builder.cbranch(self.expressions.truth(node.test).llvm, body, end)
        self.builder.position_at_end(body)
        self.emit(node.body)
        self.builder.branch(head)
        self.builder.position_at_end(end)

    def _For(self, node: ast.For) -> None:
        begin, end, step = self._bounds(node)
        assert isinstance(node.target, ast.Name)
        index = self.variable(begin)
        head, body, done = (self.builder.append_basic_block(name) for name in ("for", "body", "done"))
        self.builder.branch(head)
        self.builder.position_at_end(head)
        current = self.builder.load(index.llvm)
        self.builder.cbranch(self.builder.icmp_signed("<", current, end.llvm), body, done)
        self.builder.position_at_end(body)
        outer = dict(self.scope)
        self.scope[node.target.id] = index
        self.emit(node.body)
        self.builder.store(self.builder.add(self.builder.load(index.llvm), step.llvm, flags=("nsw",)), index.llvm)
        self.builder.branch(head)
        self.builder.position_at_end(done)
        for name in set(self.scope) - set(outer):
            del self.scope[name]
        self.scope.update({name: value for name, value in outer.items() if isinstance(value, Array)})

    def _bounds(self, node: ast.For) -> tuple[Value, Value, Value]:
        call = node.iter
        name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else None
        if name not in ("range", "parallel"):
            self.expressions.refuse(node.iter, "a loop runs over range(...) or parallel(count, work)")
        assert isinstance(call, ast.Call)
        zero, one = (Value(ir.Constant(llvm_type("i64"), n), "i64") for n in (0, 1))
        if name == "parallel":
            count = self.expressions.number(call.args[0], "i64")
            return (*self._own_part(count), one)
        numbers = [self.expressions.number(argument, "i64") for argument in call.args]
        if len(numbers) == 1:
            return zero, numbers[0], one
        return numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else one

    def _own_part(self, count: Value) -> tuple[Value, Value]:
        """The part of a parallel loop's range that falls to this thread."""
        assert self.share is not None, "parallel() stands in a kernel, not in a function that it calls"
        thread, threads = self.share
        builder = self.builder
        one = ir.Constant(llvm_type("i64"), 1)
        begin = builder.sdiv(builder.mul(count.llvm, thread), threads)
        end = builder.sdiv(builder.mul(count.llvm, builder.add(thread, one)), threads)
        return Value(begin, "i64"), Value(end, "i64")
