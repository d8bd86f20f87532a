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


@statement(0.6, "grad_inside")
def _gradients_inside(body: Body) -> bool:
    """Gradients of several outputs with respect to several inputs, weighted, some of them unused or left out."""
    v = body.value("float")
    if v is None or body.depth or body.network.inside:
        return False
    q, r, mid, out = (body.fresh(name) for name in "qrme")
    for name in (q, r):
        body.line(f"{name} = {body.pick('{}.detach()', '{} * 1.0', '{}.clone()', '{}').format(v.text)}")
        with body.block(f"if {name}.stop_gradient:"):
            body.line(f"{name} = {name}.detach()")
            body.line(f"{name}.stop_gradient = False")
    body.line(f"{mid} = {same_shape(body, Value(q, v.shape))} + {q} * 0.5")
    body.line(f"{out} = {same_shape(body, Value(mid, v.shape))} + {r} * {body.pick(mid, q, '0.5')} + {mid} * {mid}")
    options = f"create_graph={body.pick(True, False)}, allow_unused=True"
    if body.chance(0.4):
        options += f", no_grad_vars={body.pick(f'[{mid}]', f'[{r}]')}"
        options = options.replace(f"[{r}]", "[]") if f"[{r}]" in options and body.chance(0.5) else options
    asked = body.pick(f"[{q}, {r}]", f"[{q}, {mid}]", f"[{mid}]", f"[{q}]")
    outputs = body.pick(f"[{out}, {mid}]", f"[{out}]")
    weights = [body.pick("None", f"paddle.ones_like({v.text})", f"paddle.tanh({v.text})") for _ in outputs.split(",")]
    found = body.fresh("g")
    body.line(f"{found} = paddle.grad({outputs}, {asked}, grad_outputs=[{', '.join(weights)}], {options})")
    for k in range(len(asked.split(","))):
        body.line(f"{found}_{k} = paddle.zeros_like({v.text}) if {found}[{k}] is None else {found}[{k}]")
        body.values.append(Value(f"{found}_{k}", v.shape))
    return True


@statement(0.4, "tensor_hooks")
def _tensor_hook(body: Body) -> bool:
    v = body.value("float")
    if v is None or body.depth:
        return False
    copy = body.assign(f"{v.text} * 1.0", v.shape)
    hook = body.pick(
        "lambda g: g * 0.5",
        "lambda g: None",
        f"lambda g: g * paddle.tanh({v.text}).detach()",
        "lambda g: paddle.where(g > 0, g, g * 0.1)",
        "lambda g: g.clip(-0.3, 0.3)",
    )
    with body.block(f"if not {copy.text}.stop_gradient:"):
        body.line(f"{copy.text}.register_hook({hook})")
        if body.chance(0.2):
            body.line(f"{copy.text}.register_hook(lambda g: g * g)")
    return True


# Mixed precision


@statement(0.5, "amp")
def _autocast(body: Body) -> bool:
    """Lines in 16 bits, whose results leave them as what the program has otherwise."""
    v = body.value("float", 1)
    if v is None or body.in_with:
        return False
    name = body.fresh("a")
    options = body.pick(
        "level='O1', dtype='bfloat16'",
        "level='O1', dtype='float16'",
        "level='O2', dtype='bfloat16'",
        "level='O1', dtype='bfloat16', custom_white_list=['tanh', 'elementwise_add']",
        "level='O1', dtype='bfloat16', custom_black_list=['matmul_v2']",
        "enable=False",
    )
    with body.with_block(f"with paddle.amp.auto_cast({options}):"):
        text = body.pick("{0}", "paddle.matmul({0}, {0}, transpose_y=True)", "F.linear({0}, {1})", "{0}")
        if "matmul" in text and v.rank < 2 or "linear" in text and not isinstance(v.shape[-1], int):
            text = "{0}"
        shape = v.shape
        if "matmul" in text:
            shape = (*v.shape[:-1], v.shape[-2])
        weight = body.network.parameter((v.shape[-1], 2)) if "linear" in text else ""
        shape = (*v.shape[:-1], 2) if "linear" in text else shape
        body.line(f"{name} = {text.format(v.text, weight)} * 0.5")
        body.line(f"{name} = {same_shape(body, Value(name, shape))}")
    body.line(f"{name} = {name}.astype({v.text}.dtype)")
    body.values.append(Value(name, shape))
    return True
