"""A tagger with an LSTM cell written by hand from small operators, looped over in Python, with Adam."""

from .. import values
from . import jax_step, minimizing

SIZE = {"batch": 16, "length": 50, "width": 64}
TAGS = 10


def _data(size):
    return (values.random(1, size["batch"], size["length"], size["width"]),
            values.labels(2, size["batch"] * size["length"], TAGS).reshape(size["batch"], size["length"]))


def in_paddle(paddle, mode, size):
    nn = paddle.nn

    class Cell(nn.Layer):
        def __init__(self, width):
            super().__init__()
            self.of_input = nn.Linear(width, 4 * width)
            self.of_state = nn.Linear(width, 4 * width, bias_attr=False)

        def forward(self, x, h, c):
            i, f, g, o = paddle.split(self.of_input(x) + self.of_state(h), 4, axis=-1)
            c = paddle.nn.functional.sigmoid(f) * c + paddle.nn.functional.sigmoid(i) * paddle.tanh(g)
            return paddle.nn.functional.sigmoid(o) * paddle.tanh(c), c

    class Tagger(nn.Layer):
        def __init__(self, width):
            super().__init__()
            self.cell = Cell(width)
            self.head = nn.Linear(width, TAGS)
            self.width = width

        def forward(self, x):
            h = c = paddle.zeros([x.shape[0], self.width])
            outputs = []
            for t in range(x.shape[1]):
                h, c = self.cell(x[:, t], h, c)
                outputs.append(h)
            return self.head(paddle.stack(outputs, axis=1))

    net = values.fill_paddle(Tagger(size["width"]))
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    call = paddle.jit.to_static(net, full_graph=True) if mode == "to_static" else net
    batch = [paddle.to_tensor(array) for array in _data(size)]
    return minimizing(lambda x, tags: paddle.nn.functional.cross_entropy(call(x), tags), adam, adam.clear_grad, [batch])


def in_torch(torch, mode, size):
    nn, functional = torch.nn, torch.nn.functional

    class Cell(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.of_input = nn.Linear(width, 4 * width)
            self.of_state = nn.Linear(width, 4 * width, bias=False)

        def forward(self, x, h, c):
            i, f, g, o = torch.chunk(self.of_input(x) + self.of_state(h), 4, dim=-1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(c), c

    class Tagger(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.cell = Cell(width)
            self.head = nn.Linear(width, TAGS)
            self.width = width

        def forward(self, x):
            h = c = torch.zeros(x.shape[0], self.width)
            outputs = []
            for t in range(x.shape[1]):
                h, c = self.cell(x[:, t], h, c)
                outputs.append(h)
            return self.head(torch.stack(outputs, dim=1))

    net = Tagger(size["width"])
    values.fill_torch(torch, net.parameters())
    adam = torch.optim.Adam(net.parameters(), 0.001)
    call = torch.compile(net) if mode == "compile" else net
    batch = [torch.from_numpy(array) for array in _data(size)]

    def loss(x, tags):
        return functional.cross_entropy(call(x).flatten(0, 1), tags.flatten())

    return minimizing(loss, adam, adam.zero_grad, [batch])


def in_jax(jax, mode, size):
    numpy, width = jax.numpy, size["width"]
    shapes = [(width, 4 * width), (4 * width,), (width, 4 * width), (width, TAGS), (TAGS,)]

    def loss(weights, x, tags):
        of_input, shift, of_state, head, head_shift = weights

        def cell(state, x):
            h, c = state
            i, f, g, o = numpy.split(x @ of_input + shift + h @ of_state, 4, axis=-1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * numpy.tanh(g)
            h = jax.nn.sigmoid(o) * numpy.tanh(c)
            return (h, c), h

        start = numpy.zeros((x.shape[0], width))
        _, outputs = jax.lax.scan(cell, (start, start), x.swapaxes(0, 1))
        scores = jax.nn.log_softmax(outputs.swapaxes(0, 1) @ head + head_shift)
        return -numpy.take_along_axis(scores, tags[..., None], axis=-1).mean()

    weights = [numpy.asarray(value) for value in values.weights(shapes)]
    return jax_step(jax, mode, loss, weights, 0.001, [[numpy.asarray(array) for array in _data(size)]])
