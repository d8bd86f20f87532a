"""Values of a size that only the run knows, of none, and of no dimensions at all."""

from __future__ import annotations

from ..body import Body
from .registry import Found, production


@production(1.5, "open_sizes")
def _chosen(body: Body) -> Found | None:
    """Rows and elements that a condition chooses, and one more, so that there is one."""
    v = body.value("float", 1, 3)
    if v is None or not body.network.allows("unknown"):
        return None
    text, size = v.text, body.network.fresh("Size")
    rows = (size, *v.shape[1:])
    mask = f"{text}.reshape([{text}.shape[0], -1]).mean(-1) > 0.05" if v.rank > 1 else f"{text} > 0.05"
    found = [
        (f"paddle.concat([paddle.masked_select({text}, {text} > 0.1), {text}.mean().reshape([1])])", (size,), "float"),
        (f"paddle.concat([{text}[{mask}], {text}[:1]])", rows, "float"),
        (f"paddle.gather({text}, paddle.nonzero({mask}).flatten()).sum(0)", v.shape[1:], "float"),
        (f"paddle.index_select({text}, paddle.arange({text}.shape[0] // 2 + 1))", rows, "float"),
        (f"{text}[: {text}.shape[0] // 2 + 1]", rows, "float"),
        (f"{text}[{text}.shape[0] // 2 :]", rows, "float"),
        (f"{text}.reshape([-1])", (size,), "float"),
        (f"paddle.concat([{text}, {text}.flip(0) * 0.5])", rows, "float"),
        (f"paddle.tile({text}, [2] + [1] * {v.rank - 1})", rows, "float"),
        (f"paddle.repeat_interleave({text}, paddle.to_tensor([2] * 1).astype('int64').sum(), 0)", rows, "float"),
        (f"paddle.split({text}, [1, {text}.shape[0] - 1])[1]" if v.shape[0] != 1 else text,
         rows if v.shape[0] != 1 else v.shape, "float"),
    ]
    if v.rank > 1:
        found += [
            (f"{text}.flatten(0, 1)", (size, *v.shape[2:]), "float"),
            (f"paddle.reshape({text}, [{text}.shape[0] * {text}.shape[1], *{text}.shape[2:]])",
             (size, *v.shape[2:]), "float"),
            (f"paddle.matmul({text}.reshape([{text}.shape[0], -1]), {text}.reshape([{text}.shape[0], -1]).T)",
             (v.shape[0], v.shape[0]), "float"),
        ]
    return body.rng.choice(found)


@production(0.8, "open_sizes")
def _of_no_elements(body: Body) -> Found | None:
    """Parts of no elements, joined and reduced; numbers without dimensions, joined."""
    v = body.value("float", 1, 3)
    if v is None:
        return None
    text, shape = v.text, v.shape
    return body.pick(
        (f"paddle.concat([{text}, {text}[:0]])", shape, "float"),
        (f"{text} + {text}[:0].sum()", shape, "float"),
        (f"{text}[:0].sum(0) + {text}[0]", shape[1:], "float"),
        (f"paddle.matmul({text}[:0].reshape([0, 1]).T, {text}[:0].reshape([0, 1])) + {text}.mean()", (1, 1), "float"),
        (f"paddle.stack([{text}.mean(), {text}.max()])", (2,), "float"),
        (f"paddle.concat([{text}.mean().reshape([1]), {text}.sum().unsqueeze(0)])", (2,), "float"),
        (f"paddle.to_tensor([{text}.mean(), 0.5])", (2,), "float"),
        (f"{text}.mean()[None]", (1,), "float"),
        (f"{text}.sum().expand([2, 1])", (2, 1), "float"),
        (f"{text}.mean().reshape([])", (), "float"),
        (f"F.relu({text}[:0]).prod() * {text}", shape, "float"),
    )
