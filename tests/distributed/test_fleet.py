"""paddle.distributed.fleet in one process: divided layers are whole, exchanges give what they take, more is refused."""

import numpy as np
import proa as paddle
import pytest
from proa.distributed import fleet
from proa.distributed.fleet import meta_parallel
from proa.distributed.fleet.base import topology
from proa.distributed.fleet.layers.mpu import mp_ops
from proa.distributed.fleet.meta_optimizers import dygraph_optimizer
from proa.distributed.fleet.utils import mix_precision_utils, sequence_parallel_utils, timer_helper

dist = paddle.distributed


@pytest.fixture
def not_begun(monkeypatch):
    """fleet as it is before `init`."""
    monkeypatch.setattr(fleet.fleet, "_hcg", None, raising=False)
    monkeypatch.delattr(fleet.fleet, "_hcg")
    monkeypatch.setattr(topology._HYBRID_PARALLEL_GROUP, "hcg", None)


def test_a_fleet_of_one(not_begun):
    with pytest.raises(AttributeError, match="'_hcg': call fleet.init"):  # packages catch it, and go on
        fleet.get_hybrid_communicate_group()
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 1, "mp_configs": {"mp_async_allreduce": True}}
    assert strategy.hybrid_configs["mp_configs"].mp_async_allreduce
    assert fleet.init(is_collective=True, strategy=strategy) is fleet.fleet
    groups = fleet.get_hybrid_communicate_group()
    assert (groups.get_model_parallel_rank(), groups.get_data_parallel_world_size(), groups.get_stage_id()) == (0, 1, 0)
    assert groups.get_parallel_mode() is None and groups.get_pipe_parallel_group().ranks == [0]
    assert groups.topology().get_dim("model") == 1
    net = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.SGD(parameters=net.parameters())
    assert fleet.distributed_model(net) is net and fleet.distributed_optimizer(optimizer) is optimizer
    assert fleet.worker_index() == 0 and fleet.is_first_worker()


def test_more_than_one_process_is_refused(not_begun):
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"mp_degree": 2}
    with pytest.raises(NotImplementedError, match="mp_degree"):
        fleet.init(is_collective=True, strategy=strategy)
    with pytest.raises(ValueError, match="one stage"):
        meta_parallel.PipelineLayer([paddle.nn.Linear(2, 2)], num_stages=2)
    refused = [lambda: meta_parallel.PipelineParallel(paddle.nn.Linear(2, 2), None),
               lambda: dygraph_optimizer.DygraphShardingOptimizer(None, None),
               lambda: dist.sharding.group_sharded_parallel(None, None, "os"),
               lambda: mix_precision_utils.MixPrecisionLayer(None)]
    for call in refused:
        with pytest.raises(NotImplementedError, match="Use"):
            call()


def test_a_strategy_knows_its_settings():
    strategy = fleet.DistributedStrategy()
    strategy.recompute = True
    strategy.amp_configs = {"init_loss_scaling": 8.0}
    assert strategy.amp_configs["init_loss_scaling"] == 8.0 and strategy.amp_configs["incr_ratio"] == 2.0
    with pytest.raises(AttributeError, match="no setting 'recomputed'"):
        strategy.recomputed = True
    with pytest.raises(ValueError, match="init_scaling"):
        strategy.amp_configs = {"init_scaling": 8.0}


def test_divided_layers_are_whole():
    x = paddle.randn([3, 4])
    column = meta_parallel.ColumnParallelLinear(4, 6, has_bias=True, gather_output=False)
    row = meta_parallel.RowParallelLinear(6, 2, input_is_parallel=True)
    np.testing.assert_allclose(row(column(x)).numpy(), x.numpy() @ column.weight.numpy() @ row.weight.numpy(), 1e-4)
    assert meta_parallel.ColumnParallelLinear(4, 6).bias is None and row.bias.tolist() == [0.0, 0.0]
    assert not column.is_mp and column.world_size == 1 and not column.weight.is_distributed
    table = meta_parallel.VocabParallelEmbedding(8, 3)
    np.testing.assert_array_equal(table(paddle.to_tensor([[5]])).numpy()[0, 0], table.weight.numpy()[5])
    label = paddle.to_tensor([1, -100, 3])
    loss = meta_parallel.ParallelCrossEntropy()(x, label)
    wanted = paddle.nn.functional.cross_entropy(x, label, reduction="none")
    assert loss.shape == [3, 1]
    np.testing.assert_allclose(loss.numpy()[:, 0], wanted.numpy(), 1e-6)
    with pytest.raises(ValueError, match="gather_output"):
        sequence_parallel_utils.ColumnSequenceParallelLinear(4, 4)


