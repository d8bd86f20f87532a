"""Forward and backward through the layers and directions of a recurrent stack, over an engine.

An engine has the methods of `arrays.ArrayEngine`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from .plan import Plan


class Weights(NamedTuple):
    """The weights of one direction of one layer: [gates, input], [gates, hidden], and two biases [gates]."""

    ih: Any
    hh: Any
    bias_ih: Any
    bias_hh: Any


class Line(NamedTuple):
    """One direction of one layer: what its sweep over the steps reads, and the views that it fills.

    `x` is the layer's input; `gates` is filled with the gates' values. `mask`, the engine's own, says which steps are
    beyond a sequence's end; `order` is the steps in the order in which they are taken.
    """

    plan: Plan
    x: Any
    weights: Weights
    h: Any
    c: Any
    mask: Any
    order: range
    gates: Any
    beside: Any
    out: Any


class Stack:
    """A stack of layers with its weights, initial states, and what is random or missing in it.

    `weights`: for each layer and direction the two matrices, then likewise the biases. `states`: [n, batch, hidden],
    one or (LSTM) two. `lengths`: a sequence's number of steps, or None. `keep`: which elements of the layers' outputs
    pass on to the next, [layers - 1, steps, batch, width], or None; those that do are divided by 1 - `dropout`.
    """

    def __init__(self, engine: Any, plan: Plan, x: Any, states: Sequence[Any], weights: Sequence[Any], lengths: Any,
                 keep: Any = None, dropout: float = 0.0):
        self.engine, self.plan, self.x, self.states = engine, plan, x, states
        self.keep, self.factor = keep, 1 / (1 - dropout) if dropout < 1 else 1.0
        self.mask = None if lengths is None else engine.mask(lengths, plan.steps)
        half = len(weights) // 2
        self.weights = [Weights(*weights[n:n + 2], *weights[half + n:half + n + 2]) for n in range(0, half, 2)]

    def _line(self, layer: int, direction: int, x: Any, kept: Any, out: Any) -> Line:
        plan, n = self.plan, layer * self.plan.directions + direction
        part = out[:, :, direction * plan.hidden:(direction + 1) * plan.hidden]
        return Line(plan, x, self.weights[n], self.states[0][n], self.states[1][n] if len(self.states) > 1 else None,
                    self.mask, plan.order(direction), kept.gates[direction], kept.beside[direction], part)

    def _passed_on(self, layer: int, out: Any) -> Any:
        """A layer's output as the next layer sees it; also what comes back from there."""
        return out if self.keep is None else out * self.keep[layer] * self.factor

    def forward(self, reserve: Any) -> tuple[Any, list[Any]]:
        """The last layer's output and the final states; `reserve`, of the plan's size, is filled, or None."""
        plan, engine, x = self.plan, self.engine, self.x
        finals = [engine.empty(state.shape, x) for state in self.states]
        out = x
        for layer in range(plan.layers):
            kept = engine.scratch(plan, x) if reserve is None else plan.kept(reserve, layer)
            out = kept.out
            if out is None:
                out = engine.empty((plan.steps, plan.batch, plan.width), self.x)
            for direction in range(plan.directions):
                line = self._line(layer, direction, x, kept, out)
                for final, value in zip(finals, engine.forward(line), strict=False):
                    final[layer * plan.directions + direction] = value
            x = self._passed_on(layer, out) if layer < plan.layers - 1 else out
        return out, finals

    def backward(self, reserve: Any, out: Any, grad_out: Any, grad_states: Sequence[Any],
                 wants_input: bool = True) -> tuple[Any, list[Any], list[Any]]:
        """The gradients of the input (None unless wanted), the initial states and the weights."""
        plan, engine = self.plan, self.engine
        before = [engine.empty(state.shape, self.x) for state in self.states]
        matrices, biases = [None] * (2 * len(self.weights)), [None] * (2 * len(self.weights))
        for layer in reversed(range(plan.layers)):
            kept = plan.kept(reserve, layer)
            x = self.x if layer == 0 else self._passed_on(layer - 1, plan.kept(reserve, layer - 1).out)
            back = None
            for direction in range(plan.directions):
                n = layer * plan.directions + direction
                line = self._line(layer, direction, x, kept, out if kept.out is None else kept.out)
                part = grad_out[:, :, direction * plan.hidden:(direction + 1) * plan.hidden]
                of_input, of_hidden, of_states = engine.backward(line, part, [state[n] for state in grad_states])
                for result, value in zip(before, of_states, strict=False):
                    result[n] = value
                matrices[2 * n:2 * n + 2], biases[2 * n:2 * n + 2] = engine.of_weights(line, of_input, of_hidden)
                if layer or wants_input:
                    back = engine.of_projected(line, of_input, back)
            grad_out = self._passed_on(layer - 1, back) if layer else back
        return grad_out, before, matrices + biases
