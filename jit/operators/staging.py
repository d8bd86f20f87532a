"""The door from converted code to programs: what is symbolic, and how it is staged; `identity.py` says what is what.

What operators ask of `static` is asked here, in `program_lists.py` and in `run_checks.py`, so that they can be tested
without it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.dtype import get_default_dtype
from ...dygraph.tensor import Tensor
from ...ops.array import unknown_sizes
from ...ops.array.assign import clone
from ...ops.array.full import full
from ...ops.array.reshape import reshape, shape
from ...ops.core.operator import Operator, find
from ...ops.core.trace import current_trace, using
from ...ops.math.elementwise import maximum, minimum
from ...ops.program.control_flow import select_input_op
from ...ops.program.print_assert import print_value
from ...static.building import control_flow
from ...static.building.in_place import set_stop_gradient
from ...static.building.record_lists import RecordList, note_item
from ...static.building.renaming import undo_since
from ...static.building.tensor_arrays import ArrayVariable
from ...static.building.trace import ProgramTrace
from ...static.building.views import as_read
from ...static.ir.open_ranks import open_ranks
from ...static.ir.variable import Variable
from ..errors import StopsAsked


def is_symbolic(value: Any) -> bool:
    """Whether a value is known only when the program runs."""
    return isinstance(value, Variable) and value.kind == "tensor"


def tensor_class() -> type:
    """The class that a symbolic value stands for."""
    return Tensor


def larger(x: Any, y: Any) -> Any:
    """The larger of two values of one element, at least one of which is symbolic."""
    return maximum(x, y) if is_tensor(x) else maximum(y, x)


def smaller(x: Any, y: Any) -> Any:
    """The smaller of two values of one element, at least one of which is symbolic."""
    return minimum(x, y) if is_tensor(x) else minimum(y, x)


def is_list(value: Any) -> bool:
    """Whether a value is a list of the program, whose length is known only when it runs."""
    return isinstance(value, (ArrayVariable, RecordList))


def is_list_of_before(value: Any) -> bool:
    """Whether it is a list of the program that was not made in the block that is being traced."""
    if not is_list(value):
        return False
    return (value.columns[0] if isinstance(value, RecordList) else value).block is not current_trace().block


def truth(value: Any) -> Any:
    """What decides for a value as a condition: of a list of the program, whether it has items."""
    return value.length() > 0 if is_list(value) else value


def check_condition(test: Any, where: str) -> None:
    """ValueError for a symbolic condition that surely has not one element."""
    if any(size not in (1, -1) for size in test.shape):
        raise ValueError(
            f"{where}: the condition of an `if` or a loop is one truth value. Received a tensor of shape "
            f"{list(test.shape)}. Write condition.all() or condition.any(), or paddle.where(condition, a, b) to decide "
            "for each element.")


def zeros(shape: list[int], dtype: Any) -> Any:
    """A symbolic value of zeros."""
    return full(shape, 0, dtype)


def number(value: Any, dtype: Any, stays: bool = False) -> Any:
    """A symbolic value of no dimensions that holds a number, and goes on to stand for it where it `stays` one."""
    made = cast(own(value), dtype) if isinstance(value, Variable) else full([], value, dtype)
    made.is_number = stays
    return made


def least_rank() -> int:
    """How many dimensions a number has in the program that is traced: one in Paddle 1.x, and up to 2.4."""
    return current_trace().least_rank


def mark() -> Any:
    """How much of the program there is, for `undo`."""
    program = current_trace().main
    operations = len(program.current_block().ops)
    blocks, renamed = len(program.blocks), len(program.renamed)
    return program, program.current_block_idx, operations, blocks, renamed, len(program.told), len(program.items_held)


def undo(mark: Any) -> None:
    """Takes out of the program what came to it since the mark."""
    program, block, operations, blocks, renamed, told, items = mark
    undo_since(program, renamed)
    del program.told[told:]
    del program.items_held[items:]
    program.current_block_idx = block
    del program.blocks[blocks:]
    del program.current_block().ops[operations:]
    program.version += 1


def tell(message: str) -> None:
    """Notes what the user is to be warned of when the program is made."""
    current_trace().main.told.append(message)


def must_be_whole() -> bool:
    """Whether the program must hold all of the function: there is no other way left to run it."""
    return current_trace().main.must_be_whole


def is_staging() -> bool:
    """Whether a program is being built."""
    return not current_trace().computes


def outside() -> contextlib.AbstractContextManager | None:
    """A block in which Tensors are computed, as around the function that is traced; None where nothing was around."""
    trace = current_trace().find(ProgramTrace)
    return None if trace is None or trace.eager is None else using(trace.eager)


def since(mark: Any) -> list[tuple[Operator, bool]]:
    """The operations since the mark: the operator of each, and whether it takes values of sizes not yet known.

    Without those that choose one of two values: the condition of an `if` says which, and there is no third.
    """
    program, block, operations, blocks, *_ = mark
    made = [*program.blocks[block].ops[operations:], *(op for b in program.blocks[blocks:] for op in b.ops)]
    return [(find(op.type), any(_has_unknown_size(op.block.find_var(name)) for name in op.input_arg_names))
            for op in made if find(op.type) is not select_input_op]


def does_more_than_compute(mark: Any) -> bool:
    """Whether the program, since the mark, draws numbers or changes a value in place that was there before."""
    program, block, operations, blocks, renamed, *_ = mark
    made = [*program.blocks[block].ops[operations:], *(op for b in program.blocks[blocks:] for op in b.ops)]
    written = [(op.block.vars.get(name), name) for op in made for name in op.output_arg_names]
    there = {name for b in program.blocks[:blocks] for op in (b.ops[:operations] if b.idx == block else b.ops)
             for name in op.output_arg_names}  # by hand, a change in place writes to the name that a value has
    new = {name for variable, name in written
           if variable is not None and not variable.persistable and not variable.is_data} - there
    return not new.issuperset(name for _, name in written) or any(
        former.name not in new for _, former in program.renamed[renamed:]) or any(
        find(op.type).random and not op.attrs.get("is_test") or find(op.type).aliases for op in made)


def has_unknown_sizes() -> bool:
    """Whether the program takes values of sizes not yet known."""
    return any(map(_has_unknown_size, current_trace().main.list_vars()))


def _has_unknown_size(variable: Any) -> bool:
    return variable is not None and any(size < 0 for size in variable.shape or ())


def is_refused() -> bool:
    """Whether there will be no program."""
    return current_trace().main.value_wanted is not None


def refuse(error: Exception) -> None:
    """Notes why there will be no program, whatever the user's code does about the error."""
    program = current_trace().main
    program.value_wanted = program.value_wanted or error


