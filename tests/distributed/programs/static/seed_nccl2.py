"""The modes nccl2 and ParallelExecutor as scripts of 1.x write them: endpoints of the launcher, or of a cluster."""

import os
import sys

import numpy
import paddle.fluid as fluid

trainer_id = int(os.getenv("PADDLE_TRAINER_ID", os.getenv("OMPI_COMM_WORLD_RANK", "0")))
trainers = os.getenv("PADDLE_TRAINER_ENDPOINTS", "192.168.1.1:6170,192.168.1.2:6170")
current_endpoint = trainers.split(",")[trainer_id]
x = fluid.layers.data("x", [13])
y = fluid.layers.data("y", [1])
loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(x, 1), y))
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.SGD(0.05).minimize(loss)
config = fluid.DistributeTranspilerConfig()
config.mode = "nccl2"
t = fluid.DistributeTranspiler(config=config)
t.transpile(trainer_id, trainers=trainers, current_endpoint=current_endpoint)
place = fluid.CPUPlace()
fluid.Executor(place).run(fluid.default_startup_program())
exe = fluid.ParallelExecutor(False, loss_name=loss.name, num_trainers=len(trainers.split(",")), trainer_id=trainer_id)
tested = fluid.ParallelExecutor(False, main_program=test_program, share_vars_from=exe)
draw = numpy.random.RandomState(trainer_id)
weights = numpy.arange(13, dtype="float32").reshape(13, 1) / 13
losses = []
for _ in range(40):
    rows = draw.randn(16, 13).astype("float32")
    losses.append(exe.run([loss.name], feed={"x": rows, "y": rows @ weights})[0].item())
rows = numpy.random.RandomState(7).randn(8, 13).astype("float32")
same = tested.run([loss.name], feed={"x": rows, "y": rows @ weights})[0].item()
assert losses[-1] < losses[0] / 20 and same < losses[0] / 20
fluid.io.save_persistables(fluid.Executor(place), os.path.join(sys.argv[1], str(trainer_id)))
print("trained", trainer_id)
