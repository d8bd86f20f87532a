"""Activations that draw random numbers: gumbel_softmax and rrelu."""

from ...core.dtype import float32
from ..core.operator import operator
from ..core.trace import apply
from ..math.elementwise import multiply_op
from ..random.draws import as_float32, gumbel_array, uniform_array
from .softmax import softmax_array, softmax_grad_op


def _gumbel_softmax(xp, x, *, temperature: float = 1.0, hard: bool = False, axis: int = -1):
    soft = softmax_array(xp, (x + gumbel_array(xp, x)) / as_float32(temperature), axis)
    if not hard:
        return soft, soft.copy()  # of which each may be changed by itself
    if not x.ndim:  # the only class there is
        return xp.ones_like(soft), soft
    best = xp.expand_dims(soft.argmax(axis), axis)
    places = xp.arange(x.shape[axis]).reshape([-1 if n == axis % x.ndim else 1 for n in range(x.ndim)])
    return (best == places).astype(x.dtype), soft


gumbel_softmax_op = operator(
    "gumbel_softmax", "X -> Out, Soft", kernel=_gumbel_softmax, effects="random",
    infer=lambda x, *, temperature=1.0, hard=False, axis=-1: (x, x),
    grad={"X": lambda g, Soft, temperature, axis: apply(softmax_grad_op, Soft, g, axis=axis) * (1.0 / temperature)})


def _rrelu(xp, x, *, lower: float = 1 / 8, upper: float = 1 / 3, is_test: bool = False):
    if is_test:
        noise = xp.full(x.shape, (lower + upper) / 2, x.dtype)
    else:
        noise = xp.ones_like(x)
        falling = x < 0  # nothing is drawn for the others
        count = int(falling.sum())
        noise[falling] = uniform_array(xp, (count,), float32, as_float32(lower), as_float32(upper))
    noise = xp.where(x < 0, noise, xp.ones_like(x))
    return x * noise, noise


rrelu_op = operator("rrelu", "X -> Out, Noise&", kernel=_rrelu, infer=lambda x, **_: (x, x), effects="random",
                    grad={"X": lambda g, Noise: apply(multiply_op, g, Noise)})
