"""What dynamic_lstm, dynamic_lstmp and dynamic_gru compute on packed rows, on the arrays of any namespace.

Whatever is kept for the backward pass is in the order of the packed rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..sequence.steps import Steps


class Activation(NamedTuple):
    """A function, and its derivative as a function of its value."""

    function: Callable[[Any, Any], Any]
    slope: Callable[[Any], Any]


def sigmoid(xp: Any, x: Any) -> Any:
    """1 / (1 + exp(-x)), without overflow."""
    return 0.5 * xp.tanh(0.5 * x) + 0.5


ACTIVATIONS = {
    "identity": Activation(lambda xp, x: x, lambda y: y * 0 + 1),
    "sigmoid": Activation(sigmoid, lambda y: y * (1 - y)),
    "tanh": Activation(lambda xp, x: xp.tanh(x), lambda y: 1 - y * y),
    "relu": Activation(lambda xp, x: xp.maximum(x, 0), lambda y: (y > 0).astype(y.dtype)),
}
"""What gates, candidates and cells may be passed through, by the names in attributes; in the order of their numbers."""


def _of_initial(steps: Steps, gradient: Any, state: Any) -> Any:
    return None if state is None else steps.by_sequence(gradient, state)


# gated recurrent units

class Gru(NamedTuple):
    """What a gated recurrent unit is told: h' = h + u (c - h), or, `origin`, u h + (1 - u) c.

    u and r, the update and the reset gate, are made of x and h; the candidate c of x and r h.
    """

    gate: Activation
    candidate: Activation
    origin: bool

    def weights(self, weight: Any) -> tuple[Any, Any]:
        """The matrices of both gates, [H, 2 H], and of the candidate, [H, H]: one lies behind the other in memory."""
        hidden, flat = weight.shape[0], weight.reshape(-1)
        return flat[:2 * hidden * hidden].reshape(hidden, -1), flat[2 * hidden * hidden:].reshape(hidden, hidden)

    def joined(self, xp: Any, gates: Any, candidate: Any) -> Any:
        """The weight, or its gradient, of both parts."""
        return xp.concatenate([gates.reshape(-1), candidate.reshape(-1)]).reshape(gates.shape[0], -1)

    def step(self, xp: Any, z: Any, h: Any, of_gates: Any, of_candidate: Any) -> tuple[Any, Any]:
        """Makes z the gates' values; gives r h and the new state."""
        hidden = h.shape[1]
        z[:, :2 * hidden] = self.gate.function(xp, z[:, :2 * hidden] + h @ of_gates)
        u, r = z[:, :hidden], z[:, hidden:2 * hidden]
        reset = r * h
        c = self.candidate.function(xp, z[:, 2 * hidden:] + reset @ of_candidate)
        z[:, 2 * hidden:] = c
        return reset, c + u * (h - c) if self.origin else h + u * (c - h)

    def back(self, xp: Any, gates: Any, h: Any, dh: Any, of_gates: Any, of_candidate: Any,
             of_reset: Any = 0, of_values: Any = None) -> tuple[Any, Any]:
        """The gradients of what the gates are made of, and of the state before, from that of the new state.

        `of_reset` and `of_values`: gradients that r h and the gates' values have beside.
        """
        hidden, share = h.shape[1], 1 - gates[:, :h.shape[1]] if self.origin else gates[:, :h.shape[1]]
        r, c = gates[:, hidden:2 * hidden], gates[:, 2 * hidden:]
        d = xp.zeros_like(gates) if of_values is None else of_values.copy()
        d[:, 2 * hidden:] += dh * share
        d[:, 2 * hidden:] *= self.candidate.slope(c)
        of_reset = of_reset + d[:, 2 * hidden:] @ of_candidate.T
        d[:, :hidden] += dh * (h - c if self.origin else c - h)
        d[:, hidden:2 * hidden] += of_reset * h
        d[:, :2 * hidden] *= self.gate.slope(gates[:, :2 * hidden])
        return d, dh * (1 - share) + of_reset * r + d[:, :2 * hidden] @ of_gates.T


def gru(xp: Any, x: Any, h0: Any, weight: Any, bias: Any, steps: Steps, cell: Gru) -> tuple[Any, Any, Any, Any]:
    """Of all rows the states, the gates, what the reset gates leave of the states before, and those."""
    hidden, parts = weight.shape[0], cell.weights(weight)
    gates = x.copy() if bias is None else x + bias.reshape(-1)
    out, reset, before = (xp.empty((len(x), hidden), x.dtype) for _ in range(3))
    h = steps.initial(h0, hidden, x.dtype)
    for _, count, rows in steps:
        z, before[rows] = gates[rows], h[:count]
        reset[rows], h = cell.step(xp, z, h[:count], *parts)
        gates[rows], out[rows] = z, h
    return out, gates, reset, before


