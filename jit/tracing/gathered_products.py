"""A product of gathered rows becomes the gathered rows of a product: `gather(h, index) @ w` is `gather(h @ w, index)`.

A graph network takes the state of a node for each edge, joins it with what the edge has, and multiplies: each node's
row is multiplied as often as it has edges. With the weight divided as the joined values are (`concat([a, b], 1) @ w` is
`a @ w[:k] + b @ w[k:]`) it is multiplied once. That is done before gradients are taken: these are of fewer rows, too.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...ops.array.concat_split import concat_op, split
from ...ops.array.gather import gather_nd_op, gather_op, index_select_op, zero_untaken_rows_op
from ...ops.array.reshape import reshape
from ...ops.core.operator import find
from ...ops.core.trace import apply, using
from ...ops.linalg.matrix_product import matmul, matmul_op
from ...static.building.trace import GradientTrace
from ...static.ir.block import Block
from ...static.ir.operation import Operation
from ...static.ir.program import Program
from ...static.ir.usage import reads, sub_block, writes
from ...static.ir.variable import Variable
from .recomputing import SEGMENT

_AXIS = {gather_op.type: "axis", index_select_op.type: "dim", gather_nd_op.type: ""}  # the attribute that says it
_TIMES = 2  # so many rows are gathered for each that there is
_SPARED = 32  # multiplications that each number of the result must be spared, to be worth moving and adding it
_LEAST = 1 << 18  # and all of them together
_DTYPES = ("float32", "float64")  # sums of narrower numbers would be rounded elsewhere


class _Found(NamedTuple):
    """A product of rows that are gathered, or joined with others: places of operations in the block."""

    product: int
    joining: int | None
    gathering: dict[int, int]  # by number of the joined part


def with_fewer_rows(program: Program, inputs: Sequence[str], outputs: Iterable[str]) -> Program:
    """The Program, or a copy in which products of gathered rows are computed before the rows are gathered.

    `inputs`: what it is given; `outputs`: what must be there under its name.
    """
    block = program.global_block()
    if not any(op.type in _AXIS for op in block.ops):
        return program
    found = _Search(block, set(inputs), set(outputs)).found()
    if not found:
        return program
    program = copy.deepcopy(program)
    block = program.global_block()
    places = {each.product: each for each in found}
    gone = {place for each in found for place in (each.joining, *each.gathering.values())}
    ops, done = list(block.ops), []
    for place, op in enumerate(ops):
        if place in places:
            done += _in_parts(program, ops, places[place])
        elif place not in gone:
            done.append(op)
    block.ops = done
    program.version += 1
    return program


class _Search:
    """Looks for such products among a block's operations."""

    def __init__(self, block: Block, inputs: set[str], outputs: set[str]):
        self.block, self.ops = block, block.ops
        self.readers = Counter(name for op in block.ops for name in reads(op))
        self.readers.update(outputs)
        writers = Counter(name for op in block.ops for name in writes(op))
        self.changing = {name for name, count in writers.items() if count > 1 or name in inputs}
        self.maker = {name: place for place, op in enumerate(block.ops) for name in op.output_arg_names}

    def found(self) -> list[_Found]:
        """The products, each with what its first operand is made of."""
        return [found for place, op in enumerate(self.ops) if op.type == matmul_op.type
                and (found := self._product(place, op)) is not None]

    def _product(self, place: int, op: Operation) -> _Found | None:
        (x,), (y,) = op.input("X"), op.input("Y")
        weight = self.block.var(y)
        if op.attrs["trans_x"] or op.attrs["trans_y"] or not (
                self._is_plain(op) and self._is_matrix(x) and self._is_matrix(y) and weight.dtype.name in _DTYPES):
            return None
        made = self._only_maker(x)
        if made is None:
            return None
        joining = made if self._joins_columns(self.ops[made]) else None
        parts = [x] if joining is None else self.ops[joining].input("X")
        gathering = {number: taking for number, part in enumerate(parts)
                     if (taking := self._only_maker(part)) is not None and self._is_worth(taking, weight.shape[1])}
        taken = [self.ops[each].input("X")[0] for each in gathering.values()]
        kept = [part for number, part in enumerate(parts) if number not in gathering]
        steady = self.changing.isdisjoint([y, *taken, *kept])
        return _Found(place, joining, gathering) if gathering and steady else None

    def _only_maker(self, name: str) -> int | None:
        """The operation that makes a value which is read once, and may so be left out."""
        place = self.maker.get(name)
        if place is None or self.readers[name] != 1 or name in self.changing:
            return None
        op = self.ops[place]
        return place if self._is_plain(op) and self.changing.isdisjoint(op.input_arg_names) else None

    @staticmethod
    def _is_plain(op: Operation) -> bool:
        return sub_block(op) is None and SEGMENT not in op.attrs

    def _is_matrix(self, name: str) -> bool:
        shape = self.block.var(name).shape
        return len(shape) == 2 and min(shape) > 0

    def _joins_columns(self, op: Operation) -> bool:
        return op.type == concat_op.type and not op.input("AxisTensor") and op.attrs["axis"] in (1, -1) and all(
            map(self._is_matrix, op.input("X")))

    def _is_worth(self, place: int, width: int) -> bool:
        op = self.ops[place]
        if op.type not in _AXIS:
            return False
        x, out = op.input("X")[0], op.output("Out")[0]
        if not self._is_matrix(x) or not self._is_matrix(out) or op.input("Axis") or op.attrs.get("overwrite") or (
                op.attrs.get(_AXIS[op.type], 0) not in (0, -2)):
            return False
        (rows, columns), (count, same) = self.block.var(x).shape, self.block.var(out).shape
        spared = (count - rows) * columns
        return columns == same and count >= _TIMES * rows and spared >= _SPARED * count and spared * width >= _LEAST


