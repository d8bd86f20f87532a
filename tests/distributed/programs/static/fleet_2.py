"""paddle.distributed.fleet with Programs: what strategies ask for trains as one process with the whole batches."""

import networks
import numpy as np
import paddle
from paddle.distributed import fleet

STEPS, ROWS = 4, 8
paddle.enable_static()
fleet.init(is_collective=True)
rank, size = fleet.worker_index(), fleet.worker_num()
SGD, Momentum = paddle.optimizer.SGD, paddle.optimizer.Momentum


def batch(network, step, joined):
    """As many batches as are `joined`, one behind the other, as one."""
    several = [networks.batch(network, joined * step + number, ROWS) for number in range(joined)]
    return {name: np.concatenate([one[name] for one in several]) for name in several[0]}


def trained(network, wrap, whole, optimizer, steps=STEPS, joined=1):
    """The values after some steps of a Program, by this process's rows or by the whole batches."""
    main, startup = paddle.static.Program(), paddle.static.Program()
    main.random_seed = startup.random_seed = 5
    scope, exe = paddle.static.Scope(), paddle.static.Executor()
    with paddle.static.program_guard(main, startup), paddle.utils.unique_name.guard(), paddle.static.scope_guard(scope):
        loss = network()
        wrap(optimizer(), main).minimize(loss)
        exe.run(startup)
        for step in range(steps):
            feed = batch(network, step, joined)
            exe.run(main, feed if whole else networks.part(feed, rank, size), [loss])
        return networks.values(main, scope), main


def check(settings, network=networks.transformer, reference=lambda optimizer, main: optimizer, steps=STEPS,
          optimizer=lambda: Momentum(0.05, 0.9), atol=1e-9, joined=1):
    strategy = fleet.DistributedStrategy()
    for name, value in settings.items():
        setattr(strategy, name, value(paddle.static) if callable(value) else value)
    wanted, _ = trained(network, reference, True, optimizer, steps // joined, joined)

    def distributed(one, main):
        if strategy.recompute:
            strategy.recompute_configs = {"checkpoints": ["layer_norm_0.tmp_2"]}
        return fleet.distributed_optimizer(one, strategy)

    found, main = trained(network, distributed, False, optimizer, steps)
    for name, value in wanted.items():
        assert np.allclose(found[name], value, rtol=0, atol=atol), (settings, name, np.abs(found[name] - value).max())
    return [op.type for op in main.global_block().ops]


types = check({})
assert "coalesce_tensor" in types and "depend" in types, types
assert "coalesce_tensor" not in check({"fuse_all_reduce_ops": False}, steps=2)
check({"sync_batch_norm": True, "fuse_grad_size_in_num": 3}, networks.lenet)
check({}, networks.table, atol=1e-6)
check({"recompute": True}, steps=2)
check({"gradient_merge": True, "gradient_merge_configs": {"k_steps": 2, "avg": True}}, joined=2)  # as larger batches
check({"localsgd": True}, optimizer=lambda: SGD(0.05))
check({"lamb": True}, optimizer=lambda: paddle.optimizer.Adam(0.01),
      reference=lambda one, main: paddle.optimizer.Lamb(0.01, 0.01, epsilon=1e-8))
check({"lars": True}, reference=lambda one, main: paddle.fluid.optimizer.LarsMomentumOptimizer(0.05, 0.9))

strategy = fleet.DistributedStrategy()
strategy.amp = strategy.gradient_merge = True
strategy.amp_configs = {"init_loss_scaling": 8.0}
strategy.gradient_merge_configs = {"k_steps": 2, "avg": True}
found, _ = trained(networks.table, lambda one, main: fleet.distributed_optimizer(one, strategy), False,
                   lambda: SGD(0.1))
for name, value in found.items():
    everyone = []
    with paddle.base.dygraph.guard():
        paddle.distributed.all_gather(everyone, paddle.to_tensor(value))
        assert all((one.numpy() == value).all() for one in everyone), name
print("passed", rank)
