"""Changes in place, of values and of shapes, and `x[...] = ...`."""

from __future__ import annotations

from .. import expressions
from ..body import Body, Shape, Value
from .registry import condition, statement


@statement(1.2, "inplace")
def _in_place(body: Body) -> bool:
    """A copy that is changed in place."""
    v = body.value("float")
    if v is None:
        return False
    copy = body.assign(body.pick("{} + 0.0", "{}.clone()", "{} * 1.0", "paddle.tanh({})").format(v.text), v.shape)
    other = expressions.operand(body, v.shape)
    other = f"paddle.to_tensor({other})" if expressions.is_number(other) else other
    if other == copy.text:
        other = v.text
    body.line(
        body.pick(
            f"{copy.text}.add_({other})",
            f"{copy.text}.scale_(0.5)",
            f"{copy.text} += {other}",
            f"{copy.text}.tanh_()",
            f"{copy.text}.clip_(-0.5, 0.5)",
            f"{copy.text}.subtract_({other})",
            f"{copy.text} *= 0.5",
            f"F.relu_({copy.text})",
            f"{copy.text}.multiply_({other})",
            f"paddle.tanh_({copy.text})",
            f"{copy.text}.ceil_()",
        )
    )
    return True


@statement(0.6, "inplace_shape")
def _in_place_shape(body: Body) -> bool:
    """A copy whose shape is changed in place, and back by way of a value of its own."""
    v = body.value("float", 1, 3)
    if v is None:
        return False
    name = body.fresh("p")
    body.line(f"{name} = {body.pick('{} + 0.0', 'paddle.tanh({})').format(v.text)}")
    axis = body.below(v.rank + 1)
    shape: Shape = (*v.shape[:axis], 1, *v.shape[axis:])
    body.line(f"{name}.unsqueeze_({axis})")
    body.values.append(Value(name, shape))
    return True


@statement(1.5, "setitem")
def _set_item(body: Body) -> bool:
    v = body.value("float", 1)
    if v is None:
        return False
    copy = body.assign(body.pick("{} + 0.0", "{}.clone()", "{} * 1.0").format(v.text), v.shape)
    numbers = body.pick("0.5", f"{v.text}.mean()", f"paddle.tanh({v.text}.sum())")
    size = v.shape[0]
    choices = [
        f"{copy.text}[0] = {numbers}",
        f"{copy.text}[-1] = {v.text}[0] * 0.5",
        f"{copy.text}[{v.text} > 0.2] = 0.1",
        f"{copy.text}[:1] = {v.text}[:1] * 2.0",
    ]
    if isinstance(size, int) and size > 1:
        choices += [
            f"{copy.text}[1:] = {numbers}",
            f"{copy.text}[[0, 1]] = {numbers}",
            f"{copy.text}[::2] = {v.text}[::2].tanh()",
        ]
    if v.rank > 1:
        choices += [
            f"{copy.text}[:, 0] = {numbers}",
            f"{copy.text}[:, -1] = {v.text}[:, 0] * 0.5",
            f"{copy.text}[..., 0] = {v.text}[..., -1]",
            f"{copy.text}[0, 0] = {numbers}",
            f"{copy.text}[:, :1] += 0.5",
        ]
    test = condition(body) if body.chance(0.25) else None
    if test:
        with body.block(f"if {test}:"):
            body.line(body.rng.choice(choices))
    else:
        body.line(body.rng.choice(choices))
    return True


@statement(0.4, "setitem")
def _put(body: Body) -> bool:
    v = body.value("float", 1)
    if v is None:
        return False
    axis = body.below(v.rank)
    given = axis - v.rank if body.network.allows("along_negative") and body.chance(0.3) else axis
    body.assign(
        f"paddle.put_along_axis({v.text}, paddle.argmax({v.text}, axis={axis}, keepdim=True), 0.5, axis={given})",
        v.shape,
    )
    return True
