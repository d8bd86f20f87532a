"""A physics-informed network for Burgers' equation (arXiv:1711.10561): second derivatives in the loss, with Adam."""

import numpy as np

from .. import values
from . import jax_step, minimizing

SIZE = {"points": 100, "width": 32, "depth": 3}
VISCOSITY = 0.01 / np.pi


def _data(size):
    draw = np.random.default_rng(1)
    x = draw.uniform(-1, 1, (size["points"], 1)).astype("float32")
    t = draw.uniform(0, 1, (size["points"], 1)).astype("float32")
    start = draw.uniform(-1, 1, (size["points"], 1)).astype("float32")
    return x, t, start, (-np.sin(np.pi * start)).astype("float32")


def in_paddle(paddle, mode, size):
    nn = paddle.nn

    class Physics(nn.Layer):
        def __init__(self, width, depth):
            super().__init__()
            inner = [layer for _ in range(depth - 1) for layer in (nn.Linear(width, width), nn.Tanh())]
            self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), *inner, nn.Linear(width, 1))

        def forward(self, x, t, start, value):
            x.stop_gradient = t.stop_gradient = False
            u = self.net(paddle.concat([x, t], axis=1))
            u_x, u_t = paddle.grad(u, [x, t], create_graph=True)
            u_xx = paddle.grad(u_x, x, create_graph=True)[0]
            inside = u_t + u * u_x - VISCOSITY * u_xx
            edge = self.net(paddle.concat([start, paddle.zeros_like(start)], axis=1)) - value
            return (inside ** 2).mean() + (edge ** 2).mean()

    net = values.fill_paddle(Physics(size["width"], size["depth"]))
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    loss = paddle.jit.to_static(net, full_graph=True) if mode == "to_static" else net
    return minimizing(loss, adam, adam.clear_grad, [[paddle.to_tensor(array) for array in _data(size)]])


def in_torch(torch, mode, size):
    nn, grad = torch.nn, torch.autograd.grad

    class Physics(nn.Module):
        def __init__(self, width, depth):
            super().__init__()
            inner = [layer for _ in range(depth - 1) for layer in (nn.Linear(width, width), nn.Tanh())]
            self.net = nn.Sequential(nn.Linear(2, width), nn.Tanh(), *inner, nn.Linear(width, 1))

        def forward(self, x, t, start, value):
            x.requires_grad_()
            t.requires_grad_()
            u = self.net(torch.cat([x, t], dim=1))
            ones = torch.ones_like(u)
            u_x, u_t = grad(u, [x, t], ones, create_graph=True)
            u_xx = grad(u_x, x, ones, create_graph=True)[0]
            inside = u_t + u * u_x - VISCOSITY * u_xx
            edge = self.net(torch.cat([start, torch.zeros_like(start)], dim=1)) - value
            return (inside ** 2).mean() + (edge ** 2).mean()

    net = Physics(size["width"], size["depth"])
    values.fill_torch(torch, net.parameters())
    adam = torch.optim.Adam(net.parameters(), 0.001)
    loss = torch.compile(net) if mode == "compile" else net
    return minimizing(loss, adam, adam.zero_grad, [[torch.from_numpy(array) for array in _data(size)]])


def in_jax(jax, mode, size):
    numpy, grad = jax.numpy, jax.grad
    widths = [2, *[size["width"]] * size["depth"], 1]
    shapes = [shape for a, b in zip(widths, widths[1:]) for shape in ((a, b), (b,))]

    def net(weights, x, t):
        y = numpy.stack([x, t])
        for w, b in zip(weights[:-2:2], weights[1:-2:2]):
            y = numpy.tanh(y @ w + b)
        return (y @ weights[-2] + weights[-1])[0]

    def inside(weights, x, t):
        u_x = grad(net, 1)
        return (grad(net, 2)(weights, x, t) + net(weights, x, t) * u_x(weights, x, t)
                - VISCOSITY * grad(u_x, 1)(weights, x, t))

    def loss(weights, x, t, start, value):
        within = jax.vmap(inside, (None, 0, 0))(weights, x[:, 0], t[:, 0])
        edge = jax.vmap(net, (None, 0, None))(weights, start[:, 0], 0.0) - value[:, 0]
        return (within ** 2).mean() + (edge ** 2).mean()

    weights = [numpy.asarray(value) for value in values.weights(shapes)]
    return jax_step(jax, mode, loss, weights, 0.001, [[numpy.asarray(array) for array in _data(size)]])
