"""Single steps of recurrent layers: gru_unit and lstm_unit."""

from typing import Any

from ..core.gradient import differentiable_once
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from .dynamic_rnn_kernels import ACTIVATIONS, Gru, sigmoid

_BY_NUMBER = tuple(ACTIVATIONS)


def _cell(activation: int, gate_activation: int, origin_mode: bool) -> Gru:
    return Gru(ACTIVATIONS[_BY_NUMBER[gate_activation]], ACTIVATIONS[_BY_NUMBER[activation]], origin_mode)


def _gru_unit(xp, x, h, weight, bias=None, *, activation: int = 2, gate_activation: int = 1,
              origin_mode: bool = False):
    cell = _cell(activation, gate_activation, origin_mode)
    gates = x.copy() if bias is None else x + bias.reshape(-1)
    reset, new = cell.step(xp, gates, h, *cell.weights(weight))
    return new, gates, reset


def _gru_unit_grad(xp, h, weight, bias, gates, reset, grad, gate_grad, reset_grad, *, activation: int,
                   gate_activation: int, origin_mode: bool):
    cell = _cell(activation, gate_activation, origin_mode)
    d, dh = cell.back(xp, gates, h, grad, *cell.weights(weight), reset_grad, gate_grad)
    hidden = h.shape[1]
    of_weight = cell.joined(xp, h.T @ d[:, :2 * hidden], reset.T @ d[:, 2 * hidden:])
    return d, dh, of_weight, None if bias is None else d.sum(0).reshape(bias.shape)


def _infer_gru_unit(x, h, weight, bias=None, *, activation=2, gate_activation=1, origin_mode=False):
    hidden = weight.shape[0]
    if weight.shape != (hidden, 3 * hidden):
        raise ValueError(f"gru_unit(weight): must be [size, 3 * size]. Received {list(weight.shape)}.")
    for name, value, width in (("input", x, 3 * hidden), ("hidden", h, hidden)):
        if value.rank != 2 or value.shape[1] not in (-1, width):
            raise ValueError(f"gru_unit({name}): must be [rows, {width}]. Received {list(value.shape)}.")
    for name, number in (("activation", activation), ("gate_activation", gate_activation)):
        if not 0 <= number < len(_BY_NUMBER):
            raise ValueError(f"gru_unit({name}): must be one of {', '.join(_BY_NUMBER)}, by number. "
                             f"Received {number}.")
    rows = x.shape[0] if x.shape[0] >= 0 else h.shape[0]
    state = Spec((rows, hidden), x.dtype)
    return state, Spec((rows, 3 * hidden), x.dtype), state


def _gru_unit_gradients(g, d_Gate, d_ResetHiddenPrev, HiddenPrev, Weight, Bias, Gate, ResetHiddenPrev, activation,
                        gate_activation, origin_mode):
    return apply(gru_unit_grad_op, HiddenPrev, Weight, Bias, Gate, ResetHiddenPrev, g, d_Gate, d_ResetHiddenPrev,
                 activation=activation, gate_activation=gate_activation, origin_mode=origin_mode)


gru_unit_grad_op = operator(
    "gru_unit_grad",
    "HiddenPrev, Weight, Bias?, Gate, ResetHiddenPrev, HiddenGrad, GateGrad, ResetHiddenPrevGrad -> "
    "InputGrad, HiddenPrevGrad, WeightGrad, BiasGrad", kernel=_gru_unit_grad,
    infer=lambda h, weight, bias, gates, *_, **__: (gates, h, weight, bias), only_here=True,
    grad=differentiable_once("HiddenPrev, Weight, Bias, Gate, ResetHiddenPrev, HiddenGrad, GateGrad, "
                             "ResetHiddenPrevGrad", "gru_unit"))
gru_unit_op = operator(
    "gru_unit", "Input, HiddenPrev, Weight, Bias? -> Hidden, Gate&, ResetHiddenPrev&", kernel=_gru_unit,
    infer=_infer_gru_unit, grad={"Input, HiddenPrev, Weight, Bias": _gru_unit_gradients}, lod="drop")
"""The new state, the gates' values, and what the reset gate leaves of the state before."""


def _lstm_unit(xp, x, c, *, forget_bias: float = 0.0):
    i, f, o, j = xp.split(x, 4, axis=1)
    new = sigmoid(xp, f + xp.asarray(forget_bias, x.dtype)) * c + sigmoid(xp, i) * xp.tanh(j)
    return new, sigmoid(xp, o) * xp.tanh(new)


def _lstm_unit_grad(xp, x, c, new, grad, hidden_grad, *, forget_bias: float):
    i, f, o, j = xp.split(x, 4, axis=1)
    i, f, o, j = sigmoid(xp, i), sigmoid(xp, f + xp.asarray(forget_bias, x.dtype)), sigmoid(xp, o), xp.tanh(j)
    shown = xp.tanh(new)
    dc = grad + hidden_grad * o * (1 - shown * shown)
    parts = [dc * j * i * (1 - i), dc * c * f * (1 - f), hidden_grad * shown * o * (1 - o), dc * i * (1 - j * j)]
    return xp.concatenate(parts, axis=1), dc * f


def _infer_lstm_unit(x, c, *, forget_bias=0.0):
    if x.rank != 2 or c.rank != 2 or (-1 not in (x.shape[1], c.shape[1]) and x.shape[1] != 4 * c.shape[1]):
        raise ValueError(f"lstm_unit(x_t, cell_t_prev): must be [rows, 4 * size], all gates, and [rows, size]. "
                         f"Received {list(x.shape)} and {list(c.shape)}.")
    return c, c


def _lstm_unit_gradients(g, d_H, X, C_prev, C, forget_bias):
    return apply(lstm_unit_grad_op, X, C_prev, C, g, d_H, forget_bias=forget_bias)


lstm_unit_grad_op = operator(
    "lstm_unit_grad", "X, C_prev, C, CGrad, HGrad -> XGrad, C_prevGrad", kernel=_lstm_unit_grad,
    infer=lambda x, c, *_, **__: (x, c), only_here=True,
    grad=differentiable_once("X, C_prev, C, CGrad, HGrad", "lstm_unit"))
lstm_unit_op = operator("lstm_unit", "X, C_prev -> C, H", kernel=_lstm_unit, infer=_infer_lstm_unit,
                        grad={"X, C_prev": _lstm_unit_gradients}, lod="drop")
"""The new cell and hidden values, with gates input, forget, output, candidate side by side in X."""


def activation_number(what: str, name: Any) -> int:
    """The number of an activation in files. ValueError for one that a unit has not."""
    if name not in _BY_NUMBER:
        raise ValueError(f"{what}: must be one of {', '.join(_BY_NUMBER)}. Received {name!r}.")
    return _BY_NUMBER.index(name)
