"""Functions that to_static converts, with collectives in them, give what eager code gives; and layers that train."""

import numpy as np
import paddle
import paddle.distributed as dist

dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
rows = np.random.default_rng(0).standard_normal((4 * size, 3, 2, 2)).astype("float64")
mine = np.split(rows, size)[rank]


def exchanged(x, with_sum):
    y = x * 2
    if with_sum:
        dist.all_reduce(y)
    dist.broadcast(x, 1)
    gathered = []
    dist.all_gather(gathered, x.sum())
    return y + 1, paddle.stack(gathered)


for with_sum in (True, False):
    eager = exchanged(paddle.to_tensor(mine), with_sum)
    made = paddle.jit.to_static(exchanged)
    for _ in range(2):
        for one, other in zip(eager, made(paddle.to_tensor(mine), with_sum)):
            assert np.allclose(one.numpy(), other.numpy()), with_sum


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.norm, self.out = paddle.nn.SyncBatchNorm(3), paddle.nn.Linear(12, 2)

    def forward(self, x):
        return self.out(paddle.nn.functional.relu(self.norm(x)).flatten(1))


def trained(convert, wrap, given):
    paddle.seed(3)
    net = Net()
    net.to(dtype="float64")
    called = wrap(paddle.jit.to_static(net) if convert else net)
    rule = paddle.optimizer.Momentum(0.1, 0.9, parameters=net.parameters())
    losses = []
    for _ in range(4):
        loss = (called(paddle.to_tensor(given)) ** 2).mean()
        loss.backward()
        rule.step()
        rule.clear_grad()
        losses.append(loss.item())
    return losses, [p.numpy() for p in net.parameters()]


wanted = trained(False, paddle.DataParallel, mine)
found = trained(True, paddle.DataParallel, mine)
assert np.allclose(wanted[0], found[0], rtol=0, atol=1e-12), (wanted[0], found[0])
for one, other in zip(wanted[1], found[1]):
    assert np.allclose(one, other, rtol=0, atol=1e-12)
print("passed", rank)
