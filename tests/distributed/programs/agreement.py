"""Copies of a network that differ between processes: found when they are made, or a step later with a flag."""

import numpy as np
import paddle
import paddle.distributed as dist

dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
nn = paddle.nn


def said(make, *parts):
    """What every process is told by what `make` raises."""
    try:
        make()
    except RuntimeError as error:
        assert all(part in str(error) for part in parts), str(error)
    else:
        raise AssertionError(f"nothing was raised in process {rank}")


class Ordered(nn.Layer):
    """Two layers that are made in another order in another process."""

    def __init__(self):
        super().__init__()
        for name in ("a", "b") if rank == 0 else ("b", "a"):
            setattr(self, name, nn.Linear(2, 2))


frozen, normed = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1D(2) if rank else nn.Identity())
frozen.weight.stop_gradient = rank == size - 1
last = size - 1
said(lambda: paddle.DataParallel(nn.Linear(2, 3 if rank == last else 2)), f"processes [{last}] have another network",
     "'weight [2, 2] float32, trained', in process", "'weight [2, 3] float32, trained'")
said(lambda: paddle.DataParallel(Ordered()), "there 'a.weight", "'b.weight", "in the same order")
said(lambda: paddle.DataParallel(frozen), "'weight [2, 2] float32, not trained'")
said(lambda: paddle.DataParallel(normed), "another network", "there nothing more", "'1.weight [2] float32, trained'")

paddle.seed(rank)
net = paddle.DataParallel(nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)))
optimizer = paddle.optimizer.Momentum(0.1, parameters=net.parameters())
x = paddle.to_tensor(np.random.default_rng(rank).random((4, 3)).astype("float32"))


def step():
    net(x).mean().backward()
    optimizer.step()
    optimizer.clear_grad()


paddle.set_flags({"FLAGS_check_parameters_between_ranks": 2})
for _ in range(4):
    step()
if rank == last:
    net._layers[1].bias.set_value(net._layers[1].bias + paddle.to_tensor([0.0, -0.5]))
message = ("DataParallel: 1 of 4 parameters are not what they are in process 0. 1.bias: processes "
           f"[{last}], the largest difference 0.5 in process {last}")
said(step, message)
if rank == last:
    net._layers[0].weight.set_value(net._layers[0].weight * float("nan"))
net._passes = 1
step()  # of which the flag asks nothing
said(step, "0.weight: processes", "the largest difference inf in process")
print("passed", rank)
