"""2.x's fleet with servers that keep checkpoints: in its first life worker 1 fails, and worker 0 kills server 0.

Both are started again by the launcher, and the losses are those of one process with the whole batch.
"""

import json
import os
import pathlib
import signal

import numpy as np
import paddle
from paddle.distributed import fleet

STEPS, ROWS = 6, 8
LIFE, FOLDER = int(os.environ.get("PADDLE_RESTART_COUNT", "0")), pathlib.Path("progress")


def net():
    constant = paddle.nn.initializer.Constant
    x, label = paddle.static.data("x", [None, 4]), paddle.static.data("label", [None, 1])
    hidden = paddle.static.nn.fc(x, 3, weight_attr=paddle.ParamAttr(initializer=constant(0.2)), activation="tanh")
    predicted = paddle.static.nn.fc(hidden, 1, weight_attr=paddle.ParamAttr(initializer=constant(0.3)))
    loss = ((predicted - label) ** 2).mean()
    return loss


def batch(step, rank, size):
    draw = np.random.default_rng(step)
    feed = {"x": draw.standard_normal((ROWS, 4)), "label": draw.standard_normal((ROWS, 1))}
    return {name: np.split(value.astype("float32"), size)[rank] for name, value in feed.items()}


def alone():
    main, startup, exe = paddle.static.Program(), paddle.static.Program(), paddle.static.Executor()
    with paddle.static.program_guard(main, startup), paddle.static.scope_guard(paddle.static.Scope()):
        loss = net()
        paddle.optimizer.Momentum(0.1, 0.9).minimize(loss)
        exe.run(startup)
        return [exe.run(main, batch(step, 0, 1), [loss])[0].item() for step in range(STEPS)]


paddle.enable_static()
FOLDER.mkdir(exist_ok=True)
fleet.init(is_collective=False)
strategy = fleet.DistributedStrategy()
strategy.a_sync = False
loss = net()
fleet.distributed_optimizer(paddle.optimizer.Momentum(0.1, 0.9), strategy).minimize(loss)
if fleet.is_server():
    (FOLDER / f"server-{fleet.server_index()}").write_text(str(os.getpid()))
    fleet.init_server()
    fleet.run_server()
else:
    exe, rank, size = paddle.static.Executor(), fleet.worker_index(), fleet.worker_num()
    exe.run(paddle.static.default_startup_program())
    fleet.init_worker()
    said = FOLDER / f"losses-{rank}"
    losses = json.loads(said.read_text()) if said.exists() else []
    while len(losses) < STEPS:
        if LIFE == 0 and rank == 1 and len(losses) == 2:
            raise RuntimeError("fails in its first life")
        if rank == 0 and len(losses) == 4:
            os.kill(int((FOLDER / "server-0").read_text()), signal.SIGKILL)
        losses.append(exe.run(paddle.static.default_main_program(), batch(len(losses), rank, size), [loss])[0].item())
        said.write_text(json.dumps(losses))
    mean = fleet.util.all_reduce(np.array(losses)) / size
    if rank == 0:
        assert np.allclose(mean, alone(), rtol=1e-5, atol=0), (mean, alone())
        print("as one process that nothing harms")
    fleet.stop_worker()
