# ruff: noqa: UP008
"""Layers: `self` under any name, `super()`, hooks, properties, attributes and buffers written in `forward`."""

from framework import case, paddle

nn = paddle.nn
X, NEGATIVE = [[1.0, 2.0, 3.0], [0.5, 0.25, -1.0]], [[-1.0, -2.0, -3.0], [0.1, 0.2, 0.3]]


def constant(value):
    return nn.initializer.Constant(value)


def linear(size=3, value=0.5):
    return nn.Linear(size, size, weight_attr=constant(value), bias_attr=constant(0.1))


class Branching(nn.Layer):
    def __init__(self):
        super().__init__()
        self.one, self.two = linear(), linear(value=-0.25)

    def forward(self, x):
        if x.sum() > 0:
            return self.one(x)
        return self.two(x) * 2


case(Branching, X, NEGATIVE)


class SelfUnderAnotherName(nn.Layer):
    def __init__(net):
        super().__init__()
        net.fc = linear()
        net.scale = 2.0

    def forward(net, x):
        y = net.fc(x)
        if y.mean() > 0:
            y = y * net.scale
        return net.after(y)

    def after(this, y):
        return y + this.scale


case(SelfUnderAnotherName, X, NEGATIVE)


class Base(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear()

    def forward(self, x):
        if x.sum() > 0:
            return self.fc(x)
        return x


case(Base, X, NEGATIVE)


class Derived(Base):
    def forward(self, x):
        y = super().forward(x)
        while y.sum() > 10:
            y = y * 0.5
        return super(Derived, self).forward(y) + 1


case(Derived, X, NEGATIVE)


class Shared(nn.Layer):
    def __init__(self):
        super().__init__()
        self.a = linear()
        self.b = linear()
        self.b.weight = self.a.weight

    def forward(self, x):
        for layer in [self.a, self.b]:
            x = layer(x)
            if x.mean() > 0:
                x = x + 1
        return x


case(Shared, X, NEGATIVE)


class Stacked(nn.Layer):
    def __init__(self):
        super().__init__()
        self.layers = nn.LayerList([linear(value=v) for v in (0.5, -0.25, 0.1)])
        self.seq = nn.Sequential(linear(), nn.ReLU())

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i < len(self.layers) - 1:
                x = paddle.tanh(x)
        return self.seq(x)


case(Stacked, X, NEGATIVE)


class Properties(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear()
        self._scale = 3.0

    @property
    def scale(self):
        return self._scale

    def forward(self, x):
        return self.fc(x) * self.scale if x.sum() > 0 else x


case(Properties, X, NEGATIVE)


class Hooks(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear()
        self.fc.register_forward_pre_hook(self.before)
        self.fc.register_forward_post_hook(self.behind)

    def before(self, layer, inputs):
        x = inputs[0]
        if x.sum() > 0:
            x = x * 2
        return (x,)

    def behind(self, layer, inputs, output):
        return output - 1 if output.sum() > 0 else output

    def forward(self, x):
        return self.fc(x)


case(Hooks, X, NEGATIVE)


class AttributeInOneBranch(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear()
        self.last = None

    def forward(self, x):
        self.state = x * 0
        if x.sum() > 0:
            self.state = self.fc(x)
        return self.state + 1


case(AttributeInOneBranch, X, NEGATIVE)


class AttributeInALoop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear()

    def forward(self, x):
        self.h = paddle.zeros([3])
        for row in x:
            self.h = paddle.tanh(self.fc(row) + self.h)
        return self.h


case(AttributeInALoop, X, NEGATIVE)


class Cell(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear()

    def forward(self, x):
        h = paddle.zeros([1, 3])
        out = []
        for i in range(x.shape[0]):
            h = paddle.tanh(self.fc(x[i : i + 1]) + h)
            out.append(h)
        return paddle.concat(out), h


case(Cell, X, NEGATIVE)


class ParametersInALoop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear(value=0.2)

    def forward(self, x):
        while x.abs().sum() < 20:
            x = self.fc(x) + x * 2
        return x


case(ParametersInALoop, X, NEGATIVE)


class NoGradInside(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear()

    def forward(self, x):
        with paddle.no_grad():
            gate = self.fc(x).mean()
        if gate > 0:
            return self.fc(x) * gate
        return self.fc(x) - gate


case(NoGradInside, X, NEGATIVE)


class NormInABranch(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1D(3)
        self.fc = linear()

    def forward(self, x):
        if x.sum() > 0:
            return self.norm(x * 2)
        return self.fc(x)


case(NormInABranch, X, NEGATIVE)


class NormInALoop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1D(3)

    def forward(self, x):
        n = paddle.zeros([], "int64")
        while n < 3:
            x = self.norm(x + n) * 1.5
            n = n + 1
        return x


case(NormInALoop, X, NEGATIVE)


class BufferUpdated(nn.Layer):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", paddle.zeros([3]))
        self.fc = linear()

    def forward(self, x):
        if x.sum() > 0:
            self.seen.set_value(self.seen * 0.9 + x.mean(0) * 0.1)
        return self.fc(x) + self.seen


case(BufferUpdated, X, NEGATIVE)


class PropertiesOfTensors(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = linear()

    @property
    def normed(self):
        size = self.fc.weight.norm() + 0.1
        if size > 1:
            return self.fc.weight / size
        return self.fc.weight

    @property
    def both(self):
        return self.normed * 2 if self.normed.sum() > 0 else self.normed

    def forward(self, x):
        return x.matmul(self.both)


case(PropertiesOfTensors, X, NEGATIVE)
