"""Pieces of HTML for notebooks (`_repr_html_`): escaped text, tables, parts that fold.

Colours are the reader's own (`currentColor`), so that light and dark pages both work; nothing is fetched, and no script
runs. What is shown is bounded: long texts are cut, and who asks for a table bounds its rows. Knows text only.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

_LONGEST = 120
_FONT = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:12px;line-height:1.45"
_LINE = "1px solid color-mix(in srgb, currentColor 22%, transparent)"
_CELL = f"padding:1px 8px;text-align:{{align}};border:0;border-bottom:{_LINE};white-space:nowrap"


def escaped(text: object, longest: int = _LONGEST) -> str:
    """Text as it is, whatever stands in it, and cut where it is long.

    >>> from proa.core.html import escaped
    >>> escaped("<b>&"), escaped("abcdef", 3)
    ('&lt;b&gt;&amp;', 'abc…')
    """
    shown = str(text)
    return html.escape(shown if len(shown) <= longest else shown[:longest] + "…")


def faint(text: object, longest: int = _LONGEST) -> str:
    """Text that stands back."""
    return f'<span style="opacity:.65">{escaped(text, longest)}</span>'


def strong(text: object) -> str:
    """Text that stands out."""
    return f"<b>{escaped(text)}</b>"


def table(rows: Iterable[Sequence[str]], head: Sequence[str] = (), align: str = "left") -> str:
    """A table of cells that are HTML already."""
    style = _CELL.format(align=align)
    heads = "".join(f'<th style="{style};opacity:.65;font-weight:600">{cell}</th>' for cell in head)
    lines = ["".join(f'<td style="{style}">{cell}</td>' for cell in row) for row in rows]
    inside = "".join(f"<tr>{line}</tr>" for line in ([heads] if head else []) + lines)
    return f'<table style="border-collapse:collapse;color:inherit;margin:2px 0;{_FONT}">{inside}</table>'


def folding(summary: str, inner: str, is_open: bool = False) -> str:
    """A line that opens to show more, without a script; only the line where there is no more."""
    if not inner:
        return f'<div style="margin-left:1em">{summary}</div>'
    return (f'<details{" open" if is_open else ""}><summary style="cursor:pointer">{summary}</summary>'
            f'<div style="margin-left:1.3em">{inner}</div></details>')


def framed(*parts: str) -> str:
    """What a notebook shows of one value."""
    return f'<div style="{_FONT};overflow-x:auto;max-width:100%">{"".join(parts)}</div>'
