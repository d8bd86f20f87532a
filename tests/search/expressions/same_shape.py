"""Expressions of the shape of one value: functions of it, and of it with others."""

from __future__ import annotations

from ..body import Body, Shape, Value, broadcast
from .layers import linear_like
from .py_layers import pylayer

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
        tensor = f"paddle.to_tensor({other})" if is_number(other) else other
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


def is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()