@pytest.mark.parametrize("exchange", ["ScatterOp", "GatherOp", "AllGatherOp", "ReduceScatterOp"])
def test_exchanges_give_what_they_take_and_gradients_too(exchange):
    x = paddle.randn([4, 1, 2])
    x.stop_gradient = False
    out = getattr(sequence_parallel_utils, exchange).apply(x)
    np.testing.assert_array_equal(out.numpy(), x.numpy())
    (out * out).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * x.numpy(), 1e-6)


def test_exchanges_between_parts_of_a_layer():
    x = paddle.randn([2, 4])
    for name in ("_c_identity", "_c_concat", "_c_split", "_mp_allreduce"):
        assert getattr(mp_ops, name)(x) is x
    np.testing.assert_array_equal(mp_ops._c_lookup_table(x, paddle.to_tensor([3]), start_index=2).numpy()[0],
                                  x.numpy()[1])


def test_random_states_by_name():
    tracker = meta_parallel.RNGStatesTracker()
    tracker.add("local", 5)
    with pytest.raises(ValueError, match="taken"):
        tracker.add("other", 5)
    with pytest.raises(ValueError, match="'nowhere'"), tracker.rng_state("nowhere"):
        pass
    paddle.seed(1)
    outside = paddle.rand([2]).tolist()
    paddle.seed(1)
    with tracker.rng_state("local"):
        first = paddle.rand([2]).tolist()
    assert paddle.rand([2]).tolist() == outside  # what was drawn inside has moved nothing outside
    with tracker.rng_state("local"):
        second = paddle.rand([2]).tolist()
    paddle.seed(5)
    assert [paddle.rand([2]).tolist(), paddle.rand([2]).tolist()] == [first, second]


def test_a_pipeline_of_one_stage():
    def times(layer, x):
        return x @ layer.weight.t()

    desc = meta_parallel.SharedLayerDesc("table", paddle.nn.Linear, None, "weight", 4, 4)
    again = meta_parallel.SharedLayerDesc("table", paddle.nn.Linear, times, "weight", 4, 4)
    net = meta_parallel.PipelineLayer([desc, meta_parallel.LayerDesc(paddle.nn.LayerNorm, 4), paddle.tanh, again],
                                      num_stages=1, recompute_interval=2)
    x = paddle.randn([3, 4])
    x.stop_gradient = False
    shared = net.shared_layers["table"]
    wanted = times(shared, paddle.tanh(net.run_function[1](shared(x))))
    np.testing.assert_allclose(net(x).numpy(), wanted.numpy(), 1e-5)
    net(x).sum().backward()
    assert shared.weight.grad is not None and len(net.parameters()) == 4
    assert repr(meta_parallel.LayerDesc(paddle.nn.Linear, 2, out_features=3)) == "Linear(2, out_features=3)"


def test_a_grid_of_processes():
    grid = fleet.CommunicateTopology(["data", "pipe", "model"], [2, 2, 2])
    assert grid.get_comm_list("pipe") == [[0, 2], [1, 3], [4, 6], [5, 7]]
    assert grid.get_axis_list("model", 1) == [1, 3, 5, 7]
    assert grid.get_fused_ranks(["pipe", "model"]) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert grid.get_rank(data=1, pipe=0, model=1) == 5 and grid.get_rank_from_stage(5, pipe=1) == 7
    with pytest.raises(KeyError, match="'sep'"):
        grid.get_dim("sep")


def test_groups_and_more_collectives():
    group = dist.new_group([0])
    assert dist.get_group(group.id) is group and dist.get_group(10**6) is None
    assert group.get_group_rank(0) == 0 and group.get_group_rank(3) == -1
    with pytest.raises(ValueError, match="numbers of processes, of which there are 1"):
        dist.new_group([0, 1])
    dist.destroy_process_group(group)
    with pytest.raises(ValueError, match="destroyed"):
        dist.destroy_process_group(group)
    x, received, out = paddle.to_tensor([1.0, 2.0]), [], paddle.zeros([2])
    dist.alltoall([x], received)
    dist.scatter(out, [x])
    assert received[0].tolist() == out.tolist() == [1.0, 2.0]
    dist.stream.reduce_scatter(out, [x * 2])
    assert out.tolist() == [2.0, 4.0]
    dist.communication.stream.gather(x, received)
    assert len(received) == 2
    with pytest.raises(RuntimeError, match="no other process"):
        dist.send(x, dst=1)
    with pytest.raises(ValueError, match="element for each process"):
        dist.scatter(out, [x, x])


def test_timers():
    timers = timer_helper.Timers()
    timers("forward").start()
    with pytest.raises(AssertionError, match="set_timers"):  # packages catch it
        timer_helper.get_timers()
    with pytest.raises(RuntimeError, match="before it was stopped"):
        timers("forward").start()
    assert timers("forward").elapsed() >= 0 and timers("forward").started_
