"""Sweeps over packed rows for float32 on the host; a gated recurrent unit's with sigmoid for gates and tanh alone.

`PackedSteps` says which rows the steps take, as `ops/sequence/steps.py` works it out. Gates lie as Paddle 1.x has them:
candidate, input, forget, output (LSTM); update, reset, candidate (GRU).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .. import loops, threads
from . import packed_sweeps as sweeps
from .blocks import COLUMNS, ROWS, pack, padded
from .calling import run, scratch
from .loop_engine import LoopEngine

_LEAST = 1 << 12  # elements of the gates' values from which compiled code is worth it
_FLOAT32 = np.dtype("float32")


class PackedSteps(NamedTuple):
    """Sequences, longest first: their first rows, the way to the next row; how many of them each step has."""

    first: Any
    step: int
    active: Any


def takes(sweep: loops.Kernel, rows: int, gates: int, *arrays: Any) -> bool:
    """Whether generated loops compute a sweep of this size with these arrays, of any strides; None are passed over."""
    size = rows * gates
    return (size >= _LEAST and loops.is_ready() and sweep.is_due(size)
            and all(a is None or (a.dtype is _FLOAT32 and a.flags.aligned) for a in arrays))


def _whole(*arrays: Any) -> Iterator[Any]:
    """The arrays, their elements one behind the other."""
    return map(np.ascontiguousarray, arrays)


def _parts(steps: PackedSteps) -> int:
    return max(1, min(threads.get_num_threads(), padded(len(steps.first)) // ROWS))


def _told(steps: PackedSteps) -> tuple[Any, Any, int, int]:
    first, active = (np.ascontiguousarray(a, np.int64) for a in (steps.first, steps.active))
    return first, active, len(first), len(active)


def product(a: Any, b: Any) -> Any:
    """The matrix product, a large one by oneDNN."""
    return LoopEngine().product(a, b)


def _states(state: Any, count: int, width: int) -> np.ndarray:
    """Initial states in whole blocks, zeros where there are none."""
    found = np.zeros((padded(count), width), np.float32)
    if state is not None:
        found[:count] = state
    return found


def _work(x: Any, parts: int) -> int:
    return int(x.size * COLUMNS // parts)


def lstm_forward(sweep: loops.Kernel, x: Any, bias: Any, peepholes: Any, weight: Any, h: Any, c: Any,
                 steps: PackedSteps) -> tuple[Any, Any, Any, Any]:
    """Hidden values, cells, gates, and tanh of the cells, of all rows.

    `h` and `c`: in the order of the steps, or None.
    """
    hidden, (first, active, count, number), parts = len(weight), _told(steps), _parts(steps)
    packed = pack(weight)
    x, bias, peepholes = _whole(x, bias, peepholes)
    gates = np.empty_like(x)
    cells, shown, out = (np.empty((len(x), hidden), np.float32) for _ in range(3))
    z = scratch("packed_z", (padded(count), len(packed) * COLUMNS))
    run(sweep, x, bias, peepholes, packed, _states(h, count, hidden), _states(c, count, hidden), z, gates,
        cells, shown, out, first, active, count, number, hidden, len(packed), steps.step, int(h is not None),
        _work(x, parts), parts)
    return out, cells, gates, shown


def lstm_backward(sweep: loops.Kernel, gates: Any, before: Any, shown: Any, peepholes: Any, weight: Any, grad_out: Any,
                  grad_cells: Any, has_states: bool, steps: PackedSteps) -> tuple[Any, Any, Any]:
    """The gradients of the projected rows, and of both states in the order of the steps.

    `before`: the cell before each row's step.
    """
    hidden, (first, active, count, number), parts = len(weight), _told(steps), _parts(steps)
    packed = pack(weight.T)
    gates, before, shown, grad_out, grad_cells = _whole(gates, before, shown, grad_out, grad_cells)
    back = _states(None, count, len(packed) * COLUMNS)
    dc, own, of = _states(None, count, hidden), _states(None, count, 4 * hidden), np.empty_like(gates)
    run(sweep, gates, before, shown, peepholes, grad_out, grad_cells, packed, back, dc, own, of, first,
        active, count, number, hidden, len(packed), steps.step, int(has_states), _work(gates, parts), parts)
    return of, back[:count, :hidden], dc[:count]


def gru_forward(x: Any, bias: Any, of_gates: Any, of_candidate: Any, h: Any, origin: bool,
                steps: PackedSteps) -> tuple[Any, Any, Any, Any]:
    """Of all rows the states, the gates, what the reset gates leave of the states before, and those."""
    hidden, (first, active, count, number), parts = len(of_candidate), _told(steps), _parts(steps)
    gate_weights, weights = pack(of_gates), pack(of_candidate)
    x, bias = _whole(x, bias)
    gates = np.empty_like(x)
    reset, before, out = (np.empty((len(x), hidden), np.float32) for _ in range(3))
    z = scratch("packed_z", (padded(count), (len(gate_weights) + len(weights)) * COLUMNS))
    run(sweeps.gru_forward, x, bias, gate_weights, weights, _states(h, count, hidden), z, _states(None, count, hidden),
        gates, reset, before, out, first, active, count, number, hidden, len(gate_weights), len(weights), steps.step,
        int(h is not None), int(origin), _work(x, parts), parts)
    return out, gates, reset, before


def gru_backward(gates: Any, before: Any, of_gates: Any, of_candidate: Any, grad: Any, origin: bool, has_states: bool,
                 steps: PackedSteps) -> tuple[Any, Any]:
    """The gradients of the projected rows, and of the initial states in the order of the steps."""
    hidden, (first, active, count, number), parts = len(of_candidate), _told(steps), _parts(steps)
    gate_weights, weights = pack(of_gates.T), pack(of_candidate.T)
    gates, before, grad = _whole(gates, before, grad)
    back, of_reset = (_states(None, count, len(weights) * COLUMNS) for _ in range(2))
    own_gates, own_candidate = _states(None, count, 2 * hidden), _states(None, count, hidden)
    of = np.empty_like(gates)
    run(sweeps.gru_backward, gates, before, grad, gate_weights, weights, back, of_reset, own_gates, own_candidate, of,
        first, active, count, number, hidden, len(weights), steps.step, int(has_states), int(origin),
        _work(gates, parts), parts)
    return of, back[:count, :hidden]
