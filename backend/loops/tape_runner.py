"""The machine code that runs a tape (`tape.py`), and the step that is a product by NumPy's BLAS, as LLVM modules.

The runner is a function of Python written in C: `run(tape, arena, *given, *results)`. It looks whether what is given
is what the tape was made for (NumPy's own arrays of these shapes and dtypes, contiguous and aligned) and then goes
through the steps. It gives None, or the tape where something does not fit or a step ended with another number than 0.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from llvmlite import ir

from .python import Python

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_POINTER = _I8.as_pointer()
_STEP = ir.FunctionType(_I64, [_I64.as_pointer(), _POINTER.as_pointer()])
_DIMENSIONS, _SIZES, _DTYPE, _FLAGS = 8, 16, 40, 48  # of an array object, behind the address of its data
_OWN, _TYPE = 0x0101, 8  # contiguous in C's order, and aligned; where an object's type is


class _Code:
    """Emits plain code: loads of memory, loops, returns."""

    def __init__(self, module: Any, function: Any):
        self.module, self.function = module, function
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))

    def number(self, value: int) -> Any:
        return ir.Constant(_I64, value)

    def at(self, pointer: Any, index: Any, kind: Any = _I64) -> Any:
        """The element of this kind at an index, of the memory that begins at `pointer`."""
        typed = self.builder.bitcast(pointer, kind.as_pointer())
        return self.builder.load(self.builder.gep(typed, [index if not isinstance(index, int) else self.number(index)]))

    def inside(self, pointer: Any, offset: int, kind: Any = _I64) -> Any:
        """What stands so many bytes behind `pointer`."""
        place = self.builder.gep(self.builder.bitcast(pointer, _POINTER), [self.number(offset)])
        return self.builder.load(self.builder.bitcast(place, kind.as_pointer()))

    def variable(self, value: Any) -> Any:
        with self.builder.goto_entry_block():
            place = self.builder.alloca(_I64)
        self.builder.store(value, place)
        return place

    @contextlib.contextmanager
    def counted(self, count: Any) -> Iterator[Any]:
        """A loop: the block is emitted once, with the index."""
        builder = self.builder
        place = self.variable(self.number(0))
        head, body, done = (self.function.append_basic_block(name) for name in ("head", "body", "done"))
        builder.branch(head)
        builder.position_at_end(head)
        index = builder.load(place)
        builder.cbranch(builder.icmp_signed("<", index, count), body, done)
        builder.position_at_end(body)
        yield index
        builder.store(builder.add(index, self.number(1)), place)
        builder.branch(head)
        builder.position_at_end(done)


def runner_module(data_offset: int) -> str:
    """The module of `entry`, which runs tapes; arrays have the address of their data at `data_offset`."""
    module = ir.Module(name="run_tape")
    walk = _walk(module)
    entry = ir.Function(module, ir.FunctionType(_POINTER, [_POINTER, _POINTER.as_pointer(), _I64]), "entry")
    code = _Code(module, entry)
    builder, number = code.builder, code.number
    python = Python(module, builder)
    nothing, arguments, count = entry.args
    tape = code.inside(code.at(arguments, 0, _POINTER), data_offset, _POINTER)
    given, results, parts, array_type, first, end, alone = (code.at(tape, index) for index in range(7))
    place = code.variable(number(7))  # on the tape
    with builder.if_then(builder.icmp_signed("!=", count, builder.add(builder.add(given, results), number(2)))):
        python.refuse()
    pointers = builder.alloca(_POINTER, builder.add(builder.add(given, results), builder.add(parts, number(1))))
    refused = entry.append_basic_block("refused")

    def expect(condition: Any) -> None:
        further = entry.append_basic_block("fits")
        builder.cbranch(condition, further, refused)
        builder.position_at_end(further)

    def take(index: Any, step: int = 1) -> Any:
        found = code.at(tape, builder.load(place))
        builder.store(builder.add(builder.load(place), number(step)), place)
        return found

    builder.store(code.inside(code.at(arguments, 1, _POINTER), data_offset, _POINTER), pointers)
    with code.counted(given) as index:
        array = code.at(arguments, builder.add(index, number(2)), _POINTER)
        expect(builder.icmp_unsigned("==", code.inside(array, _TYPE), array_type))
        flags = code.inside(array, data_offset + _FLAGS, _I32)
        own = ir.Constant(_I32, _OWN)
        expect(builder.icmp_unsigned("==", builder.and_(flags, own), own))
        expect(builder.icmp_unsigned("==", code.inside(array, data_offset + _DTYPE), take(index)))
        rank = take(index)
        expect(builder.icmp_signed("==", builder.sext(code.inside(array, data_offset + _DIMENSIONS, _I32), _I64), rank))
        sizes = code.inside(array, data_offset + _SIZES, _POINTER)
        with code.counted(rank) as dimension:
            expect(builder.icmp_signed("==", code.at(sizes, dimension), take(dimension)))
        builder.store(code.inside(array, data_offset, _POINTER),
                      builder.gep(pointers, [builder.add(index, number(1))]))
    with code.counted(results) as index:
        behind = builder.add(given, index)
        array = code.at(arguments, builder.add(behind, number(2)), _POINTER)
        place_of = builder.gep(pointers, [builder.add(behind, number(1))])
        builder.store(code.inside(array, data_offset, _POINTER), place_of)
    with code.counted(parts) as index:
        base = builder.load(builder.gep(pointers, [take(index)]))
        behind = builder.add(builder.add(given, results), builder.add(index, number(1)))
        builder.store(builder.gep(base, [take(index)]), builder.gep(pointers, [behind]))
    steps = builder.bitcast(tape, _I64.as_pointer())
    walked = code.variable(number(0))
    with builder.if_else(builder.icmp_signed("!=", alone, number(0))) as (then, otherwise):
        with then:
            builder.store(builder.call(walk, [steps, pointers, first, end]), walked)
        with otherwise, python.others_running():
            builder.store(builder.call(walk, [steps, pointers, first, end]), walked)
    expect(builder.icmp_signed("==", builder.load(walked), number(0)))
    builder.ret(python.new(nothing))
    builder.position_at_end(refused)
    builder.ret(python.new(code.at(arguments, 0, _POINTER)))
    return str(module)


def _walk(module: Any) -> Any:
    """`walk(tape, pointers, place, end)`: each step in order, until one gives another number than 0."""
    kind = ir.FunctionType(_I64, [_I64.as_pointer(), _POINTER.as_pointer(), _I64, _I64])
    walk = ir.Function(module, kind, "walk")
    walk.linkage = "internal"
    code = _Code(module, walk)
    builder = code.builder
    tape, pointers, first, end = walk.args
    place = code.variable(first)
    head, body, stopped, onward, done = (
        walk.append_basic_block(name) for name in ("head", "body", "stopped", "onward", "done"))
    builder.branch(head)
    builder.position_at_end(head)
    now = builder.load(place)
    builder.cbranch(builder.icmp_signed("<", now, end), body, done)
    builder.position_at_end(body)
    record = builder.gep(tape, [now])
    ended = builder.call(builder.inttoptr(code.at(record, 0), _STEP.as_pointer()), [record, pointers])
    builder.cbranch(builder.icmp_signed("==", ended, code.number(0)), onward, stopped)
    builder.position_at_end(stopped)
    builder.ret(ended)
    builder.position_at_end(onward)
    builder.store(builder.add(now, code.at(record, 1)), place)
    builder.branch(head)
    builder.position_at_end(done)
    builder.ret(code.number(0))
    return walk


def product_module(real: Any) -> str:
    """The step `cblas_gemm` in C's order: x, y, out, m, n, k, what to do with x and y (111: nothing, 112: transposed),
    the rows' distances of all three, and the function's address; `real` is LLVM's type of the elements.
    """
    code, operands, (m, n, k, of_x, of_y, *wide), address = _product_step(real)
    kind = ir.FunctionType(ir.VoidType(), [_I32] * 3 + [_I64] * 3 + _tail_of_product(real))
    _call(code, address, kind, [ir.Constant(_I32, 101), of_x, of_y, m, n, k], real, operands, wide)
    code.builder.ret(code.number(0))
    return str(code.module)


def large_product_module() -> str:
    """The same by oneDNN's `sgemm`, whose letters N and T say what to do with x and y; ends with its status."""
    real = ir.FloatType()
    code, operands, (m, n, k, of_x, of_y, *wide), address = _product_step(real)
    kind = ir.FunctionType(_I32, [_I32] * 2 + [_I64] * 3 + _tail_of_product(real))
    status = _call(code, address, kind, [of_x, of_y, m, n, k], real, operands, wide)
    code.builder.ret(code.builder.sext(status, _I64))
    return str(code.module)


