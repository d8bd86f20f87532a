"""`if` on tensors and on Python values, conditional expressions, early returns."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape
from .registry import condition, rebind, some, statement


@statement(2.5, "if")
def _if(body: Body) -> bool:
    test = condition(body)
    if test is None:
        return False
    own = [v for v in body.all("float") if v.text.isidentifier()]
    with body.block(f"if {test}:"):
        some(body)
    if body.chance(0.2):
        with body.block(f"elif {condition(body)}:"):
            some(body)
    if body.chance(0.6):
        with body.block("else:"):
            some(body)
    return bool(own)


@statement(1, "if")
def _both_branches_define(body: Body) -> bool:
    """A name that only the branches make."""
    test = condition(body)
    v = body.value("float")
    if test is None or v is None:
        return False
    name = body.fresh("c")
    for head in (f"if {test}:", "else:"):
        with body.block(head):
            if body.chance(0.4):
                some(body, 1)
            body.line(f"{name} = {same_shape(body, v)}")
    body.values.append(Value(name, v.shape))
    return True


@statement(0.7, "if")
def _conditional_expression(body: Body) -> bool:
    test, v = condition(body), body.value("float")
    if test is None or v is None:
        return False
    body.assign(f"({same_shape(body, v)}) if {test} else ({same_shape(body, v)})", v.shape)
    return True


@statement(1, "python")
def _python_if(body: Body) -> bool:
    v = body.value("float", 1)
    if v is None:
        return False
    size = v.shape[-1] if isinstance(v.shape[-1], int) else None
    with body.block(
        "if "
        + body.pick(
            "self.training", "self.flag", f"{v.text}.shape[-1] == {size or 4}", "scale > 0.4", "self.flag and scale < 2"
        )
        + ":"
    ):
        some(body, 1)
    return True


@statement(0.8, "return")
def _early_return(body: Body) -> bool:
    """`return` where a tensor decides, with the structure that the end of the function has."""
    network = body.network
    if network.inside or body.depth > 2 or body.in_with or (body.in_loop and not network.allows("return_in_loop")):
        return False
    test = condition(body)
    if test is None:
        return False
    if network.result is None:
        if body.depth:
            return False
        own = [v for v in body.values if v.kind == "float"]
        network.result = [body.rng.choice(own) for _ in range(body.rng.randint(1, 2))]
    with body.block(f"if {test}:"):
        if body.chance(0.5):
            rebind(body)
        body.line(
            "return " + network.structure([same_shape(body, v) if body.chance(0.5) else v.text for v in network.result])
        )
    return True
