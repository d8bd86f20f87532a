"""Maps of several sizes, [channels, rows, columns] each, one behind the other in [N, 1]: var_conv_2d, and averages of
the greatest numbers of each of their rows, sequence_topk_avg_pooling.

How many rows and columns each map has the lengths of other sequences say.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.dtype import int32, int64
from ..array.full import constant
from ..array.gather import gather_op
from ..array.reshape import reshape
from ..core.operator import Ints, operator
from ..core.spec import Spec
from ..core.trace import apply
from ..linalg.matrix_product import matmul
from ..math.casting import dtype_of
from .offsets import checked, from_lengths, lengths_of, levels_of, offset_specs, repeated


class _Maps:
    """The sizes of maps, and where each begins."""

    def __init__(self, xp: Any, rows: Any, columns: Any, channels: int):
        self.xp, self.rows, self.columns, self.channels = xp, rows, columns, channels
        self.offsets = from_lengths(xp, rows * columns * channels)

    def items(self) -> tuple[Any, Any, Any]:
        """For each place of each map, row by row: the map's number, and the place's row and column."""
        xp, counts = self.xp, self.rows * self.columns
        offsets = from_lengths(xp, counts)
        owner = repeated(xp, xp.arange(counts.size), counts, offsets)
        place = xp.arange(int(offsets[-1])) - offsets[owner]
        columns = self.columns[owner]
        return owner, place // columns, place % columns

    def channel_order(self) -> Any:
        """For each number, channel by channel in each map, the place (of all maps) times channels and the channel."""
        xp, counts = self.xp, self.rows * self.columns
        owner = repeated(xp, xp.arange(counts.size), counts * self.channels, self.offsets)
        within = xp.arange(int(self.offsets[-1])) - self.offsets[owner]
        place = within % counts[owner] + from_lengths(xp, counts)[owner]
        return place * self.channels + within // counts[owner]


def _maps(xp: Any, what: str, row_lod: Sequence[Any], column_lod: Sequence[Any], channels: int) -> _Maps:
    rows, columns = lengths_of(row_lod[-1]), lengths_of(column_lod[-1])
    if rows.size != columns.size:
        raise ValueError(f"{what}(row, col): must have equally many sequences. Received {rows.size} and "
                         f"{columns.size}.")
    return _Maps(xp, rows, columns, channels)


def _check_levels(what: str, x: Spec, row_lod: Any, column_lod: Any) -> None:
    levels_of(f"{what}(row)", row_lod, 1, 1)
    levels_of(f"{what}(col)", column_lod, 1, 1)
    if x.rank != 2 or x.shape[1] not in (1, -1):
        raise ValueError(f"{what}(input): must be [N, 1]. Received {list(x.shape)}.")


# Windows of maps

def _strided(xp: Any, maps: _Maps, strides: Sequence[int], channels: int) -> _Maps:
    """The maps of windows that begin at every stride."""
    return _Maps(xp, -(-maps.rows // strides[0]), -(-maps.columns // strides[1]), channels)


def _window_places(xp: Any, maps: _Maps, kernel: Sequence[int], strides: Sequence[int]) -> tuple[Any, Any]:
    """[windows, channels * kernel]: the places of the windows' numbers, and whether these lie within their map."""
    owner, row, column = _strided(xp, maps, strides, 1).items()
    down, across = xp.arange(kernel[0]) - kernel[0] // 2, xp.arange(kernel[1]) - kernel[1] // 2
    rows, columns = row[:, None] * strides[0] + down, column[:, None] * strides[1] + across
    height, width = maps.rows[owner], maps.columns[owner]
    there = ((rows >= 0) & (rows < height[:, None]))[:, :, None] & (
        (columns >= 0) & (columns < width[:, None]))[:, None, :]
    within = rows[:, :, None] * width[:, None, None] + columns[:, None, :]
    size = (height * width)[:, None]
    start = maps.offsets[owner][:, None] + xp.arange(maps.channels) * size
    places = start[:, :, None, None] + within[:, None]
    there = xp.broadcast_to(there[:, None], places.shape)
    count = maps.channels * kernel[0] * kernel[1]
    return xp.where(there, places, 0).reshape(-1, count), there.reshape(-1, count)


def _windows(xp, x, row_lod, column_lod, *, channels: int, kernel: Ints, strides: Ints):
    places, there = _window_places(xp, _maps(xp, "var_conv_2d", row_lod, column_lod, channels), kernel, strides)
    return xp.where(there, x.reshape(-1)[places], xp.zeros((), x.dtype)) if len(x) else xp.zeros(
        places.shape, x.dtype)


def _windows_back(xp, g, row_lod, column_lod, *, channels: int, kernel: Ints, strides: Ints):
    maps = _maps(xp, "var_conv_2d", row_lod, column_lod, channels)
    places, there = _window_places(xp, maps, kernel, strides)
    count = int(maps.offsets[-1])
    return xp.bincount(places[there], g[there], count).astype(g.dtype).reshape(-1, 1)


