"""What `Profiler.summary` prints: tables by phase, by operator, by the user's line, of memory and of ranges."""

from __future__ import annotations

import enum
import linecache
import os
from collections.abc import Callable, Sequence

from . import events, statistics
from .events import ProfilerResult
from .statistics import Row


class SortedKeys(enum.Enum):
    """What a table is sorted by. An operator has one time here, so the GPU's keys say the same as the CPU's.

    >>> import proa as paddle
    >>> paddle.profiler.SortedKeys.CPUTotal.name
    'CPUTotal'
    """

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class SummaryView(enum.Enum):
    """The tables. KernelView is OperatorView, since an operator is one kernel here; LineView is by the user's line.

    DeviceView, DistributedView and MemoryManipulationView have nothing to show here.

    >>> import proa as paddle
    >>> paddle.profiler.SummaryView.OperatorView.name
    'OperatorView'
    """

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8
    LineView = 9


UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_KEYS: dict[str, Callable[[Row], float]] = {
    "Total": lambda row: -row.total, "Avg": lambda row: -row.avg, "Max": lambda row: -row.max,
    "Min": lambda row: -row.min}


class Style:
    """How tables are written: the unit of times, the order of rows, whether shapes have rows of their own."""

    def __init__(self, result: ProfilerResult, sorted_by: SortedKeys, unit: str, detail: bool):
        self.unit, self.detail = unit, detail
        self._scale = UNITS[unit]
        self._whole = max(result.duration, 1)
        self._key = _KEYS[sorted_by.name[3:]]

    def sorted(self, rows: list[Row]) -> list[Row]:
        """The rows in order."""
        return sorted(rows, key=self._key)

    def time(self, nanoseconds: float) -> str:
        """A time in the unit."""
        return f"{nanoseconds / self._scale:.3f}"

    def share(self, nanoseconds: float) -> str:
        """A time's share of the recording."""
        return f"{100 * nanoseconds / self._whole:.2f}"

    def times(self, row: Row) -> list[str]:
        """Calls, total, self, avg, max, min, and the share of the row's own time."""
        times = (row.total, row.own, row.avg, row.max, row.min)
        return [str(row.calls), *(self.time(t) for t in times), self.share(row.own)]


_TIMES = ["Calls", "Total", "Self", "Avg", "Max", "Min", "Self %"]


