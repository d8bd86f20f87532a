"""The modes nccl2 and collective, ParallelExecutor and with_data_parallel: as one process with the whole batches."""

import sys

import networks
import numpy as np
import paddle.fluid as fluid
from proa.core import launched

STEPS, ROWS = int(sys.argv[1]), 8
rank, size = launched.rank(), launched.size()
endpoints = [f"127.0.0.1:{6170 + number}" for number in range(size)]


def mean_over_processes(value):
    import paddle

    with fluid.dygraph.guard():
        whole = paddle.to_tensor(np.asarray(value, "float64").reshape(-1))
        paddle.distributed.all_reduce(whole)
        return whole.numpy().mean() / size


def check(network, found, losses, what):
    wanted_losses, wanted = networks.alone(network, STEPS, ROWS)
    assert np.allclose(losses, wanted_losses, rtol=0, atol=1e-6), (what, losses, wanted_losses)
    assert found.keys() == wanted.keys() and len(found) > 4
    for name, value in found.items():  # sums of two ranks round otherwise than one's, and fifty steps add that up
        assert np.allclose(value, wanted[name], rtol=0, atol=3e-6 * max(1, np.abs(wanted[name]).max())), (
            what, name, np.abs(value - wanted[name]).max())


def trained(network, way):
    main, startup, loss = networks.built(network)
    scope = fluid.Scope()
    strategy = fluid.BuildStrategy()
    strategy.num_trainers, strategy.trainer_id, strategy.sync_batch_norm = size, rank, True
    strategy.fuse_all_reduce_ops = way != "unfused"
    with fluid.scope_guard(scope):
        exe = fluid.Executor(fluid.CPUPlace())
        config = fluid.DistributeTranspilerConfig()
        config.mode, config.wait_port = "nccl2", False
        if way == "collective":
            config.mode, config.collective_mode, config.nccl_comm_num = way, "grad_allreduce", 2
        fluid.DistributeTranspiler(config).transpile(rank, main, trainers=",".join(endpoints), startup_program=startup,
                                                     current_endpoint=endpoints[rank])
        exe.run(startup)
        if way == "collective":
            run = lambda feed: exe.run(main, feed, [loss])
        else:
            for name, value in networks.values(main, scope).items():
                scope.set_array(name, value + rank)  # processes begin with other values, and get the first one's
            if way == "ParallelExecutor":
                parallel = fluid.ParallelExecutor(False, loss.name, main, num_trainers=size, trainer_id=rank,
                                                  build_strategy=strategy)
                run = lambda feed: parallel.run([loss.name], feed)
            else:
                places = fluid.cpu_places(2) if way == "two places" else fluid.cpu_places(1)
                strategy.sync_batch_norm = way != "two places"
                compiled = fluid.CompiledProgram(main).with_data_parallel(loss.name, strategy, places=places)
                run = lambda feed: exe.run(compiled, feed, [loss])
        losses = [mean_over_processes(run(networks.part(networks.batch(network, step, ROWS), rank, size))[0])
                  for step in range(STEPS)]
        return networks.values(main, scope), losses


for network, way in ((networks.lenet, "ParallelExecutor"), (networks.transformer, "collective"),
                     (networks.transformer, "two places"), (networks.table, "with_data_parallel"),
                     (networks.table, "unfused")):
    check(network, *trained(network, way), (network.__name__, way))
print("equal")