def _in_parts(program: Program, ops: Sequence[Operation], found: _Found) -> list[Operation]:
    """What stands in the place of a product."""
    product, block = ops[found.product], program.global_block()
    weight, result = block.var(product.input("Y")[0]), block.var(product.output("Out")[0])
    joined = product.input("X") if found.joining is None else ops[found.joining].input("X")
    begin = len(block.ops)
    with using(GradientTrace(program)):
        sizes = [block.var(name).shape[1] for name in joined]
        weights = split(weight, sizes, axis=0) if len(sizes) > 1 else [weight]
        total: Any = None
        for number, (name, part) in enumerate(zip(joined, weights, strict=True)):
            if number in found.gathering:
                taking = ops[found.gathering[number]]
                term = _taken(taking, block, matmul(_with_zeros(taking, block), part))
            else:
                term = matmul(block.var(name), part)
            total = term if total is None else total + term
    made = block.ops[begin:]
    del block.ops[begin:]
    own = find(product.type).attributes
    more = {name: value for name, value in product.attrs.items() if name not in own}
    for op in made:
        op.source = product.source
        op.attrs.update(more)
    made[-1].set_output("Out", [result.name])
    return made


def _taken(taking: Operation, block: Block, x: Variable) -> Any:
    """The rows that an operation takes, taken of another value."""
    operator = find(taking.type)
    attrs = {name: value for name, value in taking.attrs.items() if name in operator.attributes}
    more = [block.var(names[0]) if (names := taking.input(slot.name)) else None for slot in operator.inputs[1:]]
    return apply(operator, x, *more, **attrs)


def _with_zeros(taking: Operation, block: Block) -> Any:
    """The value of which rows are taken, with 0 in those that are not: in the weight's gradient these meet zeros, and a
    NaN or an infinity in one, of which nothing was ever computed, would make that NaN.
    """
    index = reshape(block.var(taking.input("Index")[0]), [block.var(taking.output("Out")[0]).shape[0]])
    return apply(zero_untaken_rows_op, block.var(taking.input("X")[0]), index)