def check_stops() -> None:
    """StopsAsked where the variables of the program do not tell whether gradients stop at them."""
    if current_trace().main.stops_are_open:
        error = StopsAsked("Whether gradients stop at a tensor is asked for while the program is built for any.")
        refuse(error)
        raise error


def stops(value: Any) -> bool:
    """Whether gradients stop at a symbolic value."""
    check_stops()
    trace = current_trace().find(ProgramTrace)
    return value.stop_gradient if trace is None else trace.stops_at(value)


def current_block() -> Any:
    """What tells the block that is being traced from others."""
    return id(current_trace().block)


def note_number(value: Any, counts_up: bool) -> None:
    """Notes that a symbolic value stands for a number of Python, an int that is never below 0 where it `counts_up`."""
    if isinstance(value, Variable):
        value.is_number = True
        if counts_up:
            value.program.counters.add(value.name)


def is_number(value: Any) -> bool:
    """Whether a value is a number, or a symbolic one that stands for one."""
    if isinstance(value, Variable):
        return value.is_number
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_truth(value: Any) -> bool:
    """Whether a value is a truth value: Python's, or a tensor of one."""
    return isinstance(value, (bool, np.bool_)) or is_tensor(value) and getattr(value.dtype, "name", "") == "bool"


def note_truth(value: Any) -> Any:
    """Notes that a symbolic value stands for a truth value of Python, and gives it."""
    if isinstance(value, Variable):
        value.program.truths.add(value.name)
    return value