def _product_step(real: Any) -> tuple[_Code, list[Any], list[Any], Any]:
    """A step that takes x, y, out, eight numbers, two of them of 32 bits, and an address."""
    module = ir.Module(name="product")
    entry = ir.Function(module, _STEP, "entry")
    code = _Code(module, entry)
    record, pointers = entry.args
    operands = [code.builder.bitcast(code.at(pointers, code.at(record, 2 + index), _POINTER), real.as_pointer())
                for index in range(3)]
    m, n, k, of_x, of_y, *wide, address = (code.at(record, 5 + index) for index in range(9))
    return code, operands, [m, n, k, *(code.builder.trunc(each, _I32) for each in (of_x, of_y)), *wide], address


def _tail_of_product(real: Any) -> list[Any]:
    pointer = real.as_pointer()
    return [real, pointer, _I64, pointer, _I64, real, pointer, _I64]


def _call(code: _Code, address: Any, kind: Any, first: list[Any], real: Any, operands: list[Any],
          wide: list[Any]) -> Any:
    """Calls the function at an address: out = 1 x y + 0 out, behind what it takes first."""
    (x, y, out), (wide_x, wide_y, wide_out) = operands, wide
    one, zero = ir.Constant(real, 1.0), ir.Constant(real, 0.0)
    return code.builder.call(code.builder.inttoptr(address, kind.as_pointer()), [
        *first, one, x, wide_x, y, wide_y, zero, out, wide_out])


def stop_module() -> str:
    """The step that ends with the first number, of 64 bits, of the value that it is given."""
    module = ir.Module(name="stop")
    entry = ir.Function(module, _STEP, "entry")
    code = _Code(module, entry)
    record, pointers = entry.args
    code.builder.ret(code.at(code.at(pointers, code.at(record, 2), _POINTER), 0))
    return str(module)
