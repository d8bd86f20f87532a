"""Views of values, changed in place and read: by the view, and by what it is a view of."""

from __future__ import annotations

from ..body import Body, Shape, Value
from ..expressions.registry import product
from .registry import condition, statement


def _views(copy: Value) -> list[tuple[str, Shape]]:
    """What shows the numbers of a value, with its shape."""
    text, shape = copy.text, copy.shape
    found: list[tuple[str, Shape]] = [
        (f"{text}[:1]", (1, *shape[1:])),
        (f"{text}[0]", shape[1:]),
        (f"{text}[-1]", shape[1:]),
        (f"{text}.unsqueeze(0)", (1, *shape)),
        (f"{text}.detach()", shape),
        (f"{text}[...]", shape),
    ]
    if all(isinstance(s, int) for s in shape):
        found.append((f"{text}.reshape([-1])", (product(shape),)))
        found.append((f"{text}.flatten()", (product(shape),)))
    if copy.rank == 2:
        found += [(f"{text}.t()", shape[::-1]), (f"{text}[:, 0]", shape[:1])]
        found.append((f"paddle.transpose({text}, [1, 0])[0]", shape[:1]))
    if copy.rank > 1 and isinstance(shape[-1], int) and shape[-1] > 1:
        found.append((f"{text}[..., 1:]", (*shape[:-1], shape[-1] - 1)))
        found.append((f"paddle.split({text}, [1, -1], axis=-1)[1]", (*shape[:-1], shape[-1] - 1)))
    return [f for f in found if len(f[1]) <= 4]


@statement(0.8, "views")
def _change_a_view(body: Body) -> bool:
    """A view that is changed, behind which both are read; or a value that is changed, behind which its view is."""
    v = body.value("float", 1, 3)
    if v is None:
        return False
    copy = body.assign(body.pick("{} * 1.0", "{}.clone()", "paddle.tanh({}) + 0.0").format(v.text), v.shape)
    text, shape = body.pick(*_views(copy))
    view = body.assign(text, shape, prefix="view")
    changed = body.rng.choice([view, view, copy])
    lines = [
        f"{changed.text}.scale_(0.5)",
        f"{changed.text} += 0.25",
        f"{changed.text}.tanh_()",
        f"{changed.text}.add_(paddle.tanh({v.text}.mean()))",
        f"{changed.text}.multiply_({v.text}.mean() + 1.0)",
    ]
    if changed.rank:
        lines += [f"{changed.text}[0] = {v.text}.mean()", f"{changed.text}[:1] *= 0.5"]
    test = condition(body) if body.chance(0.2) else None
    if test:
        with body.block(f"if {test}:"):
            body.line(body.rng.choice(lines))
    else:
        body.line(body.rng.choice(lines))
    body.assign(f"{copy.text} * 0.5", copy.shape)
    body.assign(f"{view.text} * 0.5", view.shape)
    return True
