"""What each record's call is tried on besides its own inputs, and how its answer is taken: here and in PaddlePaddle.

Knows NumPy and records; the framework is an argument, so that `fixtures/operators/make.py` takes PaddlePaddle's answers
with the same functions with which `test_paddle_answers.py` takes ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from records import Record

Inputs = list[np.ndarray]
DTYPES = ("float32", "int8", "uint8", "int16", "int32", "int64", "bool", "complex128")


def _is_float(array: np.ndarray) -> bool:
    return array.dtype == np.float64


def _as_dtype(array: np.ndarray, dtype: str) -> np.ndarray:
    """The values in another dtype: as many different ones as it can hold, of the same signs."""
    if dtype.startswith("complex"):
        return (array * (1 + 0.5j)).astype(dtype)
    if dtype.startswith("float"):
        return array.astype(dtype)
    if dtype == "bool":
        return array > np.median(array)
    whole = np.rint(np.nan_to_num(array) * 4)
    return (np.abs(whole) if dtype == "uint8" else whole).astype(dtype)


def _in_dtype(dtype: str) -> Callable[[Record], Inputs | None]:
    def change(record: Record) -> Inputs | None:
        kinds = {a.dtype.kind for a in record.inputs}
        if "f" in kinds:
            return [_as_dtype(a, dtype) if _is_float(a) else a for a in record.inputs]
        if kinds == {"i"} and dtype != "complex128":
            return [a.astype(dtype) for a in record.inputs]
        return None

    return change


def _short_indices(record: Record) -> Inputs | None:
    """The integers beside floats, which say places or sizes, as int32."""
    mixed = any(map(_is_float, record.inputs)) and any(a.dtype == np.int64 for a in record.inputs)
    return [a.astype("int32") if a.dtype == np.int64 else a for a in record.inputs] if mixed else None


def _without_dimensions(record: Record) -> Inputs | None:
    """One value of each input."""
    if not any(a.ndim for a in record.inputs):
        return None
    return [a.reshape(-1)[:1].reshape(()) if a.size else a for a in record.inputs]


def _first_is_longest(record: Record) -> list[int]:
    if record.batched is not None:
        return list(record.batched)
    shape = record.inputs[0].shape if record.inputs else ()
    return [n for n, a in enumerate(record.inputs) if a.ndim and a.shape == shape]


def _empty(record: Record) -> Inputs | None:
    """No rows, in the inputs that have as many as the first."""
    rows = _first_is_longest(record) or [n for n, a in enumerate(record.inputs[:1]) if a.ndim]
    return [a[:0] if n in rows else a for n, a in enumerate(record.inputs)] if rows else None


def _with(*values: float) -> Callable[[Record], Inputs | None]:
    def change(record: Record) -> Inputs | None:
        changed = [a.copy() for a in record.inputs]
        first = next((a for a in changed if _is_float(a) and a.size > len(values)), None)
        if first is None:
            return None
        places = np.linspace(0, first.size - 1, len(values) + 2).astype(int)[1:-1]
        first.reshape(-1)[places] = values
        return changed

    return change


def _broadcast(which: int, part: Any) -> Callable[[Record], Inputs | None]:
    """One of two inputs of the same shape becomes its first row, with a size of 1 or without the dimension."""
    def change(record: Record) -> Inputs | None:
        if len(record.inputs) < 2 or not record.inputs[0].ndim or record.inputs[0].shape != record.inputs[1].shape:
            return None
        return [a[part] if n == which else a for n, a in enumerate(record.inputs)]

    return change


#: name -> the record's inputs, changed; None where it has none to change so.
VARIANTS: dict[str, Callable[[Record], Inputs | None]] = {
    "itself": lambda record: list(record.inputs),
    **{dtype: _in_dtype(dtype) for dtype in DTYPES},
    "int32 beside": _short_indices,
    "0-d": _without_dimensions,
    "empty": _empty,
    "NaN": _with(np.nan),
    "Inf": _with(np.inf, -np.inf),
    "broadcast second": _broadcast(1, slice(0, 1)),
    "broadcast first": _broadcast(0, slice(0, 1)),
    "fewer dimensions": _broadcast(1, 0),
}


def one_in_float64(record: Record) -> list[tuple[int, Inputs]]:
    """Of several floats each in turn in float64, the others in float32: (which, inputs)."""
    floats = [n for n, a in enumerate(record.inputs) if a.dtype.kind == "f"]
    return [(wide, [a.astype("float64" if n == wide else "float32") if n in floats else a
                    for n, a in enumerate(record.inputs)]) for wide in floats if len(floats) > 1]


def keyed(records: Sequence[Record]) -> dict[str, Record]:
    """The records by their names, with a number where a name occurs again."""
    found: dict[str, Record] = {}
    for record in records:
        name, times = str(record), 1
        while name in found:
            times += 1
            name = f"{record} {times}"
        found[name] = record
    return found


def as_list(value: Any) -> list:
    """One or several results as a flat list, without those that are None."""
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in as_list(part)]
    return [] if value is None else [value]


def weights_for(shape: Sequence[int]) -> np.ndarray:
    """Fixed weights for the sum of a result, whose gradient is taken."""
    return np.cos(1.0 + np.arange(int(np.prod(shape)))).reshape(tuple(shape))


def results_of(paddle: Any, record: Record, inputs: Inputs) -> list[np.ndarray]:
    """The call's results as arrays."""
    given = [paddle.to_tensor(a.copy()) for a in inputs]
    return [np.asarray(r.numpy() if hasattr(r, "numpy") else r) for r in as_list(record.function(*given))]


def gradients_of(paddle: Any, record: Record) -> dict[int, np.ndarray]:
    """The gradients of the weighted sum of the results, by the position of the input."""
    wanted = record.differentiable
    if wanted is None:
        wanted = [n for n, a in enumerate(record.inputs) if _is_float(a)]
    given = [paddle.to_tensor(a.copy(), stop_gradient=n not in wanted) for n, a in enumerate(record.inputs)]
    results = [r for r in as_list(record.function(*given)) if hasattr(r, "stop_gradient") and not r.stop_gradient]
    parts = [paddle.as_real(r) if "complex" in str(r.dtype) else r for r in results]
    sums = [(r * paddle.to_tensor(weights_for(r.shape), dtype=r.dtype)).sum() for r in parts if "float" in str(r.dtype)]
    if not sums or not wanted:
        return {}
    total = sums[0]
    for part in sums[1:]:
        total = total + part
    found = paddle.grad(total, [given[n] for n in wanted], allow_unused=True)
    return {n: np.asarray(g.numpy()) for n, g in zip(wanted, found) if g is not None}


def kept(variant: str) -> int:
    """How many values of an array an answer holds, evenly spread; all of its shape and dtype."""
    return 48 if variant == "itself" else 16


def sample(array: np.ndarray, variant: str) -> np.ndarray:
    """The values of an array that an answer holds."""
    flat, most = array.reshape(-1), kept(variant)
    return flat if flat.size <= most else flat[np.linspace(0, flat.size - 1, most).astype(int)]
