"""Layers that use PyLayers in every way that a Program must follow: the cases of `jit/test_py_layer.py` and others."""

import proa as paddle
from proa import nn
from proa.autograd import PyLayer


class Round(PyLayer):
    """A straight-through estimator."""

    @staticmethod
    def forward(ctx, x):
        return paddle.round(x)

    @staticmethod
    def backward(ctx, dy):
        return dy


class Reverse(PyLayer):
    """Gradient reversal, by a number."""

    @staticmethod
    def forward(ctx, x, scale=1.0):
        ctx.scale = scale
        return x.clone()

    @staticmethod
    def backward(ctx, dy):
        return -ctx.scale * dy


class Same(PyLayer):
    """Gives its very input back."""

    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, dy):
        return dy * -3.0


class Quantize(PyLayer):
    """Learned step size quantization: a parameter and numbers among the inputs."""

    @staticmethod
    def forward(ctx, x, step, low, high=3):
        ctx.save_for_backward(x, step)
        ctx.limits = low, high
        return paddle.clip(paddle.round(x / step), low, high) * step

    @staticmethod
    def backward(ctx, dy):
        x, step = ctx.saved_tensor()
        low, high = ctx.limits
        scaled = x / step
        below, above = (scaled < low).astype(x.dtype), (scaled > high).astype(x.dtype)
        inside = 1.0 - below - above
        d_step = (below * low + above * high + inside * (paddle.round(scaled) - scaled)) * dy
        return dy * inside, d_step.sum().reshape([1])


class Cube(PyLayer):
    """Saves its input, twice differentiable, with a gradient that is not that of its forward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return dy * x * x * 5.0


class Exp(PyLayer):
    """Saves its output."""

    @staticmethod
    def forward(ctx, x):
        y = paddle.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensor()
        return dy * y * 2.0


class Split(PyLayer):
    """Several results, of which some may go unused."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b, a + b, a - b

    @staticmethod
    def backward(ctx, d_product, d_sum, d_difference):
        a, b = ctx.saved_tensor()
        return d_product * b + d_sum * 2.0 + d_difference, d_product * a + d_sum * 3.0


class Optional(PyLayer):
    """None for what nothing used, and None for an input."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        return a * 2.0, b * 3.0

    @staticmethod
    def backward(ctx, d_first, d_second):
        if d_first is None:
            return None, d_second * 7.0
        if d_second is None:
            return d_first * 5.0, None
        return d_first + d_second, d_second * 11.0


class Marked(PyLayer):
    """A result without a gradient, and one of integers."""

    @staticmethod
    def forward(ctx, x):
        largest = x.argmax(axis=-1)
        rounded = paddle.round(x)
        ctx.mark_non_differentiable(rounded)
        return x * 2.0, rounded, largest

    @staticmethod
    def backward(ctx, d_double, d_rounded, d_largest):
        return d_double * 4.0 + d_rounded


class Stepwise(PyLayer):
    """Tensors decide what forward and backward do."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        if x.sum() > 0:
            y = x * 2.0
        else:
            y = x * -1.0
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        count = paddle.zeros([], "int64")
        while dy.abs().sum() > 0.5:
            dy = dy * 0.5
            count = count + 1
        if x.sum() > 0:
            dy = dy + x
        return dy * count.astype(dy.dtype)


class Listed(PyLayer):
    """A list and a dict of tensors; a gradient for each of them."""

    @staticmethod
    def forward(ctx, pair, named):
        ctx.save_for_backward(*pair)
        return {"out": pair[0] * pair[1] + named["c"]}

    @staticmethod
    def backward(ctx, dy):
        a, b = ctx.saved_tensor()
        return [dy * b * 2.0, dy * a * 3.0], dy.sum().reshape([1])


class ByAttribute(PyLayer):
    """A tensor that forward has computed, and others, as plain attributes."""

    @staticmethod
    def forward(ctx, x):
        ctx.mask = (x > 0).astype(x.dtype)
        ctx.several = {"x": x, "double": [x * 2.0]}
        return x * ctx.mask

    @staticmethod
    def backward(ctx, dy):
        return dy * (ctx.mask + 0.1) * ctx.several["x"] + ctx.several["double"][0]


