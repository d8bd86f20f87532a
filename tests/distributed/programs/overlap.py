"""Profiles a step of DataParallel; each process writes a Chrome trace into the folder that the command line names."""

import sys

import paddle
import paddle.distributed as dist
from paddle import profiler

dist.init_parallel_env()
paddle.seed(1)
nn = paddle.nn
net = paddle.DataParallel(nn.Sequential(*(layer for _ in range(8) for layer in (nn.Linear(640, 640), nn.Tanh()))),
                          comm_buffer_size=2)
optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
x = paddle.rand([256, 640])


def step():
    with profiler.RecordEvent("forward pass"):
        loss = net(x).square().mean()
    with profiler.RecordEvent("backward pass"):
        loss.backward()
    optimizer.step()
    optimizer.clear_grad()


for _ in range(3):
    step()
ready = profiler.export_chrome_tracing(sys.argv[1], f"rank{dist.get_rank()}")
with profiler.Profiler(on_trace_ready=ready) as prof:
    step()
    prof.step()
    step()
assert not [event for event in prof.profiler_result.of_kind("exchange") if event.duration < 0]
