"""Statements of Programs: operators, layers, control flow by functions, and what is written in place."""

from __future__ import annotations

from typing import Any

#: {0} is a value of size {n}, {1} another one of that size, {d} draws a number: the shape stays.
SAME = """
paddle.tanh({0})
{0} * 0.5 + {1}
{0} - {1} * 0.3
{0} * {1}
{0} / (paddle.abs({1}) + 1.0)
F.relu({0} - 0.1)
F.softmax({0})
F.sigmoid({0}) + {1}.detach()
F.gelu({0})
paddle.exp(paddle.tanh({0})) * 0.5
paddle.clip({0}, -0.6, 0.7)
paddle.cumsum({0}, 1) * 0.5
paddle.flip({0}, [1])
paddle.where({0} > 0.1, {0}, {1})
paddle.concat([{0}, {1}], 1)[:, :{n}]
paddle.concat([{0}, {1}], 1)[:, {n}:] * 0.7
paddle.stack([{0}, {1}], 0).sum(0) * 0.5
paddle.scale({0}, 0.5, 0.1)
paddle.assign({0})
paddle.matmul({0}, paddle.to_tensor(drawn({d}, [{n}, {n}])))
paddle.matmul({0}, {1}, transpose_y=True) @ {1} * 0.2
paddle.maximum({0}, {1})
{0} + paddle.mean({1})
{0} + paddle.max({1}, axis=1, keepdim=True)
{0} * paddle.sum({1}, axis=0)
paddle.transpose(paddle.transpose({0}, [1, 0]), [1, 0]) * 0.5
paddle.reshape({0}, [-1, 1, {n}])[:, 0]
paddle.unsqueeze({0}, 1).squeeze(1)
paddle.split({0}, [1, -1], axis=1)[0] + {1}
paddle.gather({0}, paddle.to_tensor([0, 2, 1, 3]))
paddle.topk({0}, {n}, axis=1)[0]
paddle.expand_as(paddle.mean({0}, axis=1, keepdim=True), {1}) + {1}
paddle.cast(paddle.cast({0}, "float64"), D)
paddle.cast({0} > 0.2, D) * {1}
paddle.pow(paddle.abs({0}) + 0.5, 1.5) * 0.3
paddle.sqrt(paddle.square({0}) + 0.5)
F.dropout({0}, 0.0)
F.dropout({0}, 0.5, training=False)
F.one_hot(ids % {n}, {n}).astype(D) * {0}
F.leaky_relu({0}, 0.2)
F.layer_norm({0}, [{n}]) * 0.5
F.log_softmax({0}) * 0.3
F.cross_entropy({0}, ids % {n}, reduction="none").unsqueeze(1) * 0.3 + {1}
F.mse_loss({0}, {1}, reduction="none")
F.smooth_l1_loss({0}, {1}, reduction="none") + {0}
F.interpolate({0}.unsqueeze(1), size=[{n}], mode="linear", data_format="NCW").squeeze(1)
paddle.put_along_axis({0}, paddle.to_tensor([[0], [0], [1], [0]]), 0.5, 1)
paddle.scatter({0}, paddle.to_tensor([1, 2, 0, 3]), {1})
paddle.index_select({0}, paddle.to_tensor([1, 0, 3, 2]), axis=0)
paddle.roll({0}, 1, axis=0)
paddle.tril({0})
paddle.nn.functional.normalize({0}, axis=1)
paddle.logsumexp({0}, axis=1, keepdim=True) * 0.3 + {1}
paddle.prod(paddle.tanh({0}) + 1.2, axis=1, keepdim=True) * 0.1 + {1}
paddle.std({0}, axis=1, keepdim=True) * 0.5 + {1}
paddle.outer({0}[0], {1}[1]).mean() + {0}
paddle.einsum("ij,kj->ik", {0}, {1}) @ {0} * 0.2
paddle.add_n([{0}, {1}, {0}]) * 0.4
paddle.full_like({0}, 0.5) * {1}
{0} * paddle.to_tensor(drawn({d}, [1, {n}]))
static.nn.batch_norm({0}, param_attr=held({d}, [{n}]), bias_attr=held({d}, [{n}])) * 0.5
static.nn.batch_norm({0}, momentum=0.7) * 0.5
static.nn.batch_norm({0}, is_test=True)
static.nn.batch_norm({0}, use_global_stats=True, act="tanh")
static.nn.layer_norm({0}, param_attr=held({d}, [{n}])) * 0.5
static.nn.prelu({0}, "all", param_attr=held({d}, [1]))
static.nn.py_func(lambda a: np.tanh(np.array(a)), {0}, like(main, {0}), lambda a, b, g: (1 - np.array(b) ** 2) * \
np.array(g)) + {1}
static.nn.instance_norm({0}.unsqueeze(1), param_attr=held({d}, [1]), bias_attr=held({d}, [1])).squeeze(1) * 0.3
static.nn.embedding(ids, [4, {n}], param_attr=held({d}, [4, {n}])) * {0}
static.nn.embedding(ids, [4, {n}], param_attr=held({d}, [4, {n}]), is_sparse=True) + {0}
static.nn.embedding(ids, [4, {n}], padding_idx=1, param_attr=held({d}, [4, {n}])) + {0}
static.nn.conv2d({0}.unsqueeze([1, 2]), 2, [1, 3], padding=[0, 1], param_attr=held({d}, [2, 1, 1, 3])).mean([1, 2]) \
+ {1}
static.nn.bilinear_tensor_product({0}, {1}, {n}, param_attr=held({d}, [{n}, {n}, {n}])) * 0.3
static.create_parameter([{n}], D, attr=held({d}, [{n}])) * {0}
static.create_parameter([1], D, attr=held({d}, [1], learning_rate=0.5)) * {0}
static.create_parameter([{n}], D, attr=held({d}, [{n}], regularizer=paddle.regularizer.L2Decay(0.1))) + {0}
static.create_parameter([{n}], D, attr=held({d}, [{n}], trainable=False)) * {0}
static.create_parameter([{n}], D, attr=held({d}, [{n}], need_clip=False)) * {0}
""".strip().splitlines()

