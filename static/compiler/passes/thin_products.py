"""A sum of products of thin matrices becomes one product: the gradient of a weight that was used step after step.

A loop over time that was unrolled gives its weights a product X'G from every step, with as many rows as the batch
has, and their sum reads and writes the weight's size once a step. With the rows of all steps one below the other it is
one product, which reads and writes it once. `ops/core/deferred.py` does the same to eager code.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ....ops.array.concat_split import concat_op
from ....ops.array.gradient_shapes import sum_to_op
from ....ops.core.spec import Spec
from ....ops.linalg.matrix_product import matmul_op
from ....ops.math.elementwise import add_op
from ...ir.operation import Operation
from ..unit import Unit

_LEAST = 3  # terms
_ROWS = 1 << 10  # of terms computed together: what they need stays alive until then
_ELEMENTS = 1 << 21
_DTYPES = ("float32", "float64")  # the sum of narrower numbers would be rounded elsewhere


def sum_thin_products(unit: Unit) -> None:
    """Puts `concat` and one product in the place of a sum of products, and one sum in that of sums of the same rows."""
    unit.ops = _Sums(unit).run()


class _Term(NamedTuple):
    place: int  # of the operation that computes it
    operands: tuple[str, ...]  # what is summed over the rows of: two matrices, or one
    shapes: tuple[tuple[int, ...], ...]

    @property
    def rows(self) -> int:
        return self.shapes[0][0]

    @property
    def width(self) -> int:
        return sum(shape[1] for shape in self.shapes)

    def is_thin(self) -> bool:
        """Whether the product is larger than what it is made of, so that to lay terms together costs less."""
        return math.prod(shape[1] for shape in self.shapes) >= 2 * self.rows * self.width


class _Sums:
    def __init__(self, unit: Unit):
        self.unit, self.ops = unit, unit.ops
        self.readers = unit.readers()
        self.made = {name: index for index, op in enumerate(unit.ops) for name in op.output_arg_names}
        self.dropped: set[int] = set()
        self.behind: dict[int, list[Operation]] = {}  # by operation: what stands in its place
        self.joined: dict[tuple[str, ...], tuple[str, int]] = {}  # values laid one below the other, and where

    def run(self) -> list[Operation]:
        """The operations with such sums replaced."""
        sums = self._sums()
        for taken in (self._products, self._row_sums):
            for root, (adds, leaves) in sorted(sums.items()):
                if root not in self.dropped:
                    self._replace(root, adds, leaves, taken(leaves))
        if not self.behind:
            return self.ops
        return [each for index, op in enumerate(self.ops)
                for each in (*self.behind.get(index, ()), *(() if index in self.dropped else (op,)))]

    def _sums(self) -> dict[int, tuple[list[int], list[str]]]:
        """Additions of values of one shape, by the last: all of them, and what is added up."""
        found: dict[int, tuple[list[int], list[str]]] = {}
        inner: set[int] = set()
        for root in range(len(self.ops) - 1, -1, -1):
            if root in inner or not self._adds(root):
                continue
            adds, leaves, pending = [root], [], list(reversed(self.ops[root].input_arg_names))
            while pending:
                name = pending.pop()
                maker = self.made.get(name)
                if maker is not None and self.readers[name] == 1 and self._adds(maker):
                    adds.append(maker)
                    pending += reversed(self.ops[maker].input_arg_names)
                else:
                    leaves.append(name)
            inner.update(adds)
            if len(leaves) >= _LEAST:
                found[root] = adds, leaves
        return found

    def _adds(self, index: int) -> bool:
        """Whether an operation adds two values of one known shape, each made once and read where it is."""
        op = self.ops[index]
        if op.type != add_op.type or not self.unit.is_movable(op):
            return False
        specs = [self.unit.spec(name) for name in (*op.input_arg_names, *op.output_arg_names)]
        first = specs[0]
        return (first is not None and first.is_known and first.dtype.name in _DTYPES
                and all(spec is not None and (spec.shape, spec.dtype) == (first.shape, first.dtype) for spec in specs))

    def _alone(self, name: str) -> Operation | None:
        """The operation that makes a value for the sum alone, and may run later than it stands; None of any other."""
        index = self.made.get(name)
        if index is None or self.readers[name] != 1 or not self.unit.is_movable(self.ops[index]):
            return None
        return self.ops[index]

    def _matrix(self, name: str, dtype: object) -> tuple[int, ...] | None:
        spec = self.unit.spec(name)
        if type(spec) is not Spec or not spec.is_known or spec.rank != 2 or spec.dtype is not dtype:
            return None
        return spec.shape

    # What may be computed together

    def _products(self, leaves: Sequence[str]) -> list[list[_Term]]:
        """Products X'G, in the order in which they are computed, those that are to be one in one list."""
        terms: list[_Term] = []
        for name in _single(leaves):
            op = self._alone(name)
            if op is None or op.type != matmul_op.type or not op.attrs.get("trans_x") or op.attrs.get("trans_y"):
                continue
            operands = op.input("X")[0], op.input("Y")[0]
            spec = self.unit.spec(name)
            shapes = [self._matrix(each, spec.dtype) for each in operands if spec is not None]
            if len(shapes) == 2 and shapes[0] is not None and shapes[1] is not None:
                term = _Term(self.made[name], operands, (shapes[0], shapes[1]))
                if term.is_thin():
                    terms.append(term)
        return _together(sorted(terms))

    def _row_sums(self, leaves: Sequence[str]) -> list[list[_Term]]:
        """Sums of rows that are laid one below the other already."""
        terms: dict[str, _Term] = {}
        for name in _single(leaves):
            op = self._alone(name)
            if op is None or op.type != sum_to_op.type or op.input("Like"):
                continue
            given, result = op.input("X")[0], self.unit.spec(name)
            shape = None if result is None else self._matrix(given, result.dtype)
            if shape is not None and result is not None and result.shape == shape[1:]:
                terms[given] = _Term(self.made[name], (given,), (shape,))
        groups: list[list[_Term]] = []
        for names in sorted(self.joined, key=len, reverse=True):
            if len(set(names)) == len(names) and terms.keys() >= set(names):
                groups.append([terms.pop(name) for name in names])
        return groups

    # What stands in their place

    def _replace(self, root: int, adds: Sequence[int], leaves: Sequence[str], groups: list[list[_Term]]) -> None:
        if not groups:
            return
        computed = {term.place for group in groups for term in group}
        left = [name for name in leaves if self.made.get(name) not in computed]
        result = self.ops[root].output_arg_names[0]
        for group in groups:
            alone = len(groups) == 1 and not left
            left.append(self._one(group, root, result if alone else self._name(result)))
        self.dropped.update(computed, adds)
        total = left[0]
        for number, name in enumerate(left[1:], 2):
            into = result if number == len(left) else self._name(result)
            self._put(root, Operation(self.ops[root].block, add_op.type, {"X": [total], "Y": [name]}, {"Out": [into]},
                                      {"axis": -1}, self.ops[root].source))
            total = into

    def _one(self, group: Sequence[_Term], root: int, result: str) -> str:
        """Computes terms as one, once all that they need is there, and before `root` reads it."""
        place = max(term.place for term in group)
        last = self.ops[place]
        given = [self._below(names, place, root) for names in zip(*(term.operands for term in group), strict=True)]
        place = max(place, *(at for _, at in given))
        inputs = {slot: [name] for slot, (name, _) in zip(("X", "Y"), given, strict=False)}
        attrs = {**last.attrs, "shape": tuple(group[0].shapes[0][1:])} if len(given) == 1 else last.attrs
        self._put(place, Operation(last.block, last.type, inputs, {"Out": [result]}, attrs, last.source))
        return result

    def _below(self, names: tuple[str, ...], place: int, root: int) -> tuple[str, int]:
        """The name of values laid one below the other, and the operation in whose place that is done."""
        found = self.joined.get(names)
        if found is None or found[1] >= root:
            op = self.ops[place]
            found = self.joined[names] = self._name(names[0]), place
            self._put(place, Operation(op.block, concat_op.type, {"X": list(names)}, {"Out": [found[0]]}, {"axis": 0},
                                       op.source))
        return found

    def _name(self, near: str) -> str:
        return self.unit.new_name(near, self.unit.spec(near))

    def _put(self, place: int, op: Operation) -> None:
        self.behind.setdefault(place, []).append(op)
        self.unit.infer(op)


def _single(names: Sequence[str]) -> list[str]:
    """The names that are there once."""
    return [name for name, count in Counter(names).items() if count == 1]


def _together(terms: Sequence[_Term]) -> list[list[_Term]]:
    """Terms, in order, in groups of so many rows that little waits; those of a group too small are left out."""
    groups: list[list[_Term]] = [[]]
    for term in terms:
        rows = term.rows + sum(each.rows for each in groups[-1])
        if rows > _ROWS or rows * term.width > _ELEMENTS:
            groups.append([])
        groups[-1].append(term)
    return [group for group in groups if len(group) >= _LEAST]