map_windows_op = operator(
    "map_windows", "X, row_lod*, column_lod* -> Out", kernel=_windows, only_here=True, lod="drop",
    infer=lambda x, *_, channels, kernel, strides: Spec((-1, channels * kernel[0] * kernel[1]), x.dtype),
    grad={"X": lambda g, row_lod, column_lod, channels, kernel, strides: apply(
        map_windows_back_op, g, row_lod, column_lod, channels=channels, kernel=kernel, strides=strides)})
map_windows_back_op = operator(
    "map_windows_back", "G, row_lod*, column_lod* -> XGrad", kernel=_windows_back, only_here=True, lod="drop",
    infer=lambda g, *_, channels, kernel, strides: Spec((-1, 1), g.dtype),
    grad={"G": lambda g, row_lod, column_lod, channels, kernel, strides: apply(
        map_windows_op, g, row_lod, column_lod, channels=channels, kernel=kernel, strides=strides)})


def _order(xp, row_lod, column_lod, *, channels: int, strides: Ints, back: bool = False):
    maps = _maps(xp, "var_conv_2d", row_lod, column_lod, 1)
    order = _strided(xp, maps, strides, channels).channel_order()
    return xp.argsort(order) if back else order


channel_order_op = operator(
    "map_channel_order", "row_lod*, column_lod* -> Places", kernel=_order, only_here=True, lod="drop",
    infer=lambda *_, channels, strides, back=False: Spec((-1,), int64))
"""Where the numbers of maps stand in [places, channels]; `back`: where those of that stand in maps."""


def _conv(xp, x, row, column, w, lod, row_lod, column_lod, *, InputChannel: int, OutputChannel: int,
          StrideH: int = 1, StrideW: int = 1, KernelH: int = 1, KernelW: int = 1):
    maps = _maps(xp, "var_conv_2d", row_lod, column_lod, InputChannel)
    if lod:
        checked("var_conv_2d(input)", lod[-1], len(x))
    checked("var_conv_2d(input, row, col)", maps.offsets, len(x))
    strides = [StrideH, StrideW]
    windows = _windows(xp, x, row_lod, column_lod, channels=InputChannel, kernel=[KernelH, KernelW], strides=strides)
    made = _strided(xp, maps, strides, OutputChannel)
    out = (windows @ w.T).reshape(-1)[made.channel_order()]
    columns = _strided(xp, maps, strides, windows.shape[1])
    return out.reshape(-1, 1), windows.reshape(-1)[columns.channel_order()].reshape(-1, 1), [made.offsets], [
        columns.offsets]


def _infer_conv(x, row, column, w, lod, row_lod, column_lod, *, InputChannel, OutputChannel, StrideH=1,
                StrideW=1, KernelH=1, KernelW=1):
    _check_levels("var_conv_2d", x, row_lod, column_lod)
    wanted = (OutputChannel, InputChannel * KernelH * KernelW)
    if any(-1 not in (a, b) and a != b for a, b in zip(w.shape, wanted, strict=True)):
        raise ValueError(f"var_conv_2d(W): must be {list(wanted)}, [output channels, input channels * kernel]. "
                         f"Received {list(w.shape)}.")
    return Spec((-1, 1), x.dtype), Spec((-1, 1), x.dtype), offset_specs(1), offset_specs(1)


def _conv_gradients(g: Any, X: Any, W: Any, row_lod: Any, column_lod: Any, InputChannel: int,
                    OutputChannel: int, StrideH: int, StrideW: int, KernelH: int, KernelW: int,
                    wants: Sequence[bool]) -> tuple[Any, Any]:
    around = {"channels": InputChannel, "kernel": [KernelH, KernelW], "strides": [StrideH, StrideW]}
    places = apply(channel_order_op, row_lod, column_lod, channels=OutputChannel, strides=[StrideH, StrideW], back=True)
    g = reshape(apply(gather_op, g, places, None, axis=0), [-1, OutputChannel])
    of_x = of_w = None
    if wants[0]:
        of_x = apply(map_windows_back_op, matmul(g, W), row_lod, column_lod, **around)
    if wants[1]:
        of_w = matmul(g, apply(map_windows_op, X, row_lod, column_lod, **around), transpose_x=True)
    return of_x, of_w


var_conv_2d_op = operator(
    "var_conv_2d", "X, ROW, COLUMN, W, lod^X, row_lod^ROW, column_lod^COLUMN -> Out, Col, out_lod^Out, col_lod^Col",
    kernel=_conv, infer=_infer_conv, grad={"X, W": _conv_gradients}, fails="values")


# The greatest numbers of rows

def _lines(xp: Any, maps: _Maps) -> tuple[Any, Any, Any]:
    """For each row of each map, channel by channel: its first place and its length; and the order of all lines in which
    those of one row are beside each other.
    """
    counts = maps.rows * maps.channels
    offsets = from_lengths(xp, counts)
    owner = repeated(xp, xp.arange(counts.size), counts, offsets)
    within = xp.arange(int(offsets[-1])) - offsets[owner]
    row, channel = within // maps.channels, within % maps.channels
    length = maps.columns[owner]
    return maps.offsets[owner] + (channel * maps.rows[owner] + row) * length, length, owner