def render(title: str, headers: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """A table; the first columns hold text, to the left, the others numbers, to the right."""
    widths = [max(len(cells[n]) for cells in (headers, *rows)) for n in range(len(headers))]

    def line(cells: Sequence[str]) -> str:
        placed = (c.ljust(w) if n < text_columns else c.rjust(w)
                  for n, (c, w) in enumerate(zip(cells, widths, strict=True)))
        return "  ".join(placed).rstrip()

    rule = "  ".join("-" * width for width in widths)
    return "\n".join([title, rule, line(headers), rule, *map(line, rows), rule, ""])


def bytes_text(number: float) -> str:
    """A number of bytes as a person reads it."""
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "B" else f"{number:.2f} {unit}"
        number /= 1024
    return f"{number:.2f} GiB"


def _optional_columns(rows: list[Row], style: Style) -> list[tuple[str, list[str]]]:
    columns = []
    if any(row.nbytes for row in rows):
        columns.append(("Memory", [bytes_text(row.nbytes) for row in rows]))
    if any(row.flops for row in rows):
        columns.append(("GFLOP", [f"{row.flops / 1e9:.4f}" for row in rows]))
        columns.append(("GFLOP/s", [f"{row.flops / row.own:.2f}" if row.own else "" for row in rows]))
    return columns


def operator_table(result: ProfilerResult, style: Style) -> str:
    """Calls and times of each operator; shapes, memory and operations where they were recorded."""
    rows = style.sorted(statistics.by_operator(result, style.detail))
    texts = [[row.name, row.phase] for row in rows]
    headers = ["Operator", "Phase"]
    if any(row.shapes for row in rows):
        headers.append("Input shapes")
        texts = [[*text, row.shapes] for text, row in zip(texts, rows, strict=True)]
    extra = _optional_columns(rows, style)
    cells = [[*text, *style.times(row), *(column[n] for _, column in extra)]
             for n, (text, row) in enumerate(zip(texts, rows, strict=True))]
    return render(f"By operator (times in {style.unit})", [*headers, *_TIMES, *(name for name, _ in extra)], cells,
                  len(headers))


def _short(source: str) -> tuple[str, str]:
    """A line's place, from the working folder where it lies in it, and its text."""
    path, _, number = source.rpartition(":")
    if not number.isdigit():
        return source or "(no line of yours)", ""
    text = linecache.getline(path, int(number)).strip()
    inside = os.path.abspath(path).startswith(os.getcwd() + os.sep)
    return f"{os.path.relpath(path) if inside else path}:{number}", text[:60]


def line_table(result: ProfilerResult, style: Style) -> str:
    """What each of the user's lines cost, gradients included, and in which operators most of it went."""
    rows = sorted(statistics.by_line(result), key=lambda row: -row.own)
    cells = []
    for row in rows:
        place, text = _short(row.name)
        largest = sorted(row.inner, key=lambda name: -row.inner[name])[:3]
        cells.append([place, text, ", ".join(largest), str(row.calls), style.time(row.own), style.share(row.own)])
    return render(f"By line (times in {style.unit})", ["Line", "Source", "Mostly", "Operators", "Self", "Self %"],
                  cells, 3)


def model_table(result: ProfilerResult, style: Style) -> str:
    """The steps, and what they were doing."""
    cells = [[row.name, str(row.calls), style.time(row.total), style.time(row.avg), style.share(row.total)]
             for row in statistics.by_name(result, events.STEP)]
    phases = statistics.by_phase(result)
    cells += [[f"  {row.name}", str(row.calls), style.time(row.own), "", style.share(row.own)] for row in phases]
    rest = result.duration - sum(row.own for row in phases)
    cells.append(["  other", "", style.time(rest), "", style.share(rest)])
    return render(f"By phase (times in {style.unit})", ["Phase", "Calls", "Total", "Avg", "%"], cells)


def memory_table(result: ProfilerResult, style: Style) -> str:
    """The most bytes that results of operators held at a time, and which operators made most."""
    if not result.peak_bytes:
        return ""
    rows = sorted(statistics.by_operator(result, False), key=lambda row: -row.nbytes)
    cells = [[row.name, row.phase, str(row.calls), bytes_text(row.nbytes)] for row in rows if row.nbytes]
    title = f"Memory of results: at most {bytes_text(result.peak_bytes)} at a time"
    return render(title, ["Operator", "Phase", "Calls", "Made"], cells, 2)


def range_table(result: ProfilerResult, style: Style) -> str:
    """The user's ranges."""
    rows = style.sorted(statistics.by_name(result, events.RANGE))
    cells = [[row.name, str(row.calls), *(style.time(t) for t in (row.total, row.avg, row.max, row.min)),
              style.share(row.total)] for row in rows]
    if not cells:
        return ""
    return render(f"RecordEvent ranges (times in {style.unit})",
                  ["Range", "Calls", "Total", "Avg", "Max", "Min", "%"], cells)


_TABLES: dict[SummaryView, Callable[[ProfilerResult, Style], str]] = {
    SummaryView.ModelView: model_table, SummaryView.OperatorView: operator_table, SummaryView.LineView: line_table,
    SummaryView.MemoryView: memory_table, SummaryView.UDFView: range_table}
_SAME = {SummaryView.OverView: SummaryView.ModelView, SummaryView.KernelView: SummaryView.OperatorView}


def summary_text(result: ProfilerResult, style: Style, views: Sequence[SummaryView] | None) -> str:
    """The tables asked for (all by default), those that have nothing to show left out."""
    wanted = list(_TABLES) if views is None else [_SAME.get(view, view) for view in views]
    parts = [_TABLES[view](result, style) for view in dict.fromkeys(wanted) if view in _TABLES]
    return "\n".join(part for part in parts if part)
