"""New shapes: reshape, transpose, squeeze, concat, stack, pad, tile, expand."""

from __future__ import annotations

from typing import Any

from ..body import Body, Value, broadcast
from .registry import Found, product, production


@production(2)
def _reshape(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    rest = [s for s in v.shape[1:]]
    if any(isinstance(s, str) for s in rest) or not rest:
        return None
    count = product(rest)
    first, head = v.shape[0], v.text
    lead = (
        body.pick("-1", "0", f"{head}.shape[0]", f"paddle.shape({head})[0]")
        if isinstance(first, str)
        else body.pick("-1", "0", str(first))
    )
    shapes = [(count,)] + [(a, count // a) for a in range(2, count) if count % a == 0]
    new = body.rng.choice(shapes)
    text = body.pick("{0}.reshape([{1}, {2}])", "paddle.reshape({0}, [{1}, {2}])")
    return text.format(head, lead, ", ".join(map(str, new))), (first, *new), "float"


@production(1)
def _flatten(body: Body) -> Found | None:
    v = body.value("float", 2)
    if v is None:
        return None
    for start in body.rng.sample(range(v.rank - 1), v.rank - 1):
        if all(isinstance(s, int) for s in v.shape[start:]):
            return f"paddle.flatten({v.text}, {start})", (*v.shape[:start], product(v.shape[start:])), "float"
    return None


@production(2)
def _transpose(body: Body) -> Found | None:
    v = body.value("float", 2)
    if v is None:
        return None
    order = body.rng.sample(range(v.rank), v.rank)
    return (
        body.pick("{}.transpose({})", "paddle.transpose({}, {})").format(v.text, order),
        tuple(v.shape[k] for k in order),
        "float",
    )


@production(1)
def _swap(body: Body) -> Found | None:
    v = body.value("float", 2)
    if v is None:
        return None
    a, b = body.rng.sample(range(v.rank), 2)
    shape = list(v.shape)
    shape[a], shape[b] = shape[b], shape[a]
    if v.rank == 2 and body.chance(0.5):
        return body.pick("{}.T", "{}.t()").format(v.text), tuple(shape), "float"
    return f"paddle.swapaxes({v.text}, {a}, {b - v.rank})", tuple(shape), "float"


@production(1)
def _unsqueeze(body: Body) -> Found | None:
    v = body.value("float", 0, 3)
    if v is None:
        return None
    axis = body.below(v.rank + 1)
    text = body.pick("{0}.unsqueeze({1})", "paddle.unsqueeze({0}, [{1}])", "paddle.unsqueeze({0}, axis={2})")
    return text.format(v.text, axis, axis - v.rank - 1), (*v.shape[:axis], 1, *v.shape[axis:]), "float"


@production(1)
def _squeeze(body: Body) -> Found | None:
    found = [(v, k) for v in body.all("float", 1) for k in range(v.rank) if v.shape[k] == 1]
    if not found:
        return None
    v, k = body.rng.choice(found)
    return (
        body.pick("{}.squeeze({})", "paddle.squeeze({}, axis=[{}])").format(v.text, body.signed(v, k)),
        v.shape[:k] + v.shape[k + 1 :],
        "float",
    )


@production(2)
def _concat(body: Body) -> Found | None:
    v = body.value("float", 1)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None

    def fits(u: Value) -> bool:
        return (
            u.rank == v.rank
            and isinstance(u.shape[axis], int)
            and all(k == axis or u.shape[k] == v.shape[k] for k in range(v.rank))
        )

    others = [u for u in body.all("float", v.rank, v.rank) if fits(u)]
    chosen = [v, body.rng.choice(others)] + ([body.rng.choice(others)] if body.chance(0.2) else [])
    size = sum(u.shape[axis] for u in chosen)
    if size > 12:
        return None
    return (
        f"paddle.concat([{', '.join(u.text for u in chosen)}], axis={body.signed(v, axis)})",
        (*v.shape[:axis], size, *v.shape[axis + 1 :]),
        "float",
    )


@production(2)
def _stack(body: Body) -> Found | None:
    v = body.value("float", 0, 3)
    if v is None:
        return None
    others = [u for u in body.all("float") if u.shape == v.shape]
    texts = [v.text, body.rng.choice(others).text if body.chance(0.6) else f"{v.text} * 0.5"]
    axis = body.below(v.rank + 1)
    return (
        f"paddle.stack([{', '.join(texts)}], axis={body.pick(axis, axis - v.rank - 1)})",
        (*v.shape[:axis], 2, *v.shape[axis:]),
        "float",
    )


@production(1)
def _pad(body: Body) -> Found | None:
    v = body.value("float", 2, 4)
    if v is None:
        return None
    if v.rank == 2:
        pads = [body.below(2) for _ in range(4)]
        if any(isinstance(s, str) for s in v.shape) and pads[0] + pads[1]:
            pads[0] = pads[1] = 0
        if isinstance(v.shape[1], str):
            return None
        return (
            f"F.pad({v.text}, {pads}, value=0.5)",
            (_plus(v.shape[0], pads[0] + pads[1]), v.shape[1] + pads[2] + pads[3]),
            "float",
        )
    if v.rank == 3 and isinstance(v.shape[2], int):
        a, b = body.below(2), body.below(2)
        mode = body.pick("'constant'", "'reflect'", "'replicate'", "'circular'") if v.shape[2] > 1 else "'constant'"
        return (
            f"F.pad({v.text}, [{a}, {b}], mode={mode}, data_format='NCL')",
            (*v.shape[:2], v.shape[2] + a + b),
            "float",
        )
    return None


def _plus(size: Any, more: int) -> Any:
    return size if not more else size + more


@production(1)
def _tile(body: Body) -> Found | None:
    v = body.value("float", 1, 3)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None or v.shape[axis] > 4:
        return None
    times = [2 if k == axis else 1 for k in range(v.rank)]
    shape = (*v.shape[:axis], v.shape[axis] * 2, *v.shape[axis + 1 :])
    if body.chance(0.3):
        return f"paddle.repeat_interleave({v.text}, 2, axis={axis})", shape, "float"
    return f"paddle.tile({v.text}, {times})", shape, "float"


@production(1)
def _expand(body: Body) -> Found | None:
    found = [
        (v, u)
        for v in body.all("float", 1)
        for u in body.all("float", 1)
        if v.shape != u.shape and broadcast(v.shape, u.shape) == u.shape
    ]
    if not found:
        return None
    v, u = body.rng.choice(found)
    if all(isinstance(s, int) for s in u.shape) and body.chance(0.5):
        return f"paddle.expand({v.text}, {list(u.shape)})", u.shape, "float"
    return (
        body.pick(
            "paddle.expand_as({0}, {1})",
            "{0}.expand_as({1})",
            "paddle.broadcast_to({0}, {1}.shape)",
            "paddle.expand({0}, {1}.shape)",
        ).format(v.text, u.text),
        u.shape,
        "float",
    )