def gru_grad(xp: Any, h0: Any, weight: Any, gates: Any, reset: Any, before: Any, grad: Any, steps: Steps,
             cell: Gru) -> tuple[Any, Any, Any]:
    """The gradients of x, of the initial states (None without) and of the weight."""
    hidden, parts = weight.shape[0], cell.weights(weight)
    d, dh = xp.empty_like(gates), xp.zeros((len(steps.lengths), hidden), gates.dtype)
    for _, count, rows in steps.back():
        d[rows], dh[:count] = cell.back(xp, gates[rows], before[rows], dh[:count] + grad[rows], *parts)
    of_weight = cell.joined(xp, before.T @ d[:, :2 * hidden], reset.T @ d[:, 2 * hidden:])
    return d, _of_initial(steps, dh, h0), of_weight


# long short-term memory

class Lstm(NamedTuple):
    """What a cell of long short-term memory is told; its gates are candidate, input, forget, output.

    With peepholes, the vectors `peepholes` [3, H] or None, the input and the forget gate see the cell's old value, the
    output gate its new one. `clip`: the largest magnitude of a cell's value; 0 for any.
    After "Recurrent Nets that Time and Count" (Gers and Schmidhuber, 2000).
    """

    gate: Activation
    cell: Activation
    candidate: Activation
    peepholes: Any = None
    clip: float = 0.0

    def step(self, xp: Any, z: Any, c: Any) -> tuple[Any, Any, Any]:
        """Makes z the gates' values; gives the hidden values, the cell's and those passed through its activation."""
        n = c.shape[1]
        g, i, f, o = (z[:, k * n:(k + 1) * n] for k in range(4))
        if self.peepholes is not None:
            i += c * self.peepholes[0]
            f += c * self.peepholes[1]
        g[...] = self.candidate.function(xp, g)
        z[:, n:3 * n] = self.gate.function(xp, z[:, n:3 * n])
        new = g * i + c * f
        if self.clip > 0:
            new = xp.clip(new, -self.clip, self.clip)
        if self.peepholes is not None:
            o += new * self.peepholes[2]
        o[...] = self.gate.function(xp, o)
        shown = self.cell.function(xp, new)
        return o * shown, new, shown

    def back(self, xp: Any, gates: Any, before: Any, now: Any, shown: Any, dh: Any, dc: Any) -> tuple[Any, Any]:
        """The gradients of what the gates are made of, and of the cell's value `before` the step; `now` is the new."""
        n, d = dh.shape[1], xp.empty_like(gates)
        g, i, f, o = (gates[:, k * n:(k + 1) * n] for k in range(4))
        dg, di, df, do = (d[:, k * n:(k + 1) * n] for k in range(4))
        do[...] = dh * shown * self.gate.slope(o)
        dc = dc + dh * o * self.cell.slope(shown)
        if self.peepholes is not None:
            dc = dc + do * self.peepholes[2]
        if self.clip > 0:
            dc = dc * (xp.abs(now) < self.clip)
        dg[...] = dc * i * self.candidate.slope(g)
        di[...] = dc * g * self.gate.slope(i)
        df[...] = dc * before * self.gate.slope(f)
        dc = dc * f
        if self.peepholes is not None:
            dc = dc + di * self.peepholes[0] + df * self.peepholes[1]
        return d, dc

    def of_peepholes(self, xp: Any, d: Any, before: Any, cells: Any) -> Sequence[Any]:
        """The gradients of the peepholes, one behind the other; none without."""
        if self.peepholes is None:
            return []
        n = cells.shape[1]
        return [(d[:, n:2 * n] * before).sum(0), (d[:, 2 * n:3 * n] * before).sum(0), (d[:, 3 * n:] * cells).sum(0)]


def lstm(xp: Any, x: Any, h0: Any, c0: Any, weight: Any, bias: Any, steps: Steps,
         cell: Lstm) -> tuple[Any, Any, Any, Any]:
    """Hidden values, cells, gates, and what the cells' activation makes of them, of all rows."""
    hidden = weight.shape[0]
    gates = x + bias.reshape(-1)[:4 * hidden]
    out, cells, shown = (xp.empty((len(x), hidden), x.dtype) for _ in range(3))
    h, c = steps.initial(h0, hidden, x.dtype), steps.initial(c0, hidden, x.dtype)
    for t, count, rows in steps:
        z = gates[rows]
        if t or h0 is not None:
            z = z + h[:count] @ weight
        h, c, shown[rows] = cell.step(xp, z, c[:count])
        gates[rows], out[rows], cells[rows] = z, h, c
    return out, cells, gates, shown


