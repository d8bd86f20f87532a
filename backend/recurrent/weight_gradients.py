"""The gradients of a cell's weights, summed over all steps and sequences, as one generated loop.

A thread takes a part of the gates. Chunk by chunk of the rows (a step of a sequence each) it packs both factors and
adds their products. Nothing is copied or transposed as a whole, and the number of threads changes no bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import loops, threads
from ..loops.compiler import has_wide_vectors
from ..loops.names import parallel
from .blocks import COLUMNS, asking_block_product_across, block_product_across
from .calling import lengths_of, run, scratch
from .rows import clear, copy
from .stack import Line

_CHUNK = 160  # rows whose packed blocks of both factors, and sums of them, stay near a thread
_MOST = 1 << 21  # elements of the sums


@loops.function
def pack_row(source, place, columns, between):
    """A row into the panels, which lie `between` elements apart."""
    whole = columns // 16
    for p in range(whole):
        for c in range(16):
            place[p * between + c] = source[p * 16 + c]
    for c in range(whole * 16, columns):
        place[whole * between + c - whole * 16] = source[c]


@loops.function
def pack_gates(of, place, sums, count, gates, width):
    """16 columns of the rows, or `width` of them, into a panel; and onto their sums."""
    if width == 16:
        for k in range(count):
            for c in range(16):
                place[k * 16 + c] = of[k * gates + c]
                sums[c] += of[k * gates + c]
    else:
        for k in range(count):
            for c in range(width):
                place[k * 16 + c] = of[k * gates + c]
                sums[c] += of[k * gates + c]


@loops.function
def add_panels_across(columns, panel, count, own, first, panels, apart):
    """own += columns' panel for the panels from `first` on, one at a time."""
    for p in range(first, panels):
        for q in range(0, 16, 4):
            block_product_across(columns + q, panel + p * apart, count, own + (q * panels + p) * 16, panels * 16)


if has_wide_vectors():
    @loops.function
    def add_across(columns, panel, count, own, panels, apart, of, gates, x, out, row, rows, batch, x_step, x_row,
                   out_step, out_row):
        """own += columns' panel for all panels, which lie `apart`.

        Meanwhile what is packed next is brought near: a part of `count` rows of `of`, and rows of x and `out` from
        `row` on.
        """
        whole = panels // 4 * 4
        each = count // 16
        n = 0
        for p in range(0, whole, 4):
            for q in range(0, 16, 4):
                next = min(row + n, rows - 1)
                t = next // batch
                r = next % batch
                asking_block_product_across(columns + q, panel + p * apart, apart, count, own + (q * panels + p) * 16,
                                          panels * 16, of + min(n * each, count - each) * gates, gates,
                                          x + (t * x_step + r * x_row), out + (t * out_step + r * out_row))
                n += 1
        add_panels_across(columns, panel, count, own, whole, panels, apart)
else:
    @loops.function
    def add_across(columns, panel, count, own, panels, apart, of, gates, x, out, row, rows, batch, x_step, x_row,
                   out_step, out_row):
        """The same, a panel at a time."""
        add_panels_across(columns, panel, count, own, 0, panels, apart)


@loops.kernel
def _sum_products(of, x, out, states, lengths, of_x, of_h, sums, products, left, right, steps, batch, gates, features,
                  hidden, x_panels, panels, x_step, x_row, out_step, out_row, shift, chunk, parts):
    for part in parallel(parts, steps * batch * gates):
        blocks = (gates + 15) // 16
        first = blocks * part // parts
        last = blocks * (part + 1) // parts
        columns = left + part * chunk * 16
        panel = right + part * panels * chunk * 16
        clear(sums + first * 16, (last - first) * 16)
        clear(products + first * 256 * panels, (last - first) * 256 * panels)
        clear(columns, chunk * 16)
        clear(panel, panels * chunk * 16)
        for begin in range(0, steps * batch, chunk):
            count = min(chunk, steps * batch - begin)
            for k in range(count):
                t = (begin + k) // batch
                r = (begin + k) % batch
                pack_row(x + (t * x_step + r * x_row), panel + k * 16, features, chunk * 16)
                before = t + shift
                if before >= 0 and before < lengths[r]:
                    pack_row(out + (before * out_step + r * out_row), panel + (x_panels * chunk + k) * 16, hidden,
                             chunk * 16)
                else:
                    pack_row(states + r * hidden, panel + (x_panels * chunk + k) * 16, hidden, chunk * 16)
            for g in range(first, last):
                pack_gates(of + (begin * gates + g * 16), columns, sums + g * 16, count, gates,
                           min(16, gates - g * 16))
                after = begin * gates + (g + 1) * 16
                if g == last - 1:
                    after = (begin + chunk) * gates + first * 16
                add_across(columns, panel, count, products + g * 256 * panels, panels, chunk * 16, of + after, gates,
                           x, out, begin + chunk + (g - first) * (panels // 4 * 4), steps * batch, batch, x_step, x_row,
                           out_step, out_row)
        for g in range(first * 16, min(last * 16, gates)):
            copy(products + g * panels * 16, of_x + g * features, features)
            copy(products + (g * panels + x_panels) * 16, of_h + g * hidden, hidden)


def sum_products(of: Any, line: Line, with_input: bool, with_state: bool) -> Any:
    """The sums over all steps and sequences of `of` times the input, of `of` times the state before, and of `of`.

    `of` is [steps, batch, gates], contiguous; the first is [gates, features], the second [gates, hidden], the last
    [gates]. A product that is not wanted has no columns. NotImplemented for what is too large for this.
    """
    (steps, batch, gates), plan, x, out = of.shape, line.plan, line.x, line.out
    features, hidden = x.shape[2] if with_input else 0, plan.hidden if with_state else 0
    blocks, x_panels, panels = (-(-n // COLUMNS) for n in (gates, features, hidden))
    panels += x_panels
    if blocks * panels * COLUMNS**2 > _MOST:
        return NotImplemented
    parts = min(threads.get_num_threads(), blocks)
    if x.strides[2] != x.itemsize:
        x = np.ascontiguousarray(x)
    of_x, of_h = np.empty((gates, features), np.float32), np.empty((gates, hidden), np.float32)
    sums = np.empty(blocks * COLUMNS, np.float32)
    products = scratch("products", (blocks * COLUMNS, panels * COLUMNS))
    left, right = scratch("left", (parts, _CHUNK, COLUMNS)), scratch("right", (parts, panels, _CHUNK, COLUMNS))
    between = [stride // a.itemsize for a in (x, out) for stride in a.strides[:2]]
    run(_sum_products, of, x, out, np.ascontiguousarray(line.h), lengths_of(line), of_x, of_h, sums, products, left,
        right, steps, batch, gates, features, hidden, x_panels, panels, *between, -line.order.step, _CHUNK, parts)
    return of_x, of_h, sums[:gates]
