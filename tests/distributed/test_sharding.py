"""Optimizers whose state is divided among processes, and what is refused."""

import proa as paddle
import pytest
from launching import run
from proa.distributed import fleet
from proa.distributed.fleet.meta_parallel.sharding import group_sharded_stage3
from proa.distributed.sharding import group_sharded_parallel
from proa.distributed.sharding.clip import over_shards
from proa.distributed.sharding.partition import Partition


@pytest.mark.parametrize("kinds", [("adamw",), pytest.param(
    ("sgd", "momentum", "lamb", "lookahead", "accumulated", "no_sync", "scaled", "narrow"), marks=pytest.mark.slow)])
def test_a_divided_state_trains_as_a_whole_one(tmp_path, kinds):
    assert "passed 0" in run(tmp_path, "sharded.py", *kinds).stdout


@pytest.mark.slow
def test_a_divided_state_trains_as_a_whole_one_in_four_processes(tmp_path):
    assert "passed 0" in run(tmp_path, "sharded.py", processes=4).stdout


def test_parameters_are_divided_evenly_and_in_the_same_way_everywhere():
    parameters = [paddle.zeros([n]) for n in (7, 1, 4, 4, 9, 2, 3)]
    partition = Partition(parameters, 3)
    assert partition.sizes == [10, 10, 10] and Partition(parameters, 3).owners == partition.owners
    assert sorted(len(one) for owner in range(3) for one in partition.of(owner)) == [1, 2, 3, 4, 4, 7, 9]


def test_what_cannot_be_divided_is_refused():
    net = paddle.nn.Linear(2, 2)
    sgd = paddle.optimizer.SGD(parameters=net.parameters())
    with pytest.raises(NotImplementedError, match="several processes, and there is one. Use the model"):
        group_sharded_parallel(net, sgd, "os")
    with pytest.raises(NotImplementedError, match="'p_g_os'.*Use 'os_g'"):
        group_sharded_parallel(net, sgd, "p_g_os")
    with pytest.raises(ValueError, match="'os' or 'os_g'. Received 'o'"):
        group_sharded_parallel(net, sgd, "o")
    with pytest.raises(NotImplementedError, match="level='os_g'"):
        group_sharded_stage3.GroupShardedStage3(net, sgd)

    class Own(paddle.nn.ClipGradByGlobalNorm):
        def _dygraph_clip(self, params_grads):
            return params_grads

    with pytest.raises(NotImplementedError, match="Own may need all. Use nn.ClipGradByGlobalNorm"):
        over_shards(Own(1.0))
    with pytest.raises(TypeError, match="must be what group_sharded_parallel gave"):
        paddle.distributed.sharding.save_group_sharded_model(net, "nowhere")


@pytest.mark.parametrize("processes", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_fleet_divides_the_state_merges_gradients_and_recomputes(tmp_path, processes):
    assert "passed 0" in run(tmp_path, "fleet_sharding.py", processes=processes).stdout


def test_degrees_that_do_not_fit_the_processes_are_refused():
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"dp_degree": 1, "sharding_degree": 2}
    with pytest.raises(ValueError, match="must be the number of processes, 1. Received dp_degree=1 and sharding_deg"):
        fleet.init(is_collective=True, strategy=strategy)
