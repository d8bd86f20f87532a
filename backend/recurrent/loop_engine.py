"""The engine of recurrent layers for float32 on the host: whole sweeps as generated loops.

Where a direction's weights fit the second-level cache, the inputs' part of the gates is computed within the sweep, too;
otherwise, like the gradient of the inputs, as one large product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import loops, onednn, threads
from . import sweeps
from .arrays import ArrayEngine
from .blocks import COLUMNS, ROWS, pack, padded
from .calling import lengths_of, lines, run, scratch
from .plan import Kept, Plan
from .stack import Line
from .weight_gradients import sum_products

_LEAST = 1 << 9  # elements of the gates' values from which compiled code is worth it
_FITS = 1 << 18  # elements of weights that stay near a thread while it sweeps
_FLOAT32 = np.dtype("float32")


def takes(way: str, plan: Plan, *arrays: Any) -> bool:
    """Whether this engine computes a stack of this size with these arrays, 'forward' or 'backward'."""
    size = plan.steps * plan.batch * plan.gates
    if size < _LEAST or not loops.is_ready():
        return False
    for a in arrays:
        if a.dtype is not _FLOAT32 or not a.flags.aligned:
            return False
    return _sweep(plan, way).is_due(size * plan.layers * plan.directions)


class LoopEngine(ArrayEngine):
    """See `arrays.ArrayEngine`; here a mask is the lengths themselves."""

    def __init__(self) -> None:
        super().__init__(np)

    def mask(self, lengths: Any, steps: int) -> Any:
        """The lengths as the sweeps take them."""
        return np.ascontiguousarray(lengths, np.int64)

    def product(self, a: Any, b: Any, out: Any = None) -> Any:
        """The matrix product, a large one by oneDNN."""
        if a.size * b.shape[1] > onednn.LARGE and onednn.is_ready():
            found = onednn.matmul(a, b, out)
            if found is not NotImplemented:
                return found
        return super().product(a, b, out)

    def scratch(self, plan: Plan, x: Any) -> Kept:
        """One step's values, or all steps' where the inputs' part is computed before the sweep."""
        if not _is_near(plan, x):
            return super().scratch(plan, x)
        out = self.empty((plan.steps, plan.batch, plan.width), x)
        return super().scratch(plan.of_one_layer(1), x)._replace(out=out)

    def forward(self, line: Line) -> list[Any]:
        """See `ArrayEngine.forward`."""
        plan, name, x, near = line.plan, line.plan.cell, line.x, _is_near(line.plan, line.x)
        if near:
            x = x if x.strides[2] == x.itemsize else np.ascontiguousarray(x)
        else:
            self.product(x.reshape(-1, x.shape[2]), line.weights.ih.T, out=line.gates.reshape(-1, plan.gates))
            x = line.gates
        features, rows = x.shape[2] if near else 0, padded(plan.batch)
        own: list[Any] = []
        if name == "gru":
            x_weights = pack(line.weights.ih.T) if near else x
            weights, h = pack(line.weights.hh.T), np.array(line.h, order="C")
            z = scratch("z", (rows + 1, 2 * len(weights) * COLUMNS))
            read = [x, x_weights, line.gates, _bias(line), weights, h, z]
            states = [h]
        else:
            weights = pack(line.weights.ih.T, line.weights.hh.T) if near else pack(line.weights.hh.T)
            xh = lines((rows, features + plan.hidden))
            states = [xh[:plan.batch, features:]]
            states[0][...] = line.h
            z = scratch("z", (rows + 1, len(weights) * COLUMNS))
            read = [x, line.gates, _bias(line), weights, xh, z]
            own = [plan.mode == "RNN_RELU"]
        z[rows] = 0.0
        if name == "lstm":
            states.append(np.array(line.c, order="C"))
            own = [states[1]]
        run(_sweep(plan, "forward"), *read, line.gates if line.beside is None else line.beside, line.out,
            lengths_of(line), *own, plan.steps, plan.batch, features, plan.hidden, len(weights), plan.width,
            int(len(line.gates) == plan.steps), *_between(x), line.order[0], line.order.step, _parts(plan))
        return states

    def backward(self, line: Line, grad_out: Any, grad_states: Sequence[Any]) -> tuple[Any, Any, list[Any]]:
        """See `ArrayEngine.backward`."""
        plan, weights, name = line.plan, pack(line.weights.hh), line.plan.cell
        if grad_out.strides[2] != grad_out.itemsize:
            grad_out = np.ascontiguousarray(grad_out)
        back = np.zeros((padded(plan.batch), len(weights) * COLUMNS), np.float32)
        back[:plan.batch, :plan.hidden] = grad_states[0]
        of_input = of_hidden = scratch("of_input", line.gates.shape)
        states = [back[:plan.batch, :plan.hidden]]
        kept: list[Any] = []
        own: list[Any] = []
        width: list[int] = []
        if name == "lstm":
            states.append(np.array(grad_states[1], order="C"))
            kept, own, results = [line.beside, np.ascontiguousarray(line.c)], [states[1]], [of_input]
        elif name == "gru":
            of_hidden = scratch("of_hidden", line.gates.shape)
            kept, results = [line.beside, line.out, np.ascontiguousarray(line.h)], [of_input, of_hidden]
            width = [plan.width]
        else:
            own, results = [int(plan.mode == "RNN_RELU")], [of_input]
        run(_sweep(plan, "backward"), line.gates, *kept, grad_out, weights, back, *results, lengths_of(line),
            *own, plan.steps, plan.batch, plan.hidden, len(weights), *width, *_between(grad_out), line.order[-1],
            -line.order.step, _parts(plan))
        return of_input, of_hidden, states

    def of_weights(self, line: Line, of_input: Any, of_hidden: Any) -> tuple[list[Any], list[Any]]:
        """See `ArrayEngine.of_weights`."""
        one = of_input is of_hidden
        of_x = sum_products(of_input, line, True, one)
        of_h = of_x if one else sum_products(of_hidden, line, False, True)
        if of_x is NotImplemented or of_h is NotImplemented:
            return super().of_weights(line, of_input, of_hidden)
        return [of_x[0], of_h[1]], [of_x[2], of_h[2].copy() if one else of_h[2]]

    def ends(self, line: Line) -> Any:
        """See `ArrayEngine.ends`."""
        return line.mask - 1


def _sweep(plan: Plan, way: str) -> loops.Kernel:
    found: loops.Kernel = getattr(sweeps, f"{plan.cell}_{way}")
    return found


def _is_near(plan: Plan, x: Any) -> bool:
    """Whether a thread keeps both matrices near while it sweeps, and has blocks of rows to multiply with them."""
    return plan.batch >= ROWS and (x.shape[2] + plan.hidden) * plan.gates <= _FITS


def _between(x: Any) -> list[int]:
    """How far steps and rows lie apart, in elements."""
    return [stride // x.itemsize for stride in x.strides[:2]]


def _parts(plan: Plan) -> int:
    """How many threads share the batch."""
    return max(1, min(threads.get_num_threads(), padded(plan.batch) // ROWS))


def _bias(line: Line) -> Any:
    """What is added to the gates; for GRU, then to the candidate's recurrent part."""
    weights, hidden = line.weights, line.plan.hidden
    both = weights.bias_ih + weights.bias_hh
    if line.plan.mode != "GRU":
        return both
    return np.concatenate([both[:2 * hidden], weights.bias_ih[2 * hidden:], weights.bias_hh[2 * hidden:]])
