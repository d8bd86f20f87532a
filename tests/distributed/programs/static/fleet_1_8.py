"""fluid.incubate.fleet.collective: its modes train as one process with the whole batches; checkpoints."""

import pathlib
import sys

import networks
import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.collective import DistributedStrategy, TrainStatus, fleet

STEPS, ROWS = 4, 8
folder = pathlib.Path(sys.argv[1])
fleet.init(role_maker.PaddleCloudRoleMaker(is_collective=True))
rank, size = fleet.worker_index(), fleet.worker_num()
assert size > 1 and fleet.is_worker() and fleet.is_first_worker() == (rank == 0)


def trained(network, steps, optimizer, **settings):
    strategy = DistributedStrategy()
    for name, value in settings.items():
        setattr(strategy, name, value)
    main, startup, loss = networks.built(network, optimizer, lambda one: fleet.distributed_optimizer(one, strategy))
    scope = fluid.Scope()
    with fluid.scope_guard(scope):
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for step in steps:
            exe.run(fleet.main_program, networks.part(networks.batch(network, step, ROWS), rank, size), [loss])
        return exe, main, scope, networks.values(main, scope)


def sgd():
    return fluid.optimizer.SGD(0.1)


for settings in ({}, {"sync_batch_norm": True}, {"mode": "collective", "collective_mode": "grad_allreduce"},
                 {"use_local_sgd": True}, {"use_local_sgd": True, "nccl_comm_num": 2}):
    network = networks.lenet if "sync_batch_norm" in settings else networks.transformer
    _, _, _, found = trained(network, range(STEPS), sgd, **settings)
    _, wanted = networks.alone(network, STEPS, ROWS, sgd)  # of SGD local steps, averaged, are those of the whole
    for name, value in wanted.items():
        assert np.allclose(found[name], value, rtol=0, atol=1e-9), (settings, name)

exe, main, scope, before = trained(networks.transformer, range(STEPS), lambda: fluid.optimizer.Momentum(0.1, 0.9))
with fluid.scope_guard(scope):
    if fleet.is_first_worker():
        assert [fleet.save_checkpoint(exe, str(folder / "checkpoints"), TrainStatus(epoch), remain_all_checkpoint=False)
                for epoch in range(2)] == [0, 1]
        fleet.save_inference_model(exe, str(folder / "model"), ["image"], [main.global_block().var("fc_5.tmp_1")])
    fleet.barrier_worker()
assert [path.name for path in (folder / "checkpoints").iterdir()] == ["__paddle_fleet_checkpoint__.1"]
fresh = fluid.Scope()
with fluid.scope_guard(fresh):
    assert fleet.load_checkpoint(exe, str(folder / "checkpoints"), rank) == TrainStatus(1)
    assert fleet.load_checkpoint(exe, str(folder / "none"), rank) is None
    for name, value in networks.values(main, fresh).items():
        assert np.array_equal(value, before[name]), name
print("passed", rank)
