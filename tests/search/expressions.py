"""Expressions of generated programs: operators on values in scope.

A *production* takes the body and gives the text, shape and kind of one expression, or None where no value fits.
Values stay within some ten around zero and away from poles, so that rounding stays small.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .body import Body, Shape, Value, broadcast

Found = tuple[str, Shape, str]
Production = Callable[[Body], Found | None]
PRODUCTIONS: list[tuple[float, str | None, Production]] = []

# Same shape

UNARY = """
paddle.tanh({}) F.sigmoid({}) F.relu({}) F.gelu({}) F.silu({}) F.softplus({}) F.elu({}) F.hardswish({})
F.leaky_relu({},0.1) F.hardtanh({}) F.mish({}) F.softsign({}) F.selu(paddle.tanh({})) F.relu6({})
F.hardsigmoid({}) F.celu({}) F.tanhshrink({}) F.log_sigmoid({}) F.swish({}) F.hardshrink({},0.3)
F.softshrink({},0.3) F.thresholded_relu({},0.2) paddle.sin({}) paddle.cos({}) paddle.exp(paddle.tanh({}))
paddle.log(paddle.abs({})+0.5) paddle.sqrt(paddle.square({})+0.1) paddle.rsqrt(paddle.abs({})+0.5)
paddle.abs({}) paddle.square(paddle.tanh({})) paddle.erf({}) paddle.atan({}) paddle.asinh({})
paddle.expm1(paddle.tanh({})) paddle.log1p(paddle.abs({})) paddle.reciprocal(paddle.abs({})+1.0)
paddle.clip({},-0.6,0.7) paddle.clip({},min=-0.5) paddle.scale({},0.5,0.1) paddle.nan_to_num({}) paddle.neg({})
paddle.stanh({}) paddle.lgamma(paddle.abs({})+1.0) paddle.round({}) paddle.floor({}) paddle.sign({})*0.5
paddle.frac({}) paddle.tanh({})**2 paddle.abs({})**1.5 1.0-{} -{} {}*0.5 {}/2 {}+0.25 0.5*{}
2.0/(paddle.abs({})+1.0) {}.tanh() {}.abs() {}.clip(-1.0,1.0) {}.clone() {}.detach() {}.square().tanh()
{}.scale(0.5) {}.add(paddle.to_tensor(0.5)) paddle.multiply({},paddle.to_tensor(0.5))
{}.astype('float64').astype({}.dtype) paddle.zeros_like({})+0.5 paddle.full_like({},0.5) paddle.ones_like({})
{}%0.7 {}//0.5 paddle.digamma(paddle.abs({})+1.0) paddle.cast({},'float32').astype({}.dtype)
paddle.increment({}.sum()*0.01)*{} F.dropout({},0.5,training=False) paddle.rad2deg(paddle.tanh({}))*0.01
paddle.trunc({}) paddle.sinh(paddle.tanh({})) paddle.logit(F.sigmoid({}),1e-3)
paddle.erfinv(paddle.tanh({})*0.8) paddle.acos(paddle.tanh({})*0.8) paddle.i0({}) paddle.angle({})*0.1
paddle.nn.functional.label_smooth({})
""".split()

ALONG = """F.softmax({},axis={}) F.log_softmax({},axis={}) paddle.cumsum({},axis={})*0.3 paddle.flip({},axis={})
paddle.roll({},1,axis={}) paddle.sort({},axis={}) paddle.sort({},axis={},descending=True) F.normalize({}+0.5,axis={})
paddle.logcumsumexp({},axis={})*0.3 paddle.cumprod(paddle.tanh({}),dim={}) {}-{}.mean({},keepdim=True)
{}-{}.max({},keepdim=True) {}/({}.abs().sum({},keepdim=True)+1.0) {}*F.softmax({},{})
paddle.cummax({},axis={})[0] {}.cumsum({}).tanh()""".split()


def unary(body: Body, v: Value) -> str:
    """An expression of the shape of `v` in `v` alone."""
    if v.rank and body.chance(0.25):
        axis = body.signed(v, body.below(v.rank))
        template = body.pick(*ALONG)
        return _fill(template, [v.text] * (template.count("{}") - 1) + [str(axis)])
    if v.rank >= 2 and body.chance(0.06):
        return body.pick(f"paddle.tril({v.text})", f"paddle.triu({v.text}, 1)", f"{v.text}.tril(-1)")
    template = body.pick(*UNARY)
    return _fill(template, [v.text] * template.count("{}"))


def _fill(template: str, texts: list[str]) -> str:
    parts = template.replace(",", ", ").split("{}")
    return "".join(a + b for a, b in zip(parts, [*texts, ""], strict=True))


def operand(body: Body, shape: Shape) -> str:
    """Something that may be added to a value of a shape without changing the shape."""
    fitting = [v for v in body.all("float") if broadcast(v.shape, shape) == shape]
    roll = body.rng.random()
    if fitting and roll < 0.55:
        return body.rng.choice(fitting).text
    if roll < 0.7:
        return body.network.parameter((shape[-1],) if shape and isinstance(shape[-1], int) else (1,) * bool(shape))
    if roll < 0.8 and body.network.buffers:
        fits = [name for name, held in body.network.buffers if broadcast(held, shape) == shape]
        if fits:
            return body.rng.choice(fits)
    other = body.value("float")
    if other is not None and roll < 0.92:
        return body.pick("paddle.mean({})", "{}.mean()", "paddle.tanh({}.sum())", "{}.max()", "{}.min()").format(
            other.text
        )
    return str(body.number())


def same_shape(body: Body, v: Value, depth: int = 0) -> str:
    """An expression of the shape of `v` that depends on it, most of the time."""
    roll = body.rng.random()
    if roll < 0.4:
        return unary(body, v)
    if roll < 0.65:
        template = body.pick(
            "{0} + {1}",
            "{0} * {1}",
            "{0} - {1}",
            "{1} - {0} * 0.5",
            "paddle.maximum({0}, {2})",
            "paddle.minimum({0}, {2})",
            "{0} / (paddle.abs({2}) + 1.0)",
            "paddle.add({0}, {2})",
            "paddle.multiply({0}, paddle.tanh({2}))",
            "paddle.subtract({0}, {2})",
            "paddle.lerp({0}, {2}, 0.3)",
            "paddle.atan2({0}, paddle.abs({2}) + 1.0)",
            "paddle.fmax({0}, {2})",
            "paddle.heaviside({0}, {2})",
        )
        other = operand(body, v.shape)
        tensor = f"paddle.to_tensor({other})" if _is_number(other) else other
        return template.format(v.text, other, tensor)
    if roll < 0.75:
        return body.pick(
            "paddle.where({0} > {1}, {0}, {2} * 0.5)",
            "paddle.where({0} > {1}, {0} * 2.0, paddle.zeros_like({0}))",
            "{0} * ({0} > {1}).astype({0}.dtype)",
            "paddle.masked_fill({0}, {0} < {1}, 0.3)",
        ).format(v.text, body.pick(0.0, 0.1, -0.2), v.text)
    if roll < 0.85 and v.rank >= 2 and isinstance(v.shape[-1], int):
        return linear_like(body, v)
    if roll < 0.9 and body.network.allows("pylayer"):
        return pylayer(body, v)
    if depth < 2:
        inner = same_shape(body, v, depth + 1)
        return f"paddle.tanh({inner})" if body.chance(0.5) else f"({inner}) * 0.5 + {v.text}"
    return unary(body, v)


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def linear_like(body: Body, v: Value) -> str:
    """A sublayer that keeps the shape, or a product with a square parameter."""
    size = v.shape[-1]
    choices = [
        f"nn.Linear({size}, {size})",
        f"nn.LayerNorm({size})",
        f"nn.Sequential(nn.Linear({size}, 3), nn.Tanh(), nn.Linear(3, {size}))",
        "nn.Tanh()",
        "nn.ReLU()",
        "nn.PReLU()",
        f"nn.Linear({size}, {size}, bias_attr=False)",
        "nn.GELU()",
    ]
    if body.network.allows("batch_norm") and v.rank == 2:
        choices += [f"nn.BatchNorm1D({size})"] * 2
    if v.rank == 3 and isinstance(v.shape[1], int):
        choices += [f"nn.Conv1D({v.shape[1]}, {v.shape[1]}, 3, padding=1)", f"nn.InstanceNorm1D({v.shape[1]})"]
        choices += [f"nn.BatchNorm1D({v.shape[1]})"] if body.network.allows("batch_norm") else []
    if v.rank == 4 and isinstance(v.shape[1], int):
        choices += [f"nn.Conv2D({v.shape[1]}, {v.shape[1]}, 3, padding=1)", f"nn.GroupNorm(1, {v.shape[1]})"]
        choices += [f"nn.BatchNorm2D({v.shape[1]})"] if body.network.allows("batch_norm") else []
    if body.chance(0.2):
        return f"paddle.matmul({v.text}, {body.network.parameter((size, size))})"
    if body.network.allows("dropout") and body.chance(0.05):
        return f"{body.network.layer('drop', 'nn.Dropout(0.5)')}({v.text})"
    text = body.rng.choice(choices)
    kind = text[3:].split("(")[0].lower()
    return f"{body.network.layer(kind, text)}({v.text})"


PYLAYERS = {
    "Straight": """class Straight(PyLayer):
    @staticmethod
    def forward(ctx, x):
        return paddle.sign(x)

    @staticmethod
    def backward(ctx, dy):
        return dy
