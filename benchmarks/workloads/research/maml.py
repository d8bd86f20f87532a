"""MAML on sine waves (arXiv:1703.03400): gradients of the loss behind several inner steps, with Adam."""

import numpy as np

from .. import values
from . import jax_step, minimizing

SIZE = {"tasks": 4, "shots": 10, "inner": 5, "width": 40}
RATE = 0.01


def _data(size):
    """Inputs and values of each task, to learn from and to be judged by: [tasks, shots, 1] each."""
    draw = np.random.default_rng(1)
    shape = (size["tasks"], size["shots"], 1)
    height, shift = draw.uniform(0.1, 5, (size["tasks"], 1, 1)), draw.uniform(0, np.pi, (size["tasks"], 1, 1))
    given, asked = draw.uniform(-5, 5, shape), draw.uniform(-5, 5, shape)
    return [array.astype("float32") for x in (given, asked) for array in (x, height * np.sin(x + shift))]


def _shapes(size):
    width = size["width"]
    return [(1, width), (width,), (width, width), (width,), (width, 1), (1,)]


def in_paddle(paddle, mode, size):
    class Learner(paddle.nn.Layer):
        def __init__(self, shapes, inner):
            super().__init__()
            self.weights = paddle.nn.ParameterList([self.create_parameter(list(shape)) for shape in shapes])
            self.inner = inner

        def net(self, weights, x):
            x = paddle.nn.functional.relu(paddle.nn.functional.linear(x, weights[0], weights[1]))
            x = paddle.nn.functional.relu(paddle.nn.functional.linear(x, weights[2], weights[3]))
            return paddle.nn.functional.linear(x, weights[4], weights[5])

        def forward(self, given, known, asked, wanted):
            total = 0.0
            for task in range(given.shape[0]):
                weights = list(self.weights)
                for _ in range(self.inner):
                    loss = paddle.nn.functional.mse_loss(self.net(weights, given[task]), known[task])
                    gradients = paddle.grad(loss, weights, create_graph=True)
                    weights = [w - RATE * g for w, g in zip(weights, gradients)]
                total = total + paddle.nn.functional.mse_loss(self.net(weights, asked[task]), wanted[task])
            return total / given.shape[0]

    learner = values.fill_paddle(Learner(_shapes(size), size["inner"]))
    adam = paddle.optimizer.Adam(0.001, parameters=learner.parameters())
    loss = paddle.jit.to_static(learner, full_graph=True) if mode == "to_static" else learner
    return minimizing(loss, adam, adam.clear_grad, [[paddle.to_tensor(array) for array in _data(size)]])


def in_torch(torch, mode, size):
    functional = torch.nn.functional

    def net(weights, x):
        x = functional.relu(x @ weights[0] + weights[1])
        x = functional.relu(x @ weights[2] + weights[3])
        return x @ weights[4] + weights[5]

    class Learner(torch.nn.Module):
        def __init__(self, shapes):
            super().__init__()
            self.weights = torch.nn.ParameterList([torch.nn.Parameter(torch.empty(shape)) for shape in shapes])

        def forward(self, given, known, asked, wanted):
            total = 0.0
            for task in range(given.shape[0]):
                weights = list(self.weights)
                for _ in range(size["inner"]):
                    loss = functional.mse_loss(net(weights, given[task]), known[task])
                    gradients = torch.autograd.grad(loss, weights, create_graph=True)
                    weights = [w - RATE * g for w, g in zip(weights, gradients)]
                total = total + functional.mse_loss(net(weights, asked[task]), wanted[task])
            return total / given.shape[0]

    learner = Learner(_shapes(size))
    values.fill_torch(torch, learner.parameters(), transposed=False)
    adam = torch.optim.Adam(learner.parameters(), 0.001)
    loss = torch.compile(learner) if mode == "compile" else learner
    return minimizing(loss, adam, adam.zero_grad, [[torch.from_numpy(array) for array in _data(size)]])


def in_jax(jax, mode, size):
    numpy = jax.numpy

    def net(weights, x):
        x = jax.nn.relu(x @ weights[0] + weights[1])
        x = jax.nn.relu(x @ weights[2] + weights[3])
        return x @ weights[4] + weights[5]

    def error(weights, x, y):
        return ((net(weights, x) - y) ** 2).mean()

    def of_task(weights, given, known, asked, wanted):
        for _ in range(size["inner"]):
            gradients = jax.grad(error)(weights, given, known)
            weights = [w - RATE * g for w, g in zip(weights, gradients)]
        return error(weights, asked, wanted)

    def loss(weights, *tasks):
        return jax.vmap(of_task, (None, 0, 0, 0, 0))(weights, *tasks).mean()

    weights = [numpy.asarray(value) for value in values.weights(_shapes(size))]
    return jax_step(jax, mode, loss, weights, 0.001, [[numpy.asarray(array) for array in _data(size)]])
