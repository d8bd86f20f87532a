"""2.x's fleet with servers: a schedule that steps in workers, rows that begin by an entry, rows that rest.

Each worker has half of a batch; losses are those of one process with the whole batch, which worker 0 also trains.
"""

import numpy as np
import paddle
from paddle.distributed import fleet
from proa.distributed.ps import engine

STEPS, ROWS = 6, 8


def net(entry):
    words, label = paddle.static.data("words", [None, 1], "int64"), paddle.static.data("label", [None, 1])
    constant = paddle.nn.initializer.Constant
    rows = paddle.static.nn.sparse_embedding(words, [16, 4], entry=entry, param_attr=paddle.ParamAttr(
        name="table", initializer=constant(0.1)))
    hidden = paddle.static.nn.fc(rows, 3, weight_attr=paddle.ParamAttr(initializer=constant(0.2)), activation="tanh")
    predicted = paddle.static.nn.fc(hidden, 1, weight_attr=paddle.ParamAttr(initializer=constant(0.3)))
    return ((predicted - label) ** 2).mean()


def batch(step, rank, size):
    draw = np.random.default_rng(step)
    words = draw.integers(0, 8, (ROWS, 1)) if step else np.arange(ROWS).reshape(-1, 1) + 8
    feed = {"words": words, "label": draw.standard_normal((ROWS, 1)).astype("float32")}
    return {name: np.split(value, size)[rank] for name, value in feed.items()}


def train(exe, program, loss, schedule, rank, size):
    losses = []
    for step in range(STEPS):
        losses.append(exe.run(program, batch(step, rank, size), [loss])[0].item())
        schedule.step()
    return losses


def alone():
    main, startup, exe = paddle.static.Program(), paddle.static.Program(), paddle.static.Executor()
    with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
        schedule, loss = paddle.optimizer.lr.StepDecay(0.5, 2, 0.1), net(None)
        paddle.optimizer.SGD(schedule).minimize(loss)
        exe.run(startup)
        return train(exe, main, loss, schedule, 0, 1)


def rows_of(endpoints, ids):
    return engine.client(0, endpoints).look_up(endpoints, "table", np.asarray(ids))


paddle.enable_static()
fleet.init(is_collective=False)
strategy = fleet.DistributedStrategy()
strategy.a_sync = False
schedule, loss = paddle.optimizer.lr.StepDecay(0.5, 2, 0.1), net(paddle.distributed.CountFilterEntry(1))
fleet.distributed_optimizer(paddle.optimizer.SGD(schedule), strategy).minimize(loss)
if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
else:
    exe, rank, size = paddle.static.Executor(), fleet.worker_index(), fleet.worker_num()
    exe.run(paddle.static.default_startup_program())
    fleet.init_worker()
    losses = train(exe, paddle.static.default_main_program(), loss, schedule, rank, size)
    mean = fleet.util.all_reduce(np.array(losses)) / size
    endpoints = fleet.server_endpoints()
    if rank == 0:
        wanted = alone()
        assert np.allclose(mean, wanted, rtol=1e-5, atol=0), (mean, wanted)
        assert not np.allclose(rows_of(endpoints, [8]), 0.1)  # it was changed by the first step
    fleet.shrink()  # all rows were changed since the begin
    exe.run(paddle.static.default_main_program(), batch(1, rank, size), [loss])
    fleet.shrink()  # rows of the first step rest
    if rank == 0:
        assert np.allclose(rows_of(endpoints, [8]), 0.1), rows_of(endpoints, [8])
        assert not np.allclose(rows_of(endpoints, batch(1, 0, 1)["words"].reshape(-1)), 0.1)
        print("as one process")
    fleet.barrier_worker()
    fleet.stop_worker()