class Nested(PyLayer):
    """Uses other PyLayers in both directions."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return Cube.apply(x)

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensor()
        return Reverse.apply(dy, 2.0) * Exp.apply(x)


class Solved(PyLayer):
    """A step of an equation, whose gradient is taken by `paddle.grad`; what it adds has a row for each of h."""

    @staticmethod
    def slope(h, w):
        return paddle.tanh(h * w + paddle.full([h.shape[0], 1], 0.5))

    @staticmethod
    def forward(ctx, h, w):
        ctx.save_for_backward(h, w)
        return h + 0.5 * Solved.slope(h, w)

    @staticmethod
    def backward(ctx, dy):
        h, w = ctx.saved_tensor()
        with paddle.enable_grad():
            h, w = h.detach(), w.detach()
            h.stop_gradient = w.stop_gradient = False
            dh, dw = paddle.grad(Solved.slope(h, w) * (w + paddle.full([h.shape[0], 1], 0.0)), [h, w], dy)
        return dy + 0.5 * dh, 0.5 * dw


class Base(nn.Layer):
    """A linear layer before and after."""

    def __init__(self):
        super().__init__()
        self.before, self.after = nn.Linear(3, 4), nn.Linear(4, 2)
        self.step = self.create_parameter([1], default_initializer=nn.initializer.Constant(0.2))

    def middle(self, h):
        raise NotImplementedError

    def forward(self, x):
        return self.after(paddle.tanh(self.middle(paddle.tanh(self.before(x))) * 0.5))


def _base(name, middle):
    return type(name, (Base,), {"middle": middle, "__doc__": None})


class OfModule(Base):
    """The PyLayer reads parameters and a buffer from around it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", paddle.full([1], 1.5))
        layer = self

        class Scale(PyLayer):
            @staticmethod
            def forward(ctx, h):
                return h * layer.scale + layer.step

            @staticmethod
            def backward(ctx, dy):
                return dy * layer.step + layer.scale

        self.operation = Scale

    def middle(self, h):
        self.scale = self.scale * 0.9
        return self.operation.apply(h)


class InBranch(Base):
    def middle(self, h):
        if h.sum() > 0:
            y = Cube.apply(h) * self.step
        else:
            y = Quantize.apply(h, self.step, -2)
        return y + h


class InLoop(Base):
    def middle(self, h):
        turns = paddle.zeros([], "int64")
        while turns < 3:
            h = Cube.apply(h) * 0.1 + Reverse.apply(h, 0.5) + ByAttribute.apply(h)
            turns = turns + 1
        return h


class InLoopOfBranches(Base):
    def middle(self, h):
        total = paddle.zeros([4])
        for row in h:
            if row.sum() > 0:
                row = Exp.apply(row * 0.1)
            total = total + Stepwise.apply(row)
        return h + total


class OfNumber(Base):
    """Another number in each call."""

    def middle(self, h, scale=0.5):
        for turn in range(3):
            h = h + Reverse.apply(h, scale * turn)
        return h


class Inner(nn.Layer):
    def forward(self, h):
        return Round.apply(h * 3.0) / 3.0


class InSublayer(Base):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(Inner(), nn.Tanh(), Inner())

    def middle(self, h):
        return self.inner(h)


class Recomputed(Base):
    def middle(self, h):
        return paddle.distributed.fleet.utils.recompute(self.part, h)

    def part(self, h):
        return Quantize.apply(paddle.tanh(h), self.step, -2) + Cube.apply(h)


class Twice(Base):
    """A gradient inside, whose own gradient trains."""

    def middle(self, h):
        g, = paddle.grad(Cube.apply(h).sum(), h, create_graph=True)
        e, = paddle.grad(Exp.apply(h * 0.1).sum(), h, create_graph=True)
        return h + g + e


class Once(Base):
    """A gradient inside that is not differentiated."""

    def middle(self, h):
        g, = paddle.grad(Cube.apply(h).sum(), h)
        return h + g


class Cast(Base):
    def middle(self, h):
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            return Quantize.apply(paddle.matmul(h, h.t()), self.step, -2).astype("float32") @ h


class Stopped(Base):
    def middle(self, h):
        with paddle.no_grad():
            weight = Exp.apply(h)
        return Cube.apply(h) * weight + Cube.apply(h.detach())


def _split(self, h):
    product, _, difference = Split.apply(h, h * self.after.weight[:, 0])
    return product + difference


def _unused(self, h):
    first, _ = Optional.apply(h, h * 2.0)
    _, second = Optional.apply(h, h * 3.0)
    third, fourth = Optional.apply(h, h * 4.0)
    return first + second + third + fourth


def _marked(self, h):
    double, rounded, largest = Marked.apply(h)
    return double + rounded + largest.astype("float32").unsqueeze(-1)


def _parameters(self, h):
    return h @ Quantize.apply(self.after.weight, self.step, -4, high=3) @ self.after.weight.t()


CASES = [
    _base("StraightThrough", lambda self, h: Round.apply(h * 4.0)),
    _base("Reversal", lambda self, h: Reverse.apply(h, 2)),
    _base("KeywordNumber", lambda self, h: Reverse.apply(h, scale=0.25)),
    _base("SameObject", lambda self, h: Same.apply(h) + h),
    _base("Parameters", _parameters),
    _base("KeywordTensor", lambda self, h: Quantize.apply(h, low=-4, step=self.step)),
    _base("SavedOutput", lambda self, h: Exp.apply(h)),
    _base("SavedInput", lambda self, h: Cube.apply(h)),
    _base("SeveralResults", _split), _base("UnusedResults", _unused), _base("NoGradientForSome", _marked),
    _base("ControlFlowInside", lambda self, h: Stepwise.apply(h)),
    _base("Structures", lambda self, h: Listed.apply([h, h * 2.0], {"c": self.step})["out"]),
    _base("PlainAttributes", lambda self, h: ByAttribute.apply(h)),
    _base("GradientsInside", lambda self, h: Solved.apply(h, self.step)),
    _base("PyLayersInside", lambda self, h: Nested.apply(h)),
    OfModule, InBranch, InLoop, InLoopOfBranches, OfNumber, InSublayer, Recomputed, Twice, Once, Cast, Stopped,
]
