"""Control flow by functions: paddle.static.nn's cond, case, switch_case, while_loop."""

from __future__ import annotations

from ..body import Body, Value
from ..expressions import same_shape
from .registry import condition, statement


@statement(0.8, "static_control")
def _control(body: Body) -> bool:
    v, test = body.value("float"), condition(body)
    if v is None or test is None or " and " in test or " or " in test or test.startswith(("not ", "-")):
        return False
    first, second = same_shape(body, v), same_shape(body, v)
    way = body.below(5)
    if way == 0:
        body.assign(f"paddle.static.nn.cond({test}, lambda: {first}, lambda: {second})", v.shape)
    elif way == 1:
        name = body.fresh("pair")
        body.line(f"{name} = paddle.static.nn.cond({test}, lambda: ({first}, {v.text}), lambda: ({second}, {first}))")
        body.assign(f"{name}[0] * 0.5 + {name}[1]", v.shape)
    elif way == 2:
        default = body.pick("", f", default=lambda: {v.text} * 0.5")
        body.assign(
            f"paddle.static.nn.case([({test}, lambda: {first}), ({v.text}.mean() < 0.4, lambda: {second})]{default})",
            v.shape,
        )
    elif way == 3:
        which = f"({v.text} > 0).astype('int64').sum() % 3"
        body.assign(
            f"paddle.static.nn.switch_case({which}, {{0: lambda: {first}, 1: lambda: {second}}}, "
            f"default=lambda: {v.text} * 0.5)",
            v.shape,
        )
    else:
        inner = same_shape(body, Value("t", v.shape))
        name = body.fresh("looped")
        count = body.rng.randint(1, 3)
        body.line(
            f"{name} = paddle.static.nn.while_loop(lambda i, t: i < {count}, lambda i, t: [i + 1, {inner}], "
            f"[paddle.zeros([1], 'int64'), {v.text}])"
        )
        body.assign(f"{name}[1] * 0.5 + {v.text}", v.shape)
    return True
