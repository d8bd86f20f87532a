"""`while`, and `for` over ranges, rows, layers; with `break` and `continue`."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape
from .registry import condition, rebind, some, statement


@statement(2, "while")
def _while(body: Body) -> bool:
    own = [v for v in body.all("float") if v.text.isidentifier()]
    if not own or body.in_loop:
        return False
    i = body.fresh("i")
    start = body.pick("paddle.zeros([1], 'int64')", "paddle.to_tensor(0)", "paddle.full([], 0, 'int64')")
    body.line(f"{i} = {start}")
    extra = condition(body)
    test = f"{i} < {body.rng.randint(1, 3)}" + (f" and ({extra})" if body.chance(0.25) else "")
    with body.loop(f"while {test}:"):
        some(body)
        if body.chance(0.3):
            body.line(f"{i} = {i} + 1")
            _jump(body)
        else:
            body.line(f"{i} += 1" if body.chance(0.5) else f"{i} = {i} + 1")
    return True


def _jump(body: Body) -> None:
    test = condition(body)
    with body.block(f"if {test}:"):
        if body.chance(0.5):
            rebind(body)
        body.line(body.pick("break", "continue"))
    if body.chance(0.5):
        rebind(body)


@statement(1.5, "for")
def _for_range(body: Body) -> bool:
    own = [v for v in body.all("float") if v.text.isidentifier()]
    v = body.value("float", 1)
    if not own or v is None or body.in_loop:
        return False
    k = body.fresh("k")
    bound = body.pick(
        "3",
        "2",
        f"paddle.clip(({v.text} > 0).astype('int64').sum(), max=3)",
        "paddle.to_tensor(2)",
        "self.turns",
        f"min({v.text}.shape[0], 3)",
        f"{v.text}.shape[0]",
    )
    with body.loop(f"for {k} in range({bound}):"):
        if body.chance(0.3):
            target = body.rng.choice(own)
            body.line(f"{target.text} = {target.text} * 0.5 + {k} * 0.1")
        some(body, 1)
        if body.chance(0.3):
            _jump(body)
    return True


@statement(0.8, "for")
def _for_rows(body: Body) -> bool:
    """A loop over the rows of a tensor."""
    v = body.value("float", 1)
    if v is None or body.in_loop:
        return False
    total, row = body.fresh("total"), body.fresh("row")
    body.line(f"{total} = paddle.zeros_like({v.text}[0])")
    held = Value(total, v.shape[1:])
    body.values.append(held)
    k = body.fresh("k")
    head = body.pick(f"for {row} in {v.text}:", f"for {k}, {row} in enumerate({v.text}):")
    with body.loop(head):
        body.values.append(Value(row, v.shape[1:]))
        body.line(f"{total} = {total} * 0.5 + paddle.tanh({row})")
        if body.chance(0.3):
            rebind(body, held)
        if body.chance(0.25):
            _jump(body)
    return True


@statement(1, "lists")
def _list_in_loop(body: Body) -> bool:
    """A list that a loop appends to, joined behind it."""
    v = body.value("float", 0, 3)
    if v is None or body.in_loop:
        return False
    items, k = body.fresh("items"), body.fresh("k")
    body.line(f"{items} = []")
    count = body.pick("3", "paddle.to_tensor(2)", "self.turns")
    own = v.text.isidentifier()
    with body.loop(f"for {k} in range({count}):"):
        if own and body.chance(0.5):
            rebind(body, v)
        body.line(f"{items}.append({same_shape(body, v)})")
        if body.chance(0.2) and own and count == "3":
            test = condition(body)
            with body.block(f"if {test}:"):
                body.line("break")
    body.assign(
        body.pick(
            f"paddle.stack({items}).mean(0)", f"paddle.stack({items}).sum(0) * 0.3", f"{items}[-1]", f"{items}[0]"
        ),
        v.shape,
    )
    return True


@statement(0.5, "lists")
def _layer_list(body: Body) -> bool:
    v = body.value("float", 1)
    if v is None or not isinstance(v.shape[-1], int) or not v.text.isidentifier():
        return False
    size = v.shape[-1]
    name = body.network.fresh("several")
    body.network.init.append(f"self.{name} = nn.LayerList([nn.Linear({size}, {size}) for _ in range(2)])")
    with body.loop(f"for part in self.{name}:"):
        text = body.pick("paddle.tanh(part({0}))", "part({0}) * 0.5 + {0}", "F.relu(part({0}))")
        body.line(f"{v.text} = {text.format(v.text)}")
    return True
