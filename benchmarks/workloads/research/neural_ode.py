"""A neural ODE (arXiv:1806.07366) of a spiral: classical Runge-Kutta steps, backward through all of them, with Adam."""

import numpy as np

from .. import values
from . import jax_step, minimizing

SIZE = {"batch": 20, "steps": 20, "width": 50}
STEP = 0.05


def _data(size):
    """Where points begin, [batch, 2], and where the spiral has them after each step, [steps, batch, 2]."""
    y = values.random(1, size["batch"], 2).astype("float64")
    turn, places = np.array([[-0.1, 2.0], [-2.0, -0.1]]), [y]
    for _ in range(size["steps"]):
        places.append(places[-1] + STEP * (places[-1] ** 3) @ turn * 0.1)
    return y.astype("float32"), np.stack(places[1:]).astype("float32")


def _step(f, y):
    k1 = f(y)
    k2 = f(y + STEP / 2 * k1)
    k3 = f(y + STEP / 2 * k2)
    k4 = f(y + STEP * k3)
    return y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def in_paddle(paddle, mode, size):
    nn = paddle.nn

    class Field(nn.Layer):
        def __init__(self, width, steps):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 2))
            self.steps = steps

        def field(self, y):
            return self.net(y ** 3)

        def forward(self, y):
            places = []
            for _ in range(self.steps):
                y = _step(self.field, y)
                places.append(y)
            return paddle.stack(places)

    net = values.fill_paddle(Field(size["width"], size["steps"]))
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    call = paddle.jit.to_static(net, full_graph=True) if mode == "to_static" else net
    batch = [paddle.to_tensor(array) for array in _data(size)]
    return minimizing(lambda y, true: paddle.mean(paddle.abs(call(y) - true)), adam, adam.clear_grad, [batch])


def in_torch(torch, mode, size):
    nn = torch.nn

    class Field(nn.Module):
        def __init__(self, width, steps):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, 2))
            self.steps = steps

        def field(self, y):
            return self.net(y ** 3)

        def forward(self, y):
            places = []
            for _ in range(self.steps):
                y = _step(self.field, y)
                places.append(y)
            return torch.stack(places)

    net = Field(size["width"], size["steps"])
    values.fill_torch(torch, net.parameters())
    adam = torch.optim.Adam(net.parameters(), 0.001)
    call = torch.compile(net) if mode == "compile" else net
    batch = [torch.from_numpy(array) for array in _data(size)]
    return minimizing(lambda y, true: torch.mean(torch.abs(call(y) - true)), adam, adam.zero_grad, [batch])


def in_jax(jax, mode, size):
    numpy, width = jax.numpy, size["width"]

    def loss(weights, y, true):
        first, shift, second, second_shift = weights

        def move(y, _):
            y = _step(lambda y: numpy.tanh(y ** 3 @ first + shift) @ second + second_shift, y)
            return y, y

        _, places = jax.lax.scan(move, y, length=size["steps"])
        return numpy.abs(places - true).mean()

    weights = [numpy.asarray(value) for value in values.weights([(2, width), (width,), (width, 2), (2,)])]
    return jax_step(jax, mode, loss, weights, 0.001, [[numpy.asarray(array) for array in _data(size)]])
