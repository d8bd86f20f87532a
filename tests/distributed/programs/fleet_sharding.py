"""fleet with a divided state, gradient merge, recomputed layers, and a GradScaler: each trains as DataParallel does."""

import numpy as np
import paddle
import paddle.distributed as dist
from paddle.distributed import fleet
from paddle.distributed.fleet.utils import recompute
from paddle.incubate.distributed.fleet import recompute_sequential
from paddle.nn import functional as F

nn, size = paddle.nn, dist.get_world_size()


class Net(nn.Layer):
    """Blocks that may be computed twice, once more by themselves and once as a sequence."""

    def __init__(self, recomputed):
        super().__init__()
        self.table, self.recomputed = nn.Embedding(50, 12, sparse=True), recomputed
        self.blocks = nn.LayerList(nn.Sequential(nn.Linear(12, 12), nn.LayerNorm(12), nn.GELU(), nn.Dropout(0.2))
                                   for _ in range(4))
        self.out = nn.Linear(12, 5)

    def forward(self, ids):
        x = self.table(ids).mean(1)
        first, *others = self.blocks
        if self.recomputed:
            x = recompute(first, x)
            return self.out(recompute_sequential({"segments": 2}, nn.Sequential(*others), x))
        for block in self.blocks:
            x = block(x)
        return self.out(x)


@paddle.utils.unique_name.guard()
def train(degrees, merged=1, recomputed=False, scaled=False, no_sync=False, sampler_rank=None):
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = degrees
    strategy.gradient_merge = merged > 1 and not no_sync
    strategy.gradient_merge_configs = {"k_steps": merged, "avg": True}
    strategy.find_unused_parameters = True
    fleet.init(is_collective=True, strategy=strategy)
    rank = fleet.worker_index()
    paddle.seed(4)
    net = Net(recomputed)
    model = fleet.distributed_model(net)
    optimizer = fleet.distributed_optimizer(paddle.optimizer.AdamW(
        0.01, epsilon=1e-3, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(0.1)))
    scaler = fleet.distributed_scaler(paddle.amp.GradScaler(enable=scaled, init_loss_scaling=256.0))
    paddle.seed(40 + rank)
    random = np.random.default_rng(9)
    for step in range(6):
        ids, y = random.integers(0, 50, (size * 8, 3)), random.integers(0, 5, size * 8)
        for number, part in enumerate(np.split(np.arange(rank * 8, rank * 8 + 8), merged)):
            ends = number + 1 == merged
            context = model.no_sync() if no_sync and not ends and hasattr(model, "no_sync") else None
            loss = F.cross_entropy(model(paddle.to_tensor(ids[part])), paddle.to_tensor(y[part]))
            loss = loss / merged if no_sync else loss
            if context is not None:
                with context:
                    scaler.scale(loss).backward()
                continue
            scaler.scale(loss).backward()
            if no_sync and not ends:
                continue
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad(set_to_zero=False)
    return {name: value.numpy() for name, value in model.state_dict().items()}, optimizer


def compare(what, found, wanted):
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-6, err_msg=f"{what} {name}")


divided = {"dp_degree": size // 2, "sharding_degree": 2}
wanted, _ = train({"dp_degree": size})
found, optimizer = train(divided)
hcg = fleet.get_hybrid_communicate_group()
rank = fleet.worker_index()
assert hcg.get_sharding_parallel_world_size() == 2 and hcg.get_data_parallel_world_size() == size // 2
assert (hcg.get_data_parallel_rank(), hcg.get_sharding_parallel_rank()) == divmod(rank, 2)
assert isinstance(optimizer, fleet.meta_optimizers.dygraph_optimizer.DygraphShardingOptimizer)
assert sorted(optimizer.state_dict()) != sorted(optimizer.local_state_dict())
compare("divided", found, wanted)
compare("recomputed", train({"dp_degree": size}, recomputed=True)[0], wanted)
compare("divided, recomputed, scaled", train(divided, recomputed=True, scaled=True)[0], wanted)
wanted, _ = train({"dp_degree": size}, merged=4, no_sync=True)
compare("merged", train({}, merged=4)[0], wanted)
compare("merged, recomputed", train({}, merged=4, recomputed=True)[0], wanted)
compare("divided, merged", train(divided, merged=4)[0], wanted)
compare("divided, several passes before a step", train(divided, merged=4, no_sync=True)[0], wanted)
states = []
dist.all_gather_object(states, found)
assert all(np.array_equal(state[name], states[0][name]) for state in states for name in state)
print("passed", rank)
