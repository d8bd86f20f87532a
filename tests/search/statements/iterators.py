"""Loops over iterators of Python, with jumps that a tensor decides; what is computed as it is asked for."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape, unary
from .registry import condition, rebind, statement

OVER = """
({each} for k in range(3))
map(lambda k: {each}, range(3))
enumerate([{0}, {1}])
zip([{0}, {1}], range(3))
filter(lambda t: t is not None, [{0}, None, {1}])
reversed([{0}, {1}, {0}])
iter([{0}, {1}])
{{"a": {0}, "b": {1}}}.values()
{made}({0})
enumerate({made}({0}))
""".strip().splitlines()


@statement(1, "iterators")
def _loop(body: Body) -> bool:
    """A loop over what gives values, perhaps of a generator that does more, with a `break`."""
    v = body.value("float")
    if v is None or body.depth > 1 or not v.text.isidentifier():
        return False
    over = body.pick(*OVER)
    other = same_shape(body, v)
    made = body.fresh("gives")
    if "{made}" in over:
        with body.function(f"def {made}(t):"):
            body.values.append(Value("t", v.shape))
            if body.chance(0.4):
                body.line("t = t + 0.0")
            with body.block("for k in range(3):"):
                body.line(body.pick(f"t = {unary(body, Value('t', v.shape))}", "t = t * 0.5", "t.scale_(0.5)"))
                body.line("yield t * 1.0" if body.chance(0.8) else "yield t")
    name, total = body.fresh("item"), body.assign(f"{v.text} * 0.5", v.shape, prefix="total")
    target = {"e": f"_, {name}", "z": f"{name}, _"}.get(over[0], name)
    text = over.format(v.text, other, made=made, each=f"{v.text} * (0.5 + k)")
    with body.loop(f"for {target} in {text}:"):
        body.line(f"{total.text} = {total.text} * 0.5 + paddle.tanh({name})")
        if body.chance(0.7):
            with body.block(f"if {condition(body)}:"):
                body.line(body.pick("break", "break", "continue"))
        rebind(body, total)
    return True


@statement(0.6, "iterators")
def _asked(body: Body) -> bool:
    """`any`, `all`, `sum` and comprehensions over what a tensor decides."""
    v = body.value("float")
    if v is None:
        return False
    other = same_shape(body, v)
    source = body.pick(f"[{v.text}, {other}]", f"(q * 2.0 for q in [{v.text}, {other}])",
                       f"map(paddle.tanh, [{v.text}, {other}])")
    body.assign(body.pick(
        f"{v.text} * any(t.mean() > 0.1 for t in {source})",
        f"{v.text} + all((t < 2.0).all() for t in {source})",
        f"sum([t * 0.5 for t in {source} if t.mean() > 0.1], {v.text})",
        f"sum((t for t in {source}), {v.text} * 0.5)",
        f"max([t.mean() for t in {source}]) * {v.text}",
        f"[t for t in {source}][-1]",
        f"{{k: t for k, t in enumerate({source})}}[1]",
        f"(lambda *given, by=0.5: given[-1] * by)(*{source})"), v.shape)
    return True


@statement(0.6, "guards")
def _guarded(body: Body) -> bool:
    """`try`, `with`, `assert` and `print` on the way, and functions that change a variable of around."""
    v = body.value("float")
    if v is None or not v.text.isidentifier() or body.in_loop:
        return False
    way = body.below(4)
    if way == 0:
        with body.block("try:"):
            rebind(body, v)
            size = f"{v.text}.shape[0]" if v.rank else f"len({v.text}.shape)"
            body.line(body.pick(f"assert {v.text}.mean() < 100.0", f"assert {size} < 100, 'long'"))
        with body.block("finally:"):
            body.line(f"{v.text} = {v.text} * 0.5")
    elif way == 1:
        with body.block("try:"):
            rebind(body, v)
            body.line(f"{v.text} = {{'a': {v.text}}}[{body.pick('self.flag', repr('a'))}]")
        with body.block("except KeyError:"):
            rebind(body, v)
    elif way == 2 and not body.network.inside:
        name = body.fresh("changes")
        with body.block(f"def {name}(by=0.5):"):
            body.line(f"nonlocal {v.text}")
            body.line(f"{v.text} = {same_shape(body, v)} * by")
        body.line(f"{name}()")
        with body.block(f"if {condition(body)}:"):
            body.line(f"{name}(0.25)")
    else:
        with body.block(f"if {condition(body)}:"):
            rebind(body, v)
            body.line(f"assert ({v.text} < 1e6).all()")
    return True
