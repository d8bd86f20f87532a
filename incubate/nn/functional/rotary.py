"""Rotary position embedding: pairs of features turned by an angle that grows with the position."""

from __future__ import annotations

from typing import Any

from ....ops.array.concat_split import concat, stack
from ....ops.array.creation import arange
from ....ops.array.gather import gather
from ....ops.array.unknown_sizes import size_at, sizes
from ....ops.core.infer import shape_in
from ....ops.math.unary import cos as cosine
from ....ops.math.unary import sin as sine

__all__ = ["fused_rotary_position_embedding"]


def fused_rotary_position_embedding(q: Any, k: Any = None, v: Any = None, sin: Any = None, cos: Any = None,
                                    position_ids: Any = None, use_neox_rotary_style: bool = True) -> tuple[Any, ...]:
    """q, k and v [batch, length, heads, features], x · cos + turned(x) · sin each; None stays None.

    turned([a, b]) = [-b, a], for features that are neighbours, or where `use_neox_rotary_style` is False for the two
    halves of the features. `sin` and `cos` are [length, features] or [1, length, 1, features], by default those of the
    angles position · 10000^(-2i / features). `position_ids` [batch, length] are the positions; by default 0, 1, … After
    "RoFormer" (Su et al., 2021).

    >>> import proa as paddle
    >>> q = paddle.ones([1, 2, 1, 2])
    >>> turned, none, _ = paddle.incubate.nn.functional.fused_rotary_position_embedding(q)
    >>> [[round(number, 3) for number in row[0]] for row in turned.tolist()[0]], none
    ([[1.0, 1.0], [-0.301, 1.382]], None)
    """
    if (sin is None) != (cos is None):
        raise ValueError("fused_rotary_position_embedding(sin, cos): must both be given, or neither.")
    _, _, _, features = shape_in(q)
    if features % 2:
        raise ValueError(f"fused_rotary_position_embedding(q): must have an even number of features. "
                         f"Received shape {list(q.shape)}.")
    if sin is None:
        positions = size_at(q, 1) if position_ids is None else int(position_ids.max()) + 1
        angles = _angles(positions, features, use_neox_rotary_style)
        sin, cos = sine(angles), cosine(angles)
    sin, cos = (_at(table, features, position_ids).astype(q.dtype) for table in (sin, cos))
    turned = _turned_neighbours if use_neox_rotary_style else _turned_halves
    return tuple(x if x is None else x * cos + turned(x) * sin for x in (q, k, v))


def _angles(length: Any, features: int, neighbours: bool) -> Any:
    """position · 10000^(-2i / features), [length, features], each for both features of a pair."""
    angles = arange(length, dtype="float32").unsqueeze(1) * 10000.0 ** (-arange(0, features, 2, "float32") / features)
    return stack([angles, angles], -1).reshape([-1, features]) if neighbours else concat([angles, angles], -1)


def _at(table: Any, features: int, position_ids: Any) -> Any:
    """The rows of a table at the positions, [batch or 1, length, 1, features]."""
    table = table.reshape([-1, features])
    if position_ids is None:
        return table.unsqueeze(0).unsqueeze(2)
    rows = gather(table, position_ids.reshape([-1]))
    return rows.reshape([*sizes(position_ids), 1, features])


def _turned_neighbours(x: Any) -> Any:
    return stack([-x[..., 1::2], x[..., 0::2]], -1).reshape([0, 0, 0, -1])


def _turned_halves(x: Any) -> Any:
    half = x.shape[-1] // 2
    return concat([-x[..., half:], x[..., :half]], -1)