""",
    "Reverse": """class Reverse(PyLayer):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x * 1.0

    @staticmethod
    def backward(ctx, dy):
        return dy * -ctx.scale
""",
    "Bounded": """class Bounded(PyLayer):
    @staticmethod
    def forward(ctx, x):
        y = paddle.tanh(x)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, y = ctx.saved_tensor()
        return dy * (1.0 - y) * paddle.cast(x > -0.5, dy.dtype)
""",
    "Both": """class Both(PyLayer):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(w)
        return x * w, x + w

    @staticmethod
    def backward(ctx, dp, ds):
        (w,) = ctx.saved_tensor()
        return dp * w + 0.5 * ds, None
""",
}


def pylayer(body: Body, v: Value) -> str:
    """A function with a gradient of its own."""
    name = body.rng.choice(sorted(PYLAYERS))
    body.network.classes[name] = PYLAYERS[name]
    if name == "Reverse":
        return f"Reverse.apply({v.text}, {body.pick(0.5, 2.0)})"
    if name == "Both":
        return f"Both.apply({v.text}, paddle.tanh({v.text}))[{body.below(2)}]"
    return f"{name}.apply({v.text})"


# New shapes


def production(weight: float, feature: str | None = None) -> Callable[[Production], Production]:
    def add(function: Production) -> Production:
        PRODUCTIONS.append((weight, feature, function))
        return function

    return add


@production(6)
def _same(body: Body) -> Found | None:
    v = body.value("float")
    return v and (same_shape(body, v), v.shape, "float")


@production(3)
def _binary(body: Body) -> Found | None:
    a, b = body.value("float"), body.value("float")
    shape = a and b and broadcast(a.shape, b.shape)
    if shape is None or len(shape) > 4:
        return None
    template = body.pick(
        "{} + {}",
        "{} * {}",
        "{} - {}",
        "{} / (paddle.abs({}) + 1.0)",
        "paddle.maximum({}, {})",
        "paddle.where({0} > {1}, {0}, {1})",
        "paddle.fmin({}, {})",
        "paddle.add({}, {})",
        "paddle.pow(paddle.abs({}) + 0.5, paddle.tanh({}))",
        "paddle.hypot({}, {} + 0.1)",
        "{0}.multiply({1}.tanh())",
        "paddle.logaddexp({}, {})",
        "paddle.lerp({}, {}, 0.3)",
        "paddle.fmax({}, {})",
    )
    return template.format(a.text, b.text), shape, "float"


REDUCTIONS = (
    """mean sum max min prod logsumexp std var norm amax amin median nanmean nansum all_mean quantile""".split()
)


@production(5)
def _reduce(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    axes = sorted(body.rng.sample(range(v.rank), body.rng.randint(1, v.rank)))
    whole = body.chance(0.15)
    keep = body.chance(0.4)
    name = body.rng.choice(REDUCTIONS)
    if name in ("median", "quantile"):
        axes = axes[:1]
        unknown = any(isinstance(v.shape[k], str) for k in (range(v.rank) if whole else axes))
        if unknown and not body.network.allows("unknown_median"):
            return None
    if name in ("std", "var") and any(v.shape[k] == 1 for k in axes) and not whole:
        return None
    if name in ("std", "var") and whole and all(s == 1 for s in v.shape):
        return None
    given = [body.signed(v, k) for k in axes]
    axis = "" if whole else str(given[0] if len(given) == 1 else given)
    shape = (
        tuple(1 if whole or k in axes else s for k, s in enumerate(v.shape))
        if keep
        else (() if whole else tuple(s for k, s in enumerate(v.shape) if k not in axes))
    )
    arguments = ", ".join(
        filter(None, [v.text, ("0.3" if name == "quantile" else ""), axis and f"axis={axis}", "keepdim=True" * keep])
    )
    if name == "all_mean":
        return f"paddle.mean({arguments}) * paddle.sum({arguments}) * 0.1", shape, "float"
    if name == "prod":
        arguments = arguments.replace(v.text, f"paddle.tanh({v.text})", 1)
    if name == "norm":
        return (
            (
                f"paddle.norm({v.text} + 0.3{', p=2' if axis else ''}{', axis=' + axis if axis else ''}"
                f"{', keepdim=True' * keep})"
            ),
            shape,
            "float",
        )
    if name in ("std", "var"):
        arguments += ", unbiased=False"
    if name == "std":
        return f"paddle.sqrt(paddle.var({arguments}) + 0.01)", shape, "float"
    return f"paddle.{name}({arguments})", shape, "float"


@production(2)
def _reshape(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    rest = [s for s in v.shape[1:]]
    if any(isinstance(s, str) for s in rest) or not rest:
        return None
    count = _product(rest)
    first, head = v.shape[0], v.text
    lead = (
        body.pick("-1", "0", f"{head}.shape[0]", f"paddle.shape({head})[0]")
        if isinstance(first, str)
        else body.pick("-1", "0", str(first))
    )
    shapes = [(count,)] + [(a, count // a) for a in range(2, count) if count % a == 0]
    new = body.rng.choice(shapes)
    text = body.pick("{0}.reshape([{1}, {2}])", "paddle.reshape({0}, [{1}, {2}])")
    return text.format(head, lead, ", ".join(map(str, new))), (first, *new), "float"


def _product(sizes: Any) -> int:
    result = 1
    for s in sizes:
        result *= s
    return result


@production(1)
def _flatten(body: Body) -> Found | None:
    v = body.value("float", 2)
    if v is None:
        return None
    for start in body.rng.sample(range(v.rank - 1), v.rank - 1):
        if all(isinstance(s, int) for s in v.shape[start:]):
            return f"paddle.flatten({v.text}, {start})", (*v.shape[:start], _product(v.shape[start:])), "float"
    return None


@production(2)
def _transpose(body: Body) -> Found | None:
    v = body.value("float", 2)
    if v is None:
        return None
    order = body.rng.sample(range(v.rank), v.rank)
    return (
        body.pick("{}.transpose({})", "paddle.transpose({}, {})").format(v.text, order),
        tuple(v.shape[k] for k in order),
        "float",
    )


@production(1)
def _swap(body: Body) -> Found | None:
    v = body.value("float", 2)
    if v is None:
        return None
    a, b = body.rng.sample(range(v.rank), 2)
    shape = list(v.shape)
    shape[a], shape[b] = shape[b], shape[a]
    if v.rank == 2 and body.chance(0.5):
        return body.pick("{}.T", "{}.t()").format(v.text), tuple(shape), "float"
    return f"paddle.swapaxes({v.text}, {a}, {b - v.rank})", tuple(shape), "float"


@production(1)
def _unsqueeze(body: Body) -> Found | None:
    v = body.value("float", 0, 3)
    if v is None:
        return None
    axis = body.below(v.rank + 1)
    text = body.pick("{0}.unsqueeze({1})", "paddle.unsqueeze({0}, [{1}])", "paddle.unsqueeze({0}, axis={2})")
    return text.format(v.text, axis, axis - v.rank - 1), (*v.shape[:axis], 1, *v.shape[axis:]), "float"


@production(1)
def _squeeze(body: Body) -> Found | None:
    found = [(v, k) for v in body.all("float", 1) for k in range(v.rank) if v.shape[k] == 1]
    if not found:
        return None
    v, k = body.rng.choice(found)
    return (
        body.pick("{}.squeeze({})", "paddle.squeeze({}, axis=[{}])").format(v.text, body.signed(v, k)),
        v.shape[:k] + v.shape[k + 1 :],
        "float",
    )


@production(2)
def _concat(body: Body) -> Found | None:
    v = body.value("float", 1)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None

    def fits(u: Value) -> bool:
        return (
            u.rank == v.rank
            and isinstance(u.shape[axis], int)
            and all(k == axis or u.shape[k] == v.shape[k] for k in range(v.rank))
        )

    others = [u for u in body.all("float", v.rank, v.rank) if fits(u)]
    chosen = [v, body.rng.choice(others)] + ([body.rng.choice(others)] if body.chance(0.2) else [])
    size = sum(u.shape[axis] for u in chosen)
    if size > 12:
        return None
    return (
        f"paddle.concat([{', '.join(u.text for u in chosen)}], axis={body.signed(v, axis)})",
        (*v.shape[:axis], size, *v.shape[axis + 1 :]),
        "float",
    )


@production(2)
def _stack(body: Body) -> Found | None:
    v = body.value("float", 0, 3)
    if v is None:
        return None
    others = [u for u in body.all("float") if u.shape == v.shape]
    texts = [v.text, body.rng.choice(others).text if body.chance(0.6) else f"{v.text} * 0.5"]
    axis = body.below(v.rank + 1)
    return (
        f"paddle.stack([{', '.join(texts)}], axis={body.pick(axis, axis - v.rank - 1)})",
        (*v.shape[:axis], 2, *v.shape[axis:]),
        "float",
    )


@production(2)
def _take_part(body: Body) -> Found | None:
    """One piece of a split, chunk, unbind or unstack."""
    v = body.value("float", 1)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None
    size, (before, after) = v.shape[axis], (v.shape[:axis], v.shape[axis + 1 :])
    given = body.signed(v, axis)
    which = body.below(3)
    if which == 0 and size > 1:
        first = body.rng.randint(1, size - 1)
        k = body.below(2)
        sizes = body.pick([first, size - first], [first, -1])
        return (
            f"paddle.split({v.text}, {sizes}, axis={given})[{k}]",
            (*before, (first, size - first)[k], *after),
            "float",
        )
    if which == 1 and size % 2 == 0 and size:
        return f"paddle.chunk({v.text}, 2, axis={given})[{body.below(2)}]", (*before, size // 2, *after), "float"
    return f"paddle.unbind({v.text}, axis={given})[{body.below(size)}]", (*before, *after), "float"


@production(5)
def _index(body: Body) -> Found | None:
    """Basic and advanced indexing with numbers, slices, None, ellipsis and lists."""
    v = body.value("float", 1)
    if v is None:
        return None
    parts: list[str] = []
    shape: list = []
    lists = 0
    for size in v.shape[: body.rng.randint(1, v.rank)]:
        roll = body.rng.random()
        if roll < 0.08 and len(shape) < 3:
            parts.append("None")
            shape.append(1)
        if isinstance(size, str) or roll < 0.3:
            if isinstance(size, str) and roll > 0.75:
                parts.append(body.pick("0", "-1", "1"))
                continue
            if roll > 0.6:
                parts.append(body.pick("::-1", ":"))
            else:
                parts.append(":")
            shape.append(size)
        elif roll < 0.5:
            parts.append(str(body.pick(body.below(size), -1)))
        elif roll < 0.9 or lists:
            start, step = body.below(size), body.pick(1, 1, 2)
            stop = body.rng.randint(start + 1, size)
            parts.append(body.pick(f"{start}:{stop}", f"{start}:{stop}:{step}" if step > 1 else f"{start}:{stop}"))
            shape.append(len(range(start, stop, int(parts[-1].split(":")[2]) if parts[-1].count(":") == 2 else 1)))
        else:
            lists += 1
            count = body.rng.randint(1, 3)
            parts.append(str([body.below(size) for _ in range(count)]))
            shape.append(count)
    shape += v.shape[len([p for p in parts if p != "None"]) :]
    if lists and (any(p.lstrip("-").isdigit() for p in parts) or "None" in parts):
        return None
    if len(parts) == 1 and parts[0] == ":":
        return None
    if body.chance(0.1) and not lists and len([p for p in parts if p != "None"]) < v.rank:
        parts.append("...")
    return f"{v.text}[{', '.join(parts)}]", tuple(shape), "float"


@production(2)
def _select(body: Body) -> Found | None:
    """Rows taken by constant or computed positions."""
    v = body.value("float", 1)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None
    size = v.shape[axis]
    positions = [body.below(size) for _ in range(body.rng.randint(1, 3))]
    shape = (*v.shape[:axis], len(positions), *v.shape[axis + 1 :])
    text = body.pick(
        "paddle.index_select({0}, paddle.to_tensor({1}), axis={2})",
        "paddle.gather({0}, paddle.to_tensor({1}), axis={2})",
    )
    if body.chance(0.3):
        name = body.network.fresh("rows")
        body.network.init.append(f"self.{name} = paddle.to_tensor({positions})")
        return f"paddle.index_select({v.text}, self.{name}, axis={body.signed(v, axis)})", shape, "float"
    return text.format(v.text, positions, axis), shape, "float"


@production(1)
def _topk(body: Body) -> Found | None:
    v = body.value("float", 1)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None:
        return None
    count = body.rng.randint(1, v.shape[axis])
    return (
        f"paddle.topk({v.text}, {count}, axis={body.signed(v, axis)})[0]",
        (*v.shape[:axis], count, *v.shape[axis + 1 :]),
        "float",
    )


@production(1)
def _along_axis(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    axis = body.below(v.rank)
    given = body.signed(v, axis) if body.network.allows("along_negative") else axis
    return f"paddle.take_along_axis({v.text}, paddle.argsort({v.text}, axis={axis}), axis={given})", v.shape, "float"


@production(4)
def _matmul(body: Body) -> Found | None:
    v = body.value("float", 2)
    if v is None:
        return None
    last = v.shape[-1]
    if isinstance(last, int) and body.chance(0.6):
        out = body.rng.randint(1, 5)
        if body.chance(0.5):
            return (
                f"{body.network.layer('linear', f'nn.Linear({last}, {out})')}({v.text})",
                (*v.shape[:-1], out),
                "float",
            )
        weight = body.network.parameter((last, out))
        return (
            body.pick("paddle.matmul({0}, {1})", "{0} @ {1}", "F.linear({0}, {1})").format(v.text, weight),
            (*v.shape[:-1], out),
            "float",
        )
    return (
        body.pick(
            "paddle.matmul({0}, {0}, transpose_y=True) * 0.3", "paddle.matmul({0}, {0}.transpose({1})) * 0.3"
        ).format(v.text, [*range(v.rank - 2), v.rank - 1, v.rank - 2]),
        (*v.shape[:-1], v.shape[-2]),
        "float",
    )


@production(1)
def _einsum(body: Body) -> Found | None:
    v = body.value("float", 2, 3)
    if v is None:
        return None
    letters = "abc"[: v.rank]
    if v.rank == 2:
        out = body.pick("ab,cb->ac", "ab,ab->a", "ab,ac->bc")
        shape = {"ab,cb->ac": (v.shape[0], v.shape[0]), "ab,ab->a": v.shape[:1], "ab,ac->bc": (v.shape[1], v.shape[1])}[
            out
        ]
    else:
        out = body.pick("abc,abd->acd", "abc,adc->abd")
        shape = {
            "abc,abd->acd": (v.shape[0], v.shape[2], v.shape[2]),
            "abc,adc->abd": (v.shape[0], v.shape[1], v.shape[1]),
        }[out]
    assert letters
    return f"paddle.einsum('{out}', {v.text}, {v.text}) * 0.3", shape, "float"


@production(1)
def _pad(body: Body) -> Found | None:
    v = body.value("float", 2, 4)
    if v is None:
        return None
    if v.rank == 2:
        pads = [body.below(2) for _ in range(4)]
        if any(isinstance(s, str) for s in v.shape) and pads[0] + pads[1]:
            pads[0] = pads[1] = 0
        if isinstance(v.shape[1], str):
            return None
        return (
            f"F.pad({v.text}, {pads}, value=0.5)",
            (_plus(v.shape[0], pads[0] + pads[1]), v.shape[1] + pads[2] + pads[3]),
            "float",
        )
    if v.rank == 3 and isinstance(v.shape[2], int):
        a, b = body.below(2), body.below(2)
        mode = body.pick("'constant'", "'reflect'", "'replicate'", "'circular'") if v.shape[2] > 1 else "'constant'"
        return (
            f"F.pad({v.text}, [{a}, {b}], mode={mode}, data_format='NCL')",
            (*v.shape[:2], v.shape[2] + a + b),
            "float",
        )
    return None


def _plus(size: Any, more: int) -> Any:
    return size if not more else size + more


@production(1)
def _tile(body: Body) -> Found | None:
    v = body.value("float", 1, 3)
    axis = v and body.axis(v, known=True)
    if v is None or axis is None or v.shape[axis] > 4:
        return None
    times = [2 if k == axis else 1 for k in range(v.rank)]
    shape = (*v.shape[:axis], v.shape[axis] * 2, *v.shape[axis + 1 :])
    if body.chance(0.3):
        return f"paddle.repeat_interleave({v.text}, 2, axis={axis})", shape, "float"
    return f"paddle.tile({v.text}, {times})", shape, "float"


@production(1)
def _expand(body: Body) -> Found | None:
    found = [
        (v, u)
        for v in body.all("float", 1)
        for u in body.all("float", 1)
        if v.shape != u.shape and broadcast(v.shape, u.shape) == u.shape
    ]
    if not found:
        return None
    v, u = body.rng.choice(found)
    if all(isinstance(s, int) for s in u.shape) and body.chance(0.5):
        return f"paddle.expand({v.text}, {list(u.shape)})", u.shape, "float"
    return (
        body.pick(
            "paddle.expand_as({0}, {1})",
            "{0}.expand_as({1})",
            "paddle.broadcast_to({0}, {1}.shape)",
            "paddle.expand({0}, {1}.shape)",
        ).format(v.text, u.text),
        u.shape,
        "float",
    )


@production(1.5)
def _layers_of_new_shape(body: Body) -> Found | None:
    """Convolution, pooling, recurrence, attention, embedding."""
    v = body.value("float", 3, 4)
    if v is None:
        return None
    network = body.network
    if v.rank == 3 and isinstance(v.shape[2], int):
        size = v.shape[2]
        choice = body.below(5)
        if choice == 0 and isinstance(v.shape[1], int):
            return (
                f"{network.layer('conv', f'nn.Conv1D({v.shape[1]}, 2, 1)')}({v.text})",
                (v.shape[0], 2, size),
                "float",
            )
        if choice == 1 and isinstance(v.shape[1], int) and size >= 2:
            text = body.pick("F.max_pool1d({}, 2, 1)", "F.avg_pool1d({}, 2, 1)")
            return text.format(v.text), (*v.shape[:2], size - 1), "float"
        if choice == 2:
            name = body.pick("GRU", "LSTM", "SimpleRNN")
            return f"{network.layer(name.lower(), f'nn.{name}({size}, 3)')}({v.text})[0]", (*v.shape[:2], 3), "float"
        if choice == 3 and size % 2 == 0:
            return f"{network.layer('attention', f'nn.MultiHeadAttention({size}, 2)')}({v.text})", v.shape, "float"
        if choice == 4 and isinstance(v.shape[1], int) and network.allows("adaptive"):
            return f"F.adaptive_avg_pool1d({v.text}, 2)", (*v.shape[:2], 2), "float"
        return None
    if v.rank == 4 and all(isinstance(s, int) for s in v.shape[1:]) and min(v.shape[2:]) >= 2:
        channels, (high, wide) = v.shape[1], v.shape[2:]
        choice = body.below(4)
        if choice == 0:
            return (
                f"{network.layer('conv', f'nn.Conv2D({channels}, 2, 2)')}({v.text})",
                (v.shape[0], 2, high - 1, wide - 1),
                "float",
            )
        if choice == 1:
            return (
                body.pick("F.max_pool2d({}, 2)", "F.avg_pool2d({}, 2)").format(v.text),
                (v.shape[0], channels, high // 2, wide // 2),
                "float",
            )
        if choice == 2:
            return (
                f"F.interpolate({v.text}, scale_factor=2, mode='{body.pick('nearest', 'bilinear')}')",
                (v.shape[0], channels, 2 * high, 2 * wide),
                "float",
            )
        return f"F.adaptive_avg_pool2d({v.text}, 1)", (v.shape[0], channels, 1, 1), "float"
    return None


@production(1)
def _losses(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    other = operand(body, v.shape)
    if _is_number(other):
        other = f"paddle.full_like({v.text}, {other})"
    fits = [u for u in body.all("float") if u.shape == v.shape]
    other = body.rng.choice(fits).text
    reduction = body.pick("mean", "sum", "none")
    text = body.pick(
        "F.mse_loss({}, {}, reduction='{}')",
        "F.smooth_l1_loss({}, {}, reduction='{}')",
        "F.l1_loss({}, {}, reduction='{}')",
        "F.binary_cross_entropy_with_logits({}, F.sigmoid({}), reduction='{}')",
    )
    return (
        text.format(v.text, other, reduction) + (" * 0.1" if reduction == "sum" else ""),
        (() if reduction != "none" else v.shape),
        "float",
    )


@production(1, "recorded")
def _recorded(body: Body) -> Found | None:
    """An operator on the inputs of one of its test records, which a value moves a little; a number."""
    v = body.value("float")
    return v and (f"recorded({body.below(1_000_000)}, {v.text})", (), "float")


# Integers and bools


@production(1.5)
def _ints(body: Body) -> Found | None:
    v = body.value("float", 1)
    if v is None:
        return None
    axis = body.below(v.rank)
    without = v.shape[:axis] + v.shape[axis + 1 :]
    given = body.signed(v, axis)
    return body.pick(
        (f"paddle.argmax({v.text}, axis={given})", without, "int"),
        (f"paddle.argmin({v.text}, axis={given})", without, "int"),
        (f"paddle.argsort({v.text}, axis={given})", v.shape, "int"),
        (f"({v.text} > 0.1).astype('int64')", v.shape, "int"),
        (f"({v.text} > 0).astype('int64').sum({given})", without, "int"),
        (f"paddle.cast({v.text} * 3.0, 'int64')", v.shape, "int"),
    )


@production(1.5)
def _from_ints(body: Body) -> Found | None:
    n = body.value("int")
    if n is None:
        return None
    if body.chance(0.3) and n.rank <= 3:
        return (
            f"{body.network.layer('embedding', 'nn.Embedding(4, 3)')}(paddle.clip({n.text}, 0, 3))",
            (*n.shape, 3),
            "float",
        )
    if body.chance(0.3) and n.rank <= 3:
        return f"F.one_hot(paddle.clip({n.text}, 0, 2), 3)", (*n.shape, 3), "float"
    return body.pick(
        (f"{n.text}.astype(paddle.get_default_dtype()) * 0.1", n.shape, "float"),
        (f"{n.text} + 1", n.shape, "int"),
        (f"{n.text} % 3", n.shape, "int"),
        (f"{n.text} // 2", n.shape, "int"),
        (f"{n.text} * 0.25", n.shape, "float"),
        (f"{n.text}.sum()", (), "int"),
        (f"{n.text}.max() * 0.1", (), "float"),
        (f"paddle.clip({n.text}, 0, 2)", n.shape, "int"),
    )


@production(1)
def _bools(body: Body) -> Found | None:
    v = body.value("float")
    if v is None:
        return None
    u = [u for u in body.all("float") if u.shape == v.shape]
    other = body.rng.choice(u).text
    return (
        body.pick(
            f"{v.text} > 0.1",
            f"paddle.logical_and({v.text} > -0.5, {other} < 0.5)",
            f"({v.text} > {other})",
            f"paddle.logical_not({v.text} < 0)",
            f"({v.text} < 0.3) | ({other} > 0.5)",
            f"paddle.isfinite({v.text})",
        ),
        v.shape,
        "bool",
    )


@production(1)
def _from_bools(body: Body) -> Found | None:
    b = body.value("bool")
    if b is None:
        return None
    fits = [v for v in body.all("float") if v.shape == b.shape]
    if fits and body.chance(0.7):
        v = body.rng.choice(fits)
        return body.pick(
            (f"paddle.where({b.text}, {v.text}, paddle.zeros_like({v.text}))", b.shape, "float"),
            (f"paddle.masked_fill({v.text}, {b.text}, 0.5)", b.shape, "float"),
            (f"({v.text} * {b.text}.astype({v.text}.dtype)).sum()", (), "float"),
            (f"paddle.masked_select({v.text}, {b.text}).sum() * 0.2", (), "float"),
        )
    return body.pick(
        (f"{b.text}.astype('int64')", b.shape, "int"),
        (f"paddle.any({b.text})", (), "bool"),
        (f"{b.text}.astype(paddle.get_default_dtype())", b.shape, "float"),
    )


@production(1, "sizes")
def _sizes(body: Body) -> Found | None:
    """A value with a size of another in it."""
    v = body.value("float", 1)
    if v is None:
        return None
    k = body.below(v.rank)
    return (
        body.pick(
            f"{v.text} / {v.text}.shape[{k}]",
            f"{v.text} * (1.0 / {v.text}.shape[{k - v.rank}])",
            f"{v.text} * len({v.text}) * 0.1",
            f"{v.text} + paddle.shape({v.text})[{k}].astype({v.text}.dtype) * 0.1",
            f"{v.text} + paddle.ones([{v.text}.shape[{v.rank - 1}]])",
            f"{v.text} * (0.5 if {v.text}.shape[{k}] > 2 else 0.25)",
            f"{v.text} - {v.text}.shape[{k}] // 2",
        ),
        v.shape,
        "float",
    )


def expression(body: Body, tries: int = 12) -> Found:
    """A random expression."""
    fitting = [(w, p) for w, feature, p in PRODUCTIONS if body.network.allows(feature)]
    weights = [w for w, _ in fitting]
    for _ in range(tries):
        found = body.rng.choices(fitting, weights)[0][1](body)
        if found is not None and len(found[1]) <= 4 and _small(found[1]):
            return found
    v = body.value("float")
    assert v is not None
    return unary(body, v), v.shape, "float"


def _small(shape: Shape) -> bool:
    return _product(s if isinstance(s, int) else 3 for s in shape) <= 160 and 0 not in shape
