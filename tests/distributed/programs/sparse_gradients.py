"""Tables of which few rows are looked up: only rows are exchanged, and training is that of whole gradients."""

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.distributed.fleet.utils.hybrid_parallel_util import (
    fused_allreduce_gradients,
    fused_allreduce_gradients_with_group,
)
from paddle.nn import functional as F
from proa.backend.comm import mpi
from proa.backend.selected_rows import SelectedRows

dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
nn = paddle.nn
HEIGHT = 5000
sent = [0]


class Counting(mpi.MPICommunicator):
    """Counts the bytes of values that go out."""

    def all_reduce(self, array, operation, out=None):
        sent[0] += array.nbytes
        return super().all_reduce(array, operation, out)

    def all_gather_rows(self, rows, counts):
        sent[0] += rows.nbytes
        return super().all_gather_rows(rows, counts)


class Net(nn.Layer):
    """A sum of two tables' rows; with `tied` the first one is the last layer's matrix, too."""

    def __init__(self, sparse, tied):
        super().__init__()
        self.first, self.second = (nn.Embedding(HEIGHT, 8, sparse=sparse) for _ in range(2))
        self.out, self.tied = nn.Linear(8, 4), tied

    def forward(self, ids, with_second):
        x = self.first(ids)
        if with_second:
            x = x + self.second(ids)
        x = paddle.tanh(self.out(x.mean(1)))
        return x @ self.first.weight[:4, :].t()[:4] if self.tied else x


def train(sparse, tied, make, clip=None, accumulated=False):
    paddle.seed(3)
    net = paddle.DataParallel(Net(sparse, tied), find_unused_parameters=True)
    net._connected.__class__ = Counting
    optimizer = make(parameters=net.parameters(), grad_clip=clip)
    random = np.random.default_rng(11)
    sent[0] = 0
    for step in range(12):
        ids, y = random.integers(0, HEIGHT, (4 * size, 6)), random.integers(0, 4, 4 * size)
        ids[:, 0] = 7  # a row that every process has
        part = slice(rank * 4, rank * 4 + 4)
        with_second = step % 3 == 0 or (step % 3 == 1 and rank == 0)  # by all, by one, by none
        if accumulated:
            with net.no_sync():
                F.cross_entropy(net(paddle.to_tensor(ids[part]), with_second), paddle.to_tensor(y[part])).backward()
        F.cross_entropy(net(paddle.to_tensor(ids[part]), with_second), paddle.to_tensor(y[part])).backward()
        found = net._layers.first.weight.grad
        assert found.is_selected_rows() == (sparse and not tied)
        if sparse and not tied:
            rows = found.get_selected_rows()
            assert isinstance(rows, SelectedRows) and len(set(rows.rows.tolist())) == len(rows.rows)
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)  # a table whose gradient is zeros would move on by its moments
    return {name: value.numpy() for name, value in net.state_dict().items()}, sent[0]


for settings in ({"make": lambda **k: paddle.optimizer.SGD(0.1, **k)},
                 {"make": lambda **k: paddle.optimizer.Adam(0.01, **k), "clip": nn.ClipGradByGlobalNorm(0.05)},
                 {"make": lambda **k: paddle.optimizer.Momentum(0.1, **k), "accumulated": True},
                 {"make": lambda **k: paddle.optimizer.SGD(0.1, **k), "tied": True}):
    settings = {"tied": False, **settings}
    rows, rows_bytes = train(True, **settings)
    whole, whole_bytes = train(False, **settings)
    for name, value in whole.items():
        np.testing.assert_allclose(rows[name], value, rtol=1e-6, atol=1e-7, err_msg=name)
    if not settings["tied"]:
        assert rows_bytes * 20 < whole_bytes, (rows_bytes, whole_bytes)
        print("bytes of rows, bytes of whole tables:", rows_bytes, whole_bytes)
net = Net(True, False)  # by hand, where one process uses one table and not the other
net.set_state_dict({name: paddle.ones_like(value) for name, value in net.state_dict().items()})
net(paddle.to_tensor([[rank, 9]]), rank == 0).sum().backward()
fused_allreduce_gradients(net.parameters(), None)
found, other = net.first.weight.grad, net.second.weight.grad
assert found.rows() == [*range(size), 9] and other.rows() == [0, 9], (found, other)
fused_allreduce_gradients_with_group(net.parameters(), None, scale=1.0)
np.testing.assert_allclose(net.first.weight.grad.numpy(), found.numpy() * size, rtol=1e-6)
states = []
dist.all_gather_object(states, rows)
assert all(np.array_equal(state[name], states[0][name]) for state in states for name in state)
print("passed", rank)
