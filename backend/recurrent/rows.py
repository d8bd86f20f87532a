"""The arithmetic of one step of one sequence, as functions that generated loops call; `cells.py` says what it means.

`z` is what the gates are made of, without biases; for GRU without the recurrent product, which stands beside it.
"""
# ruff: noqa: D103 - in the order of cells.py

from __future__ import annotations

from .. import loops
from ..loops.names import fma


@loops.function
def fast_tanh(x):
    """tanh within 4e-7: a rational function of least relative error, by `tests/backend/recurrent/fit_tanh.py`."""
    low = -8.0 if x < -8.0 else x
    a = 8.0 if low > 8.0 else low
    s = a * a
    p = fma(s, 1.523061009e-08, 2.189479948e-05)
    p = fma(p, s, 0.003571606367)
    p = fma(p, s, 0.1344450501)
    p = fma(p, s, 1.0)
    q = fma(s, 8.522524892e-07, 0.0003411305664)
    q = fma(q, s, 0.02616447469)
    q = fma(q, s, 0.4677783233)
    q = fma(q, s, 1.0)
    return a * p / q


@loops.function
def fast_sigmoid(x):
    return fma(fast_tanh(x * 0.5), 0.5, 0.5)


@loops.function
def sigmoids(gates, bias, z, begin, end):
    for j in range(begin, end):
        gates[j] = fast_sigmoid(z[j] + bias[j])


@loops.function
def lstm_row(gates, bias, z, h, c, beside, out, hidden):
    sigmoids(gates, bias, z, 0, 2 * hidden)
    sigmoids(gates, bias, z, 3 * hidden, 4 * hidden)
    for j in range(2 * hidden, 3 * hidden):
        gates[j] = fast_tanh(z[j] + bias[j])
    for j in range(hidden):
        new = gates[hidden + j] * c[j] + gates[j] * gates[2 * hidden + j]
        y = gates[3 * hidden + j] * fast_tanh(new)
        c[j] = new
        beside[j] = new
        h[j] = y
        out[j] = y


@loops.function
def lstm_row_back(gates, cell, before, grad_out, back, dc, of, hidden):
    for j in range(hidden):
        i = gates[j]
        f = gates[hidden + j]
        g = gates[2 * hidden + j]
        o = gates[3 * hidden + j]
        content = fast_tanh(cell[j])
        dh = grad_out[j] + back[j]
        d = dc[j] + dh * o * (1.0 - content * content)
        of[j] = d * g * i * (1.0 - i)
        of[hidden + j] = d * before[j] * f * (1.0 - f)
        of[2 * hidden + j] = d * i * (1.0 - g * g)
        of[3 * hidden + j] = dh * content * o * (1.0 - o)
        dc[j] = d * f
        back[j] = 0.0


@loops.function
def gru_row(gates, bias, z, product, h, beside, out, hidden):
    for j in range(2 * hidden):
        gates[j] = fast_sigmoid(z[j] + product[j] + bias[j])
    for j in range(hidden):
        n_at = 2 * hidden + j
        recurrent = product[n_at] + bias[3 * hidden + j]
        n = fast_tanh(z[n_at] + bias[n_at] + gates[j] * recurrent)
        y = n + gates[hidden + j] * (h[j] - n)
        gates[n_at] = n
        beside[j] = recurrent
        h[j] = y
        out[j] = y


@loops.function
def gru_row_back(gates, recurrent, before, grad_out, back, of_input, of_hidden, hidden):
    for j in range(hidden):
        reset = gates[j]
        update = gates[hidden + j]
        n = gates[2 * hidden + j]
        dh = grad_out[j] + back[j]
        dn = dh * (1.0 - update) * (1.0 - n * n)
        du = dh * (before[j] - n) * update * (1.0 - update)
        dr = dn * recurrent[j] * reset * (1.0 - reset)
        of_input[j] = dr
        of_input[hidden + j] = du
        of_input[2 * hidden + j] = dn
        of_hidden[j] = dr
        of_hidden[hidden + j] = du
        of_hidden[2 * hidden + j] = dn * reset
        back[j] = dh * update


@loops.function
def rnn_row(gates, bias, z, h, out, hidden, relu):
    for j in range(hidden):
        a = z[j] + bias[j]
        y = max(a, 0.0) if relu else fast_tanh(a)
        gates[j] = y
        h[j] = y
        out[j] = y


@loops.function
def rnn_row_back(gates, grad_out, back, of, hidden, relu):
    for j in range(hidden):
        y = gates[j]
        relu_slope = 1.0 if y > 0.0 else 0.0
        slope = relu_slope if relu else 1.0 - y * y
        of[j] = (grad_out[j] + back[j]) * slope
        back[j] = 0.0


@loops.function
def clear(x, count):
    for j in range(count):
        x[j] = 0.0


@loops.function
def copy(x, out, count):
    for j in range(count):
        out[j] = x[j]
