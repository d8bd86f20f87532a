"""What a notebook shows of a Layer: its parts as a tree that folds, with parameters, shapes and how many there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.html import escaped, faint, folding, framed, strong, table

if TYPE_CHECKING:
    from .layers import Layer

_MOST = 400


def layer_html(layer: Layer) -> str:
    """A Layer and what it is made of; of more than 400 parts the first."""
    return framed(_part("", layer, [_MOST], is_open=True))


def _part(name: str, layer: Layer, left: list[int], is_open: bool = False) -> str:
    left[0] -= 1
    total = sum(_count(p) for p in layer.parameters())
    line = f"{faint(f'({name})') if name else ''} {strong(type(layer).__name__)}({escaped(layer.extra_repr())}) "
    line += faint(f"{total:,} parameters") if total else ""
    values = [_value(n, p, "" if getattr(p, "trainable", False) else "not trained")
              for n, p in layer._parameters.items() if p is not None]
    values += [_value(n, b, "buffer") for n, b in layer._buffers.items() if b is not None]
    inner = [table(values)] if values else []
    for inner_name, child in layer._sub_layers.items():
        if child is None:
            continue
        if left[0] <= 0:
            inner.append(faint("… and more parts"))
            break
        inner.append(_part(inner_name, child, left))
    return folding(line, "".join(inner), is_open)


def _value(name: str, value: Any, kind: str) -> list[str]:
    return [escaped(name), escaped(list(value.shape)), escaped(value.dtype.name if value.dtype else ""), faint(kind)]


def _count(value: Any) -> int:
    total = 1
    for size in value.shape:
        total *= max(int(size), 0)
    return total
