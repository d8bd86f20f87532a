"""Sublayers and functions called in particular ways: under a hook, recomputed, converted on their own."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape
from .registry import condition, some, statement


def _layer_of(body: Body, v: Value) -> str | None:
    """A sublayer that keeps the shape of a value."""
    if not v.rank or not isinstance(v.shape[-1], int):
        return None
    size = v.shape[-1]
    text = body.pick(
        f"nn.Linear({size}, {size})",
        f"nn.Sequential(nn.Linear({size}, {size}), nn.Tanh())",
        f"nn.LayerNorm({size})",
        "nn.Tanh()",
    )
    return body.network.layer("called", text)


@statement(0.5, "hooks")
def _under_a_hook(body: Body) -> bool:
    """A sublayer with a hook that is there for one call."""
    v = body.value("float", 1)
    layer = v and _layer_of(body, v)
    if v is None or layer is None:
        return False
    handle, kept = body.fresh("handle"), body.fresh("kept")
    way = body.below(4)
    if way == 0:
        body.line(f"{kept} = []")
        hook = f"register_forward_post_hook(lambda layer, given, found: {kept}.append(found))"
    elif way == 1:
        body.line(f"{kept} = {{}}")
        hook = f'register_forward_pre_hook(lambda layer, given: {kept}.update(given=given[0] * 0.5))'
    elif way == 2:
        hook = "register_forward_pre_hook(lambda layer, given: (given[0] * 0.5,))"
    else:
        hook = f"register_forward_post_hook(lambda layer, given, found: found * 0.5 + {v.text}.mean())"
    body.line(f"{handle} = {layer}.{hook}")
    found = body.assign(f"{layer}({v.text})", v.shape)
    body.line(f"{handle}.remove()")
    if way < 2:
        body.assign(f"{kept}[0].tanh()" if way == 0 else f'{kept}["given"].tanh()', v.shape)
    elif body.chance(0.5):
        body.assign(f"{layer}({found.text})", v.shape)
    return True


@statement(0.5, "recompute")
def _recompute(body: Body) -> bool:
    """What backward computes again."""
    v = body.value("float", 1)
    layer = v and _layer_of(body, v)
    if v is None or layer is None or body.in_with:
        return False
    way = body.below(3)
    if way == 0:
        body.assign(f"recompute({layer}, {v.text})", v.shape)
    elif way == 1:
        body.assign(f"recompute(lambda t: paddle.tanh({layer}(t)) * 0.5, {v.text})", v.shape)
    else:
        other = same_shape(body, v)
        name = body.fresh("again")
        with body.function(f"def {name}(t, u):"):
            body.values += [Value("t", v.shape), Value("u", v.shape)]
            some(body, 1)
            body.line("return t * 0.5 + u, u * t")
        body.assign(f"recompute({name}, {v.text}, {other})[{body.below(2)}]", v.shape)
    return True


@statement(0.6, "converted_inside")
def _converted_on_its_own(body: Body) -> bool:
    """A function of the module that is converted, or not, on its own, and is called by the function."""
    network = body.network
    v = body.value("float")
    if network.inside or body.depth > 1 or v is None:
        return False
    name = network.fresh("apart")
    decorator = body.pick(
        "@paddle.jit.to_static",
        "@paddle.jit.to_static(full_graph=True)",
        "@paddle.no_grad()",
        "@paddle.jit.not_to_static",
    )
    network.inside = True
    inner = Body(network.nested(name), [Value("t", v.shape)], indent=1)
    if "not_to_static" in decorator:  # which decides nothing by a tensor
        inner.line(f"t = {same_shape(inner, inner.values[0])}")
    else:
        test = condition(inner)
        with inner.block(f"if {test}:"):
            inner.line(f"t = {same_shape(inner, inner.values[0])}")
            if inner.chance(0.3):
                inner.line("return t * by")
    end = same_shape(inner, Value("t", v.shape))
    network.inside = False
    if inner.network.init:  # what the module's functions do not have: parameters
        return False
    network.classes[name] = "\n".join([decorator, f"def {name}(t, by=0.5):", *inner.lines, f"    return {end}"]) + "\n"
    body.assign(f"{name}({v.text}{body.pick('', ', by=1.5', ', 0.25')})", v.shape)
    return True


@statement(0.4, "tied")
def _tied(body: Body) -> bool:
    """A weight under two names, or used in two ways."""
    v = body.value("float", 2)
    if v is None or not isinstance(v.shape[-1], int):
        return False
    size = v.shape[-1]
    name, other = body.network.fresh("tie"), body.network.fresh("tie")
    body.network.init.append(f"self.{name} = nn.Linear({size}, {size})")
    way = body.below(3)
    if way == 0:
        body.network.init.append(f"self.{other} = self.{name}")
        body.assign(f"self.{other}(paddle.tanh(self.{name}({v.text})))", v.shape)
    elif way == 1:
        body.network.init.append(f"self.{other} = nn.Linear({size}, {size})")
        body.network.init.append(f"self.{other}.weight = self.{name}.weight")
        body.assign(f"self.{other}(paddle.tanh(self.{name}({v.text})))", v.shape)
    else:
        body.assign(f"F.linear(paddle.tanh(self.{name}({v.text})), self.{name}.weight.T)", v.shape)
    return True


@statement(0.5, "parameter_lists")
def _parameter_list(body: Body) -> bool:
    """Parameters and Layers in lists and dicts of the Layer's, some taken by a position that a tensor gives."""
    v = body.value("float", 1)
    if v is None or not isinstance(v.shape[-1], int) or not v.text.isidentifier():
        return False
    size = v.shape[-1]
    name = body.network.fresh("listed")
    way = body.below(4)
    if way == 0:
        body.network.init.append(
            f"self.{name} = nn.ParameterList([self.create_parameter([{size}], "
            "default_initializer=nn.initializer.Uniform(-1.0, 1.0)) for _ in range(3)])"
        )
        if body.chance(0.5):
            with body.loop(f"for part in self.{name}:"):
                body.line(f"{v.text} = {v.text} * 0.5 + part")
        else:
            body.assign(f"{v.text} * self.{name}[-1] + self.{name}[0]", v.shape)
    elif way == 1:
        body.network.init.append(
            f'self.{name} = nn.LayerDict({{"a": nn.Linear({size}, {size}), "b": nn.Tanh()}})'
        )
        with body.loop(f"for key, part in self.{name}.items():"):
            body.line(f"{v.text} = part({v.text}) * 0.5 + {v.text}")
    else:
        body.network.init.append(f"self.{name} = nn.LayerList([nn.Linear({size}, {size}) for _ in range(3)])")
        if way == 2:
            with body.loop(f"for k, part in enumerate(self.{name}[1:]):"):
                body.line(f"{v.text} = paddle.tanh(part({v.text})) + k * 0.1")
        else:
            which = body.fresh("which")
            body.line(f"{which} = ({v.text} > 0.3).astype('int64').sum() % 3")
            total = body.assign(f"{v.text} * 0.5", v.shape)
            with body.loop(f"for k in range(len(self.{name})):"):
                with body.block(f"if {which} == k:"):
                    body.line(f"{total.text} = {total.text} + self.{name}[k]({v.text})")
    return True
