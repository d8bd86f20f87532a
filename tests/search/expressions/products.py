"""Products of matrices."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production


@production(4)
def _matmul(body: Body) -> Found | None:
    v = body.value("float", 2)
    if v is None:
        return None
    last = v.shape[-1]
    if isinstance(last, int) and body.chance(0.6):
        out = body.rng.randint(1, 5)
        if body.chance(0.5):
            return (
                f"{body.network.layer('linear', f'nn.Linear({last}, {out})')}({v.text})",
                (*v.shape[:-1], out),
                "float",
            )
        weight = body.network.parameter((last, out))
        return (
            body.pick("paddle.matmul({0}, {1})", "{0} @ {1}", "F.linear({0}, {1})").format(v.text, weight),
            (*v.shape[:-1], out),
            "float",
        )
    return (
        body.pick(
            "paddle.matmul({0}, {0}, transpose_y=True) * 0.3", "paddle.matmul({0}, {0}.transpose({1})) * 0.3"
        ).format(v.text, [*range(v.rank - 2), v.rank - 1, v.rank - 2]),
        (*v.shape[:-1], v.shape[-2]),
        "float",
    )


@production(1)
def _einsum(body: Body) -> Found | None:
    v = body.value("float", 2, 3)
    if v is None:
        return None
    letters = "abc"[: v.rank]
    if v.rank == 2:
        out = body.pick("ab,cb->ac", "ab,ab->a", "ab,ac->bc")
        shape = {"ab,cb->ac": (v.shape[0], v.shape[0]), "ab,ab->a": v.shape[:1], "ab,ac->bc": (v.shape[1], v.shape[1])}[
            out
        ]
    else:
        out = body.pick("abc,abd->acd", "abc,adc->abd")
        shape = {
            "abc,abd->acd": (v.shape[0], v.shape[2], v.shape[2]),
            "abc,adc->abd": (v.shape[0], v.shape[1], v.shape[1]),
        }[out]
    assert letters
    return f"paddle.einsum('{out}', {v.text}, {v.text}) * 0.3", shape, "float"