def layer(body: Any, name: str, size: int, to: int) -> str:
    """A linear layer, now and then one whose parameters have names and are met again."""
    body.parameters += 1
    k = body.parameters
    act = body.rng.choice(["", "", ', activation="tanh"', ', activation="relu"'])
    named = f', name="shared{size}{to}"' if body.chance(0.2) else ""
    seed = 77 if named else k
    bias = body.rng.choice(["", f", bias_attr=held({k + 30}, [{to}])", ", bias_attr=False"])
    return f"static.nn.fc({name}, {to}, weight_attr=held({seed}, [{size}, {to}]{named}){bias}{act})"


def same(body: Any, value: tuple[str, int] | None = None, plain: bool = False) -> tuple[str, int]:
    """An expression of the shape of a value; `plain`: without parameters."""
    name, size = value or body.value()
    other, _ = body.value(size)
    while True:
        text = body.rng.choice(SAME)
        if plain and "static." in text:
            continue
        while "{d}" in text:
            body.parameters += 1
            text = text.replace("{d}", str(body.parameters), 1)
        return text.format(name, other, n=size), size


def write(body: Any) -> None:
    """One statement."""
    ways = [(10, _expression), (3, _layer), (1, _stop), (2, _cond), (1.5, _while), (1, _switch), (0.7, _state),
            (0.7, _array), (0.6, _scope), (0.7, _gradient), (0.5, _in_place), (0.3, _block)]
    body.rng.choices([w for _, w in ways], [n for n, _ in ways])[0](body)


def _expression(body: Any) -> None:
    body.assign(*same(body))


def _layer(body: Any) -> None:
    name, size = body.value()
    to = body.rng.choice([2, 3, 4])
    body.assign(layer(body, name, size, to), to)


def _stop(body: Any) -> None:
    body.line(f"{body.value()[0]}.stop_gradient = {body.rng.choice([True, True, False])}")


def condition(body: Any) -> str:
    """A bool of one element."""
    name, _ = body.value()
    return body.rng.choice([
        f"paddle.mean({name}) > 0.05", f"paddle.sum({name}) < 0.3", f"paddle.max({name}) > 0.6",
        f"paddle.any({name} > 0.7)", "paddle.sum(ids) > 5",
        f"paddle.logical_and(paddle.mean({name}) > -0.3, paddle.sum(ids) > 3)",
    ])


def branch(body: Any, value: tuple[str, int], many: bool = False) -> str:
    """A function of no arguments that gives values like one of the scope; its name."""
    name = body.fresh("branch")
    with body.block(f"def {name}():"):
        held = len(body.found)
        for _ in range(body.rng.choice([0, 1, 1, 2])):
            if body.depth < 3 and body.chance(0.3):
                write(body)
            else:
                _expression(body)
        text, _ = same(body, value)
        text += "".join(f" + paddle.mean({v}) * 0.1" for v, _ in body.found[held:])
        body.line(f"return {text}, {value[0]} * 0.5" if many else f"return {text}")
    return name


def _cond(body: Any) -> None:
    value, test = body.value(), condition(body)
    many = body.chance(0.3)
    first, second = branch(body, value, many), branch(body, value, many)
    text = f"static.nn.cond({test}, {first}, {second})"
    if many:
        pair = body.fresh("pair")
        body.line(f"{pair} = {text}")
        body.found += [(f"{pair}[0]", value[1]), (f"{pair}[1]", value[1])]
    else:
        body.assign(text, value[1])


