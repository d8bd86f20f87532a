"""Curves as SVG, for notebooks: lines over steps with two axes, in the reader's own colours. Knows numbers only."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from .html import escaped

Points = Sequence[tuple[float, float]]
COLOURS = ("#3b7dd8", "#d9822b", "#2e9e6b", "#b4508c", "#7a6bd0", "#8a8f98")
_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 360, 200, 52, 24, 22
_MOST = 300


def curves_svg(title: str, curves: Mapping[str, Points]) -> str:
    """One picture with a line for each curve, a mark where it has one point; values that are no numbers are left out.

    >>> from proa.core.curves import curves_svg
    >>> curves_svg("loss", {"train": [(1, 0.5), (2, 0.25)]}).startswith("<svg")
    True
    """
    finite = {name: [p for p in points if math.isfinite(p[1])] for name, points in curves.items()}
    every = [p for points in finite.values() for p in points]
    if not every:
        return f'<svg width="{_WIDTH}" height="{_TOP}">{_text(8, 14, f"{title}: no values", "start")}</svg>'
    least_x, most_x = _range(p[0] for p in every)
    least_y, most_y = _range(p[1] for p in every)

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return (_LEFT + (point[0] - least_x) / (most_x - least_x) * (_WIDTH - _LEFT - 10),
                _TOP + (most_y - point[1]) / (most_y - least_y) * (_HEIGHT - _TOP - _BOTTOM))

    parts = [_text(_LEFT, 14, title, "start", "font-weight:600")]
    for value in _ticks(least_y, most_y):
        y = place((least_x, value))[1]
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - 10}" y1="{y:.1f}" y2="{y:.1f}" stroke="currentColor" '
                     f'stroke-opacity=".15"/>{_text(_LEFT - 5, y + 4, f"{value:.4g}", "end")}')
    for value in _ticks(least_x, most_x):
        parts.append(_text(place((value, least_y))[0], _HEIGHT - 6, f"{value:.6g}", "middle"))
    for number, (name, points) in enumerate(finite.items()):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(_line([place(p) for p in _thinned(points)], colour))
        parts.append(_text(_WIDTH - 10 - 70 * (len(finite) - 1 - number), 14, name, "end", f"fill:{colour}"))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
            f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-size="11" font-family="sans-serif">{"".join(parts)}</svg>')


def _text(x: float, y: float, text: str, anchor: str, style: str = "") -> str:
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor" style="{style}">'
            f'{escaped(text, 40)}</text>')


def _line(places: Sequence[tuple[float, float]], colour: str) -> str:
    if len(places) == 1:
        return f'<circle cx="{places[0][0]:.1f}" cy="{places[0][1]:.1f}" r="3" fill="{colour}"/>'
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{corners}" fill="none" stroke="{colour}" stroke-width="1.6"/>'


def _thinned(points: Points) -> Points:
    """At most some 300 points: the means of neighbours, where there are more."""
    width = -(-len(points) // _MOST)
    groups = [points[start:start + width] for start in range(0, len(points), width)]
    return points if width <= 1 else [(g[-1][0], sum(y for _, y in g) / len(g)) for g in groups]


def _range(values: Iterable[float]) -> tuple[float, float]:
    found = list(values)
    least, most = min(found), max(found)
    return (least, most) if most > least else (least - 0.5, most + 0.5)


def _ticks(least: float, most: float) -> list[float]:
    """Three to six round numbers within a range."""
    step = 10.0 ** math.floor(math.log10((most - least) / 3))
    step *= next(m for m in (5, 2, 1) if (most - least) / (step * m) >= 2.5 or m == 1)
    first = math.ceil(least / step)
    return [n * step for n in range(first, math.floor(most / step) + 1)]
