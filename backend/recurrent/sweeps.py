"""Whole sweeps over the steps of one direction of one layer as generated loops, for each kind of cell, there and back.

A thread takes a part of the batch, in blocks of 4 sequences, through all steps: no thread waits for another. Arrays are
[steps, batch, ...]; `first` and `step` say in which order steps are taken. `z` and `back` have rows of whole panels,
`z` a row of zeros behind its blocks of rows.

There, `gates` holds the inputs' part where `features` is 0; otherwise it is computed here, from `x`, whose steps and
rows lie `x_step` and `x_row` apart: an LSTM's and a simple cell's in one product with the state's, whose rows `xh` are
`features` elements of the input and then the state. With `keep` 0 nothing is kept: `gates` and `beside` have one step
only.
"""
# ruff: noqa: D103 - kernels; `loop_engine.py` says what they are given

from __future__ import annotations

from .. import loops
from ..loops.compiler import has_wide_vectors
from ..loops.names import parallel, soon
from .blocks import asking_block_product, block_product, row_product
from .rows import clear, copy, gru_row, gru_row_back, lstm_row, lstm_row_back, rnn_row, rnn_row_back


@loops.function
def rows_of_part(part, parts, batch):
    """The first row of a thread's part of the batch, and the one behind its last: whole blocks of 4."""
    blocks = (batch + 3) // 4
    return blocks * part // parts * 4, blocks * (part + 1) // parts * 4


@loops.function
def add_panel(a, a_step, weights, z, begin, end, batch, depth, z_row, zeros):
    """z += a weights for the rows from `begin` up to `end` and a panel, part by part: the innermost cache holds it.

    Sums begin with the zeros that lie in z from `zeros` on; with what z holds where that is -1.
    """
    for k in range(0, depth, 256):
        for r in range(begin, end, 4):
            start = r * z_row
            start_step = z_row
            if zeros >= 0 and k == 0:
                start = zeros
                start_step = 0
            if batch - r == 1:
                row_product(a + (r * a_step + k), weights + k * 16, min(256, depth - k), z + start, z + r * z_row)
            else:
                block_product(a + (r * a_step + k), a_step, batch - r, weights + k * 16, min(256, depth - k), z + start,
                              start_step, z + r * z_row, z_row)


if has_wide_vectors():
    @loops.function
    def add_product(a, a_step, weights, z, begin, end, batch, depth, panels, z_row, zeros, wide, narrow, width, rows,
                    rows_step):
        """z += a weights for the rows from `begin` up to `end`; a last row that is alone in its block stays so.

        Meanwhile what is read or written next is brought near: of the same rows, which have 4 `width` elements in
        `wide`, `width` in `narrow`, and as many in `rows`, which lie `rows_step` apart.
        """
        most = max(0, (min(end, batch) - begin) * width - 256)
        n = 0
        together = end
        if batch % 4 == 1:
            together = min(end, batch - 1)
        whole = panels // 4 * 4
        for p in range(0, whole, 4):
            for k in range(0, depth, 256):
                for r in range(begin, together, 4):
                    start = r * z_row + p * 16
                    start_step = z_row
                    if zeros >= 0 and k == 0:
                        start = zeros
                        start_step = 0
                    at = begin * width + min(n * 256, most)
                    for j in range(0, width, 16):
                        soon(rows + (min(begin + n, end - 1) * rows_step + j))
                    n += 1
                    asking_block_product(a + (r * a_step + k), a_step, batch - r, weights + (p * depth + k) * 16,
                                         depth * 16, min(256, depth - k), z + start, start_step,
                                         z + (r * z_row + p * 16), z_row, wide + 4 * at, narrow + at)
        for p in range(panels):
            first = begin
            if p < whole:
                first = together
            from_zeros = zeros
            if zeros >= 0:
                from_zeros = zeros - p * 16
            add_panel(a, a_step, weights + p * depth * 16, z + p * 16, first, end, batch, depth, z_row, from_zeros)
else:
    @loops.function
    def add_product(a, a_step, weights, z, begin, end, batch, depth, panels, z_row, zeros, wide, narrow, width, rows,
                    rows_step):
        """The same, a panel at a time."""
        for p in range(panels):
            from_zeros = zeros
            if zeros >= 0:
                from_zeros = zeros - p * 16
            add_panel(a, a_step, weights + p * depth * 16, z + p * 16, begin, end, batch, depth, z_row, from_zeros)


@loops.function
def behind(batch, z_row):
    """Where zeros lie in z: behind the whole blocks of rows."""
    return (batch + 3) // 4 * 4 * z_row


@loops.function
def from_input(x, weights, gates, z, t, begin, end, batch, features, columns, panels, z_row, x_step, x_row):
    """z = x weights for the rows from `begin` up to `end`, or what `gates` holds."""
    if features > 0:
        add_product(x + t * x_step, x_row, weights, z, begin, end, batch, features, panels, z_row, behind(batch, z_row),
                    z, z, 0, z, 0)
    else:
        for r in range(begin, min(end, batch)):
            copy(gates + (t * batch + r) * columns, z + r * z_row, columns)


@loops.function
def from_both(x, gates, weights, xh, z, t, begin, end, batch, features, hidden, columns, panels, x_step, x_row, wide,
              narrow, width, rows):
    """z = the product of the input and the state with both weights for the rows from `begin` up to `end`."""
    depth = features + hidden
    zeros = behind(batch, panels * 16)
    if features == 0:
        zeros = -1
        clear(z + begin * panels * 16, (end - begin) * panels * 16)
    for r in range(begin, min(end, batch)):
        if features > 0:
            copy(x + (t * x_step + r * x_row), xh + r * depth, features)
        else:
            copy(gates + (t * batch + r) * columns, z + r * panels * 16, columns)
    add_product(xh, depth, weights, z, begin, end, batch, depth, panels, panels * 16, zeros, wide, narrow, width, rows,
                x_row)


@loops.kernel
def lstm_forward(x, gates, bias, weights, xh, z, beside, out, lengths, c, steps, batch, features, hidden, panels, width,
                 keep, x_step, x_row, first, step, parts):
    for part in parallel(parts, steps * batch * hidden):
        begin, end = rows_of_part(part, parts, batch)
        for n in range(steps):
            t = first + n * step
            row = t * keep * batch
            from_both(x, gates, weights, xh, z, t, begin, end, batch, features, hidden, 4 * hidden, panels, x_step,
                      x_row, gates + row * 4 * hidden, beside + row * hidden, hidden, x + (t + step) * x_step)
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
            add_product(h, hidden, weights, z + panels * 16, begin, end, batch, hidden, panels, panels * 32,
                        behind(batch, panels * 32), z, z, 0, z, 0)
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
            from_both(x, gates, weights, xh, z, t, begin, end, batch, features, hidden, hidden, panels, x_step, x_row,
                      z, z, 0, z)
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
            row = (t + step) * batch
            add_product(of + t * batch * 4 * hidden, 4 * hidden, weights, back, begin, end, batch, 4 * hidden, panels,
                        panels * 16, -1, gates + row * 4 * hidden, beside + (row + step * batch) * hidden, hidden,
                        grad_out + (t + step) * grad_step, grad_row)


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
                        panels, panels * 16, -1, back, back, 0, back, 0)


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
            add_product(of + t * batch * hidden, hidden, weights, back, begin, end, batch, hidden, panels, panels * 16,
                        -1, back, back, 0, back, 0)
