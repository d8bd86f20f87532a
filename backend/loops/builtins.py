"""What a kernel may call besides declared functions: conversions, and what maps to one instruction or library call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite
from llvmlite import ir

from .types import Array, Value, is_real, llvm_type

_CASTS = ("f32", "f64", "i8", "i16", "i32", "i64", "u8")
_UNARY = {"sqrt": "llvm.sqrt", "abs": "llvm.fabs", "floor": "llvm.floor", "ceil": "llvm.ceil",
          "nearest": "llvm.rint", "truncate": "llvm.trunc", "sin": "llvm.sin", "cos": "llvm.cos",
          "library_log": "llvm.log", "library_exp": "llvm.exp"}
_OF_MATH = ("exp", "log", "tanh", "erf", "log1p", "expm1", "atan", "normal_cdf")
"""Functions that `math.py` gives for float32 (as `exp_f32`) and `math_f64.py` for float64."""
_OF_LIBRARY = {"pow": "llvm.pow"}
"""Functions that `math.py` gives for float32 and the C library for float64."""

_KNOWS_EXTREMES = tuple(map(int, llvmlite.__version__.split(".")[:2])) >= (0, 45)
"""Whether LLVM has instructions for llvm.maximum and llvm.minimum: that of 0.44 ends the process at them."""


class Builtins:
    """The builtin functions, emitting into a builder; `convert` and `real` are the compiler's."""

    def __init__(self, builder: Any, convert: Callable[[Any, str], Value], real: str):
        self.builder, self.convert, self.real = builder, convert, real

    def find(self, name: str) -> Callable[..., Any] | None:
        """The function that emits a call of this builtin."""
        if name in _CASTS:
            return lambda x: self.convert(x, name)
        if name in _UNARY:
            return lambda x: self._intrinsic(_UNARY[name], [x])
        return getattr(self, f"_{name}", None)

    def library(self, name: str, values: list[Value]) -> Value | None:
        """A call of the C library's function for float64; None where it has none."""
        return self._intrinsic(_OF_LIBRARY[name], values) if name in _OF_LIBRARY else None

    def typed(self, values: list[Any]) -> list[Value]:
        """The numbers as the largest floating type among them."""
        reals = [v.type for v in values if isinstance(v, Value) and is_real(v.type)]
        target = "f64" if "f64" in reals else reals[0] if reals else self.real
        return [self.convert(v, target) for v in values]

    def _intrinsic(self, name: str, values: list[Any]) -> Value:
        typed = self.typed(values)
        function = self._declared(name, typed)
        return Value(self.builder.call(function, [v.llvm for v in typed]), typed[0].type)

    def _declared(self, name: str, values: list[Value]) -> Any:
        kind = llvm_type(values[0].type)
        return self.builder.module.declare_intrinsic(name, [kind], ir.FunctionType(kind, [kind] * len(values)))

    def _fma(self, a: Any, b: Any, c: Any) -> Value:
        a, b, c = self.typed([a, b, c])
        return Value(self.builder.fma(a.llvm, b.llvm, c.llvm), a.type)

    def _max(self, a: Any, b: Any) -> Value:
        return self._extreme(a, b, ">", "llvm.maximum")

    def _min(self, a: Any, b: Any) -> Value:
        return self._extreme(a, b, "<", "llvm.minimum")

    def _extreme(self, a: Any, b: Any, relation: str, intrinsic: str) -> Value:
        whole = [v for v in (a, b) if isinstance(v, Value) and not is_real(v.type)]
        if not whole or any(isinstance(v, Value) and is_real(v.type) for v in (a, b)):
            a, b = self.typed([a, b])  # a NaN in either is the result, as NumPy has it
            if not _KNOWS_EXTREMES:
                return Value(self._chosen(a.llvm, b.llvm, relation, llvm_type(a.type)), a.type)
            function = self._declared(intrinsic, [a, b])
            return Value(self.builder.call(function, [a.llvm, b.llvm]), a.type)
        a, b = self.convert(a, whole[0].type), self.convert(b, whole[0].type)
        return Value(self.builder.select(self.builder.icmp_signed(relation, a.llvm, b.llvm), a.llvm, b.llvm), a.type)

    def _chosen(self, a: Any, b: Any, relation: str, kind: Any) -> Any:
        """What llvm.maximum and llvm.minimum give: of zeros the positive one is the larger, and NaNs pass."""
        whole = ir.IntType(64 if isinstance(kind, ir.DoubleType) else 32)
        of_bits = self.builder.and_ if relation == ">" else self.builder.or_
        alike = self.builder.bitcast(of_bits(self.builder.bitcast(a, whole), self.builder.bitcast(b, whole)), kind)
        either = self.builder.select(self.builder.fcmp_ordered(relation, a, b), a, b)  # b where that is NaN
        either = self.builder.select(self.builder.fcmp_ordered("==", a, b), alike, either)
        return self.builder.select(self.builder.fcmp_unordered("uno", a, a), a, either)

    def _bits(self, x: Any) -> Value:
        x = self.convert(x, "f32")
        return Value(self.builder.bitcast(x.llvm, ir.IntType(32)), "i32")

    def _of_bits(self, x: Any) -> Value:
        x = self.convert(x, "i32")
        return Value(self.builder.bitcast(x.llvm, ir.FloatType()), "f32")

    def _bits64(self, x: Any) -> Value:
        x = self.convert(x, "f64")
        return Value(self.builder.bitcast(x.llvm, ir.IntType(64)), "i64")

    def _of_bits64(self, x: Any) -> Value:
        x = self.convert(x, "i64")
        return Value(self.builder.bitcast(x.llvm, ir.DoubleType()), "f64")

    def _in_order(self, x: Any) -> Value:
        """A number as a whole one of the same order: what is negative has its other bits turned round."""
        (x,) = self.typed([x])
        kind = llvm_type("i64" if x.type == "f64" else "i32")
        return Value(self._turned(self.builder.bitcast(x.llvm, kind)), "i64" if x.type == "f64" else "i32")

    def _of_order(self, x: Value) -> Value:
        """The number that a whole one of `in_order` stands for."""
        real = "f64" if x.type == "i64" else "f32"
        return Value(self.builder.bitcast(self._turned(x.llvm), llvm_type(real)), real)

    def _turned(self, bits: Any) -> Any:
        width = bits.type.width
        sign = self.builder.ashr(bits, ir.Constant(bits.type, width - 1))
        return self.builder.xor(bits, self.builder.and_(sign, ir.Constant(bits.type, (1 << width - 1) - 1)))

    def _f32_of_unsigned(self, x: Any) -> Value:
        return self._of_unsigned(x, "f32")

    def _f64_of_unsigned(self, x: Any) -> Value:
        return self._of_unsigned(x, "f64")

    def _of_unsigned(self, x: Any, type: str) -> Value:
        return Value(self.builder.uitofp(self.convert(x, "i64").llvm, llvm_type(type)), type)

    def _unsigned_shift(self, x: Any, count: Any) -> Value:
        return Value(self.builder.lshr(self.convert(x, "i64").llvm, self.convert(count, "i64").llvm), "i64")

    def _unsigned_quotient(self, a: Any, b: Any) -> Value:
        return Value(self.builder.udiv(self.convert(a, "i64").llvm, self.convert(b, "i64").llvm), "i64")

    def _f32_at(self, address: Any) -> Array:
        return self._at(address, "f32")

    def _i64_at(self, address: Any) -> Array:
        return self._at(address, "i64")

    def _at(self, address: Any, type: str) -> Array:
        """The elements of this type that lie at an address."""
        pointer = llvm_type(type).as_pointer()
        return Array(self.builder.inttoptr(self.convert(address, "i64").llvm, pointer), type)

    def _soon(self, place: Array) -> None:
        """Asks for the line of the cache that an element lies in, to be near, not nearest."""
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = self.builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        how = [ir.Constant(number, n) for n in (0, 2, 1)]  # to be read; in the second cache; data
        self.builder.call(function, [self.builder.bitcast(place.pointer, byte), *how])

    def _log_gamma(self, x: Any) -> Value:
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType()])
        module = self.builder.module
        function = module.globals.get("lgamma") or ir.Function(module, kind, "lgamma")
        return Value(self.builder.call(function, [self.convert(x, "f64").llvm]), "f64")

    def _copysign(self, a: Any, b: Any) -> Value:
        return self._intrinsic("llvm.copysign", [a, b])


def library_functions() -> tuple[str, ...]:
    """The elementary functions that exist for every floating type."""
    return (*_OF_MATH, *_OF_LIBRARY)
