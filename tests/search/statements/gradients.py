"""Where gradients stop, gradients taken inside, hooks."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape
from .registry import statement


@statement(0.8, "no_grad")
def _no_grad(body: Body) -> bool:
    v = body.value("float")
    if v is None or body.in_with:
        return False
    name = body.fresh("n")
    text = body.pick("with paddle.no_grad():", "with paddle.no_grad():", "with paddle.set_grad_enabled(False):")
    with body.with_block(text):
        body.line(f"{name} = {same_shape(body, v)}")
        if body.chance(0.3):
            body.line(f"{name} = {same_shape(body, Value(name, v.shape))}")
    body.values.append(Value(name, v.shape))
    return True


@statement(0.6, "stop_gradient")
def _stop_gradient(body: Body) -> bool:
    v = body.value("float")
    if v is None:
        return False
    copy = body.assign(f"{v.text} * 0.5", v.shape)
    body.line(f"{copy.text}.stop_gradient = True")
    return True


@statement(0.8, "detach")
def _detach(body: Body) -> bool:
    v = body.value("float")
    if v is None:
        return False
    body.assign(
        body.pick(
            "{0} + paddle.tanh({0}).detach()", "{0}.detach() * 0.5", "{0} + ({1} - {0}).detach()", "{0} * {0}.detach()"
        ).format(v.text, f"paddle.round({v.text})"),
        v.shape,
    )
    return True


@statement(0.6, "grad_inside")
def _grad_inside(body: Body) -> bool:
    """The gradient of something, taken inside."""
    v = body.value("float")
    if v is None or body.depth or body.network.inside:
        return False
    e, g, q = body.fresh("e"), body.fresh("g"), body.fresh("q")
    if body.chance(0.6):
        body.line(f"{q} = {v.text}.detach()")
        body.line(f"{q}.stop_gradient = False")
    else:
        body.line(f"{q} = {v.text} + self.gain.mean()")
    inner = same_shape(body, Value(q, v.shape))
    body.line(f"{e} = (paddle.tanh({q}) * {q}).sum() + paddle.sum({inner}) * 0.1")
    body.line(f"{g} = paddle.grad({e}, {q}, create_graph={body.pick('True', 'True', 'False')})[0]")
    body.values.append(Value(g, v.shape))
    return True


@statement(0.4, "tensor_hooks")
def _tensor_hook(body: Body) -> bool:
    v = body.value("float")
    if v is None or body.depth:
        return False
    copy = body.assign(f"{v.text} * 1.0", v.shape)
    with body.block(f"if not {copy.text}.stop_gradient:"):
        body.line(f"{copy.text}.register_hook(lambda g: g * 0.5)")
    return True
