"""Whole sweeps over the steps of one direction of one layer as generated loops, for each kind of cell, there and back.

A thread takes a part of the batch, in blocks of 4 sequences, through all steps: no thread waits for another. Arrays are
[steps, batch, ...]; `first` and `step` say in which order steps are taken. `z` and `back` have rows of whole panels.

There, `gates` holds the inputs' part where `features` is 0; otherwise it is computed here, from `x`, whose steps and
rows lie `x_step` and `x_row` apart: an LSTM's and a simple cell's in one product with the state's, whose rows `xh` are
`features` elements of the input and then the state. With `keep` 0 nothing is kept: `gates` and `beside` have one step
only.
"""
# ruff: noqa: D103 - kernels; `loop_engine.py` says what they are given

from __future__ import annotations

from .. import loops
from ..loops.compiler import has_wide_vectors
from ..loops.names import parallel
from .blocks import block_product, row_product, wide_block_product
from .rows import clear, copy, gru_row, gru_row_back, lstm_row, lstm_row_back, rnn_row, rnn_row_back


@loops.function
def rows_of_part(part, parts, batch):
    """The first row of a thread's part of the batch, and the one behind its last: whole blocks of 4."""
    blocks = (batch + 3) // 4
    return blocks * part // parts * 4, blocks * (part + 1) // parts * 4


@loops.function
def add_block(a, a_step, left, weights, depth, z, z_row):
    """z += a weights for a block of 4 rows, of which `a` has `left`."""
    if left == 1:
        row_product(a, weights, depth, z)
    else:
        block_product(a, a_step, left, weights, depth, z, z_row)


@loops.function
def add_panel(a, a_step, weights, z, begin, end, batch, depth, z_row):
    """z += a weights for the rows from `begin` up to `end` and a panel, part by part: the innermost cache holds it."""
    for k in range(0, depth, 256):
        for r in range(begin, end, 4):
            add_block(a + (r * a_step + k), a_step, batch - r, weights + k * 16, min(256, depth - k), z + r * z_row,
                      z_row)


if has_wide_vectors():
    @loops.function
    def add_product(a, a_step, weights, z, begin, end, batch, depth, panels, z_row):
        """z += a weights for the rows from `begin` up to `end`; a last row that is alone in its block stays so."""
        together = end
        if batch % 4 == 1:
            together = min(end, batch - 1)
        whole = panels // 4 * 4
        for p in range(0, whole, 4):
            for k in range(0, depth, 256):
                for r in range(begin, together, 4):
                    wide_block_product(a + (r * a_step + k), a_step, batch - r, weights + (p * depth + k) * 16,
                                       depth * 16, min(256, depth - k), z + (r * z_row + p * 16), z_row)
        for p in range(panels):
            first = begin
            if p < whole:
                first = together
            add_panel(a, a_step, weights + p * depth * 16, z + p * 16, first, end, batch, depth, z_row)
else:
    @loops.function
    def add_product(a, a_step, weights, z, begin, end, batch, depth, panels, z_row):
        """The same, a panel at a time."""
        for p in range(panels):
            add_panel(a, a_step, weights + p * depth * 16, z + p * 16, begin, end, batch, depth, z_row)


@loops.function
def from_input(x, weights, gates, z, t, begin, end, batch, features, columns, panels, z_row, x_step, x_row):
    """z = x weights for the rows from `begin` up to `end`, or what `gates` holds; zeros behind it."""
    for r in range(begin, end):
        clear(z + r * z_row, z_row)
    if features > 0:
        add_product(x + t * x_step, x_row, weights, z, begin, end, batch, features, panels, z_row)
    else:
        for r in range(begin, min(end, batch)):
            copy(gates + (t * batch + r) * columns, z + r * z_row, columns)


@loops.function
def from_both(x, gates, weights, xh, z, t, begin, end, batch, features, hidden, columns, panels, x_step, x_row):
    """z = the product of the input and the state with both weights for the rows from `begin` up to `end`."""
    depth = features + hidden
    for r in range(begin, end):
        clear(z + r * panels * 16, panels * 16)
    for r in range(begin, min(end, batch)):
        if features > 0:
            copy(x + (t * x_step + r * x_row), xh + r * depth, features)
        else:
            copy(gates + (t * batch + r) * columns, z + r * panels * 16, columns)
    add_product(xh, depth, weights, z, begin, end, batch, depth, panels, panels * 16)


@loops.kernel
def lstm_forward(x, gates, bias, weights, xh, z, beside, out, lengths, c, steps, batch, features, hidden, panels, width,
                 keep, x_step, x_row, first, step, parts):
    for part in parallel(parts, steps * batch * hidden):
        begin, end = rows_of_part(part, parts, batch)
        for n in range(steps):
            t = first + n * step
            from_both(x, gates, weights, xh, z, t, begin, end, batch, features, hidden, 4 * hidden, panels, x_step,
                      x_row)
            for r in range(begin, min(end, batch)):
                row = t * keep * batch + r
                y = out + (t * batch + r) * width
                if t < lengths[r]:
                    lstm_row(gates + row * 4 * hidden, bias, z + r * panels * 16,
                             xh + (r * (features + hidden) + features), c + r * hidden, beside + row * hidden, y,
                             hidden)
                else:
                    clear(y, hidden)
                    copy(c + r * hidden, beside + row * hidden, hidden)


