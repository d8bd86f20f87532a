"""The calls of kernels that records lead to: each operator with the arrays and attributes that it was given.

An observer takes them down where they are made, forward and backward, in eager code and in compiled Programs, so
operators are met that no public function names. `variants_of` lays out a call's arrays in memory in other ways.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import checks
import numpy as np
import proa as paddle
import variants
from proa.core.dtype import DType
from proa.ops.core.observer import Observer
from proa.ops.core.operator import Operator, find
from proa.ops.core.spec import spec_of
from proa.ops.core.trace import Trace, set_observer
from proa.ops.core.trace_around import TraceAround
from proa.ops.program.tensor_arrays import ArrayValue

REFUSALS = (ValueError, TypeError, NotImplementedError, IndexError, RuntimeError, KeyError, ArithmeticError,
             np.linalg.LinAlgError)


@dataclass(frozen=True, eq=False)
class Call:
    """An application of a kernel to arrays; `label` is the record that led to it."""

    op: Operator
    inputs: tuple
    attrs: dict[str, Any]
    label: str

    def __str__(self) -> str:
        return f"{self.op.type} in {self.label}: {[describe(x) for x in self.inputs]}, {self.attrs}"


def describe(value: Any) -> Any:
    """Shapes and dtypes of what an input slot holds."""
    if isinstance(value, (list, tuple)):
        return [describe(item) for item in value]
    if isinstance(value, ArrayValue):
        return [describe(item) for item in value]
    return None if value is None else f"{value.dtype}{list(value.shape)}"


def arrays_in(value: Any) -> list[np.ndarray]:
    """The arrays that a value is or holds."""
    if isinstance(value, (list, tuple, ArrayValue)):
        return [array for item in value for array in arrays_in(item)]
    return [value] if isinstance(value, np.ndarray) else []


def mapped(function: Callable[[np.ndarray], np.ndarray], value: Any) -> Any:
    """The value with another array for each that it is or holds."""
    if isinstance(value, ArrayValue):
        return ArrayValue(mapped(function, item) for item in value)
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(function, item) for item in value])
    return function(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


def _bare(value: Any) -> Any:
    """What the kernel is given of a Tensor, a list or nothing."""
    if isinstance(value, (list, tuple)):
        return [_bare(item) for item in value]
    return value if value is None or isinstance(value, (np.ndarray, np.generic, ArrayValue)) else value._array


class _Watching(TraceAround):
    def __init__(self, inner: Trace, collector: Collector):
        super().__init__(inner)
        self.collector = collector

    def bare(self) -> Trace:
        """The trace that does the work."""
        return self.inner.bare()

    def apply(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> Any:
        """Takes the call down, then does it."""
        self.collector.add(op, tuple(map(_bare, inputs)), attrs)
        return self.inner.apply(op, inputs, attrs)


class Collector(Observer):
    """Takes down every call of a kernel."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.label = ""
        self._seen: set[Any] = set()

    def add(self, op: Operator, inputs: tuple, attrs: dict[str, Any]) -> None:
        """Keeps a call whose shapes, dtypes and attributes no call before had."""
        inputs = (*inputs, *[None] * (len(op.inputs) - len(inputs)))
        key = (op.type, str([describe(x) for x in inputs]), str(sorted(attrs.items(), key=str)))
        if key not in self._seen:
            self._seen.add(key)
            self.calls.append(Call(op, mapped(np.copy, inputs), dict(attrs), self.label))

    def observed(self, trace: Trace) -> Trace:
        """A trace that takes down what `trace` computes."""
        return trace if isinstance(trace, _Watching) or not trace.computes else _Watching(trace, self)

    def plan_function(self, plan: Any, on_host: bool, arrays: Any) -> Callable[..., tuple]:
        """The compiled Program, over kernels that take down their calls."""
        namespace = plan.globals(on_host)
        for name, value in namespace.items():
            if callable(value) and not isinstance(value, (DType, type)):
                namespace[name] = self._watched(plan, value)
        return plan.load(namespace)

    def _watched(self, plan: Any, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **attrs: Any) -> Any:
            operation = plan.operation_at(sys._getframe(1).f_lineno)
            if operation is not None:
                self.add(find(operation.type), tuple(map(_bare, args[1:])), attrs)
            return kernel(*args, **attrs)

        return call