def stands_for_truth(value: Any) -> bool:
    """Whether a symbolic value stands for a truth value of Python."""
    return isinstance(value, Variable) and value.name in value.program.truths


def stands_for_python(value: Any) -> bool:
    """Whether a symbolic value stands for a number or a truth value of Python."""
    return is_number(value) or stands_for_truth(value)


def without_value(value: Any, what: str) -> TypeError:
    """The error, of which the program takes note, that something asks a symbolic value for its value."""
    return value._no_value(what)


def note_mixed(value: Any, where: str) -> None:
    """Notes that a symbolic value is a truth value on some ways and a number on others."""
    value.program.mixed[value.name] = where


def mixed_at(value: Any) -> str | None:
    """Where a tensor decides that a value is a truth value or a number; None where it is one of them."""
    return value.program.mixed.get(value.name) if isinstance(value, Variable) else None


def set_gradient_stop(value: Any, stop: Any) -> None:
    """`value.stop_gradient = stop` for a symbolic value: it holds for what reads it from here on."""
    trace = current_trace().find(ProgramTrace)
    if trace is not None and bool(stop) != value.stop_gradient:
        trace.stops_from_here(value, bool(stop))
    set_stop_gradient(value, stop)


def note_several(container: Any, what: str, where: str) -> None:
    """Notes that a list or dict may be one of several: whether another one changes with it only a run could tell."""
    if not is_staging():
        return
    kind = "dict" if isinstance(container, dict) else "list"
    note_item(container, f"{where}: a tensor decides which {kind} {what} is here, and it, or one that it may be, is "
              f"changed in place later: which of them changes is known only when the program runs. Make a copy here: "
              f"{'dict(a)' if kind == 'dict' else 'list(a)'}.")


def note_held(container: Any) -> None:
    """Notes that something else holds a list or dict, too."""
    current_trace().main.shared[id(container)] = container


def is_held(container: Any) -> bool:
    """Whether something else is known to hold a list or dict, too."""
    return is_staging() and id(container) in current_trace().main.shared


def is_read(value: Any) -> bool:
    """Whether an operation of the block that is being traced, or of one in it, takes a symbolic value."""
    block = current_trace().block
    blocks = [block, *(b for b in block.program.blocks if b.idx > block.idx)]
    return any(value.name in op.input_arg_names for each in blocks for op in each.ops)


def writes_of(items: Any) -> int:
    """How many operations of the program change a list of it; 0 for one of Python."""
    if not is_list(items):
        return 0
    names = {column.name for column in (items.columns if isinstance(items, RecordList) else [items])}
    return sum(not names.isdisjoint(op.output_arg_names) for block in current_trace().main.blocks for op in block.ops)


def write(value: Any, result: Any) -> None:
    """Changes a symbolic value in place, into a result."""
    value._rebind(result)


def own(value: Any) -> Any:
    """A value that changes with no other one: of a symbolic one a copy."""
    return clone(value) if isinstance(value, Variable) else value


def is_view(value: Any) -> bool:
    """Whether a tensor is a view of another one."""
    return is_tensor(value) and bool(getattr(value, "_is_view", False))


def is_tensor(value: Any) -> bool:
    """Whether a value can leave a branch or a loop of a program: symbolic, or a tensor with a value."""
    if isinstance(value, Variable):
        return value.kind == "tensor"
    return hasattr(value, "dtype") and hasattr(value, "stop_gradient")


def cond(test: Any, true_function: Callable[[], list], false_function: Callable[[], list]) -> list:
    """One of two lists of results, of equal length, by a symbolic test; both functions are traced."""
    first, second = (lambda: list(map(_as_it_is_now, true_function())),
                     lambda: list(map(_as_it_is_now, false_function())))
    return list(control_flow.staged_cond(as_bool(test), first, second, tells=False) or ())


