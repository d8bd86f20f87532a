"""Trains networks of several kinds on each process's part of a batch, in float64: process 0 writes losses and values.

    equal.py OUT STEPS KIND…
"""

import json
import sys

import numpy as np
import paddle
import paddle.distributed as dist
from paddle import nn
from paddle.nn import functional as F

out, steps, *kinds = sys.argv[1:]
if dist.get_world_size() > 1:
    dist.init_parallel_env()
rank, size = dist.get_rank(), dist.get_world_size()
BATCH = 8


class LeNet(nn.Layer):
    def __init__(self, norm):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 4, 3, padding=1, bias_attr=False), norm(4), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(4, 6, 3, bias_attr=False), norm(6), nn.ReLU())
        self.fc = nn.Sequential(nn.Linear(6 * 4, 12), nn.Linear(12, 5))

    def forward(self, x):
        return self.fc(self.features(x).flatten(1))


class Transformer(nn.Layer):
    def __init__(self, sparse=False):
        super().__init__()
        self.words, self.places = nn.Embedding(40, 16, sparse=sparse), nn.Embedding(64, 16)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 24, dropout=0.0), 2)
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        words = x.flatten(1)[:, :12].astype("int64")
        return self.out(self.encoder(self.words(words) + self.places(paddle.arange(12))).mean(1))


class Lstm(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(8, 10, num_layers=2, direction="bidirect"), nn.Linear(20, 5)

    def forward(self, x):
        return self.out(self.lstm(x[:, 0])[0].mean(1))


class Wide(nn.Layer):
    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(400, 6, sparse=True), nn.Linear(6, 5)

    def forward(self, x):
        return self.out(self.table((x.flatten(1)[:, :10] * 9).astype("int64")).sum(1))


def plain():
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.Tanh(), nn.Linear(16, 5))


NETWORKS = {"lenet": lambda: LeNet(nn.SyncBatchNorm), "transformer": Transformer, "lstm": Lstm, "wide": Wide,
            "sparse_transformer": lambda: Transformer(True), "converted": Transformer,
            "converted_lenet": lambda: LeNet(lambda n: nn.GroupNorm(2, n))}


def optimizer_of(kind, net):
    p, opt, lr = net.parameters(), paddle.optimizer, paddle.optimizer.lr
    if kind == "clipped":
        return opt.Momentum(0.05, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(0.1))
    if kind == "clipped_wide":
        return opt.Adam(0.02, parameters=p, lazy_mode=True, grad_clip=nn.ClipGradByGlobalNorm(0.5))
    if kind == "scheduled":
        warm = lr.LinearWarmup(lr.CosineAnnealingDecay(0.05, 20), 5, 0.0, 0.05)
        return opt.AdamW(warm, parameters=p, weight_decay=0.01)
    if kind == "plateau":
        return opt.SGD(lr.ReduceOnPlateau(0.1, patience=1), parameters=p)
    if kind == "wide":
        return opt.SGD(0.1, parameters=p)
    if kind == "look_ahead":
        return paddle.incubate.LookAhead(opt.SGD(0.1, parameters=p), k=3)
    return opt.Adam(0.01, parameters=p)


def losses_of(kind, net, x, y):
    loss = F.cross_entropy(net(x), y)
    if kind == "twice":  # two passes, the second over another loss, before the step
        loss.backward()
        second = net(x * 0.5).square().mean()
        second.backward()
        return (loss + second).detach()
    if kind == "mixed":
        return loss
    loss.backward()
    return loss.detach()


def train(kind):
    paddle.seed(7 + rank)  # the first process's parameters count
    paddle.set_default_dtype("float32" if kind == "mixed" else "float64")
    layers = NETWORKS.get("wide" if kind == "clipped_wide" else kind, plain)()
    if kind.startswith("converted"):
        layers = paddle.jit.to_static(layers)
    net = paddle.DataParallel(layers, comm_buffer_size=1, last_comm_buffer_size=0.001)
    optimizer = optimizer_of(kind, net)
    scaler = paddle.amp.GradScaler(init_loss_scaling=64.0, incr_every_n_steps=3)
    random, losses, averages = np.random.default_rng(0), [], None
    for step in range(int(steps)):
        x, y = random.random((BATCH, 1, 8, 8)) * 4, random.integers(0, 5, BATCH)
        part = slice(rank * BATCH // size, (rank + 1) * BATCH // size)
        x = paddle.to_tensor(x[part]).astype(paddle.get_default_dtype())
        if kind == "mixed":
            if step == 4 and rank == size - 1:
                x[0] = float("inf")  # one process alone meets what is not finite: all leave the step out
            with paddle.amp.auto_cast(dtype="bfloat16"):
                loss = losses_of(kind, net, x, paddle.to_tensor(y[part]))
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            loss = loss.detach() if step != 4 else paddle.zeros([])
        else:
            loss = losses_of(kind, net, x, paddle.to_tensor(y[part]))
            optimizer.step()
        optimizer.clear_grad()
        dist.all_reduce(loss, dist.ReduceOp.AVG)
        losses.append(float(loss))
        if kind in ("scheduled", "plateau"):
            optimizer._learning_rate.step(*[loss] * (kind == "plateau"))
        if kind == "averaged":  # an exponential moving average, beside the parameters
            values = [p.numpy() for p in net.parameters()]
            averages = values if averages is None else [0.9 * a + 0.1 * v for a, v in zip(averages, values)]
    state = {name: value.numpy() for name, value in net.state_dict().items()}
    state.update({f"average_{i}": a for i, a in enumerate(averages or [])})
    if kind == "mixed":
        state["scaling"] = np.array(scaler.state_dict()["scale"])
    states = []
    dist.all_gather_object(states, state)
    assert all(np.array_equal(value, states[0][name]) for one in states for name, value in one.items()), kind
    return {"losses": losses, "state": {name: value.tolist() for name, value in state.items()}}


found = {kind: train(kind) for kind in kinds}
if rank == 0:
    with open(out, "w") as file:
        json.dump(found, file)
