"""The language of kernels, a small part of Python with C's meaning, and a kernel's entry as LLVM sees it.

- A parameter is an array (a pointer to elements, indexed flat: `x[i * columns + j]`; `x + n` is the array from its
  element n on) or a number. Numbers are `f32 f64 i8 u8 i32 i64` and truth values. A literal takes the type of what it
  meets; one that meets nothing is a real number of the kernel's own kind: that of its first floating array.
- `for i in range(...)`, `while`, `if`, `a if c else b` (both sides are computed), assignments, calls of functions
  declared with `@loops.function` (inlined; one `return`, the last statement) and of the builtins (`builtins.py`).
- One outermost `for i in parallel(count, work)`, the kernel's last statement, is shared among threads when
  `count * work` (in elements, say) is worth it. Statements before it are repeated by every thread.
- A sum written `s += x`, and a product `p *= x`, may be taken in any order. `//` and `%` cut towards zero. Nothing
  checks an index.
"""

from __future__ import annotations

import ast
from typing import Any

from llvmlite import ir

from .functions import Function
from .python import Python
from .statements import Statements
from .types import REAL, Array, Value, llvm_type

_POINTER = ir.IntType(8).as_pointer()
_I64 = ir.IntType(64)
WORK_WORTH_SHARING = 1 << 15


def real_kind(types: tuple[str, ...]) -> str:
    """The floating type of a kernel: that of its first floating array, float32 where it has none."""
    return next((t.removesuffix("*") for t in types if t.removesuffix("*") in REAL and t.endswith("*")), "f32")


def kernel_module(function: Function, types: tuple[str, ...], data_offset: int) -> str:
    """The LLVM module of a kernel for given types of its parameters, as text.

    Types: `f32*`, an array of float32; `i64`, a whole number; `real`, a number of the kernel's floating type.

    It holds `entry`, a function of Python written in C, which takes the number of threads and the parameters, arrays
    as objects whose data pointer is at `data_offset`.
    """
    module = ir.Module(name=function.tree.name)
    real = real_kind(types)
    inner = [llvm_type(t.removesuffix("*")).as_pointer() if t.endswith("*") else llvm_type(_number_type(t, real))
             for t in types]
    body = _body(module, function, types, inner, real)
    _entry(module, function, types, inner, real, body, data_offset)
    return str(module)


def step_module(function: Function, types: tuple[str, ...]) -> str:
    """The LLVM module of a kernel as a step of a tape (`tape.py`), as text.

    Its `entry(record, pointers)` finds the kernel's parameters in the record, behind two numbers: of an array the index
    of its pointer, of a number itself, a real one as the bits of a float64. It gives 0.
    """
    module = ir.Module(name=function.tree.name)
    real = real_kind(types)
    inner = [llvm_type(t.removesuffix("*")).as_pointer() if t.endswith("*") else llvm_type(_number_type(t, real))
             for t in types]
    body = _body(module, function, types, inner, real)
    entry = ir.Function(module, ir.FunctionType(_I64, [_I64.as_pointer(), _POINTER.as_pointer()]), "entry")
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    record, pointers = entry.args
    arguments = []
    for index, want in enumerate(inner):
        number = builder.load(builder.gep(record, [ir.Constant(_I64, 2 + index)]))
        if isinstance(want, ir.PointerType):
            number = builder.bitcast(builder.load(builder.gep(pointers, [number])), want)
        elif not isinstance(want, ir.IntType):
            number = builder.bitcast(number, ir.DoubleType())
            number = number if number.type == want else builder.fptrunc(number, want)
        elif want != _I64:
            number = builder.trunc(number, want)
        arguments.append(number)
    builder.call(body, [ir.Constant(_I64, 0), ir.Constant(_I64, 1), *arguments])
    builder.ret(ir.Constant(_I64, 0))
    return str(module)


def _scope(statements: Statements, function: Function, types: tuple[str, ...], arguments: list[Any]) -> None:
    for name, kind, argument in zip(function.parameters, types, arguments, strict=True):
        if kind.endswith("*"):
            statements.scope[name] = Array(argument, kind.removesuffix("*"))
        else:
            statements.scope[name] = statements.variable(Value(argument, _number_type(kind, statements.real)))


def _number_type(kind: str, real: str) -> str:
    return real if kind == "real" else kind


def _body(module: Any, function: Function, types: tuple[str, ...], inner: list[Any], real: str) -> Any:
    """`body(thread, threads, parameters…)`: the kernel, or one thread's part of it."""
    body = ir.Function(module, ir.FunctionType(ir.VoidType(), [_I64, _I64, *inner]), "body")
    body.linkage = "internal"
    body.attributes.add("noinline")  # two call it, and one copy is enough
    thread, threads, *arguments = body.args
    for argument, kind in zip(arguments, types, strict=True):
        if kind.endswith("*"):
            argument.add_attribute("noalias")
    builder = ir.IRBuilder(body.append_basic_block("entry"))
    builder.branch(first := builder.append_basic_block("first"))
    builder.position_at_end(first)
    statements = Statements(builder, real, (thread, threads), function.exact)
    _scope(statements, function, types, arguments)
    statements.emit(function.tree.body)
    builder.ret_void()
    return body


