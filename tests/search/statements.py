"""Statements of generated programs: control flow on tensors and on Python values, changes in place, state, gradients.

Each writes lines into a body and leaves new values in its scope; what a branch or a loop changes are names that were
there before it, which keep their shapes.
"""

from __future__ import annotations

from collections.abc import Callable

from . import expressions
from .body import Body, Shape, Value
from .expressions import same_shape

Statement = Callable[[Body], bool]
STATEMENTS: list[tuple[float, str | None, Statement]] = []


def statement(weight: float, feature: str | None = None) -> Callable[[Statement], Statement]:
    """Registers a statement; it gives whether it found what it needs."""

    def add(function: Statement) -> Statement:
        STATEMENTS.append((weight, feature, function))
        return function

    return add


def write(body: Body) -> None:
    """Writes one random statement."""
    fitting = [(w, s) for w, feature, s in STATEMENTS if body.network.allows(feature)]
    for _ in range(8):
        if body.rng.choices([s for _, s in fitting], [w for w, _ in fitting])[0](body):
            return


def rebind(body: Body, value: Value | None = None) -> Value | None:
    """Gives a value of the scope another one of its shape."""
    own = [v for v in body.all("float") if v.text.isidentifier()]
    if value is None and not own:
        return None
    value = value or body.rng.choice(own[-4:])
    body.line(f"{value.text} = {same_shape(body, value)}")
    return value


def some(body: Body, most: int = 2) -> None:
    """Lines of a branch or of a loop's body."""
    for _ in range(body.rng.randint(1, most)):
        if body.depth < 3 and body.chance(0.2):
            write(body)
        elif body.chance(0.25):
            body.assign(*expressions.expression(body))
        else:
            rebind(body)
    rebind(body)


def condition(body: Body) -> str | None:
    """A tensor of one bool, as text."""
    v = body.value("float")
    if v is None:
        return None
    other = body.value("float")
    assert other is not None
    simple = [
        f"{v.text}.mean() > {body.pick(0.0, 0.1, 0.3)}",
        f"{v.text}.sum() < {other.text}.sum()",
        f"({v.text} > 0.5).any()",
        f"paddle.all({v.text} < 2.0)",
        f"{v.text}.max() > 0.8",
        f"-0.5 < {v.text}.mean() < 0.5",
        f"{v.text}.abs().sum() > 2",
    ]
    flags = [b.text for b in body.all("bool", 0, 0)]
    simple += flags * 2
    text = body.rng.choice(simple)
    if body.chance(0.2):
        text = body.pick("{} and {}", "{} or {}").format(text, body.rng.choice(simple))
    elif body.chance(0.1):
        text = f"not ({text})"
    return text


@statement(10)
def _expression(body: Body) -> bool:
    body.assign(*expressions.expression(body))
    return True


@statement(3)
def _rebind(body: Body) -> bool:
    return rebind(body) is not None


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


@statement(2, "while")
def _while(body: Body) -> bool:
    own = [v for v in body.all("float") if v.text.isidentifier()]
    if not own or body.in_loop:
        return False
    i = body.fresh("i")
    start = body.pick("paddle.zeros([1], 'int64')", "paddle.to_tensor(0)", "paddle.full([], 0, 'int64')")
    body.line(f"{i} = {start}")
    extra = condition(body)
    test = f"{i} < {body.rng.randint(1, 3)}" + (f" and {extra}" if body.chance(0.25) else "")
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


@statement(1, "lists")
def _dict_or_list(body: Body) -> bool:
    """Values in a dict or a list, changed there, and taken out."""
    v = body.value("float")
    if v is None:
        return False
    held = body.fresh("held")
    if body.chance(0.5):
        body.line(f'{held} = {{"a": {v.text}, "b": {same_shape(body, v)}}}')
        test = condition(body) if body.chance(0.5) else None
        if test:
            with body.block(f"if {test}:"):
                body.line(f'{held}["b"] = {same_shape(body, v)}')
        if body.chance(0.4):
            total = body.fresh("total")
            body.line(f"{total} = 0.0")
            with body.loop(f"for name, part in {held}.items():"):
                body.line(f"{total} = {total} + part * 0.5")
            body.values.append(Value(total, v.shape))
        else:
            body.assign(f'{held}["b"]', v.shape)
    else:
        body.line(f"{held} = [{v.text}, {same_shape(body, v)}]")
        if body.chance(0.4):
            body.line(f"{held}[0] = {same_shape(body, v)}")
        body.assign(
            body.pick(
                f"{held}[0] * {held}[1]",
                f"sum({held})",
                f"sum(part * 0.5 for part in {held})",
                f"paddle.add_n({held})",
                f"paddle.stack([part.tanh() for part in {held}]).max(0)",
            ),
            v.shape,
        )
    return True


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


# Changes in place


@statement(1.2, "inplace")
def _in_place(body: Body) -> bool:
    """A copy that is changed in place."""
    v = body.value("float")
    if v is None:
        return False
    copy = body.assign(body.pick("{} + 0.0", "{}.clone()", "{} * 1.0", "paddle.tanh({})").format(v.text), v.shape)
    other = expressions.operand(body, v.shape)
    other = f"paddle.to_tensor({other})" if expressions._is_number(other) else other
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


# State


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


# Gradients


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


# Other functions


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