def _greatest(xp: Any, x: Any, starts: Any, lengths: Any, count: int) -> Any:
    """[lines, count]: the columns of each line's greatest numbers, the greatest first; -1 where it has no more."""
    offsets = from_lengths(xp, lengths)
    line = repeated(xp, xp.arange(lengths.size), lengths, offsets)
    column = xp.arange(int(offsets[-1])) - offsets[line]
    order = xp.lexsort(xp.stack([-x.reshape(-1)[starts[line] + column].astype("float64"), line.astype("float64")]))
    places = xp.arange(count) + offsets[:-1, None]
    there = xp.arange(count) < lengths[:, None]
    return xp.where(there, column[order[xp.where(there, places, 0)]], -1) if order.size else xp.full(there.shape, -1)


def _top(xp, x, row, column, row_lod, column_lod, *, topks: Ints, channel_num: int):
    maps = _maps(xp, "sequence_topk_avg_pooling", row_lod, column_lod, channel_num)
    checked("sequence_topk_avg_pooling(input, row, col)", maps.offsets, len(x))
    starts, lengths, _ = _lines(xp, maps)
    most = max(topks)
    columns = _greatest(xp, x, starts, lengths, most)
    values = xp.where(columns >= 0, x.reshape(-1)[xp.where(columns >= 0, starts[:, None] + columns, 0)], 0)
    sums = values.cumsum(1)
    out = xp.stack([sums[:, k - 1] / k for k in topks], 1).astype(x.dtype)
    return out.reshape(-1, channel_num * len(topks)), columns.reshape(-1).astype("int32")


def _infer_top(x, row, column, row_lod, column_lod, *, topks, channel_num):
    _check_levels("sequence_topk_avg_pooling", x, row_lod, column_lod)
    if not topks or min(topks) < 1:
        raise ValueError(f"sequence_topk_avg_pooling(topks): must be numbers from 1. Received {list(topks)}.")
    rows = row.shape[0] if row.shape else -1
    return (Spec((rows, channel_num * len(topks)), x.dtype),
            Spec((rows * channel_num * max(topks) if rows >= 0 else -1,), int32))


def _top_places(xp: Any, pos: Any, row_lod: Any, column_lod: Any, channels: int, most: int) -> tuple[Any, Any, int]:
    maps = _maps(xp, "sequence_topk_avg_pooling", row_lod, column_lod, channels)
    columns = pos.reshape(-1, most)
    return _lines(xp, maps)[0][:, None] + columns, columns >= 0, int(maps.offsets[-1])


def _put_top(xp, g, pos, row_lod, column_lod, *, channels: int, most: int):
    places, there, count = _top_places(xp, pos, row_lod, column_lod, channels, most)
    out = xp.zeros((count, 1), g.dtype)
    out[places[there], 0] = g[there]
    return out


def _take_top(xp, x, pos, row_lod, column_lod, *, channels: int, most: int):
    places, there, count = _top_places(xp, pos, row_lod, column_lod, channels, most)
    return xp.where(there, x.reshape(-1)[xp.where(there, places, 0)], xp.zeros((), x.dtype))


put_top_op = operator(
    "put_top", "G, pos, row_lod*, column_lod* -> XGrad", kernel=_put_top, only_here=True, lod="drop", fails="values",
    infer=lambda g, *_, channels, most: Spec((-1, 1), g.dtype),
    grad={"G": lambda g, pos, row_lod, column_lod, channels, most: apply(
        take_top_op, g, pos, row_lod, column_lod, channels=channels, most=most)}, moves=True)
take_top_op = operator(
    "take_top", "X, pos, row_lod*, column_lod* -> Out", kernel=_take_top, only_here=True, lod="drop", fails="values",
    infer=lambda x, *_, channels, most: Spec((-1, most), x.dtype),
    grad={"X": lambda g, pos, row_lod, column_lod, channels, most: apply(
        put_top_op, g, pos, row_lod, column_lod, channels=channels, most=most)}, moves=True)


def _top_gradient(g: Any, pos: Any, row_lod: Any, column_lod: Any, topks: Sequence[int], channel_num: int) -> Any:
    most = max(topks)
    shares = constant([[1.0 / k if j < k else 0.0 for j in range(most)] for k in topks], dtype_of(g))
    each = matmul(reshape(g, [-1, len(topks)]), shares)
    return apply(put_top_op, each, pos, row_lod, column_lod, channels=channel_num, most=most)


sequence_topk_avg_pooling_op = operator(
    "sequence_topk_avg_pooling", "X, ROW, COLUMN, row_lod^ROW, column_lod^COLUMN -> Out, pos", kernel=_top,
    infer=_infer_top, grad={"X": _top_gradient}, fails="values", lod=lambda lods, attrs: lods[1])
