"""Trains a network on each process's part of a batch; process 0 writes the losses and parameters to a file."""

import json
import sys

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.distributed.fleet.utils import recompute
from paddle.nn import functional as F

kind, out = sys.argv[1:3]
if dist.get_world_size() > 1:
    dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
paddle.seed(7 + rank)  # the first process's parameters count
nn = paddle.nn


class Uneven(nn.Layer):
    """A network whose passes leave out one of two branches, another in each process.

    The last of several passes may leave out, in all processes, what one without an exchange before it did not.
    """

    def __init__(self):
        super().__init__()
        self.first, self.second, self.never = nn.Linear(64, 5), nn.Linear(64, 5), nn.Linear(2, 2)

    def forward(self, x):
        x = x.flatten(1)
        return paddle.concat([(self.second if row[0] > 0.5 else self.first)(row.unsqueeze(0)) for row in x])


class Twice(nn.Layer):
    """A network that is used twice in a pass, another part of it each time."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(64, 32), nn.Linear(32, 5)

    def forward(self, x, part):
        return self.second(x) if part else self.first(x.flatten(1)).tanh()


def network():
    if kind == "recomputed":
        return Twice()
    if kind == "uneven":
        return Uneven()
    if kind == "embedding":
        return nn.Sequential(nn.Flatten(), nn.Embedding(40, 6, sparse=True), nn.Flatten(), nn.Linear(6 * 64, 5))
    norm = nn.SyncBatchNorm(4) if kind == "norm" else nn.Identity()
    bias = False if kind == "norm" else None  # a bias that is normalized away has a gradient of rounding alone
    return nn.Sequential(nn.Conv2D(1, 4, 3, bias_attr=bias), norm, nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 32),
                         nn.Tanh(), nn.Linear(32, 5))


net = paddle.DataParallel(network(), comm_buffer_size=1, last_comm_buffer_size=0.001,
                          find_unused_parameters=kind == "uneven")
if kind == "converted":
    net._layers.forward = paddle.jit.to_static(net._layers.forward)
optimizer = (paddle.optimizer.Adam if kind != "embedding" else paddle.optimizer.SGD)(0.01, parameters=net.parameters())
random, losses = np.random.default_rng(0), []
for step in range(50):
    x, y = random.random((8, 1, 8, 8)).astype("float32"), random.integers(0, 5, 8)
    if kind == "embedding":
        x = (x * 40).astype("int64")
    part = slice(rank * 8 // size, (rank + 1) * 8 // size)
    halves = [part] if kind not in ("accumulated", "uneven") else [slice(part.start + 2 * i, part.start + 2 * i + 2)
                                                   for i in range((part.stop - part.start) // 2)]
    total = 0
    for place, half in enumerate(halves):
        given = paddle.to_tensor(x[half])
        predicted = net(recompute(net, given, 0), 1) if kind == "recomputed" else net(given)
        loss = F.cross_entropy(predicted, paddle.to_tensor(y[half])) / len(halves)
        if place + 1 < len(halves):
            with net.no_sync():
                loss.backward()
        else:
            loss.backward()
        total = total + loss.detach()
    optimizer.step()
    optimizer.clear_grad()
    dist.all_reduce(total, dist.ReduceOp.AVG)
    losses.append(float(total))
states = []
dist.all_gather_object(states, {name: value.numpy() for name, value in net.state_dict().items()})
assert all(np.array_equal(value, states[0][name]) for state in states for name, value in state.items())
if rank == 0:
    with open(out, "w") as file:
        json.dump({"losses": losses, "state": {name: value.tolist() for name, value in states[0].items()}}, file)