def while_loop(test: Callable[..., Any], body: Callable[..., list], loop_vars: list) -> list:
    """The loop variables after `body` has been applied to them as long as `test` holds."""
    def going(*variables: Any) -> Any:
        return as_bool(test(*variables))

    def turn(*variables: Any) -> list:
        return list(map(_as_it_is_now, body(*variables)))

    begun = [number(value, "float64", stays=True) if isinstance(value, float) else _as_it_is_now(value)
             for value in loop_vars]
    return list(control_flow.loop(going, turn, begun))


def _as_it_is_now(value: Any) -> Any:
    """A value that a condition chose, with what those that it is one of have become since."""
    return as_read(value) if isinstance(value, Variable) else value


def as_bool(test: Any) -> Any:
    """A condition as files have it: a number decides by whether it is 0. A view is what it shows by now."""
    return test if not is_symbolic(test) else _as_it_is_now(test) if test.dtype.name == "bool" else test.astype("bool")


def as_decided(test: Any) -> Any:
    """A condition as it is now: what is done to it in place later has decided nothing."""
    return clone(as_bool(test)) if is_symbolic(test) else test


def logical_and(x: Any, y: Any) -> Any:
    """Both, of two symbolic values."""
    return x.logical_and(y)


def logical_or(x: Any, y: Any) -> Any:
    """Either, of two symbolic values."""
    return x.logical_or(y)


def logical_not(x: Any) -> Any:
    """The opposite of a symbolic value."""
    return x.logical_not()


def detached(x: Any) -> Any:
    """A symbolic value, through which no gradient flows."""
    return x.detach()


def cast(x: Any, dtype: str) -> Any:
    """A symbolic value in another element type."""
    return x.astype(dtype)


def as_number(x: Any) -> Any:
    """A symbolic value of one element without dimensions."""
    return reshape(x, []) if x.shape and all(size in (1, -1) for size in x.shape) else x


def length(x: Any) -> Any:
    """The size of the first dimension: an int where it is known, otherwise symbolic."""
    return _wide(shape(x)[0]) if x.shape[0] < 0 else x.shape[0]


def sizes(x: Any) -> list[Any]:
    """The shape of a symbolic value: ints where they are known, otherwise symbolic scalars."""
    found = [_wide(size) if is_symbolic(size) else size for size in unknown_sizes.sizes(x)]
    for axis, size in enumerate(found):
        if is_symbolic(size):
            size.is_size, size.size_of = True, (x, axis, x.changes)
    return found


def size_from_end(x: Any, axis: int) -> Any:
    """The size of a dimension that is counted from the end, of a value with an open number of dimensions."""
    return _wide(shape(x)[axis])


def rank(x: Any) -> Any:
    """The number of dimensions; symbolic where branches give values of several."""
    return _wide(shape(shape(x))[0]) if has_open_rank(x) else x.ndim


def has_open_rank(x: Any) -> bool:
    """Whether a symbolic value has more dimensions on one way than on another."""
    return x.name in open_ranks(x.program)


def _wide(size: Any) -> Any:
    """A size as the program hands it out: int32, as in files, or int64 with which Python's numbers stay right."""
    if size.program.wide_sizes:
        size = cast(size, "int64")
    note_number(size, True)
    return size


def is_size(value: Any) -> bool:
    """Whether a symbolic value is an entry of a shape."""
    return getattr(value, "is_size", False) is True and is_symbolic(value)


def default_dtype() -> str:
    """The element type of a float of Python."""
    return str(get_default_dtype())


def show(values: list) -> None:
    """Prints values whenever the program runs: each symbolic one behind the others before it."""
    said: list[str] = []
    for value in values:
        if is_symbolic(value):
            print_value(value, " ".join(said), summarize=-1)
            said = []
        else:
            said.append(str(value))
    if said:
        print(*said)
