"""Integers and bools, and values made of them and of sizes."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production


@production(1.5)
def _ints(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    axis = body.below(v.rank)
    without = v.shape[:axis] + v.shape[axis + 1 :]
    given = body.signed(v, axis)
    return body.pick(
        (f"paddle.argmax({v.text}, axis={given})", without, "int"),
        (f"paddle.argmin({v.text}, axis={given})", without, "int"),
        (f"paddle.argsort({v.text}, axis={given})", v.shape, "int"),
        (f"({v.text} > 0.1).astype('int64')", v.shape, "int"),
        (f"({v.text} > 0).astype('int64').sum({given})", without, "int"),
        (f"paddle.cast({v.text} * 3.0, 'int64')", v.shape, "int"),
    )


@production(1.5)
def _from_ints(body: Body) -> Found | None:
    n = body.value("int")
    if n is None:
        return None
    if body.chance(0.3) and n.rank <= 3:
        return (
            f"{body.network.layer('embedding', 'nn.Embedding(4, 3)')}(paddle.clip({n.text}, 0, 3))",
            (*n.shape, 3),
            "float",
        )
    if body.chance(0.3) and n.rank <= 3:
        return f"F.one_hot(paddle.clip({n.text}, 0, 2), 3)", (*n.shape, 3), "float"
    return body.pick(
        (f"{n.text}.astype(paddle.get_default_dtype()) * 0.1", n.shape, "float"),
        (f"{n.text} + 1", n.shape, "int"),
        (f"{n.text} % 3", n.shape, "int"),
        (f"{n.text} // 2", n.shape, "int"),
        (f"{n.text} * 0.25", n.shape, "float"),
        (f"{n.text}.sum()", (), "int"),
        (f"{n.text}.max() * 0.1", (), "float"),
        (f"paddle.clip({n.text}, 0, 2)", n.shape, "int"),
    )


@production(1)
def _bools(body: Body) -> Found | None:
    v = body.value("float")
    if v is None:
        return None
    u = [u for u in body.all("float") if u.shape == v.shape]
    other = body.rng.choice(u).text
    return (
        body.pick(
            f"{v.text} > 0.1",
            f"paddle.logical_and({v.text} > -0.5, {other} < 0.5)",
            f"({v.text} > {other})",
            f"paddle.logical_not({v.text} < 0)",
            f"({v.text} < 0.3) | ({other} > 0.5)",
            f"paddle.isfinite({v.text})",
        ),
        v.shape,
        "bool",
    )


@production(1)
def _from_bools(body: Body) -> Found | None:
    b = body.value("bool")
    if b is None:
        return None
    fits = [v for v in body.all("float") if v.shape == b.shape]
    if fits and body.chance(0.7):
        v = body.rng.choice(fits)
        return body.pick(
            (f"paddle.where({b.text}, {v.text}, paddle.zeros_like({v.text}))", b.shape, "float"),
            (f"paddle.masked_fill({v.text}, {b.text}, 0.5)", b.shape, "float"),
            (f"({v.text} * {b.text}.astype({v.text}.dtype)).sum()", (), "float"),
            (f"paddle.masked_select({v.text}, {b.text}).sum() * 0.2", (), "float"),
        )
    return body.pick(
        (f"{b.text}.astype('int64')", b.shape, "int"),
        (f"paddle.any({b.text})", (), "bool"),
        (f"{b.text}.astype(paddle.get_default_dtype())", b.shape, "float"),
    )


@production(1, "sizes")
def _sizes(body: Body) -> Found | None:
    """A value with a size of another in it."""
    v = body.value("float", 1)
    if v is None:
        return None
    k = body.below(v.rank)
    return (
        body.pick(
            f"{v.text} / {v.text}.shape[{k}]",
            f"{v.text} * (1.0 / {v.text}.shape[{k - v.rank}])",
            f"{v.text} * len({v.text}) * 0.1",
            f"{v.text} + paddle.shape({v.text})[{k}].astype({v.text}.dtype) * 0.1",
            f"{v.text} + paddle.ones([{v.text}.shape[{v.rank - 1}]])",
            f"{v.text} * (0.5 if {v.text}.shape[{k}] > 2 else 0.25)",
            f"{v.text} - {v.text}.shape[{k}] // 2",
        ),
        v.shape,
        "float",
    )
