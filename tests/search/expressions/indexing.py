"""Parts of values: x[...], split, gather, topk, take_along_axis."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production


@production(2)
def _take_part(body: Body) -> Found | None:
    """One piece of a split, chunk, unbind or unstack."""
    v = body.value("float", 1)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None
    size, (before, after) = v.shape[axis], (v.shape[:axis], v.shape[axis + 1 :])
    given = body.signed(v, axis)
    which = body.below(3)
    if which == 0 and size > 1:
        first = body.rng.randint(1, size - 1)
        k = body.below(2)
        sizes = body.pick([first, size - first], [first, -1])
        return (
            f"paddle.split({v.text}, {sizes}, axis={given})[{k}]",
            (*before, (first, size - first)[k], *after),
            "float",
        )
    if which == 1 and size % 2 == 0 and size:
        return f"paddle.chunk({v.text}, 2, axis={given})[{body.below(2)}]", (*before, size // 2, *after), "float"
    return f"paddle.unbind({v.text}, axis={given})[{body.below(size)}]", (*before, *after), "float"


@production(5)
def _index(body: Body) -> Found | None:
    """Basic and advanced indexing with numbers, slices, None, ellipsis and lists."""
    v = body.value("float", 1)
    if v is None:
        return None
    parts: list[str] = []
    shape: list = []
    lists = 0
    for size in v.shape[: body.rng.randint(1, v.rank)]:
        roll = body.rng.random()
        if roll < 0.08 and len(shape) < 3:
            parts.append("None")
            shape.append(1)
        if isinstance(size, str) or roll < 0.3:
            if isinstance(size, str) and roll > 0.75:
                parts.append(body.pick("0", "-1", "1"))
                continue
            if roll > 0.6:
                parts.append(body.pick("::-1", ":"))
            else:
                parts.append(":")
            shape.append(size)
        elif roll < 0.5:
            parts.append(str(body.pick(body.below(size), -1)))
        elif roll < 0.9 or lists:
            start, step = body.below(size), body.pick(1, 1, 2)
            stop = body.rng.randint(start + 1, size)
            parts.append(body.pick(f"{start}:{stop}", f"{start}:{stop}:{step}" if step > 1 else f"{start}:{stop}"))
            shape.append(len(range(start, stop, int(parts[-1].split(":")[2]) if parts[-1].count(":") == 2 else 1)))
        else:
            lists += 1
            count = body.rng.randint(1, 3)
            parts.append(str([body.below(size) for _ in range(count)]))
            shape.append(count)
    shape += v.shape[len([p for p in parts if p != "None"]) :]
    if lists and (any(p.lstrip("-").isdigit() for p in parts) or "None" in parts):
        return None
    if len(parts) == 1 and parts[0] == ":":
        return None
    if body.chance(0.1) and not lists and len([p for p in parts if p != "None"]) < v.rank:
        parts.append("...")
    return f"{v.text}[{', '.join(parts)}]", tuple(shape), "float"


@production(2)
def _select(body: Body) -> Found | None:
    """Rows taken by constant or computed positions."""
    v = body.value("float", 1)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None
    size = v.shape[axis]
    positions = [body.below(size) for _ in range(body.rng.randint(1, 3))]
    shape = (*v.shape[:axis], len(positions), *v.shape[axis + 1 :])
    text = body.pick(
        "paddle.index_select({0}, paddle.to_tensor({1}), axis={2})",
        "paddle.gather({0}, paddle.to_tensor({1}), axis={2})",
    )
    if body.chance(0.3):
        name = body.network.fresh("rows")
        body.network.init.append(f"self.{name} = paddle.to_tensor({positions})")
        return f"paddle.index_select({v.text}, self.{name}, axis={body.signed(v, axis)})", shape, "float"
    return text.format(v.text, positions, axis), shape, "float"


@production(1)
def _topk(body: Body) -> Found | None:
    v = body.value("float", 1)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None
    count = body.rng.randint(1, v.shape[axis])
    return (
        f"paddle.topk({v.text}, {count}, axis={body.signed(v, axis)})[0]",
        (*v.shape[:axis], count, *v.shape[axis + 1 :]),
        "float",
    )


@production(1)
def _along_axis(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    axis = body.below(v.rank)
    given = body.signed(v, axis) if body.network.allows("along_negative") else axis
    return f"paddle.take_along_axis({v.text}, paddle.argsort({v.text}, axis={axis}), axis={given})", v.shape, "float"