@loops.kernel
def gru_forward(x, x_weights, gates, bias, weights, h, z, beside, out, lengths, steps, batch, features, hidden, panels,
                width, keep, x_step, x_row, first, step, parts):
    for part in parallel(parts, steps * batch * hidden):
        begin, end = rows_of_part(part, parts, batch)
        for n in range(steps):
            t = first + n * step
            from_input(x, x_weights, gates, z, t, begin, end, batch, features, 3 * hidden, panels, panels * 32, x_step,
                       x_row)
            add_product(h, hidden, weights, z + panels * 16, begin, end, batch, hidden, panels, panels * 32)
            for r in range(begin, min(end, batch)):
                row = t * keep * batch + r
                y = out + (t * batch + r) * width
                if t < lengths[r]:
                    gru_row(gates + row * 3 * hidden, bias, z + r * panels * 32, z + (2 * r + 1) * panels * 16,
                            h + r * hidden, beside + row * hidden, y, hidden)
                else:
                    clear(y, hidden)


@loops.kernel
def rnn_forward(x, gates, bias, weights, xh, z, beside, out, lengths, relu, steps, batch, features, hidden, panels,
                width, keep, x_step, x_row, first, step, parts):
    for part in parallel(parts, steps * batch * hidden):
        begin, end = rows_of_part(part, parts, batch)
        for n in range(steps):
            t = first + n * step
            from_both(x, gates, weights, xh, z, t, begin, end, batch, features, hidden, hidden, panels, x_step, x_row)
            for r in range(begin, min(end, batch)):
                y = out + (t * batch + r) * width
                if t < lengths[r]:
                    rnn_row(gates + (t * keep * batch + r) * hidden, bias, z + r * panels * 16,
                            xh + (r * (features + hidden) + features), y, hidden, relu)
                else:
                    clear(y, hidden)


@loops.kernel
def lstm_backward(gates, beside, cells, grad_out, weights, back, of, lengths, dc, steps, batch, hidden, panels,
                  grad_step, grad_row, first, step, parts):
    for part in parallel(parts, steps * batch * hidden):
        begin, end = rows_of_part(part, parts, batch)
        for n in range(steps):
            t = first + n * step
            for r in range(begin, min(end, batch)):
                row = t * batch + r
                dy = grad_out + (t * grad_step + r * grad_row)
                if t < lengths[r]:
                    if n < steps - 1:
                        lstm_row_back(gates + row * 4 * hidden, beside + row * hidden,
                                      beside + (row + step * batch) * hidden, dy, back + r * panels * 16,
                                      dc + r * hidden, of + row * 4 * hidden, hidden)
                    else:
                        lstm_row_back(gates + row * 4 * hidden, beside + row * hidden, cells + r * hidden, dy,
                                      back + r * panels * 16, dc + r * hidden, of + row * 4 * hidden, hidden)
                else:
                    clear(of + row * 4 * hidden, 4 * hidden)
            add_product(of + t * batch * 4 * hidden, 4 * hidden, weights, back, begin, end, batch, 4 * hidden, panels,
                        panels * 16)


@loops.kernel
def gru_backward(gates, beside, out, states, grad_out, weights, back, of_input, of_hidden, lengths, steps, batch,
                 hidden, panels, width, grad_step, grad_row, first, step, parts):
    for part in parallel(parts, steps * batch * hidden):
        begin, end = rows_of_part(part, parts, batch)
        for n in range(steps):
            t = first + n * step
            for r in range(begin, min(end, batch)):
                row = t * batch + r
                dy = grad_out + (t * grad_step + r * grad_row)
                if t < lengths[r]:
                    if n < steps - 1 and t + step < lengths[r]:
                        gru_row_back(gates + row * 3 * hidden, beside + row * hidden,
                                     out + (row + step * batch) * width, dy, back + r * panels * 16,
                                     of_input + row * 3 * hidden, of_hidden + row * 3 * hidden, hidden)
                    else:
                        gru_row_back(gates + row * 3 * hidden, beside + row * hidden, states + r * hidden, dy,
                                     back + r * panels * 16, of_input + row * 3 * hidden,
                                     of_hidden + row * 3 * hidden, hidden)
                else:
                    clear(of_input + row * 3 * hidden, 3 * hidden)
                    clear(of_hidden + row * 3 * hidden, 3 * hidden)
            add_product(of_hidden + t * batch * 3 * hidden, 3 * hidden, weights, back, begin, end, batch, 3 * hidden,
                        panels, panels * 16)


@loops.kernel
def rnn_backward(gates, grad_out, weights, back, of, lengths, relu, steps, batch, hidden, panels, grad_step, grad_row,
                 first, step, parts):
    for part in parallel(parts, steps * batch * hidden):
        begin, end = rows_of_part(part, parts, batch)
        for n in range(steps):
            t = first + n * step
            for r in range(begin, min(end, batch)):
                row = t * batch + r
                if t < lengths[r]:
                    rnn_row_back(gates + row * hidden, grad_out + (t * grad_step + r * grad_row),
                                 back + r * panels * 16, of + row * hidden, hidden, relu)
                else:
                    clear(of + row * hidden, hidden)
            add_product(of + t * batch * hidden, hidden, weights, back, begin, end, batch, hidden, panels,
                        panels * 16)
