"""Lists in a Program (LoDTensorArray): a variable that grows, shrinks and is read where the program says.

A list changes in place, as Python's does: `append` in a branch or loop is an operation of that block, and whoever holds
the list sees it. Its items have one dtype and one number of dimensions.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ...core.dtype import DType, convert_dtype, int64
from ...core.errors import user_line
from ...ops.array.creation import as_tensor, to_tensor
from ...ops.array.full import full, is_value, number
from ...ops.array.reshape import reshape
from ...ops.core.spec import Spec
from ...ops.core.trace import apply, current_trace, grad_mode
from ...ops.math.casting import cast
from ...ops.math.elementwise import minimum
from ...ops.program import tensor_arrays as ops
from ...ops.sequence.rank_table import RANK_TABLE, RankTableSpec
from ..ir.block import Block
from ..ir.lod import new_offsets, set_lod
from ..ir.operation import IMPLIED, Operation
from ..ir.variable import KINDS, Variable
from .control_flow import cond, loop
from .record_lists import replace_items
from .views import bases_of


class ArrayVariable(Variable):
    """A list of a Program: `shape` and `dtype` are those of its items, -1 for a size in which they differ.

    As long as nothing was appended neither is known. Reads and writes are Python's: `a.append(x)`, `a.pop()`, `a[i]`,
    `a[i] = x`, `a + [x]`; `length()` is its length. `paddle.stack(a)` and `paddle.concat(a)` join the items.
    """

    is_list = True
    holds_numbers: bool | None = None  # whether all items stand for numbers of Python; None before there is one

    @property
    def spec(self) -> ops.ArraySpec:
        """Shape and dtype of the items."""
        return ops.ArraySpec(self.shape, self._dtype)  # type: ignore[arg-type]

    @property
    def known(self) -> tuple:
        """What is known of the items, to be compared."""
        return self.shape, self._dtype, self.stop_gradient, self.holds_numbers

    @property
    def dtype(self) -> DType:
        """The dtype of the items; TypeError while nothing was appended."""
        if self._dtype is None:
            raise TypeError("A list of a Program is read before anything was appended to it.")
        return self._dtype

    def __len__(self) -> int:
        raise TypeError(f"{user_line()}: the length of this list is known only when the program runs: ask for it with "
                        "len(list) in converted code, or with list.length().")

    def __iter__(self) -> Any:
        raise TypeError(f"{user_line()}: how many items this list has is known only when the program runs. Loop over "
                        "it with a `for` statement, or join its items with paddle.stack or paddle.concat.")

    def __bool__(self) -> bool:
        return bool(len(self))

    def length(self) -> Variable:
        """The number of items, an int64 scalar."""
        return reshape(apply(ops.length_op, self), [])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(index)
        return self.read(self._index(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            return replace_items(self, index, value)
        return self.write(self._index(index), value)

    def __delitem__(self, index: Any) -> None:
        if isinstance(index, slice):
            raise TypeError("A list of a Program loses one item at a time: `del a[i]`. Make the list of what remains, "
                            f"`a = a[:i] + a[j:]`, to take out more. Received a slice, {index}.")
        self.pop(index)

    def append(self, value: Any) -> None:
        """Puts a tensor or a number behind the last item."""
        self.write(apply(ops.length_op, self), value)

    def extend(self, values: Any) -> None:
        """Appends the items of a Python list, or of another list of the Program."""
        if not isinstance(values, ArrayVariable):
            for value in values:
                self.append(value)
            return
        self._meets(values.shape, values.dtype, values.stop_gradient, values.holds_numbers)
        source = values._copy() if values is self else values
        self._extend_from(source, full([1], 0, "int64"))

    def _extend_from(self, source: ArrayVariable, begin: Variable) -> None:
        """Appends the items of another list from an index on."""
        count = source.length()
        _repeat(reshape(begin, []), count, lambda i: self.append(source[i]))

    def _cut(self, end: Variable) -> None:
        """Takes out what is at an index and behind it. Paddle cuts no list down to nothing: that is a branch."""
        self._check_readable()
        with grad_mode(True):  # what stays is what it was
            cond(reshape(end, []) > 0, lambda: self.assign(apply(ops.slice_op, self, None, end)), self.clear)

    def pop(self, index: Any = -1) -> Any:
        """Takes an item out, the last one by default."""
        value = self[index]
        if isinstance(index, int) and index == -1:
            self._cut(self._index(-1))
            return value
        at: Any = self._index(index)
        behind = self._copy()
        self._cut(at)
        self._extend_from(behind, at + 1)
        return value

    def insert(self, index: Any, value: Any) -> None:
        """Puts an item before the one at an index."""
        at = self._index(index)
        behind = self._copy()
        self._cut(at)
        self.append(value)
        self._extend_from(behind, at)

    def reverse(self) -> None:  # type: ignore[override]  # a list: in place
        """Turns the order of the items round."""
        self.assign(self[::-1])

    def clear(self) -> None:
        """Takes all items out."""
        self._append_operation("empty_array", {})

    def copy(self) -> ArrayVariable:
        """Another list with the same items."""
        return self._copy()

    def __add__(self, other: Any) -> ArrayVariable:
        result = self._copy()
        result.extend(other)
        return result

    def __radd__(self, other: Any) -> ArrayVariable:
        result = create_array(self._dtype, shape=self.shape)
        result.extend(other)
        result.extend(self)
        return result

    def __iadd__(self, other: Any) -> ArrayVariable:
        self.extend(other)
        return self

    def assign(self, other: ArrayVariable) -> None:
        """Gives this list the items of another."""
        if other is not self:
            self._meets(other.shape, other.dtype, other.stop_gradient, other.holds_numbers)
            self._append_operation("share_data", {"X": [other.name]})

    def _copy(self) -> ArrayVariable:
        result: ArrayVariable = apply(share_data(), self)
        result.stop_gradient, result.holds_numbers = self.stop_gradient, self.holds_numbers
        return result

    def _part(self, part: slice) -> ArrayVariable:
        if part.step not in (None, 1):
            return self._stepped(part)
        start, stop = (None if bound is None else self._index(bound) for bound in (part.start, part.stop))
        result = create_array(self.dtype, shape=self.shape)
        result.stop_gradient = self.stop_gradient
        length = self.length()
        stop = length if stop is None else minimum(reshape(stop, []), length)
        _repeat(full([], 0, "int64") if start is None else reshape(start, []), stop, lambda i: result.append(self[i]))
        return result

    def _stepped(self, part: slice) -> ArrayVariable:
        if type(part.step) is not int or not part.step or (part.start, part.stop) != (None, None):
            raise TypeError("A slice of a list of a Program with a step has neither start nor stop: `a[::2]`, "
                            f"`a[::-1]`. Received {part}.")
        result = create_array(self.dtype, shape=self.shape)
        result.stop_gradient = self.stop_gradient
        length, step = self.length(), part.step
        count: Any = (length + (abs(step) - 1)) // abs(step)
        first = full([], 0, "int64") if step > 0 else length - 1
        _repeat(full([], 0, "int64"), count, lambda i: result.append(self[first + i * step]))
        return result

    def _index(self, index: Any) -> Variable:
        """An index as files have it: an int64 vector of one element, counted from the beginning."""
        if isinstance(index, Variable):
            at = reshape(index if index.dtype.name == "int64" else cast(index, "int64"), [1])
            counts = index.name in index.program.counters
            return at if counts else at + cast(at < 0, "int64") * apply(ops.length_op, self)
        if not isinstance(index, numbers.Integral):
            raise TypeError(f"list indices must be integers or slices, not {type(index).__name__}")
        length = apply(ops.length_op, self) if index < 0 else 0
        return full([1], int(index), "int64") + length if index < 0 else full([1], int(index), "int64")

    def read(self, index: Variable) -> Variable:
        """The item at an index as files have it: counted from the beginning, an int64 vector of one element.

        Under `no_grad` too it has the gradient that it has: nothing is computed.
        """
        self._check_readable()
        with grad_mode(True):
            found: Variable = apply(ops.read_op, self, index)[0]
        found.is_number = bool(self.holds_numbers)
        return found

    def write(self, index: Variable, value: Any) -> None:
        """Puts an item at an index as files have it, with the LoD that it has."""
        item = as_item(value)
        if isinstance(value, Variable):
            note_tensor(value)
        self._meets(item.shape, item.dtype, item.stop_gradient, _is_number(value))
        lod, levels = [v.name for v in item.lod], [v.name for v in self.levels_for(item.lod)]
        self._append_operation("write_to_array", {"X": [item.name], "I": [index.name], "Array": [self.name], "lod": lod,
                                                  "array_lod": levels}, {"out_lod": levels})

    def levels_for(self, lod: Sequence[Variable]) -> Sequence[Variable]:
        """The lists of the items' offsets, for items of this LoD; ValueError where others have more or fewer levels."""
        if len(lod) != len(self.lod) and (self.lod or not lod):
            raise ValueError(f"The items of a list have equally many levels of LoD. {self.name!r} has {len(self.lod)}. "
                             f"Received an item of {len(lod)}.")
        if lod and not self.lod:
            made = [new_offsets(self.block, self.program.new_name("lod"), self.name, ops.ArraySpec((-1,), int64))
                    for _ in lod]
            self.block.ops[:0] = [Operation(self.block, "empty_array", {}, {"Out": [level.name]}, {IMPLIED: True})
                                  for level in made]
            set_lod(self, made)
        return self.lod

    def _meets(self, shape: Iterable[int], dtype: DType, stop_gradient: bool, is_number: bool | None) -> None:
        """Takes down what a new item is like."""
        if is_number is not None:
            self.holds_numbers = is_number and self.holds_numbers is not False
        known = None if self._dtype is None else self.spec
        self.shape, self._dtype = ops.items_with(Spec(tuple(shape), dtype), known)
        self.stop_gradient = self.stop_gradient and stop_gradient

    def _append_operation(self, kind: str, inputs: dict[str, list[str]],
                          others: dict[str, list[str]] | None = None) -> None:
        current_trace().block.append(kind, inputs, {"Out": [self.name], **(others or {})}, {}, user_line())

    def _check_readable(self) -> None:
        assert self.dtype is not None


