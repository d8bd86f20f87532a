"""A backward pass that a hook ends by an error, in both processes: the next one is whole."""

import paddle
import paddle.distributed as dist

dist.init_parallel_env()
net = paddle.DataParallel(paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)), last_comm_buffer_size=0)
x = paddle.ones([1, 2]) * (dist.get_rank() + 1)
x.stop_gradient = False


def fail(gradient):
    raise ValueError("no gradient")


handle = x.register_hook(fail)
try:
    net(x).sum().backward()
except ValueError:
    assert all(p.grad is None for p in net.parameters())
else:
    raise AssertionError("the hook was not called")
handle.remove()
net(x).sum().backward()
both = []
dist.all_gather(both, net.parameters()[0].grad)
assert (both[0] == both[1]).all() and both[0].abs().sum() > 0
print("passed", dist.get_rank())
