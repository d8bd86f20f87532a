"""Small matrix products inside generated loops: a block of 4 rows by 16 columns, whose sums stay in registers.

With vectors of 64 bytes a block's sums are four, each of which waits for the product before: the processor is busy with
four such blocks side by side, which read a row's element once for all four panels. Each sum adds the same products in
the same order, so the bits are the same.
The second factor is packed: columns in panels of 16, one panel after the other, in each the rows one after the other;
columns that are missing are zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import loops
from ..in_order import turn_into
from ..loops.functions import declare
from ..loops.names import parallel
from ..threads import get_num_threads
from .calling import lines

ROWS, COLUMNS = 4, 16
_TYPES = ("f32*", "f32*", *["i64"] * 6)  # what `_pack` takes


def _source(name: str, parameters: str, at: str, element: str, panels: int = 1, soon: Sequence[str] = ()) -> str:
    """The source of a product of a block with some panels, in which every sum is a variable.

    `at` says where row r begins, if anything, and `element` is its factor of term k. Panels lie `apart` in the second
    factor, side by side in what is added to. `soon` are places that are asked for meanwhile, by term.
    """
    rows, columns = range(ROWS), range(panels * COLUMNS)
    sums = [(r, c) for r in rows for c in columns]
    lines = [f"def {name}({parameters}):"]
    lines += [f"    a{r} = a + {at.format(r=r)}" for r in rows if at]
    if "start" in parameters:
        lines += [f"    start{r} = start + {r} * start_step" for r in rows]
    lines += [f"    out{r} = out + {r} * out_step" for r in rows]
    begin = "start" if "start" in parameters else "out"
    lines += [f"    s{r}_{c} = {begin}{r}[{c}]" for r, c in sums]
    lines += ["    for k in range(depth):"]
    lines += [f"        b{p} = b + ({f'{p} * apart + ' if p else ''}k * {COLUMNS})" for p in range(panels)]
    lines += [f"        y{c} = b{c // COLUMNS}[{c % COLUMNS}]" for c in columns]
    lines += [f"        soon({place})" for place in soon]
    lines += [f"        x{r} = {element.format(r=r)}" for r in rows]
    lines += [f"        s{r}_{c} = fma(x{r}, y{c}, s{r}_{c})" for r, c in sums]
    lines += [f"    out{r}[{c}] = s{r}_{c}" for r, c in sums]
    return "\n".join(lines)


def _row_source() -> str:
    """The source of a product of one row, whose terms are summed in four parts: a sum alone waits for each product."""
    parts, columns = range(4), range(COLUMNS)
    lines = ["def row_product(a, b, depth, start, out):", "    size = depth // 4"]
    lines += [f"    a{r} = a + {r} * size" for r in parts]
    lines += [f"    b{r} = b + {r * COLUMNS} * size" for r in parts]
    lines += [f"    s{r}_{c} = {f'start[{c}]' if r == 0 else '0.0'}" for r in parts for c in columns]
    lines += ["    for k in range(size):"]
    for r in parts:
        lines += [f"        row{r} = b{r} + k * {COLUMNS}", f"        x{r} = a{r}[k]"]
        lines += [f"        y{r}_{c} = row{r}[{c}]" for c in columns]
        lines += [f"        s{r}_{c} = fma(x{r}, y{r}_{c}, s{r}_{c})" for c in columns]
    lines += [f"    out[{c}] = s0_{c} + s1_{c} + (s2_{c} + s3_{c})" for c in columns]
    lines += ["    for k in range(4 * size, depth):", f"        for c in range({COLUMNS}):",
              f"            out[c] = fma(a[k], b[k * {COLUMNS} + c], out[c])"]
    return "\n".join(lines)


def row_product(a, b, depth, start, out):
    """out = start + a b for one row."""
    for c in range(COLUMNS):
        out[c] = start[c] + sum(a[k] * b[k * COLUMNS + c] for k in range(depth))


def block_product(a, a_step, rows, b, depth, start, start_step, out, out_step):
    """out = start + a b: `b` is a panel, `a` has `rows` rows (of what lies beyond nothing is read), one every `a_step`.

    Of `out` always 4 rows of 16 change, one every `out_step`; those beyond mean nothing. Here in plain Python.
    """
    for r in range(ROWS):
        for c in range(COLUMNS):
            first = min(r, rows - 1) * a_step
            product = sum(a[first + k] * b[k * COLUMNS + c] for k in range(depth))
            out[r * out_step + c] = start[r * start_step + c] + product


def wide_block_product(a, a_step, rows, b, apart, depth, start, start_step, out, out_step):
    """The same with four panels, which lie `apart`: of `out` 4 rows of 64 change."""
    for p in range(PANELS):
        first = p * COLUMNS
        block_product(a, a_step, rows, b[p * apart:], depth, start[first:], start_step, out[first:], out_step)


def asking_block_product(a, a_step, rows, b, apart, depth, start, start_step, out, out_step, first, second):
    """The same, which brings near what is wanted next, as memory would rest: 4 `depth` elements of `first`, `depth` of
    `second`.
    """
    wide_block_product(a, a_step, rows, b, apart, depth, start, start_step, out, out_step)


def block_product_across(a, b, depth, out, out_step):
    """out += a' b: the rows are 4 columns of `a`, a panel too, or of what begins within one."""
    for r in range(ROWS):
        for c in range(COLUMNS):
            out[r * out_step + c] += sum(a[k * COLUMNS + r] * b[k * COLUMNS + c] for k in range(depth))