def note_tensor(item: Variable) -> None:
    """Notes that a tensor which a list has must not be changed in place from here on."""
    said = (f"{user_line()}: a tensor that is put into a list which grows where a tensor decides is changed in place "
            f"later, or what it is a view of. The list of the program holds its value of now, and would not change. "
            f"Put a copy into the list, `items.append(x.clone())`, or change a copy.")
    item.program.items_held += [(each, each.changes, said) for each in (item, *bases_of(item))]


def _is_number(value: Any) -> bool:
    if isinstance(value, Variable):
        return value.is_number
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class ArrayGradient(ArrayVariable):
    """The gradient of a list; gradients are added."""

    @property
    def spec(self) -> ops.GradientArraySpec:
        """Shape and dtype of the items."""
        return ops.GradientArraySpec(self.shape, self._dtype)  # type: ignore[arg-type]

    def __add__(self, other: Any) -> Any:
        return apply(ops.sum_op, self, other)


class ArrayOffsets(ArrayVariable):
    """A list of one level of the offsets of the items of another one, `of`."""

    is_offsets = True

    def __init__(self, *args: Any, of: str, **attributes: Any):
        super().__init__(*args, **attributes)
        self.of = of


class RankTableVariable(Variable):
    """The numbers and lengths of sequences, the longest first: what `lod_rank_table` gives. Files hold no shape of it.
    """

    @property
    def spec(self) -> RankTableSpec:
        """That of every rank table."""
        return RANK_TABLE


