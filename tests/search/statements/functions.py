"""Functions, methods and Layers inside."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape
from .registry import some, statement, write


@statement(1, "closures")
def _closure(body: Body) -> bool:
    v = body.value("float")
    if v is None or body.in_loop:
        return False
    name = body.fresh("inner")
    if body.chance(0.5):
        body.line(f"{name} = lambda t: {same_shape(body, Value('t', v.shape))}")
    else:
        outer = Value("t", v.shape)
        with body.function(f"def {name}(t, by=0.5):"):
            body.values.append(outer)
            some(body, 1)
            body.line(f"return {same_shape(body, outer)} * by")
    other = [u for u in body.all("float") if u.shape == v.shape]
    body.assign(f"{name}({body.rng.choice(other).text})", v.shape)
    return True


@statement(0.8, "nested")
def _nested_layer(body: Body) -> bool:
    """A Layer of its own, with a `forward` that has statements too."""
    network = body.network
    v = body.value("float")
    if network.inside or body.depth or v is None:
        return False
    name = network.fresh("Block")
    inner, values = network.nested(name), [Value("t", v.shape)]
    forward = Body(inner, values)
    for _ in range(body.rng.randint(1, 3)):
        write(forward)
    end = same_shape(forward, values[0])
    network.classes[name] = inner.text(name, "self, t", forward.lines, end)
    attribute = network.fresh("block")
    network.init.append(f"self.{attribute} = {name}()")
    body.assign(f"self.{attribute}({v.text})", v.shape)
    return True


@statement(0.6, "methods")
def _method(body: Body) -> bool:
    """Another method of the Layer."""
    network = body.network
    v = body.value("float")
    if network.inside or body.depth or v is None:
        return False
    name = network.fresh("part")
    network.inside = True
    forward = Body(network, [Value("t", v.shape)])
    for _ in range(body.rng.randint(1, 2)):
        write(forward)
    end = same_shape(forward, Value("t", v.shape))
    network.inside = False
    network.methods.append("\n".join([f"    def {name}(self, t, scale=0.5):", *forward.lines, f"        return {end}"]))
    body.assign(f"self.{name}({v.text}{body.pick('', ', scale=1.5')})", v.shape)
    return True
