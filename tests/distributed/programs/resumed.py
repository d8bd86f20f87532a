"""Trains some epochs of what several processes share; saves on one process, in both forms, and loads on any number."""

import json
import os
import sys

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.nn import functional as F

level, first, last, saved, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
if dist.get_world_size() > 1:
    dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
random = np.random.default_rng(0)
data = paddle.io.TensorDataset([paddle.to_tensor(random.random((44, 6)).astype("float32")),
                                paddle.to_tensor(random.integers(0, 3, 44))])
sampler = paddle.io.DistributedBatchSampler(data, 8 // size, shuffle=True, drop_last=True)
loader = paddle.io.DataLoader(data, batch_sampler=sampler)
paddle.seed(11 + rank)
net = paddle.nn.Sequential(paddle.nn.Linear(6, 16), paddle.nn.Tanh(), paddle.nn.Linear(16, 16), paddle.nn.Tanh(),
                           paddle.nn.Linear(16, 3))
weights = np.random.default_rng(1)
for parameter in net.parameters():
    parameter.set_value((weights.random(parameter.shape) - 0.5).astype("float32"))
schedule = paddle.optimizer.lr.StepDecay(0.02, 7)
optimizer = paddle.optimizer.AdamW(schedule, parameters=net.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(0.3))
scaler, model = paddle.amp.GradScaler(init_loss_scaling=8.0, incr_every_n_steps=3), net
if size > 1 and level == "whole":
    model = paddle.DataParallel(net)
elif size > 1:
    model, optimizer, scaler = dist.group_sharded_parallel(net, optimizer, level, scaler)
file = os.path.join(folder, "state.pdparams")


def check_parts():
    """The values that were written by all together are those that one has written."""
    state = optimizer.local_state_dict() if hasattr(optimizer, "local_state_dict") else optimizer.state_dict()
    own = {"model": net.state_dict(), "optimizer": {k: v for k, v in state.items() if k != "LR_Scheduler"}}
    if saved == "write":
        dist.save_state_dict(own, os.path.join(folder, "parts"))
        names = [name for name in os.listdir(os.path.join(folder, "parts")) if name.endswith(".distcp")]
        assert len(names) == size, names
        return
    whole = paddle.load(file)
    targets = {"model": {name: paddle.zeros_like(value) for name, value in whole["model"].items()},
               "optimizer": {name: paddle.zeros_like(value) for name, value in whole["optimizer"].items()
                             if name != "LR_Scheduler"}}
    dist.load_state_dict(targets, os.path.join(folder, "parts"))
    for kind, values in targets.items():
        for name, value in values.items():
            np.testing.assert_array_equal(value.numpy(), whole[kind][name].numpy(), err_msg=name)


if saved == "read":
    state = paddle.load(file)
    model.set_state_dict(state["model"])
    optimizer.set_state_dict(state["optimizer"])
    scaler.load_state_dict(state["scaler"])
    paddle.set_rng_state(state["random"])
    assert paddle.rand([2]).tolist() == state["drawn"]
    check_parts()
for epoch in range(first, last):
    sampler.set_epoch(epoch)
    for x, y in loader:
        scaler.scale(F.cross_entropy(model(x), y)).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        schedule.step()
if saved == "write":
    whole = optimizer.state_dict()  # which all processes ask for
    state = {"model": model.state_dict(), "optimizer": whole, "scaler": scaler.state_dict(),
             "random": paddle.get_rng_state()}
    state["drawn"] = paddle.rand([2]).tolist()
    if rank == 0:
        paddle.save(state, file)
    check_parts()
    if size > 1 and level != "whole":
        dist.save_group_sharded_model(model, os.path.join(folder, "group"), optimizer)
        found = paddle.load(os.path.join(folder, "group", "model.pdopt"))
        assert sorted(found) == sorted(whole) and len(paddle.load(os.path.join(folder, "group", "model.pdmodel"))) == 6
if rank == 0:
    with open(os.path.join(folder, "end.json"), "w") as out:
        json.dump([{name: value.tolist() for name, value in net.state_dict().items()}, optimizer.get_lr(),
                   scaler.state_dict()["scale"].tolist()], out)
