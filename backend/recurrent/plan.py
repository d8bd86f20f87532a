"""The sizes of a stack of recurrent layers, and where the values that its backward pass needs lie in one flat array."""

from __future__ import annotations

from typing import Any, NamedTuple

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
"""How many gates a cell of each mode has."""

_BESIDE = {"LSTM": 1, "GRU": 1, "RNN_TANH": 0, "RNN_RELU": 0}  # the cell state; the candidate's recurrent part


class Kept(NamedTuple):
    """What one layer keeps for its backward pass: by direction the gates and what goes beside them; and its output."""

    gates: list[Any]
    beside: list[Any]
    out: Any


class Plan(NamedTuple):
    """The sizes of a stack."""

    mode: str
    layers: int
    directions: int
    hidden: int
    steps: int
    batch: int

    @property
    def gates(self) -> int:
        """Columns of all gates together."""
        return GATES[self.mode] * self.hidden

    @property
    def width(self) -> int:
        """Columns of a layer's output."""
        return self.directions * self.hidden

    @property
    def _direction_columns(self) -> int:
        return self.gates + _BESIDE[self.mode] * self.hidden

    @property
    def layer_size(self) -> int:
        """Elements that a layer before the last keeps."""
        return self.steps * self.batch * (self.directions * self._direction_columns + self.width)

    @property
    def size(self) -> int:
        """Elements that all layers keep; the last one's output is the result and kept anyway."""
        return self.layers * self.layer_size - self.steps * self.batch * self.width

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
