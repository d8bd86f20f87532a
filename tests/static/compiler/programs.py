"""Small Programs and layers that the tests of the compiler share."""

import numpy as np
import proa as paddle
from proa.static.compiler.unit import unit_of
from proa.static.compiler.verify import verify


def build(function, *shapes):
    """A Program of `function`, its inputs and its results' names."""
    paddle.enable_static()
    try:
        main = paddle.static.Program()
        with paddle.static.program_guard(main, paddle.static.Program()):
            inputs = [paddle.static.data(f"x{n}", shape, "float32") for n, shape in enumerate(shapes)]
            results = function(*inputs)
    finally:
        paddle.disable_static()
    results = results if isinstance(results, (list, tuple)) else [results]
    return main, [v.name for v in inputs], [v.name for v in results]


def unit_for(function, *shapes, frozen=()):
    main, inputs, results = build(function, *shapes)
    block = main.global_block()
    unit = unit_of(block, block.ops, inputs, results, frozen)
    verify(unit, "the beginning")
    return unit


class Residual(paddle.nn.Layer):
    def __init__(self, channels=16, activation="relu", bias=False):
        super().__init__()
        self.a = paddle.nn.Conv2D(channels, channels, 3, padding=1, bias_attr=None if bias else False)
        self.b = paddle.nn.Conv2D(channels, channels, 3, padding=1, groups=channels, bias_attr=False)
        self.first, self.second = paddle.nn.BatchNorm2D(channels), paddle.nn.BatchNorm2D(channels)
        self.activation = getattr(paddle.nn.functional, activation)
        for norm in (self.first, self.second):
            norm._mean.set_value(np.random.default_rng(0).normal(size=channels).astype("float32"))
            norm._variance.set_value(np.random.default_rng(1).uniform(0.5, 2, channels).astype("float32"))

    def forward(self, x):
        y = self.activation(self.first(self.a(x)))
        return self.activation(self.second(self.b(y)) + x)
