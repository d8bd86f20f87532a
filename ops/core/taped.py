"""An operator's computation as steps of a tape (`backend/loops/tape.py`), for a compiler that runs many by one call.

What a declaration says of an operator is enough for most of them: its `formula` is a loop, and of one that `moves` the
kernel itself tells, on the numbers of the elements, which element goes where. Others have `taped`, a function of the
tape, the inputs and the attributes that gives the results' values. `taped` raises `Declined` for what is none.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.loops.elementwise import ElementwiseLoop
from ...backend.loops.formula import expression, names_in
from ...backend.loops.tape import Declined, Tape, Value
from ...backend.loops.types import OF_DTYPE
from ...core.dtype import from_numpy_dtype
from .spec import Spec

if TYPE_CHECKING:
    from .operator import Operator

_MOST_NUMBERED = 1 << 19  # elements of what is moved


def taped(tape: Tape, operator: Operator, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
    """The results by slot, values or lists of them; `inputs` are these by slot, None for what is not given."""
    if operator.effects or operator.aliases or operator.random or operator.lists or operator.kernels.registered:
        raise Declined
    if operator.taped is not None:
        results = operator.taped(tape, *inputs, **attrs)
        return list(results) if type(results) is tuple else [results]
    if operator.formula is not None:
        return [_by_formula(tape, operator, inputs, attrs)]
    if operator.moves:
        return _moved(tape, operator, inputs, attrs)
    raise Declined


def _by_formula(tape: Tape, operator: Operator, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Value:
    assert operator.formula is not None
    present = {slot.name: value for slot, value in zip(operator.inputs, inputs, strict=True) if value is not None}
    if any(slot.optional and slot.name in present for slot in operator.inputs):  # the formula leaves it out
        raise Declined
    values: dict[str, list[Value]] = {name: value if type(value) is list else [value]
                                      for name, value in present.items()}
    flat = [value for each in values.values() for value in each]
    kinds = {value.dtype.char for value in flat} - {"?", "B"}
    if len(kinds) != 1 or not kinds <= {"f", "d"}:
        raise Declined
    names = iter(f"a{k}" for k in range(len(flat)))
    operands = {name: [next(names) for _ in each] for name, each in values.items()}
    text = expression(operator.formula, operands, {**operator.defaults, **attrs})
    if text is None or not names_in(text) >= {name for each in operands.values() for name in each}:
        raise Declined
    result, = _inferred(operator, inputs, attrs)
    if result.dtype.name not in OF_DTYPE:
        raise Declined
    out, = tape.elementwise(_loop(f"r0 = {text}", result.dtype.name), flat)
    if out.shape != tuple(result.shape):
        raise Declined
    return out


@functools.lru_cache(maxsize=1024)
def _loop(statement: str, dtype: str) -> ElementwiseLoop:
    return ElementwiseLoop([statement], [dtype])


def _inferred(operator: Operator, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> tuple:
    return operator.infer_specs(tuple(_spec(value) for value in inputs), dict(attrs))


def _spec(value: Any) -> Any:
    if type(value) is list:
        return [_spec(each) for each in value]
    return None if value is None else Spec(value.shape, from_numpy_dtype(value.dtype))


# Operators that move elements

def _moved(tape: Tape, operator: Operator, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> list[Any]:
    """The results of an operator that computes nothing: its kernel, on the numbers of the elements, says where from."""
    flat = [value for each in inputs for value in (each if type(each) is list else [each]) if value is not None]
    if any(value.dtype != flat[0].dtype or value.dtype.char not in "fd" for value in flat):
        raise Declined  # others may be places, which the kernel looks at
    if sum(value.size for value in flat) > _MOST_NUMBERED:
        raise Declined
    first = 0
    numbered: list[Any] = []
    for each in inputs:
        arrays = []
        for value in each if type(each) is list else [each]:
            if value is not None:
                arrays.append(np.arange(first, first + value.size, dtype=np.float64).reshape(value.shape))
                first += value.size
        numbered.append(arrays if type(each) is list else arrays[0] if arrays else None)
    kernel = operator.kernel_for(np)
    found, again = (kernel(np, *_shifted(numbered, by), **attrs) for by in (0, first))
    made, shifted = ([*each] if type(each) is tuple else [each] for each in (found, again))
    return [[_result(tape, flat, a, b, first) for a, b in zip(x, y, strict=True)] if type(x) is list
            else _result(tape, flat, x, y, first) for x, y in zip(made, shifted, strict=True)]


def _shifted(numbered: Sequence[Any], by: int) -> list[Any]:
    return [[array + by for array in each] if type(each) is list else None if each is None else each + by
            for each in numbered]


def _result(tape: Tape, flat: Sequence[Value], numbers: Any, shifted: Any, total: int) -> Value:
    """The value whose elements have these numbers among all of the inputs'; what is not shifted is the attributes'."""
    numbers, shifted = np.asarray(numbers), np.asarray(shifted)
    if numbers.dtype != np.float64 or not numbers.size or not total:
        raise Declined
    shape, distance = numbers.shape, (shifted - numbers).ravel()
    own = distance == 0
    if not (own | (distance == total)).all():
        raise Declined
    if own.any():
        given = numbers.ravel()[own]
        if not (given == given[0]).all():
            raise Declined
        out = tape.filled(shape, flat[0].dtype, float(given[0]))
    places = np.flatnonzero(~own)
    numbers = numbers.ravel()[places].astype(np.int64)
    begins = np.cumsum([0, *(value.size for value in flat)])
    source = np.searchsorted(begins, numbers, side="right") - 1
    if not own.any():
        if (source == source[0]).all() and (np.diff(numbers) == 1).all():
            return tape.part(flat[source[0]], int(numbers[0] - begins[source[0]]), shape)
        out = tape.new(shape, flat[0].dtype)
    for index in dict.fromkeys(source.tolist()):
        mine = source == index
        _copy(tape, flat[index], numbers[mine] - begins[index], out, places[mine])
    return out


def _copy(tape: Tape, source: Value, numbers: np.ndarray, out: Value, places: np.ndarray) -> None:
    """Copies elements of these numbers to these places."""
    breaks = np.flatnonzero((np.diff(numbers) != 1) | (np.diff(places) != 1)) + 1
    inner = int(breaks[0]) if breaks.size else numbers.size
    if numbers.size % inner == 0:
        rows, targets = numbers.reshape(-1, inner), places.reshape(-1, inner)
        distance, wide = (int(a[1, 0] - a[0, 0]) if len(a) > 1 else 0 for a in (rows, targets))
        steps = np.arange(len(rows))[:, None]
        within = np.arange(inner)
        if (np.array_equal(rows, rows[0, 0] + steps * distance + within)
                and np.array_equal(targets, targets[0, 0] + steps * wide + within)):
            tape.copy(source, out, len(rows), inner, (int(rows[0, 0]), distance), (int(targets[0, 0]), wide))
            return
    if places.size != out.size:
        raise Declined
    tape.taken(source, out, numbers)


def over_dimensions(shape: Sequence[int], dims: Sequence[int]) -> tuple[int, int, int]:
    """A shape as [outer, count, inner], the middle being the neighbouring dimensions `dims`; `Declined` for others."""
    dims = sorted(dims)
    if not dims or dims != list(range(dims[0], dims[-1] + 1)):
        raise Declined
    return math.prod(shape[:dims[0]]), math.prod(shape[dims[0]:dims[-1] + 1]), math.prod(shape[dims[-1] + 1:])