def collect(scenarios: Iterable[tuple[str, Callable[[], Any]]]) -> list[Call]:
    """The calls that scenarios lead to, by (label, function)."""
    collector = Collector()
    old = set_observer(collector)
    try:
        for collector.label, run in scenarios:
            quiet = contextlib.redirect_stdout(io.StringIO())
            with np.errstate(all="ignore"), warnings.catch_warnings(), quiet:
                warnings.simplefilter("ignore")
                run()
    finally:
        set_observer(old)
    return [call for call in collector.calls if _is_taken(call)]


def _is_taken(call: Call) -> bool:
    """Whether the operator's own rule takes such inputs: eager code asks it only when a kernel has failed."""
    if call.op.lists or call.op.runs_block:
        return True
    try:
        with np.errstate(all="ignore"):
            call.op.infer_specs(tuple(map(spec_of, call.inputs)), call.attrs)
    except REFUSALS:
        return False
    return True


def of_record(record: Any) -> Callable[[], Any]:
    """What leads to the calls of a record: its function on every variant of its inputs, and the gradients."""

    def run() -> None:
        _with_gradients(record, record.inputs)
        for name, change in variants.VARIANTS.items():
            changed = change(record)
            if changed is None:
                continue
            with contextlib.suppress(*REFUSALS):  # what does not take such inputs says so
                if name == "float32" and record.float32:
                    _with_gradients(record, changed)
                else:
                    record.function(*checks.tensors(changed))

    return run


def _with_gradients(record: Any, arrays: Any) -> None:
    wanted = checks.differentiable(record)
    given = checks.tensors(arrays, wanted)
    results = checks.real_results(record.function(*given))
    if wanted and results:
        weights = [paddle.to_tensor(w).astype(r.dtype)
                   for w, r in zip(checks.weights_for(results), results, strict=True)]
        paddle.grad(checks.weighted_sum(results, weights), [given[n] for n in wanted], allow_unused=True)


def _columns_first(array: np.ndarray) -> np.ndarray:
    return np.array(array, order="F")


def _strided(array: np.ndarray) -> np.ndarray:
    """The array as every other element of a larger one, along each dimension."""
    if not array.ndim:
        return array.copy()
    wide = np.zeros([2 * n for n in array.shape], array.dtype)
    part = wide[tuple(slice(None, None, 2) for _ in array.shape)]
    part[...] = array
    return part


LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda array: array.copy(order="C").view(),  # as a parameter's, which an update may write: backend/aliasing.py
    "F": _columns_first,
    "strided": _strided,
}


def run(call: Call, layout: str, fast: bool) -> tuple[tuple, Any]:
    """The inputs laid out in this way, and what the kernel (or the one that an engine may take) makes of them."""
    inputs = tuple(mapped(LAYOUTS[layout], x) for x in call.inputs)
    kernel = call.op.kernels.on_host if fast else call.op.kernel
    results = kernel(np, *inputs, **call.attrs)
    return inputs, results if isinstance(results, (tuple, list)) and len(call.op.results) > 1 else (results,)


def sharing(inputs: tuple, results: Any) -> Iterator[tuple[int, int]]:
    """The pairs (result, input) that share memory."""
    for i, result in enumerate(results):
        for j, given in enumerate(inputs):
            if any(np.shares_memory(a, b) for a in arrays_in(result) for b in arrays_in(given)):
                yield i, j


def named(op: Operator, pair: tuple[int, int]) -> str:
    """A pair in the words of the declaration."""
    return f"{op.results[pair[0]].name}~{op.inputs[pair[1]].name}"


def equal(a: Any, b: Any) -> bool:
    """Whether two values hold the same elements; of NaN each is like another."""
    if isinstance(a, (list, tuple, ArrayValue)):
        return len(a) == len(b) and all(map(equal, a, b))
    if a is None or not isinstance(a, (np.ndarray, np.generic)):
        return True
    return np.array_equal(a, b, equal_nan=np.asarray(a).dtype.kind in "fc")


def close(a: Any, b: Any) -> bool:
    """Whether two values hold the same elements but for rounding."""
    if isinstance(a, (list, tuple, ArrayValue)):
        return len(a) == len(b) and all(map(close, a, b))
    if not isinstance(a, (np.ndarray, np.generic)) or np.asarray(a).dtype.kind not in "fc":
        return equal(a, b)
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=16 * np.finfo(a.dtype).eps, atol=0, equal_nan=True)