def lstm_grad(xp: Any, h0: Any, c0: Any, weight: Any, gates: Any, cells: Any, shown: Any, out: Any, grad_out: Any,
              grad_cells: Any, steps: Steps, cell: Lstm) -> tuple[Any, Any, Any, Any, Any]:
    """The gradients of x, of both initial states (None without), of the weight and of the bias."""
    before = steps.before(cells, c0)
    d, dh, dc = xp.empty_like(gates), *(xp.zeros((len(steps.lengths), weight.shape[0]), out.dtype) for _ in range(2))
    for t, count, rows in steps.back():
        own, dc[:count] = cell.back(xp, gates[rows], before[rows], cells[rows], shown[rows],
                                    dh[:count] + grad_out[rows], dc[:count] + grad_cells[rows])
        d[rows] = own
        if t or h0 is not None:
            dh[:count] = own @ weight.T
    of_weight = steps.before(out, h0).T @ d
    of_bias = xp.concatenate([d.sum(0), *cell.of_peepholes(xp, d, before, cells)])
    return d, _of_initial(steps, dh, h0), _of_initial(steps, dc, c0), of_weight, of_bias


# long short-term memory with projected hidden values

class Projection(NamedTuple):
    """h' = activation(h W), cut to [-clip, clip] where the clip is above 0."""

    activation: Activation
    clip: float

    def values(self, xp: Any, product: Any) -> Any:
        """Of the products."""
        h = self.activation.function(xp, product)
        return xp.clip(h, -self.clip, self.clip) if self.clip > 0 else h

    def back(self, xp: Any, h: Any, dh: Any) -> Any:
        """The gradient of the products from that of the values."""
        inside = dh * self.activation.slope(h)
        return inside * (xp.abs(h) < self.clip) if self.clip > 0 else inside


def lstmp(xp: Any, x: Any, h0: Any, c0: Any, weight: Any, projection: Any, bias: Any, steps: Steps, cell: Lstm,
          projected: Projection) -> tuple[Any, Any, Any, Any, Any]:
    """As `lstm`, with the projected hidden values in the first place and the hidden ones in the last."""
    hidden, size = projection.shape
    gates = x + bias.reshape(-1)[:4 * hidden]
    out, *(cells, shown, inner) = (xp.empty((len(x), n), x.dtype) for n in (size, hidden, hidden, hidden))
    h, c = steps.initial(h0, size, x.dtype), steps.initial(c0, hidden, x.dtype)
    for t, count, rows in steps:
        z = gates[rows]
        if t or h0 is not None:
            z = z + h[:count] @ weight
        own, c, shown[rows] = cell.step(xp, z, c[:count])
        h = projected.values(xp, own @ projection)
        gates[rows], inner[rows], out[rows], cells[rows] = z, own, h, c
    return out, cells, gates, shown, inner


def lstmp_grad(xp: Any, h0: Any, c0: Any, weight: Any, projection: Any, gates: Any, cells: Any, shown: Any, inner: Any,
               out: Any, grad_out: Any, grad_cells: Any, steps: Steps, cell: Lstm,
               projected: Projection) -> tuple[Any, Any, Any, Any, Any, Any]:
    """The gradients of x, both initial states, the weight, the projection and the bias."""
    hidden, size = projection.shape
    before = steps.before(cells, c0)
    d, of_projected = xp.empty_like(gates), xp.empty_like(out)
    dh, dc = (xp.zeros((len(steps.lengths), n), out.dtype) for n in (size, hidden))
    for t, count, rows in steps.back():
        of_projected[rows] = inside = projected.back(xp, out[rows], dh[:count] + grad_out[rows])
        own, dc[:count] = cell.back(xp, gates[rows], before[rows], cells[rows], shown[rows], inside @ projection.T,
                                    dc[:count] + grad_cells[rows])
        d[rows] = own
        if t or h0 is not None:
            dh[:count] = own @ weight.T
    of_weight, of_projection = steps.before(out, h0).T @ d, inner.T @ of_projected
    of_bias = xp.concatenate([d.sum(0), *cell.of_peepholes(xp, d, before, cells)])
    return d, _of_initial(steps, dh, h0), _of_initial(steps, dc, c0), of_weight, of_projection, of_bias
