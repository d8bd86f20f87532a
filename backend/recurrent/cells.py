"""The arithmetic of one step of each cell, forward and backward, on the arrays of any namespace.

`forward(t, product, h, c)` makes the gates of step t of the projected inputs, which lie there, and the recurrent
product; it gives the new states. `backward(t, before, dh, dc, of_input, of_hidden)` fills the gradients of the gates'
two summands and gives those of the states before the step, without what flows through the recurrent product; `before`
is the step taken before, None at the first.
"""

from __future__ import annotations

from typing import Any

from .stack import Line


def _sigmoid(xp: Any, x: Any) -> None:
    """1 / (1 + exp(-x)) in place, without overflow."""
    x *= 0.5
    xp.tanh(x, out=x)
    x *= 0.5
    x += 0.5


class Cell:
    """What the cells share."""

    def __init__(self, xp: Any, line: Line):
        self.xp, self.line, self.hidden = xp, line, line.plan.hidden

    def split(self, gates: Any) -> list[Any]:
        """The gates' columns, gate by gate."""
        return [gates[:, n:n + self.hidden] for n in range(0, gates.shape[1], self.hidden)]

    def forward(self, t: int, product: Any, h: Any, c: Any) -> tuple[Any, Any]:
        """See the module."""
        raise NotImplementedError

    def backward(self, t: int, before: int | None, dh: Any, dc: Any, of_input: Any, of_hidden: Any) -> tuple[Any, Any]:
        """See the module."""
        raise NotImplementedError

    def previous(self, t: int | None) -> Any:
        """The hidden state after a step; at steps within a sequence it is the output, before the first the initial."""
        line = self.line
        if t is None:
            return line.h
        if line.mask is None or line.order.step > 0:
            return line.out[t]
        return self.xp.where(line.mask[t], line.out[t], line.h)


class TanhCell(Cell):
    """h' = tanh(W x + U h) (Elman, Finding Structure in Time, 1990)."""

    def forward(self, t: int, product: Any, h: Any, c: Any) -> tuple[Any, Any]:
        """See the module."""
        gates = self.line.gates[t]
        gates += product
        self.activate(gates)
        return gates, None

    def activate(self, gates: Any) -> None:
        """In place."""
        self.xp.tanh(gates, out=gates)

    def slope(self, gates: Any) -> Any:
        """The derivative of the activation, from its value."""
        return 1 - gates * gates

    def backward(self, t: int, before: int | None, dh: Any, dc: Any, of_input: Any, of_hidden: Any) -> tuple[Any, Any]:
        """See the module."""
        of_input[...] = dh * self.slope(self.line.gates[t])
        return 0, None


class ReluCell(TanhCell):
    """h' = max(W x + U h, 0)."""

    def activate(self, gates: Any) -> None:
        """In place."""
        gates *= gates.real > 0

    def slope(self, gates: Any) -> Any:
        """1 where the value is above 0."""
        return gates.real > 0


class LSTMCell(Cell):
    """c' = f c + i g; h' = o tanh(c'), with gates i, f, o and the new content g (Hochreiter and Schmidhuber, 1997)."""

    def forward(self, t: int, product: Any, h: Any, c: Any) -> tuple[Any, Any]:
        """See the module."""
        gates, xp, hidden = self.line.gates[t], self.xp, self.hidden
        gates += product
        i, f, g, o = self.split(gates)
        _sigmoid(xp, gates[:, :2 * hidden])
        xp.tanh(g, out=g)
        _sigmoid(xp, o)
        new = f * c + i * g
        self.line.beside[t] = new
        return o * xp.tanh(new), new

    def backward(self, t: int, before: int | None, dh: Any, dc: Any, of_input: Any, of_hidden: Any) -> tuple[Any, Any]:
        """See the module."""
        line = self.line
        i, f, g, o = self.split(line.gates[t])
        di, df, dg, do = self.split(of_input)
        content = self.xp.tanh(line.beside[t])
        dc = dc + dh * o * (1 - content * content)
        di[...] = dc * g * i * (1 - i)
        df[...] = dc * (line.c if before is None else line.beside[before]) * f * (1 - f)
        dg[...] = dc * i * (1 - g * g)
        do[...] = dh * content * o * (1 - o)
        return 0, dc * f


class GRUCell(Cell):
    """h' = (1 - z) n + z h, with the candidate n = tanh(W x + r (U h + b)) and gates r, z (Cho et al., 2014)."""

    def forward(self, t: int, product: Any, h: Any, c: Any) -> tuple[Any, Any]:
        """See the module."""
        gates, hidden = self.line.gates[t], self.hidden
        both = gates[:, :2 * hidden]
        both += product[:, :2 * hidden]
        _sigmoid(self.xp, both)
        r, z, n = self.split(gates)
        recurrent = product[:, 2 * hidden:] + self.line.weights.bias_hh[2 * hidden:]
        self.line.beside[t] = recurrent
        n += r * recurrent
        self.xp.tanh(n, out=n)
        return n + z * (h - n), None

    def backward(self, t: int, before: int | None, dh: Any, dc: Any, of_input: Any, of_hidden: Any) -> tuple[Any, Any]:
        """See the module."""
        r, z, n = self.split(self.line.gates[t])
        dr, dz, dn = self.split(of_input)
        dn[...] = dh * (1 - z) * (1 - n * n)
        dz[...] = dh * (self.previous(before) - n) * z * (1 - z)
        dr[...] = dn * self.line.beside[t] * r * (1 - r)
        of_hidden[:, :2 * self.hidden] = of_input[:, :2 * self.hidden]
        of_hidden[:, 2 * self.hidden:] = dn * r
        return dh * z, None


CELLS: dict[str, type[Cell]] = {"RNN_TANH": TanhCell, "RNN_RELU": ReluCell, "LSTM": LSTMCell, "GRU": GRUCell}
