"""Products with one matrix that stays the same, a frozen weight: packed once, in the order that oneDNN's code wants."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .conv_routines import unpacking
from .descriptors import Description, element_strides, free, strided, type_number
from .library import Library, Unimplemented
from .primitives import BIAS, DST, SRC, WEIGHTS, Attributes, Plan, Primitive, best, post_operation, reorder
from .routine import LEAST_ROWS, Prepared, Routine, address_of, are_as_long, memoised, packed

_INFERENCE = 96


class PackedMatrix:
    """A matrix [k, n] in the order that products with a given number of rows want; made by `pack_matrix`.

    Other numbers of rows, which may want another, are multiplied by it as it is, nearly as fast. `misfits` counts the
    calls that could not use it.
    """

    __slots__ = ("plain", "shape", "strides", "dtype", "source", "description", "data", "misfits")

    def __init__(self, plain: np.ndarray, source: Description, description: Description, data: np.ndarray):
        self.plain: np.ndarray | None = plain
        self.source, self.description, self.data, self.misfits = source, description, data, 0
        self.shape, self.dtype = plain.shape, plain.dtype
        self.strides = description.layout(2)

    def release(self) -> None:
        """Lets the matrix go that it was made of, which has to be C-contiguous."""
        self.plain = None

    def unpacked(self) -> np.ndarray:
        """The matrix as it was."""
        if self.plain is not None:
            return self.plain
        key = ("unpack", self.shape, self.strides, self.source.layout(2), self.dtype.char)
        routine = memoised(key, unpacking, self)
        plain = np.empty(self.shape, self.dtype)
        routine(address_of(self.data), address_of(plain))
        return plain


def pack_matrix(y: np.ndarray, rows: int) -> Any:
    """The matrix [k, n] for products [rows, k] @ [k, n]; NotImplemented where packing it gives nothing."""
    if y.ndim != 2:
        return NotImplemented
    routine = memoised(("pack_matrix", y.shape, y.strides, y.dtype.char, rows), _packing, y, rows)
    if routine is None:
        return NotImplemented
    data = packed(routine, routine.operands[-1].size, address_of(y))
    return PackedMatrix(y, routine.operands[0], routine.operands[-1], data)


def linear(x: np.ndarray, y: Any, out: np.ndarray | None = None, bias: np.ndarray | None = None,
           epilogue: str | None = None, residual: np.ndarray | None = None) -> Any:
    """epilogue(x @ y + bias + residual) of C-contiguous x [..., k]: [..., n]; NotImplemented where x lies otherwise.

    A matrix that is not packed is brought into the form of a packed one in each call: the results are the same bits.
    """
    if x.dtype != y.dtype or x.shape[-1] != y.shape[0] or not x.flags.c_contiguous or not x.size:
        return NotImplemented
    if residual is not None and not residual.flags.c_contiguous:
        return NotImplemented
    rows = math.prod(x.shape[:-1])
    if not are_as_long(x.dtype, y.shape[1], bias) or not are_as_long(x.dtype, rows * y.shape[1], residual):
        return NotImplemented
    routine = _routine(rows, y, bias, epilogue, residual)
    if routine is None:
        if type(y) is PackedMatrix:
            y.misfits += 1
        return NotImplemented
    if out is None:
        out = np.empty((*x.shape[:-1], y.shape[1]), x.dtype)
    addresses = [address_of(x), address_of(y.data if type(y) is PackedMatrix else y)]
    if bias is not None:
        bias = np.ascontiguousarray(bias)
        addresses.append(address_of(bias))
    if residual is not None:
        addresses.append(address_of(residual))
    routine(*addresses, address_of(out))
    return out


def _routine(rows: int, y: Any, bias: np.ndarray | None, epilogue: str | None, residual: np.ndarray | None) -> Any:
    key = ("linear", rows, y.shape, y.strides, y.dtype.char, bias is None, epilogue, residual is None)
    return memoised(key, _product, rows, y, bias is not None, epilogue, residual is not None)


def prepared_linear(x: np.ndarray, y: PackedMatrix, bias: np.ndarray | None, residual: np.ndarray | None,
                    epilogue: str | None) -> Prepared | None:
    """`linear` with this matrix and bias, as a function of what has the shape of `x`, and of a residual.

    Nothing is checked there: they lie as these do. None where there is no routine.
    """
    if not all(each is None or each.flags.c_contiguous for each in (x, bias, residual)):
        return None
    routine = _routine(math.prod(x.shape[:-1]), y, bias, epilogue, residual)
    return None if routine is None else routine.on((*x.shape[:-1], y.shape[1]), x.dtype, y.data, bias)


class _Layouts:
    """The descriptions of a product with a matrix [k, n]; oneDNN calls it an inner product, with weights [n, k]."""

    def __init__(self, library: Library, rows: int, shape: tuple[int, int], dtype: np.dtype):
        number = type_number(dtype)
        if number is None or dtype.kind == "i" or not rows or 0 in shape:
            raise Unimplemented(str(dtype))
        self.library, self.number, (k, n) = library, number, shape
        self.x = strided(library, (rows, k), (k, 1), number)
        self.result = strided(library, (rows, n), (n, 1), number)
        self.bias = strided(library, (n,), (1,), number)
        self.weights = free(library, (n, k), number)
        self.work = 2 * max(rows, LEAST_ROWS) * k * n

    def matrix(self, shape: tuple[int, ...], steps: list[int]) -> Description:
        """The matrix as it lies."""
        return strided(self.library, shape[::-1], steps[::-1], self.number)

    def plan(self, weights: Description, bias: Description | None, attributes: Attributes) -> Plan:
        """How it would be computed."""
        return best([lambda: Plan(self.library, "inner_product_forward", self.library.engine, _INFERENCE, self.x,
                                     weights, bias, self.result, attributes)])

    def plan_of_packed(self, given: Description, bias: Description | None, attributes: Attributes) -> Plan:
        """The same of a matrix packed for another number of rows, perhaps: as it is, where there is code for that."""
        try:
            plan = self.plan(given, bias, attributes)
        except Unimplemented:
            return self.plan(self.weights, bias, attributes)
        return plan if plan.rank == 2 else self.plan(self.weights, bias, attributes)


def _packing(library: Library, y: np.ndarray, rows: int) -> Routine:
    lay = _Layouts(library, rows, y.shape, y.dtype)
    steps = element_strides(y)
    plan = lay.plan(lay.weights, None, Attributes(library))
    if steps is None or plan.rank < 2:
        raise Unimplemented("nothing is gained")
    routine = Routine(library, f"packing of a matrix {list(y.shape)}", lay.work)
    source = routine.external(lay.matrix(y.shape, steps))
    target = routine.external(plan.operand(WEIGHTS))
    routine.step(reorder(library, routine.operands[source], routine.operands[target]), {1: source, 17: target})
    return routine


def _product(library: Library, rows: int, y: Any, has_bias: bool, epilogue: str | None, has_residual: bool) -> Routine:
    lay = _Layouts(library, rows, y.shape, y.dtype)
    routine = Routine(library, f"product of [{rows}, {y.shape[0]}] and a matrix {list(y.shape)}", lay.work)
    steps = None if type(y) is PackedMatrix else element_strides(y)
    if steps is None and type(y) is not PackedMatrix:
        raise Unimplemented("strides")
    given = lay.matrix(y.shape, steps) if steps is not None else y.description
    operands = {SRC: routine.external(lay.x), WEIGHTS: routine.external(given)}
    if has_bias:
        operands[BIAS] = routine.external(lay.bias)
    if has_residual:
        operands[post_operation(0)] = routine.external(lay.result)
    operands[DST] = routine.external(lay.result)
    attributes = Attributes(library, lay.result if has_residual else None, epilogue)
    bias = lay.bias if has_bias else None
    plan = lay.plan_of_packed(given, bias, attributes) if steps is None else lay.plan(lay.weights, bias, attributes)
    if steps is not None and plan.rank < 2:
        raise Unimplemented("nothing is gained")
    operands[WEIGHTS] = routine.brought(operands[WEIGHTS], plan.operand(WEIGHTS))
    routine.step(Primitive(library, plan), operands)
    return routine
