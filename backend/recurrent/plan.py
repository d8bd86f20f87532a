"""The sizes of a stack of recurrent layers, and where the values that its backward pass needs lie in one flat array."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
"""How many gates a cell of each mode has."""

_BESIDE = {"LSTM": 1, "GRU": 1, "RNN_TANH": 0, "RNN_RELU": 0}  # the cell state; the candidate's recurrent part


class Kept(NamedTuple):
    """What one layer keeps for its backward pass: by direction the gates and what goes beside them; and its output."""

    gates: list[Any]
    beside: list[Any]
    out: Any


class Plan:
    """The sizes of a stack: as given, and what follows from them. `plan_of` gives one that there has been."""

    def __init__(self, mode: str, layers: int, directions: int, hidden: int, steps: int, batch: int):
        self.mode, self.layers, self.directions, self.hidden = mode, layers, directions, hidden
        self.steps, self.batch = steps, batch
        self.cell = {"LSTM": "lstm", "GRU": "gru"}.get(mode, "rnn")
        self.gates = GATES[mode] * hidden  # columns of all gates together
        self.width = directions * hidden  # columns of a layer's output
        columns = self.gates + _BESIDE[mode] * hidden
        self.layer_size = steps * batch * (directions * columns + self.width)
        """Elements that a layer before the last keeps."""
        self.size = layers * self.layer_size - steps * batch * self.width
        """Elements that all layers keep; the last one's output is the result and kept anyway."""

    def of_one_layer(self, steps: int) -> Plan:
        """That of one of its layers, of so many steps."""
        return Plan(self.mode, 1, self.directions, self.hidden, steps, self.batch)

    def kept(self, flat: Any, layer: int) -> Kept:
        """Views of what one layer keeps in the flat array of all."""
        rows, start = self.steps * self.batch, layer * self.layer_size
        gates, beside = [], []
        for _ in range(self.directions):
            gates.append(self._view(flat, start, self.gates))
            start += rows * self.gates
            beside.append(self._view(flat, start, self.hidden) if _BESIDE[self.mode] else None)
            start += rows * _BESIDE[self.mode] * self.hidden
        return Kept(gates, beside, self._view(flat, start, self.width) if layer < self.layers - 1 else None)

    def _view(self, flat: Any, start: int, columns: int) -> Any:
        end = start + self.steps * self.batch * columns
        return flat[start:end].reshape(self.steps, self.batch, columns)

    def order(self, direction: int) -> range:
        """The steps in the order in which a direction takes them."""
        return range(self.steps - 1, -1, -1) if direction else range(self.steps)


plan_of = functools.lru_cache(256)(Plan)
"""The plan of these sizes: a layer asks for the same ones at each of its steps."""
