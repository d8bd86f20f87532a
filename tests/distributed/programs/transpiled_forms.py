"""Forms of a transpiled script of 1.x, by servers and trainers that a launcher has started: `transpiled_forms.py FORM`.

async_table: nobody waits, and a table for any number lives on servers. unsliced: values are not cut, memory is said to
be saved. saved: trainer 0 saves all values in ./models. goes_on: servers begin with these.
"""

import os
import sys

import numpy as np
import paddle.fluid as fluid

FORM, WIDTH = sys.argv[1], 13
servers, number = os.environ["PADDLE_PSERVERS_IP_PORT_LIST"], int(os.environ.get("PADDLE_TRAINER_ID", "0"))
here, trainers = f"{os.environ['POD_IP']}:{os.environ['PADDLE_PORT']}", int(os.environ["PADDLE_TRAINERS_NUM"])
is_server = os.environ["TRAINING_ROLE"] == "PSERVER"

y = fluid.layers.data("y", [1])
if FORM == "async_table":
    x = fluid.layers.data("x", [1], dtype="int64")
    hidden = fluid.layers.embedding(x, [10**11, 8], is_sparse=True, is_distributed=True)
else:
    x = fluid.layers.data("x", [WIDTH])
    hidden = fluid.layers.fc(x, 1000, act="tanh", param_attr=fluid.ParamAttr(
        initializer=fluid.initializer.Constant(0.01)))  # more than a block
loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(hidden, 1), y))
fluid.optimizer.Adagrad(0.1).minimize(loss)
if FORM == "unsliced":
    fluid.memory_optimize(fluid.default_main_program(), skip_grads=True)
t, exe = fluid.DistributeTranspiler(config=fluid.DistributeTranspilerConfig()), fluid.Executor(fluid.CPUPlace())
options = {"async_table": {"sync_mode": False}, "unsliced": {"slice_var_up": False}}.get(FORM, {"sync_mode": True})
t.transpile(number, pservers=servers, trainers=trainers, current_endpoint=here, **options)


def feed(step):
    draw = np.random.RandomState(10 * step + number)
    if FORM == "async_table":
        ids = draw.randint(0, 20, (16, 1)) * 4_000_000_007
        return {"x": ids, "y": (ids % 3 - 1).astype("float32")}
    rows = draw.rand(16, WIDTH).astype("float32") - 0.5
    return {"x": rows, "y": rows.sum(1, keepdims=True)}


if is_server:
    program = t.get_pserver_program(here)
    startup = t.get_startup_program(here, program)
    exe.run(startup)
    if FORM == "goes_on":
        fluid.io.load_persistables(exe, "./models", startup)
    exe.run(program)
else:
    program = t.get_trainer_program()
    exe.run(fluid.default_startup_program())
    losses = [exe.run(program, feed(step), [loss])[0].item() for step in range(40)]
    print("losses", losses[0], np.mean(losses[-5:]), flush=True)
    if FORM == "saved" and number == 0:
        fluid.io.save_persistables(exe, "./models", program)
    exe.close()
