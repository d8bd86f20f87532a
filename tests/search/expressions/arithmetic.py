"""Arithmetic of one and two values, losses, and operators as their test records call them."""

from __future__ import annotations

from ..body import Body, broadcast
from .registry import Found, production
from .same_shape import is_number, operand, same_shape


@production(6)
def _same(body: Body) -> Found | None:
    v = body.value("float")
    return v and (same_shape(body, v), v.shape, "float")


@production(3)
def _binary(body: Body) -> Found | None:
    a, b = body.value("float"), body.value("float")
    shape = a and b and broadcast(a.shape, b.shape)
    if shape is None or len(shape) > 4:
        return None
    template = body.pick(
        "{} + {}",
        "{} * {}",
        "{} - {}",
        "{} / (paddle.abs({}) + 1.0)",
        "paddle.maximum({}, {})",
        "paddle.where({0} > {1}, {0}, {1})",
        "paddle.fmin({}, {})",
        "paddle.add({}, {})",
        "paddle.pow(paddle.abs({}) + 0.5, paddle.tanh({}))",
        "paddle.hypot({}, {} + 0.1)",
        "{0}.multiply({1}.tanh())",
        "paddle.logaddexp({}, {})",
        "paddle.lerp({}, {}, 0.3)",
        "paddle.fmax({}, {})",
    )
    return template.format(a.text, b.text), shape, "float"


@production(1)
def _losses(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    other = operand(body, v.shape)
    if is_number(other):
        other = f"paddle.full_like({v.text}, {other})"
    fits = [u for u in body.all("float") if u.shape == v.shape]
    other = body.rng.choice(fits).text
    reduction = body.pick("mean", "sum", "none")
    text = body.pick(
        "F.mse_loss({}, {}, reduction='{}')",
        "F.smooth_l1_loss({}, {}, reduction='{}')",
        "F.l1_loss({}, {}, reduction='{}')",
        "F.binary_cross_entropy_with_logits({}, F.sigmoid({}), reduction='{}')",
    )
    return (
        text.format(v.text, other, reduction) + (" * 0.1" if reduction == "sum" else ""),
        (() if reduction != "none" else v.shape),
        "float",
    )


@production(1, "recorded")
def _recorded(body: Body) -> Found | None:
    """An operator on the inputs of one of its test records, which a value moves a little; a number."""
    v = body.value("float")
    return v and (f"recorded({body.below(1_000_000)}, {v.text})", (), "float")