def _switch(body: Any) -> None:
    value = body.value()
    names = [branch(body, value) for _ in range(3)]
    if body.chance(0.5):
        tests = [condition(body) for _ in range(2)]
        body.assign(f"static.nn.case([({tests[0]}, {names[0]}), ({tests[1]}, {names[1]})], {names[2]})", value[1])
    else:
        body.assign(f"static.nn.switch_case(paddle.sum(ids).astype('int32') % 3, "
                    f"{{1: {names[0]}, 2: {names[1]}}}, {names[2]})", value[1])


def _while(body: Any) -> None:
    value = body.value()
    test, turn, found = body.fresh("test"), body.fresh("turn"), body.fresh("found")
    bound = body.rng.choice(["2", "3", "1 + paddle.sum(ids) % 3", "0"])
    with body.block(f"def {test}(i, t):"):
        body.line(body.rng.choice(["return i < bound", "return paddle.logical_and(i < bound, paddle.mean(t) < 3.0)"]))
    body.lines[-2:-2] = [body.lines[-2].partition("def")[0] + f"bound = paddle.full([1], 0, 'int64') + {bound}"]
    with body.block(f"def {turn}(i, t):"):
        body.found.append(("t", value[1]))
        for _ in range(body.rng.choice([0, 1, 1])):
            if body.depth < 3 and body.chance(0.3):
                write(body)
            else:
                body.assign(*same(body, plain=True))
        text, _ = same(body, ("t", value[1]), plain=True)
        body.line(f"return [i + 1, paddle.tanh({text})]")
    begun = body.fresh("begun")
    body.line(f"{begun} = paddle.assign({value[0]})|{begun}.stop_gradient = False")
    body.line(f"{found} = static.nn.while_loop({test}, {turn}, [paddle.zeros([1], 'int64'), {begun}])")
    body.assign(f"{found}[1] * 0.5", value[1])
    if body.chance(0.3):
        body.assign(f"{found}[0].astype(D) * {value[0]} * 0.3", value[1])


def _state(body: Any) -> None:
    """A value that stays from run to run."""
    name, size = body.value()
    state = body.fresh("state")
    body.line(f"{state} = static.create_global_var([1], 0.5, D, persistable=True, name='{state}')")
    if body.depth:
        body.assign(f"{name} * {state}", size)
        return
    if body.chance(0.5):
        body.assign(f"{name} * {state}", size)
        body.line(f"paddle.assign({state} * 0.8 + paddle.mean({name}).detach().reshape([1]) * 0.1, {state})")
    else:
        body.line(f"paddle.increment({state}, 0.25)")
        body.assign(f"{name} * {state}", size)


def _array(body: Any) -> None:
    name, size = body.value()
    other, _ = body.value(size)
    array = body.fresh("array")
    body.line(f"{array} = paddle.tensor.create_array(D)")
    for k, text in enumerate([name, f"{other} * 0.5", f"paddle.tanh({name})"]):
        body.line(f"paddle.tensor.array_write({text}, paddle.full([1], {k}, 'int64'), {array})")
    body.assign(f"paddle.tensor.array_read({array}, paddle.full([1], {body.rng.randrange(3)}, 'int64'))", size)


def _scope(body: Any) -> None:
    """Lines within a name scope, or on a device."""
    with body.block(body.rng.choice(['with static.name_scope("part"):', 'with static.device_guard("cpu"):'])):
        for _ in range(body.rng.randint(1, 2)):
            _expression(body)
        name, size = body.found[-1]
    body.found.append((name, size))


def _gradient(body: Any) -> None:
    """A slope as a value."""
    if body.depth:
        return
    name, size = body.value()
    start = body.fresh("start")
    body.line(f"{start} = {name} * 1.0|{start}.stop_gradient = False")
    held, body.found = body.found, [*body.found, (start, size)]
    text, _ = same(body, (start, size))
    inner = body.assign(text, size)
    body.found = [*held, (inner, size)]
    slope = body.fresh("slope")
    body.line(f"{slope} = static.gradients([{inner}], [{start}])[0]")
    body.line(f"{slope} = {start} * 0.0 if {slope} is None else {slope}")
    body.assign(f"{slope} * 0.3", size)


def _in_place(body: Any) -> None:
    """A value that is written over."""
    name, size = body.value()
    other, _ = body.value(size)
    copy = body.assign(f"{name} * 1.0", size)
    if body.depth:
        return
    body.line(body.rng.choice([
        f"paddle.assign({other} * 0.5, {copy})",
        f"{copy} = paddle.static.setitem({copy}, (slice(None), 0), {other}[:, 0] * 0.5)",
        f"{copy} = paddle.static.setitem({copy}, 0, 0.25)",
        f"{copy} = paddle.tanh_({copy})",
        f"{copy} = {copy}.clip_(-0.5, 0.5)",
        f"{copy} = {copy}.add_({other})",
    ]))


def _block(body: Any) -> None:
    """A loop and choices of Python, whose operators stand one behind another."""
    name, size = body.value()
    with body.block("for turn in range(2):"):
        text, _ = same(body, (name, size))
        body.line(f"{body.fresh('turned')} = {text}")
    body.assign(f"turned{body.count}", size)
