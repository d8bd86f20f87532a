"""A script of two servers and two trainers, each a process, by the command that users give."""

import os
import subprocess
import sys

import pytest
from cluster import free_endpoints

SCRIPT = """
import os
import numpy as np
import paddle.fluid as fluid

x, y = fluid.layers.data("x", [13]), fluid.layers.data("y", [1])
loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))
fluid.optimizer.SGD(0.01).minimize(loss)
port, role = os.environ["PADDLE_PSERVER_PORT"], os.environ["PADDLE_TRAINING_ROLE"]
servers = ",".join(f"{ip}:{port}" for ip in os.environ["PADDLE_PSERVER_IPS"].split(","))
number = int(os.environ.get("PADDLE_TRAINER_ID", "0"))
exe, t = fluid.Executor(fluid.CPUPlace()), fluid.DistributeTranspiler()
t.transpile(trainer_id=number, pservers=servers, trainers=int(os.environ["PADDLE_TRAINERS"]))
if role == "PSERVER":
    mine = os.environ["PADDLE_CURRENT_IP"] + ":" + port
    program = t.get_pserver_program(mine)
    exe.run(t.get_startup_program(mine, program))
    exe.run(program)
else:
    program = t.get_trainer_program()
    exe.run(fluid.default_startup_program())
    rng = np.random.RandomState(number)
    for _ in range(30):
        rows = rng.rand(8, 13).astype("float32")
        cost, = exe.run(program, {"x": rows, "y": rows.sum(1, keepdims=True)}, [loss])
        print(cost[0])
    exe.close()
"""


@pytest.mark.slow
def test_two_servers_and_two_trainers(tmp_path):
    script = tmp_path / "dist_train.py"
    script.write_text(SCRIPT)
    port = free_endpoints(1)[0].rpartition(":")[2]
    ips = "127.0.0.1,127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
    common = {**os.environ, "PADDLE_PSERVER_PORT": port, "PADDLE_PSERVER_IPS": ips, "PADDLE_TRAINERS": "2",
              "FLAGS_communication_timeout": "60"}
    roles = [{"PADDLE_TRAINING_ROLE": "PSERVER", "PADDLE_CURRENT_IP": ip} for ip in ips.split(",")]
    roles += [{"PADDLE_TRAINING_ROLE": "TRAINER", "PADDLE_TRAINER_ID": str(number)} for number in range(2)]
    running = [subprocess.Popen([sys.executable, "-m", "proa", "run", str(script)], env={**common, **role},
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for role in roles]
    try:
        said = [each.communicate(timeout=100) for each in running]
    finally:
        for each in running:
            each.kill()
    assert [each.returncode for each in running] == [0] * len(running), said
    for out, _ in said[-2:]:
        losses = list(map(float, out.split()))
        assert len(losses) == 30 and losses[-1] < losses[0] / 4
