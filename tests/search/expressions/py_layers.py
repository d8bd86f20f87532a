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
    "Three": """class Three(PyLayer):
    @staticmethod
    def forward(ctx, x, w):
        places = (x > w).astype('int64')
        rounded = paddle.round(x)
        ctx.mark_non_differentiable(rounded)
        ctx.save_for_backward(x, w)
        ctx.shape = x.shape
        return x * w, places, rounded, paddle.tanh(w)

    @staticmethod
    def backward(ctx, dp, dn, dr, dt):
        x, w = ctx.saved_tensor()
        return dp * w + 0.1 * dt.reshape(ctx.shape), dp * x + dt * 0.5
""",
    "Lazy": """class Lazy(PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.kept = paddle.tanh(x)
        return ctx.kept * 0.5, x * 2.0

    @staticmethod
    def backward(ctx, da, db):
        total = ctx.kept * 0.0
        if da is not None:
            total = total + da
        if db is not None:
            total = total + db * 2.0
        return total
""",
    "Deciding": """class Deciding(PyLayer):
    @staticmethod
    def forward(ctx, x, bound=0.2):
        ctx.bound = bound
        ctx.save_for_backward(x)
        if x.mean() > bound:
            return x * 2.0
        return paddle.tanh(x)

    @staticmethod
    def backward(ctx, dy):
        x, = ctx.saved_tensor()
        if x.mean() > ctx.bound:
            dy = dy * 2.0
        else:
            dy = dy * (0.5 + x)
        return dy
""",
    "Constant": """class Constant(PyLayer):
    @staticmethod
    def forward(ctx, x):
        y = x.detach().clone()
        y[0] = 0.5
        return y

    @staticmethod
    def backward(ctx, dy):
        return None
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
    if name == "Three":
        text = f"Three.apply({v.text}, paddle.tanh({v.text}))"
        return body.pick(f"{text}[0]", f"{text}[1].astype({v.text}.dtype)", f"{text}[2]", f"{text}[3]")
    if name == "Lazy":
        return f"{body.pick('sum(Lazy.apply({}))', 'Lazy.apply({})[0]', 'Lazy.apply({})[1]').format(v.text)}"
    if name == "Deciding":
        return f"Deciding.apply({v.text}{body.pick('', ', -0.1', ', bound=0.0')})"
    if name == "Constant" and not v.rank:
        return f"Straight.apply({v.text})" if "Straight" in body.network.classes else f"{v.text}.detach()"
    return f"{name}.apply({v.text})"