KINDS.update({"array": ArrayVariable, "array_gradient": ArrayGradient, "array_offsets": ArrayOffsets,
              "rank_table": RankTableVariable})


def share_data() -> Any:
    """The operator that gives the same value another name."""
    from ...ops.program.control_flow import share_data_op

    return share_data_op


def as_item(value: Any) -> Variable:
    """What is appended to a list, as a Variable of the Program."""
    if isinstance(value, ArrayVariable):
        raise TypeError("A list of a Program holds tensors and numbers. Received another list of the Program.")
    if isinstance(value, Variable):
        return as_tensor(current_trace().lift(value, "an item of a list"))
    if isinstance(value, (numbers.Number, bool)):
        return number(value)
    if is_value(value):
        return current_trace().lift(value, "an item of a list")
    if value is None or isinstance(value, (str, list, tuple, dict)):
        raise TypeError(f"A list that grows in a Program holds tensors and numbers. Received {type(value).__name__}. "
                        "Keep a list for each kind of item.")
    return to_tensor(value)


def _repeat(begin: Variable, end: Variable, body: Callable[[Variable], None]) -> None:
    """Runs `body(i)` for each index of a range."""
    def turn(i: Any) -> list[Any]:
        i.program.counters.add(i.name)
        body(i)
        return [i + 1]

    loop(lambda i: i < end, turn, [begin])


def create_array(dtype: Any = None, initialized_list: Iterable[Any] | None = None,
                 shape: Iterable[int] = ()) -> ArrayVariable:
    """A list in the block that is being built, with these items."""
    trace = current_trace()
    block: Block = trace.block
    array = block.new_var(trace.main.new_name("array"), tuple(shape), convert_dtype(dtype) if dtype else None,
                          kind="array")
    assert isinstance(array, ArrayVariable)
    array._append_operation("empty_array", {})
    for value in initialized_list or ():
        array.append(value)
    return array


def repeated_list(items: Any, times: Variable) -> ArrayVariable:
    """`items * times`, a list; TypeError where it cannot be one of the Program."""
    if type(items) is not list or not all(isinstance(item, numbers.Number) or is_value(item) for item in items):
        raise TypeError(
            f"{user_line()}: {items!r:.60} is repeated as many times as only a run knows. What comes of it is a list "
            "of the Program, which holds tensors and numbers. Repeat a list of these, or begin with an empty one and "
            "append to it in a loop.")
    tensors = [item for item in items if is_value(item)]
    like = tensors[0] if tensors else number(items[0]) if items else None
    result = create_array() if like is None else create_array(like.dtype, shape=like.shape)
    _repeat(full([], 0, times.dtype), times, lambda _: result.extend(items))
    return result