def _entry(module: Any, function: Function, types: tuple[str, ...], inner: list[Any], real: str, body: Any,
           data_offset: int) -> None:
    """`entry(self, arguments, count)`, as Python calls a function that is written in C (METH_FASTCALL)."""
    entry = ir.Function(module, ir.FunctionType(_POINTER, [_POINTER, _POINTER.as_pointer(), _I64]), "entry")
    if not _has_loop(function.tree.body[:-1]):
        _leave_as_it_is(entry)
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    builder.branch(first := builder.append_basic_block("first"))
    builder.position_at_end(first)
    python = Python(module, builder)
    nothing, given, count = entry.args
    with builder.if_then(builder.icmp_signed("!=", count, ir.Constant(_I64, 1 + len(types))), likely=False):
        python.refuse()
    threads, *arguments = [python.argument(given, index, kind, want, data_offset)
                           for index, (kind, want) in enumerate(zip(("i64", *types), (_I64, *inner), strict=True))]
    with builder.if_then(python.has_failed(), likely=False):
        builder.ret(ir.Constant(_POINTER, None))
    with python.others_running():
        _run(module, builder, function, types, inner, real, body, threads, arguments)
    builder.ret(python.new(nothing))


def _run(module: Any, builder: Any, function: Function, types: tuple[str, ...], inner: list[Any], real: str, body: Any,
         threads: Any, arguments: list[Any]) -> None:
    """Calls the body, by several threads where the parallel loop that it ends with is worth it."""
    zero, one = ir.Constant(_I64, 0), ir.Constant(_I64, 1)
    last = function.tree.body[-1]
    if not _is_parallel(last):
        builder.call(body, [zero, one, *arguments])
        return
    statements = Statements(builder, real, (zero, one))
    _scope(statements, function, types, arguments)
    statements.emit(function.tree.body[:-1])
    worth = _is_worth_sharing(statements, last, threads)
    with builder.if_else(worth) as (shared, alone):
        with shared:
            _share(module, builder, body, arguments, inner, threads)
        with alone:
            builder.call(body, [zero, one, *arguments])


def _leave_as_it_is(function: Any) -> None:
    """Has a function that runs once a call compiled without optimizing it: that would take a third of all the time."""
    function.attributes.add("noinline")
    function.attributes.add("optnone")


def _has_loop(statements: list[ast.stmt]) -> bool:
    return any(isinstance(node, (ast.For, ast.While)) for each in statements for node in ast.walk(each))


def _is_parallel(statement: ast.stmt) -> bool:
    return (isinstance(statement, ast.For) and isinstance(statement.iter, ast.Call)
            and isinstance(statement.iter.func, ast.Name) and statement.iter.func.id == "parallel")


def _is_worth_sharing(statements: Statements, loop: Any, threads: Any) -> Any:
    count, work = (statements.expressions.number(argument, "i64").llvm for argument in loop.iter.args)
    builder = statements.builder
    enough = builder.icmp_signed(">=", builder.mul(count, work), ir.Constant(_I64, WORK_WORTH_SHARING))
    several = builder.icmp_signed(">", threads, ir.Constant(_I64, 1))
    return builder.and_(builder.and_(enough, several), builder.icmp_signed(">", count, ir.Constant(_I64, 1)))


def _share(module: Any, builder: Any, body: Any, arguments: list[Any], inner: list[Any], threads: Any) -> None:
    """Runs `body` on every thread of a team: the parameters travel in a structure."""
    packed = ir.LiteralStructType(inner) if inner else ir.LiteralStructType([_I64])
    task = _task(module, body, packed, len(inner))
    with builder.goto_entry_block():
        place = builder.alloca(packed)
    for index, argument in enumerate(arguments):
        builder.store(argument, builder.gep(place, [ir.Constant(ir.IntType(32), 0), ir.Constant(ir.IntType(32), index)],
                                            inbounds=True))
    kind = ir.FunctionType(ir.VoidType(), [task.type, _POINTER, ir.IntType(32), ir.IntType(32)])
    start = ir.Function(module, kind, "GOMP_parallel")
    builder.call(start, [task, builder.bitcast(place, _POINTER), builder.trunc(threads, ir.IntType(32)),
                         ir.Constant(ir.IntType(32), 0)])


def _task(module: Any, body: Any, packed: Any, count: int) -> Any:
    task = ir.Function(module, ir.FunctionType(ir.VoidType(), [_POINTER]), "task")
    task.linkage = "internal"
    _leave_as_it_is(task)
    builder = ir.IRBuilder(task.append_basic_block("entry"))
    place = builder.bitcast(task.args[0], packed.as_pointer())
    own, all_ = (builder.sext(builder.call(ir.Function(module, ir.FunctionType(ir.IntType(32), []), name), []), _I64)
                 for name in ("omp_get_thread_num", "omp_get_num_threads"))
    loaded = [builder.load(builder.gep(place, [ir.Constant(ir.IntType(32), 0), ir.Constant(ir.IntType(32), i)],
                                       inbounds=True)) for i in range(count)]
    builder.call(body, [own, all_, *loaded])
    builder.ret_void()
    return task