def wide_block_product_across(a, b, apart, depth, out, out_step):
    """The same with four panels, which lie `apart`."""
    for p in range(PANELS):
        block_product_across(a, b[p * apart:], depth, out[p * COLUMNS:], out_step)


def asking_block_product_across(a, b, apart, depth, out, out_step, first, first_step, second, third):
    """The same, which brings near what is wanted next.

    That is for 16 terms a line of `first`, `first_step` from the one before, and the next one of `second` and `third`.
    """
    wide_block_product_across(a, b, apart, depth, out, out_step)


PANELS = 4  # how many are multiplied at a time where vectors are wide, and there are so many
_ROW, _ACROSS = ("min(rows - 1, {r}) * a_step", "a{r}[k]"), ("", f"a[k * {COLUMNS} + {{r}}]")
_OF_ROWS, _OF_COLUMNS = "a, a_step, rows, b, {}depth, start, start_step, out, out_step", "a, b, {}depth, out, out_step"


def _declare(name: str, parameters: str, how: tuple[str, str], panels: int = 1, soon: Sequence[str] = ()) -> None:
    declare(name, _source(name, parameters.format("apart, " if panels > 1 else ""), *how, panels, soon))


_declare("block_product", _OF_ROWS, _ROW)
_declare("wide_block_product", _OF_ROWS, _ROW, panels=PANELS)
_declare("asking_block_product", f"{_OF_ROWS}, first, second", _ROW, panels=PANELS,
         soon=("first + (k >> 2) * 16", "second + (k >> 4) * 16"))
declare("row_product", _row_source())
_declare("block_product_across", _OF_COLUMNS, _ACROSS)
_declare("wide_block_product_across", _OF_COLUMNS, _ACROSS, panels=PANELS)
_declare("asking_block_product_across", f"{_OF_COLUMNS}, first, first_step, second, third", _ACROSS, panels=PANELS,
         soon=("first + (k >> 4) * first_step", "second + (k >> 4) * 16", "third + (k >> 4) * 16"))


@loops.kernel
def _pack(x, out, rows, columns, row_step, column_step, panel_step, panels):
    for p in parallel(panels, rows * 16):
        for k in range(rows):
            place = out + (p * panel_step + k * 16)
            for c in range(16):
                j = min(p * 16 + c, columns - 1)
                value = x[k * row_step + j * column_step]
                place[c] = value if p * 16 + c < columns else 0.0


@loops.kernel
def _pack_lines(x, out, rows, columns, panel_step, panels):
    for p in parallel(panels, rows * 16):
        for k in range(rows):
            for c in range(16):
                out[p * panel_step + k * 16 + c] = x[k * columns + p * 16 + c]


def pack(*matrices: np.ndarray) -> np.ndarray:
    """Matrices of float32, transposed or not, one below the other, as the second factor: [panels, rows, 16]."""
    columns = matrices[0].shape[1]
    panels = -(-columns // COLUMNS)
    out = lines((panels, sum(len(x) for x in matrices), COLUMNS))
    first = 0
    for x in matrices:
        place = out[:, first:first + len(x)]
        first += len(x)
        if panels * COLUMNS == columns and x.flags.f_contiguous:
            turn_into(x.T.reshape(panels, COLUMNS, -1), place)
            continue
        if panels * COLUMNS == columns and x.flags.c_contiguous:
            _pack_lines.typed("f32*", "f32*", *["i64"] * 4)(
                get_num_threads(), x, place, len(x), columns, out.strides[0] // x.itemsize, panels)
            continue
        steps = [stride // x.itemsize for stride in (*x.strides, out.strides[0])]
        _pack.typed(*_TYPES)(get_num_threads(), x, place, *x.shape, *steps, panels)
    return out


def padded(rows: int) -> int:
    """The number of rows, rounded up to whole blocks."""
    return -(-rows // ROWS) * ROWS
