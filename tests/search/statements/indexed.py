"""Indices of all kinds together, read and written: numbers, slices that go backwards, lists, masks, tensors, None."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..body import Body, Shape, Value
from .registry import statement

#: Stand for sizes that a run knows, where NumPy is asked for a shape.
OPEN = {"N": 101, "T": 103}


def _index(body: Body, value: Value) -> tuple[str, Shape] | None:
    """The text of an index, and the shape of what it takes; None where NumPy, or who knows few sizes, does not."""
    texts: list[str] = []
    parts: list[Any] = []
    count = body.rng.choice([n for n in (1, 1, 2, 2, 3) if n <= value.rank])
    width = body.rng.randint(1, 3)  # of lists, which go together
    for size in value.shape[:count]:
        text, part = _open_part(body) if isinstance(size, str) else _part(body, size, width)
        if body.chance(0.08):
            texts.append("None")
            parts.append(None)
        texts.append(text)
        parts.append(part)
    if body.chance(0.2) and count < value.rank:
        texts.insert(0, "...")
        parts.insert(0, Ellipsis)
        if any(isinstance(size, str) for size in value.shape[value.rank - count :]):
            return None
    if any(isinstance(size, str) and size not in OPEN for size in value.shape):
        return None
    try:
        taken = np.empty([OPEN.get(size, size) for size in value.shape], "bool")[tuple(parts)]
    except IndexError:
        return None
    names = {size: name for name, size in OPEN.items()}
    shape = tuple(names.get(size, size) for size in taken.shape)
    return (", ".join(texts), shape) if len(shape) <= 4 else None


def _open_part(body: Body) -> tuple[str, Any]:
    return body.pick((":", slice(None)), ("::-1", slice(None, None, -1)), ("0", 0), ("-1", -1),
                     ("paddle.to_tensor([1, 0, 1])", [1, 0, 1]), ("[1, 0]", [1, 0]), ("paddle.to_tensor(1)", 1))


def _part(body: Body, size: int, width: int) -> tuple[str, Any]:
    way, at = body.below(8), body.below(size) if size else 0
    if not size or way == 0:
        return body.pick((":", slice(None)), ("::-1", slice(None, None, -1)))
    if way == 1:
        return str(at), at
    if way == 2:
        return f"{at - size}", at - size
    if way == 3:
        return body.pick((f"{at}:", slice(at, None)), (f":{at + 1}", slice(None, at + 1)), ("1:1", slice(1, 1)))
    if way == 4:
        return body.pick((f"{at}::-1", slice(at, None, -1)), ("::-2", slice(None, None, -2)),
                         ("::2", slice(None, None, 2)), ("-1::-1", slice(-1, None, -1)))
    if way == 5:
        mask = [k == at or body.chance(0.5) for k in range(size)]
        return (f"paddle.to_tensor({mask})" if body.chance(0.7) else str(mask)), mask
    places = [body.below(size) - (size if body.chance(0.3) else 0) for _ in range(width)]
    return (f"paddle.to_tensor({places})" if way == 6 else str(places)), places


@statement(1.2, "indexed")
def _taken(body: Body) -> bool:
    """What an index takes."""
    value = body.value("float", 1, 4)
    found = value and _index(body, value)
    if value is None or not found or 0 in found[1]:
        return False
    body.assign(f"{value.text}[{found[0]}]", found[1])
    return True


@statement(1.2, "indexed")
def _put(body: Body) -> bool:
    """A copy that is changed at an index."""
    value = body.value("float", 1, 4)
    found = value and _index(body, value)
    if value is None or not found:
        return False
    index, shape = found
    copy = body.assign(body.pick("{} * 1.0", "{}.clone()").format(value.text), value.shape)
    others = [v.text for v in body.all("float") if v.shape == value.shape]
    given = body.pick("0.25", f"{value.text}.mean()", f"{body.rng.choice(others)}[{index}] * 0.5",
                      f"{body.rng.choice(others)}[{index}]")
    if shape and body.chance(0.1):
        given = f"({value.text}[{index}] * 0.5).unsqueeze(0)"
    body.line(f"{copy.text}[{index}] {body.pick('=', '=', '+=', '*=', '-=')} {given}")
    body.assign(f"{copy.text} * 0.5", copy.shape)
    return True


@statement(0.5, "indexed")
def _put_where(body: Body) -> bool:
    """A copy that is changed where a mask says, which a run computes."""
    value = body.value("float", 1, 4)
    if value is None:
        return False
    copy = body.assign(f"{value.text} * 1.0", value.shape)
    mask, some = body.pick((f"{value.text} > 0.2", ""), (f"{value.text}[0] > 0.2", "0, "),
                           (f"{value.text}[-1] > 0.2", ":, ") if value.rank > 1 else (f"{value.text} < 0.1", ""))
    if some == "0, " and value.rank < 2:
        mask, some = f"{value.text} > 0.3", ""
    body.line(f"{copy.text}[{some}{mask}] {body.pick('=', '+=', '*=')} {body.pick('0.25', f'{value.text}.mean()')}")
    body.assign(f"{copy.text} * 0.5", copy.shape)
    return True
