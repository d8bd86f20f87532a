"""Trains some steps by however many processes there are, and goes on from what another number of them has saved."""

import pathlib
import sys

import networks
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import DistributedStrategy, TrainStatus, fleet

ROWS, PART = 8, 3
folder = pathlib.Path(sys.argv[1])
fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
rank, size = fleet.worker_index(), fleet.worker_num()
strategy = DistributedStrategy()
strategy.sync_batch_norm = size > 1
main, startup, loss = networks.built(networks.lenet, wrapped=lambda one: fleet.distributed_optimizer(one, strategy))
exe = fluid.Executor(fluid.CPUPlace())
exe.run(startup)
status = fleet.load_checkpoint(exe, str(folder), rank) or TrainStatus()
for step in range(PART * status.next(), PART * (status.next() + 1)):
    exe.run(fleet.main_program, networks.part(networks.batch(networks.lenet, step, ROWS), rank, size), [loss])
if fleet.is_first_worker():
    fleet.save_checkpoint(exe, str(folder), TrainStatus(status.next()))
_, wanted = networks.alone(networks.lenet, PART * (status.next() + 1), ROWS)
for name, value in networks.values(main, fluid.global_scope()).items():
    assert np.allclose(value, wanted[name], rtol=0, atol=1e-9), name
print("epoch", status.next())
