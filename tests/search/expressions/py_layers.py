"""PyLayers: functions with gradients of their own."""

from __future__ import annotations

from ..body import Body, Value

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
