"""A script for fleet in two processes: the batch is divided, what is by hand is the same as what is by itself."""

import numpy as np
import paddle
from paddle.distributed import fleet
from paddle.distributed.fleet.utils.hybrid_parallel_util import broadcast_dp_parameters, fused_allreduce_gradients

strategy = fleet.DistributedStrategy()
strategy.hybrid_configs = {"dp_degree": 2, "mp_degree": 1, "pp_degree": 1}
fleet.init(is_collective=True, strategy=strategy)
rank, hcg = fleet.worker_index(), fleet.get_hybrid_communicate_group()
assert fleet.worker_num() == 2 and fleet.is_first_worker() == (rank == 0) and len(fleet.worker_endpoints()) == 2
assert (hcg.get_data_parallel_world_size(), hcg.get_data_parallel_rank(), hcg.get_model_parallel_rank()) == (2, rank, 0)
assert hcg.get_data_parallel_group().nranks == 2 and hcg.get_model_parallel_group().ranks == [rank]
paddle.seed(rank)
net = fleet.distributed_model(paddle.nn.Linear(3, 2))
by_hand = paddle.nn.Linear(3, 2)
by_hand.set_state_dict(net.state_dict())
if rank == 1:
    by_hand.weight.set_value(by_hand.weight * 2)
broadcast_dp_parameters(by_hand, hcg)
optimizer = fleet.distributed_optimizer(paddle.optimizer.AdamW(0.1, parameters=net.parameters()), strategy)
other = paddle.optimizer.AdamW(0.1, parameters=by_hand.parameters())
rows = np.random.default_rng(3).random((8, 3)).astype("float32")[rank::2]
for step in range(5):
    for layer, of in ((net, optimizer), (by_hand, other)):
        layer(paddle.to_tensor(rows)).square().mean().backward()
        if layer is by_hand:
            fused_allreduce_gradients(list(by_hand.parameters()), hcg)
        of.step()
        of.clear_grad()
fleet.barrier_worker()
for mine, one in zip(net.parameters(), by_hand.parameters()):
    np.testing.assert_allclose(mine.numpy(), one.numpy(), rtol=1e-6, atol=1e-7)
try:
    strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 2}
    fleet.init(is_collective=True, strategy=strategy)
except NotImplementedError as error:
    assert "mp_degree" in str(error)
else:
    raise AssertionError("a degree that is not supported was taken")
print("passed", rank)
