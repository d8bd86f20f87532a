"""Compiles the expressions of the language to LLVM's intermediate representation."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NoReturn

from llvmlite import ir

from . import functions
from .builtins import Builtins, library_functions
from .types import Array, Literal, Value, combined, is_real, llvm_type

_INTEGER_OPERATIONS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "sdiv", ast.Mod: "srem",
                       ast.LShift: "shl", ast.RShift: "ashr", ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor"}
_REAL_OPERATIONS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv", ast.Mod: "frem"}
_FOLDED: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b, ast.LShift: lambda a, b: a << b, ast.RShift: lambda a, b: a >> b,
}
_RELATIONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_CONTRACT = ("contract",)


class Expressions:
    """The expressions of one function, emitted into `builder`; `scope` holds its variables."""

    def __init__(self, builder: Any, scope: dict[str, Any], real: str, inline: Callable[..., Any], exact: bool):
        self.builder, self.scope, self.real, self.inline = builder, scope, real, inline
        self.flags = () if exact else _CONTRACT
        self.builtins = Builtins(builder, self.convert, real)

    def emit(self, node: ast.expr) -> Any:
        """The value of an expression."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            self.refuse(node, f"{type(node).__name__} is not in the language")
        return method(node)

    def number(self, node: ast.expr, type: str | None = None) -> Value:
        """The value of an expression that is a number, of the given type where there is one."""
        value = self.emit(node)
        if isinstance(value, (Array, tuple)) and not isinstance(value, (Value, Literal)):
            self.refuse(node, "a number is needed here")
        if isinstance(value, Literal) and type is None:
            type = self.real if isinstance(value.number, float) else "i64"
        return value if type is None else self.convert(value, type)

    def refuse(self, node: ast.AST, why: str) -> NoReturn:
        """An error that shows the place."""
        raise SyntaxError(f"A generated loop cannot hold `{ast.unparse(node)}`: {why}.")

    # Conversions

    def convert(self, value: Any, type: str) -> Value:
        """The number as another type."""
        if isinstance(value, Literal):
            number = float(value.number) if is_real(type) else int(value.number)
            return Value(ir.Constant(llvm_type(type), number), type)
        source = value.type
        if source == type:
            return value
        target = llvm_type(type)
        if is_real(source):
            if is_real(type):
                emit = self.builder.fpext if type == "f64" else self.builder.fptrunc
            else:
                emit = self.builder.fptosi
        elif is_real(type):
            emit = self.builder.uitofp if source in ("i1", "u8") else self.builder.sitofp
        elif target.width > value.llvm.type.width:
            emit = self.builder.zext if source in ("i1", "u8") else self.builder.sext
        elif target.width == value.llvm.type.width:
            return Value(value.llvm, type)
        else:
            emit = self.builder.trunc
        return Value(emit(value.llvm, target), type)

    def truth(self, node: ast.expr) -> Value:
        """The value of an expression as a truth value."""
        return self.is_true(self.number(node))

    def is_true(self, value: Any) -> Value:
        """Whether a number is other than 0."""
        if isinstance(value, Literal):
            value = self.convert(value, "i64")
        if value.type == "i1":
            return value
        zero = ir.Constant(value.llvm.type, 0)
        compare = self.builder.fcmp_unordered if is_real(value.type) else self.builder.icmp_signed
        return Value(compare("!=", value.llvm, zero), "i1")

    def together(self, a: Any, b: Any) -> tuple[Value, Value]:
        """Two numbers as the type that both fit."""
        if isinstance(a, Literal) and isinstance(b, Literal):
            type = self.real if isinstance(a.number, float) or isinstance(b.number, float) else "i64"
        elif isinstance(a, Literal) or isinstance(b, Literal):
            literal, value = (a, b) if isinstance(a, Literal) else (b, a)
            type = self.real if isinstance(literal.number, float) and not is_real(value.type) else value.type
        else:
            type = combined(a.type, b.type)
        return self.convert(a, type), self.convert(b, type)

    # Syntax

    def _Constant(self, node: ast.Constant) -> Any:
        if isinstance(node.value, bool):
            return Value(ir.Constant(ir.IntType(1), int(node.value)), "i1")
        if isinstance(node.value, (int, float)):
            return Literal(node.value)
        self.refuse(node, "only numbers can be written here")

    def _Name(self, node: ast.Name) -> Any:
        found = self.scope.get(node.id)
        if found is None:
            self.refuse(node, "the name has no value yet")
        if isinstance(found, (Array, Literal)):
            return found
        return Value(self.builder.load(found.llvm), found.type)

    def _Subscript(self, node: ast.Subscript) -> Value:
        array = self.array(node.value)
        value = Value(self.builder.load(self.address(array, node.slice)), array.type)
        if array.type == "b8":
            return Value(self.builder.icmp_signed("!=", value.llvm, ir.Constant(ir.IntType(8), 0)), "i1")
        return value

    def array(self, node: ast.expr) -> Array:
        """The array that an expression stands for: `x`, or `x + n`, the array from its element n on."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            array = self.array(node.left)
            return Array(self.address(array, node.right), array.type)
        value = self.emit(node)
        if not isinstance(value, Array):
            self.refuse(node, "it is no array")
        return value

    def address(self, array: Array, index: ast.expr) -> Any:
        """The address of an element."""
        return self.builder.gep(array.pointer, [self.number(index, "i64").llvm])

    def _BinOp(self, node: ast.BinOp) -> Any:
        left, right = self.emit(node.left), self.emit(node.right)
        if isinstance(left, Array):
            return self.array(node) if isinstance(node.op, ast.Add) else self.refuse(node, "an array has no arithmetic")
        return self.binary(node, left, right)

    def binary(self, node: ast.AST, left: Any, right: Any, flags: tuple[str, ...] | None = None) -> Any:
        """The result of a binary operation; `node.op` says which."""
        kind = type(node.op)  # type: ignore[attr-defined]
        if isinstance(left, Literal) and isinstance(right, Literal) and kind in _FOLDED:
            return Literal(_FOLDED[kind](left.number, right.number))
        if kind is ast.Pow:
            return self._power(node, left, right)
        a, b = self.together(left, right)
        if kind is ast.Div and not is_real(a.type):
            a, b = self.convert(a, self.real), self.convert(b, self.real)
        if is_real(a.type):
            if kind not in _REAL_OPERATIONS:
                self.refuse(node, "it is an operation on whole numbers")
            emit = getattr(self.builder, _REAL_OPERATIONS[kind])
            return Value(emit(a.llvm, b.llvm, flags=self.flags if flags is None else flags), a.type)
        return Value(getattr(self.builder, _INTEGER_OPERATIONS[kind])(a.llvm, b.llvm), a.type)

    def _power(self, node: ast.AST, left: Any, right: Any) -> Value:
        if not isinstance(right, Literal) or right.number != 2:
            self.refuse(node, "only squares; see pow(a, b)")
        a = self.convert(left, self.real) if isinstance(left, Literal) else left
        multiply = self.builder.fmul if is_real(a.type) else self.builder.mul
        return Value(multiply(a.llvm, a.llvm), a.type)

    def _UnaryOp(self, node: ast.UnaryOp) -> Any:
        if isinstance(node.op, ast.Not):
            value = self.truth(node.operand)
            return Value(self.builder.not_(value.llvm), "i1")
        value = self.emit(node.operand)
        if isinstance(value, Literal):
            return Literal(-value.number)
        if isinstance(node.op, ast.Invert):
            return Value(self.builder.not_(value.llvm), value.type)
        negate = self.builder.fneg if is_real(value.type) else self.builder.neg
        return Value(negate(value.llvm), value.type)

    def _Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            self.refuse(node, "compare two at a time")
        a, b = self.together(self.emit(node.left), self.emit(node.comparators[0]))
        relation = _RELATIONS[type(node.ops[0])]
        if is_real(a.type):
            compare = self.builder.fcmp_unordered if relation == "!=" else self.builder.fcmp_ordered
            return Value(compare(relation, a.llvm, b.llvm), "i1")
        return Value(self.builder.icmp_signed(relation, a.llvm, b.llvm), "i1")

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        emit = self.builder.and_ if isinstance(node.op, ast.And) else self.builder.or_
        result = self.truth(node.values[0])
        for operand in node.values[1:]:
            result = Value(emit(result.llvm, self.truth(operand).llvm), "i1")
        return result

    def _IfExp(self, node: ast.IfExp) -> Value:
        condition = self.truth(node.test)
        a, b = self.together(self.emit(node.body), self.emit(node.orelse))
        return Value(self.builder.select(condition.llvm, a.llvm, b.llvm), a.type)

    def _Tuple(self, node: ast.Tuple) -> list[Any]:
        return [self.emit(item) for item in node.elts]

    def _Call(self, node: ast.Call) -> Any:
        if not isinstance(node.func, ast.Name) or node.keywords:
            self.refuse(node, "only declared functions are called, by position")
        name = node.func.id
        values = [self.emit(argument) for argument in node.args]
        if name in library_functions():
            values = self.builtins.typed(values)
            kind = "f64" if values[0].type == "f64" else "f32"
            if kind == "f64" and (found := self.builtins.library(name, values)) is not None:
                return found
            name, values = f"{name}_{kind}", [self.convert(value, kind) for value in values]
        builtin = self.builtins.find(name)
        if builtin is not None:
            return builtin(*values)
        callee = functions.find(name)
        if callee is None:
            self.refuse(node, f"there is no function {name!r}")
        if len(values) != len(callee.parameters):
            self.refuse(node, f"{name} takes {len(callee.parameters)} arguments")
        return self.inline(callee, values)
