"""Trains from its last checkpoint on, which process 0 saves after every third step; the losses are part of it.

At the places of `--fail LIFE:STEP:HOW` the last process fails in the life of that number; `--pause` seconds pass in
each step.
"""

import argparse
import os
import pathlib
import signal
import sys
import time

import numpy as np
import paddle
import paddle.distributed as dist
from paddle import nn

parser = argparse.ArgumentParser()
parser.add_argument("checkpoint", type=pathlib.Path)
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--pause", type=float, default=0.0)
parser.add_argument("--fail", nargs="*", default=[])
options = parser.parse_args()
fails = {tuple(map(int, one.split(":")[:2])): one.split(":")[2] for one in options.fail}
life = int(os.environ["PADDLE_RESTART_COUNT"])
if dist.get_world_size() > 1:
    dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
pathlib.Path(f"{rank}.part").write_text(str(os.getpid()))
os.replace(f"{rank}.part", f"{rank}.pid")

paddle.seed(1)
net = paddle.DataParallel(nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.BatchNorm1D(32), nn.Linear(32, 4)))
schedule = paddle.optimizer.lr.StepDecay(0.05, 5)
optimizer = paddle.optimizer.Adam(schedule, parameters=net.parameters())
begin, losses = 0, []
if options.checkpoint.exists():
    state = paddle.load(str(options.checkpoint))
    net.set_state_dict(state["net"])
    optimizer.set_state_dict(state["optimizer"])
    begin, losses = state["step"], list(state["losses"])
    print(f"life {life} goes on at step {begin}", flush=True)
for step in range(begin, options.steps):
    random = np.random.default_rng(step)
    x, y = random.random((8, 16)).astype("float32"), random.integers(0, 4, 8)
    part = slice(rank * 8 // size, (rank + 1) * 8 // size)
    loss = nn.functional.cross_entropy(net(paddle.to_tensor(x[part])), paddle.to_tensor(y[part]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
    schedule.step()
    whole = loss.detach()
    if size > 1:
        dist.all_reduce(whole, dist.ReduceOp.AVG)
    losses.append(float(whole))
    time.sleep(options.pause)
    how = fails.get((life, step))
    if how and rank == size - 1:
        if how == "raise":
            raise ValueError(f"life {life} ends at step {step}")
        elif how == "exit":
            sys.exit(3)
        os.kill(os.getpid(), getattr(signal, how))
    if rank == 0 and (step % 3 == 2 or step == options.steps - 1):
        paddle.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1,
                     "losses": losses}, str(options.checkpoint))
print(f"life {life} has ended", flush=True)
