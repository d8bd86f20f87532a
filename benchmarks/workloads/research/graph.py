"""A graph network over graphs of different sizes: messages along edges, summed at nodes, nodes summed by graph; Adam.

Each step has other graphs than the one before, of other sizes, four batches in turn.
"""

import numpy as np

from .. import values
from . import jax_step, minimizing

SIZE = {"graphs": 8, "width": 64, "rounds": 2, "batches": 4}
OF_NODES, OF_EDGES = 16, 8


def _batch(seed, graphs):
    """Features of nodes and edges, both ends of edges, the graph of each node, and what is wanted of each graph."""
    draw = np.random.default_rng(seed)
    counts = draw.integers(10, 30, graphs)
    begins = np.cumsum(counts) - counts
    ends = [np.stack([draw.integers(0, n, 4 * n), np.sort(draw.integers(0, n, 4 * n))]) + b
            for n, b in zip(counts, begins)]
    source, target = np.concatenate(ends, axis=1)
    return (values.random(seed, counts.sum(), OF_NODES), values.random(seed + 1, len(source), OF_EDGES), source, target,
            np.repeat(np.arange(graphs), counts), values.random(seed + 2, graphs, 1))


def _data(size):
    return [_batch(10 * number, size["graphs"]) for number in range(size["batches"])]


def in_paddle(paddle, mode, size):
    nn = paddle.nn

    class Network(nn.Layer):
        def __init__(self, width, rounds):
            super().__init__()
            self.inner = nn.Linear(OF_NODES, width)
            self.messages = nn.LayerList([nn.Linear(width + OF_EDGES, width) for _ in range(rounds)])
            self.updates = nn.LayerList([nn.Linear(2 * width, width) for _ in range(rounds)])
            self.head = nn.Linear(width, 1)

        def forward(self, nodes, edges, source, target, graph):
            h = paddle.nn.functional.relu(self.inner(nodes))
            for message, update in zip(self.messages, self.updates):
                sent = paddle.nn.functional.relu(message(paddle.concat([paddle.gather(h, source), edges], axis=1)))
                got = paddle.scatter_nd_add(paddle.zeros_like(h), target.unsqueeze(1), sent)
                h = h + paddle.nn.functional.relu(update(paddle.concat([h, got], axis=1)))
            return self.head(paddle.geometric.segment_sum(h, graph))

    net = values.fill_paddle(Network(size["width"], size["rounds"]))
    adam = paddle.optimizer.Adam(0.001, parameters=net.parameters())
    call = paddle.jit.to_static(net, full_graph=True) if mode == "to_static" else net
    batches = [[paddle.to_tensor(array) for array in batch] for batch in _data(size)]

    def loss(*batch):
        return paddle.nn.functional.mse_loss(call(*batch[:-1]), batch[-1])

    return minimizing(loss, adam, adam.clear_grad, batches)


def in_torch(torch, mode, size):
    nn, functional = torch.nn, torch.nn.functional

    class Network(nn.Module):
        def __init__(self, width, rounds):
            super().__init__()
            self.inner = nn.Linear(OF_NODES, width)
            self.messages = nn.ModuleList([nn.Linear(width + OF_EDGES, width) for _ in range(rounds)])
            self.updates = nn.ModuleList([nn.Linear(2 * width, width) for _ in range(rounds)])
            self.head = nn.Linear(width, 1)

        def forward(self, nodes, edges, source, target, graph):
            h = functional.relu(self.inner(nodes))
            for message, update in zip(self.messages, self.updates):
                sent = functional.relu(message(torch.cat([h[source], edges], dim=1)))
                got = torch.zeros_like(h).index_add(0, target, sent)
                h = h + functional.relu(update(torch.cat([h, got], dim=1)))
            return self.head(torch.zeros(size["graphs"], h.shape[1]).index_add(0, graph, h))

    net = Network(size["width"], size["rounds"])
    values.fill_torch(torch, net.parameters())
    adam = torch.optim.Adam(net.parameters(), 0.001)
    call = torch.compile(net) if mode == "compile" else net
    batches = [[torch.from_numpy(array) for array in batch] for batch in _data(size)]
    return minimizing(lambda *batch: functional.mse_loss(call(*batch[:-1]), batch[-1]), adam, adam.zero_grad, batches)


def in_jax(jax, mode, size):
    numpy, width, rounds = jax.numpy, size["width"], size["rounds"]
    shapes = [(OF_NODES, width), (width,), *[(width + OF_EDGES, width), (width,)] * rounds,
              *[(2 * width, width), (width,)] * rounds, (width, 1), (1,)]

    def loss(weights, nodes, edges, source, target, graph, wanted):
        pairs = list(zip(weights[::2], weights[1::2]))
        h = jax.nn.relu(nodes @ pairs[0][0] + pairs[0][1])
        for (message, shift), (update, other) in zip(pairs[1:1 + rounds], pairs[1 + rounds:-1]):
            sent = jax.nn.relu(numpy.concatenate([h[source], edges], axis=1) @ message + shift)
            got = jax.ops.segment_sum(sent, target, num_segments=h.shape[0])
            h = h + jax.nn.relu(numpy.concatenate([h, got], axis=1) @ update + other)
        found = jax.ops.segment_sum(h, graph, num_segments=wanted.shape[0]) @ pairs[-1][0] + pairs[-1][1]
        return ((found - wanted) ** 2).mean()

    weights = [numpy.asarray(value) for value in values.weights(shapes)]
    batches = [[numpy.asarray(array) for array in batch] for batch in _data(size)]
    return jax_step(jax, mode, loss, weights, 0.001, batches)
