"""Buffers and attributes that `forward` changes."""

from __future__ import annotations

from ..body import Body, Value
from .registry import statement


@statement(1.5, "buffers")
def _buffer(body: Body) -> bool:
    """A buffer that the function moves."""
    network = body.network
    if network.inside or (body.depth and not network.allows("buffers_inside")):
        return False
    v = body.value("float")
    if v is None:
        return False
    if network.buffers:  # a file keeps the changes that outputs need: of one change that is all or nothing
        return False
    last = v.shape[-1] if v.rank else None
    shape = (last,) if isinstance(last, int) and body.chance(0.5) else ()
    name = network.buffer(shape)
    fits = [u for u in body.all("float", 1) if shape and u.shape[-1] == shape[0]]
    if shape and not fits:
        return False
    new = f"{body.rng.choice(fits).text}.reshape([-1, {shape[0]}]).mean(0)" if shape else f"{v.text}.mean()"
    new += ".detach()"  # else the next step would walk through this one
    way = body.below(4) if network.allows("buffers_inplace") else 0
    if way == 0:
        body.line(f"{name} = {name} * 0.9 + {new} * 0.1")
    elif way == 1:
        with body.block("with paddle.no_grad():"):
            body.line(
                body.pick(
                    f"{name}.set_value({name} * 0.9 + {new} * 0.1)", f"{name}.add_({new} * 0.1)", f"{name}.scale_(0.9)"
                )
            )
    elif way == 2:
        with body.block("if self.training:"):
            body.line(f"{name} = {name} * 0.9 + {new} * 0.1")
    else:
        with body.block("with paddle.no_grad():"):
            body.line(f"paddle.assign({name} * 0.5 + {new}, {name})")
    if body.chance(0.6):
        body.values.append(Value(name, shape))
    return True


@statement(0.4, "python")
def _attribute(body: Body) -> bool:
    """A count of calls that nothing reads."""
    if body.depth or body.network.result is not None:
        return False
    body.line("self.calls += 1")
    return True
