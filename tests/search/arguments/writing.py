"""Writes calls of functions with random arguments as Python source: `f(record, converted)`, as trainings have it."""

from __future__ import annotations

from random import Random

from . import places, reductions, windows  # noqa: F401
from .drawing import FUNCTIONS, Call

EACH = 4
HEAD = '''import numpy as np
import proa as paddle
import proa.nn.functional as F

INPUTS = []


def drawn(number, shape):
    """Numbers near 1, of which no two are equal."""
    places = np.arange(int(np.prod(shape))).reshape(shape)
    return np.cos(places * 1.7 + number * 0.9) * 1.5 + places * 0.003


def tell(record, function, given):
    """The results of a call, and the gradients of a number that all their elements move."""
    found = function(*given)
    total = paddle.zeros([], paddle.get_default_dtype())
    for value in [found] if isinstance(found, paddle.Tensor) else found:
        record("result", value)
        if not value.stop_gradient and value.dtype in (paddle.float32, paddle.float64):
            places = paddle.to_tensor(np.cos(np.arange(int(np.prod(value.shape)))).reshape(value.shape))
            total = total + (value * places.astype(value.dtype)).sum()
    if not total.stop_gradient:
        total.backward()
    for x in given:
        record("gradient", paddle.zeros_like(x) if x.grad is None else x.grad)


'''


def written(seed: int, number: int) -> str:
    """The source of a number: the same for the same numbers."""
    random = Random(f"{seed} {number}")
    lines = ["def f(record, converted):", "    D = paddle.get_default_dtype()"]
    for n in range(EACH):
        call = Call(random)
        text = FUNCTIONS[random.choice(sorted(FUNCTIONS))](call)
        names = ", ".join(f"x{i}" for i in range(len(call.given)))
        lines += [f"    def call{n}({names}):", f"        return {text}",
                  f"    tell(record, converted(call{n}), [{', '.join(call.given)}])"]
    return HEAD + "\n".join(lines) + "\n"
