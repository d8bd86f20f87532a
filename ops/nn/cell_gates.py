"""The gates of GRU and LSTM cells as one operator each: all of a cell's step but its two products.

In Programs, and so in files, the operators that they are composed of stand in their place. Gradients of gradients are
those of the composed form.
"""

from typing import Any

from ..array.concat_split import concat_op, split_op
from ..array.full import is_value
from ..array.gradient_shapes import sum_to
from ..core.infer import broadcast_shapes, promoting
from ..core.operator import operator
from ..core.spec import Spec
from ..core.trace import apply
from ..math.elementwise import add_op, conj_of, multiply_op, subtract_op
from ..math.unary import tanh_op
from .activation import sigmoid_op


def _parts(x: Any, count: int) -> list:
    if not is_value(x):
        width = x.shape[-1] // count
        return [x[..., n * width:(n + 1) * width] for n in range(count)]
    return apply(split_op, x, None, None, sections=[], num=count, axis=len(x.shape) - 1)


def _joined(*parts: Any) -> Any:
    return apply(concat_op, list(parts), None, axis=parts[0].ndim - 1)


def _times(x: Any, y: Any) -> Any:
    return apply(multiply_op, x, y)


def _plus(x: Any, y: Any) -> Any:
    return apply(add_op, x, y)


def _minus(x: Any, y: Any) -> Any:
    return apply(subtract_op, x, y)


def _squash(xp, x):
    """The sigmoid function of an array, in its place: (1 + tanh(x / 2)) / 2 overflows nowhere."""
    x *= 0.5
    xp.tanh(x, out=x)
    x *= 0.5
    x += 0.5


# GRU

def _gru(xp, x, h, state):
    width = x.shape[-1] // 3
    gates = x + h
    both, new = gates[..., :2 * width], gates[..., 2 * width:]
    _squash(xp, both)
    new[...] = gates[..., :width] * h[..., 2 * width:] + x[..., 2 * width:]
    xp.tanh(new, out=new)
    return (state - new) * gates[..., width:2 * width] + new, gates


def _gru_parts(x: Any, h: Any) -> tuple[Any, Any, Any]:
    """The reset and the update gate, and the candidate, of other operators."""
    (xr, xz, xn), (hr, hz, hn) = _parts(x, 3), _parts(h, 3)
    reset = apply(sigmoid_op, _plus(xr, hr))
    return reset, apply(sigmoid_op, _plus(xz, hz)), apply(tanh_op, _plus(xn, _times(reset, hn)))


def _composed_gru(x, h, state):
    _, update, new = _gru_parts(x, h)
    return _plus(_times(_minus(state, new), update), new), None


def _infer_gru(x, h, state):
    gates = broadcast_shapes("gru_gates(x, h)", x.shape, h.shape)
    width = -1 if gates[-1] < 0 else gates[-1] // 3
    return (Spec(broadcast_shapes("gru_gates(x, h, state)", (*gates[:-1], width), state.shape), x.dtype),
            Spec(gates, x.dtype))


def _gru_gradients(g: Any, x: Any, h: Any, state: Any, gates: Any) -> tuple[Any, Any, Any]:
    """Of arrays with the gates that were kept; of values with those of other operators, which have gradients too."""
    reset, update, new = _gru_parts(x, h) if is_value(g) else _parts(gates, 3)
    last = _parts(h, 3)[2]
    to_new = g * conj_of((update * -1.0 + 1.0) * (new * new * -1.0 + 1.0))
    to_update = g * conj_of((state - new) * (update - update * update))
    to_reset = to_new * conj_of(last * (reset - reset * reset))
    return (_to(_joined(to_reset, to_update, to_new), x),
            _to(_joined(to_reset, to_update, to_new * conj_of(reset)), h), _to(g * conj_of(update), state))


def _to(gradient: Any, operand: Any) -> Any:
    return sum_to(gradient, tuple(operand.shape))


gru_gates_op = operator(
    "gru_gates", "X, H, State -> Out, Gates", kernel=_gru, composed=_composed_gru, infer=promoting(_infer_gru),
    compiled="gru_gates",
    grad={"X, H, State": lambda g, X, H, State, Gates: _gru_gradients(g, X, H, State, Gates)})


def gru_gates(x: Any, h: Any, state: Any) -> Any:
    """The new state of a GRU cell, from the products of its input and of its state with the weights, and the state.

    With r, z, n the three parts of each product, in this order: r = sigmoid(x r + h r), z = sigmoid(x z + h z),
    n = tanh(x n + r h n), and the new state is z state + (1 - z) n.
    """
    return apply(gru_gates_op, x, h, state)[0]


# LSTM

def _lstm(xp, x, c):
    width = x.shape[-1] // 4
    gates = x.copy()
    new = gates[..., 2 * width:3 * width]
    _squash(xp, gates[..., :2 * width])
    xp.tanh(new, out=new)
    _squash(xp, gates[..., 3 * width:])
    cell = gates[..., width:2 * width] * c + gates[..., :width] * new
    return gates[..., 3 * width:] * xp.tanh(cell), cell, gates


def _lstm_parts(x: Any) -> tuple[Any, Any, Any, Any]:
    """The input and the forget gate, the candidate and the output gate, of other operators."""
    i, f, new, o = _parts(x, 4)
    return apply(sigmoid_op, i), apply(sigmoid_op, f), apply(tanh_op, new), apply(sigmoid_op, o)


def _composed_lstm(x, c):
    i, f, new, o = _lstm_parts(x)
    cell = _plus(_times(f, c), _times(i, new))
    return _times(o, apply(tanh_op, cell)), cell, None


def _infer_lstm(x, c):
    width = -1 if x.shape[-1] < 0 else x.shape[-1] // 4
    state = Spec(broadcast_shapes("lstm_gates(x, c)", (*x.shape[:-1], width), c.shape), x.dtype)
    return state, state, Spec(x.shape, x.dtype)


def _lstm_gradients(g: Any, g_cell: Any, x: Any, c: Any, cell: Any, gates: Any) -> tuple[Any, Any]:
    i, f, new, o = _lstm_parts(x) if is_value(x) else _parts(gates, 4)
    curved, to_out = apply(tanh_op, cell), None
    if g is not None:
        to_out = g * conj_of(curved * (o - o * o))
        through = g * conj_of(o * (curved * curved * -1.0 + 1.0))
        g_cell = through if g_cell is None else g_cell + through
    to_in, to_forget = g_cell * conj_of(new * (i - i * i)), g_cell * conj_of(c * (f - f * f))
    to_new = g_cell * conj_of(i * (new * new * -1.0 + 1.0))
    to_out = g_cell * 0.0 if to_out is None else to_out
    return _to(_joined(to_in, to_forget, to_new, to_out), x), _to(g_cell * conj_of(f), c)


lstm_gates_op = operator(
    "lstm_gates", "X, C -> Out, Cell, Gates", kernel=_lstm, composed=_composed_lstm, infer=promoting(_infer_lstm),
    compiled="lstm_gates",
    grad={"X, C": lambda given_Out, given_Cell, X, C, Cell, Gates: _lstm_gradients(
        given_Out, given_Cell, X, C, Cell, Gates)})


def lstm_gates(x: Any, c: Any) -> tuple[Any, Any]:
    """The new states (h, c) of an LSTM cell, from the sum of its products with the weights, and c.

    With i, f, g, o the four parts of x, in this order: c' = sigmoid(f) c + sigmoid(i) tanh(g) and
    h' = sigmoid(o) tanh(c').
    """
    h, cell, _ = apply(lstm_gates_op, x, c)
    return h, cell
