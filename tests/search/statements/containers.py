"""Values in lists and dicts."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape
from .registry import condition, statement


@statement(1, "lists")
def _dict_or_list(body: Body) -> bool:
    """Values in a dict or a list, changed there, and taken out."""
    v = body.value("float")
    if v is None:
        return False
    held = body.fresh("held")
    if body.chance(0.5):
        body.line(f'{held} = {{"a": {v.text}, "b": {same_shape(body, v)}}}')
        test = condition(body) if body.chance(0.5) else None
        if test:
            with body.block(f"if {test}:"):
                body.line(f'{held}["b"] = {same_shape(body, v)}')
        if body.chance(0.4):
            total = body.fresh("total")
            body.line(f"{total} = 0.0")
            with body.loop(f"for name, part in {held}.items():"):
                body.line(f"{total} = {total} + part * 0.5")
            body.values.append(Value(total, v.shape))
        else:
            body.assign(f'{held}["b"]', v.shape)
    else:
        body.line(f"{held} = [{v.text}, {same_shape(body, v)}]")
        if body.chance(0.4):
            body.line(f"{held}[0] = {same_shape(body, v)}")
        body.assign(
            body.pick(
                f"{held}[0] * {held}[1]",
                f"sum({held})",
                f"sum(part * 0.5 for part in {held})",
                f"paddle.add_n({held})",
                f"paddle.stack([part.tanh() for part in {held}]).max(0)",
            ),
            v.shape,
        )
    return True
