"""One direction of one recurrent layer on the arrays of any namespace: the meaning that other engines equal.

Everything is analytic (ReLU aside) and works on complex arrays as well, by which gradients of gradients are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import products
from .cells import CELLS
from .plan import Kept, Plan
from .stack import Line


class ArrayEngine:
    """Sweeps as loops over the steps, of NumPy or CuPy calls."""

    def __init__(self, xp: Any):
        self.xp = xp

    def empty(self, shape: Sequence[int], like: Any) -> Any:
        """An array to be filled, of the dtype of another."""
        return self.xp.empty(shape, like.dtype)

    def mask(self, lengths: Any, steps: int) -> Any:
        """[steps, batch, 1]: which steps lie within a sequence."""
        return (self.xp.arange(steps)[:, None] < lengths.reshape(1, -1))[:, :, None]

    def product(self, a: Any, b: Any, out: Any = None) -> Any:
        """The matrix product."""
        return products.matmul(self.xp, a, b, out)

    def scratch(self, plan: Plan, x: Any) -> Kept:
        """Where a layer's values lie when none are kept."""
        one = plan.of_one_layer(plan.steps)
        return one.kept(self.empty((one.size,), x), 0)

    def project(self, line: Line) -> None:
        """Fills the line's gates with the inputs' part of them, biases included, for all steps at once."""
        x, weights, hidden = line.x, line.weights, line.plan.hidden
        gates = line.gates.reshape(-1, line.plan.gates)
        self.product(x.reshape(-1, x.shape[-1]), weights.ih.T, out=gates)
        bias = weights.bias_ih + weights.bias_hh
        if line.plan.mode == "GRU":  # the candidate's recurrent bias lies within the product with the reset gate
            bias[2 * hidden:] = weights.bias_ih[2 * hidden:]
        gates += bias

    def forward(self, line: Line) -> list[Any]:
        """Takes the steps: fills gates, beside and out; gives the final states."""
        self.project(line)
        xp, cell, recurrent = self.xp, CELLS[line.plan.mode](self.xp, line), line.weights.hh.T
        h, c = line.h, line.c
        for t in line.order:
            new_h, new_c = cell.forward(t, h @ recurrent, h, c)
            if line.mask is None:
                h, c = new_h, new_c
                line.out[t] = h
                continue
            inside = line.mask[t]
            h, c = xp.where(inside, new_h, h), None if c is None else xp.where(inside, new_c, c)
            line.out[t] = xp.where(inside, h, 0)
            if c is not None:
                line.beside[t] = c
        return [h] if c is None else [h, c]

    def backward(self, line: Line, grad_out: Any, grad_states: Sequence[Any]) -> tuple[Any, Any, list[Any]]:
        """The gradients of the projected inputs, of the recurrent products, and of the initial states."""
        xp, cell, recurrent = self.xp, CELLS[line.plan.mode](self.xp, line), line.weights.hh
        of_input = xp.empty_like(line.gates)
        of_hidden = xp.empty_like(line.gates) if line.plan.mode == "GRU" else of_input
        dh, dc = grad_states[0], grad_states[1] if len(grad_states) > 1 else None
        for position in reversed(range(len(line.order))):
            t = line.order[position]
            before = line.order[position - 1] if position else None
            if line.mask is None:
                dh, dc = cell.backward(t, before, dh + grad_out[t], dc, of_input[t], of_hidden[t])
                dh = dh + of_hidden[t] @ recurrent
                continue
            inside = line.mask[t]
            kept_h, kept_c = xp.where(inside, 0, dh), None if dc is None else xp.where(inside, 0, dc)
            dh, dc = cell.backward(t, before, xp.where(inside, dh + grad_out[t], 0),
                                   None if dc is None else xp.where(inside, dc, 0), of_input[t], of_hidden[t])
            dh = dh + of_hidden[t] @ recurrent + kept_h
            dc = None if dc is None else dc + kept_c
        return of_input, of_hidden, [dh] if dc is None else [dh, dc]

    def of_weights(self, line: Line, of_input: Any, of_hidden: Any) -> tuple[list[Any], list[Any]]:
        """The gradients of both matrices, and of both biases."""
        x = line.x
        rows = of_input.reshape(-1, line.plan.gates)
        matrices = [self.product(rows.T, x.reshape(-1, x.shape[-1])), self._of_recurrent(line, of_hidden)]
        bias = rows.sum(axis=0)
        same = of_hidden is of_input
        both = [bias, bias.copy() if same else of_hidden.reshape(-1, line.plan.gates).sum(axis=0)]
        return matrices, both

    def _of_recurrent(self, line: Line, of_hidden: Any) -> Any:
        """Every step but a sequence's first saw the output of the one before; the first saw the initial state."""
        plan = line.plan
        if line.order.step > 0:
            later, seen, first = of_hidden[1:], line.out[:-1], of_hidden[:1].sum(axis=0)
        else:
            later, seen, first = of_hidden[:-1], line.out[1:], self._last(line, of_hidden)
        result = self.product(first.T, line.h)
        if plan.steps > 1:
            result = result + self.product(later.reshape(-1, plan.gates).T, seen.reshape(-1, plan.hidden))
        return result

    def _last(self, line: Line, values: Any) -> Any:
        """What belongs to each sequence's last step."""
        if line.mask is None:
            return values[-1:].sum(axis=0)
        return values[self.ends(line), self.xp.arange(line.plan.batch)]

    def ends(self, line: Line) -> Any:
        """The last step of each sequence, -1 for an empty one."""
        return line.mask[:, :, 0].sum(axis=0) - 1

    def of_projected(self, line: Line, of_input: Any, back: Any) -> Any:
        """The gradient of the layer's input, added to that of its other direction."""
        rows = of_input.reshape(-1, line.plan.gates)
        found = self.product(rows, line.weights.ih).reshape(*of_input.shape[:2], -1)
        return found if back is None else back + found
