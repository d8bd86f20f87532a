"""2.x's fleet where there are servers: what a strategy asks for, what is refused, and what it is without servers."""

import numpy as np
import proa as paddle
import pytest
from proa.distributed import fleet
from proa.distributed.fleet.fleet import Fleet
from proa.fluid.incubate.fleet.parameter_server.for_fleet import strategy_for
from proa.fluid.transpiler.distribute_transpiler import DistributedMode
from proa.fluid.transpiler.updates import updates_of

SERVERS = ["127.0.0.1:36011", "127.0.0.1:36012"]


@pytest.fixture
def server():
    """A fleet of which this process is server 1."""
    return Fleet().init(fleet.UserDefinedRoleMaker(current_id=1, role=fleet.Role.SERVER, worker_num=2,
                                                   server_endpoints=SERVERS))


def strategy(**settings):
    found = fleet.DistributedStrategy()
    for name, value in settings.items():
        setattr(found, name, value)
    return found


@pytest.mark.parametrize("settings, mode", [
    ({}, DistributedMode.ASYNC), ({"a_sync": True}, DistributedMode.ASYNC), ({"a_sync": False}, DistributedMode.SYNC),
    ({"a_sync": True, "a_sync_configs": {"k_steps": 9}}, DistributedMode.GEO)])
def test_a_strategy_is_a_way(settings, mode):
    assert strategy_for(strategy(**settings)).mode == mode


def test_what_servers_do_not_do_is_refused():
    with pytest.raises(ValueError, match="needs a_sync=True"):
        strategy_for(strategy(a_sync=False, a_sync_configs={"k_steps": 9}))
    for settings in ({"sharding": True}, {"amp": True}, {"a_sync_configs": {"use_ps_gpu": 1}},
                     {"sparse_table_configs": {"table_class": "MemorySparseTable"}}):
        with pytest.raises(NotImplementedError, match="not supported in training with parameter servers"):
            strategy_for(strategy(**settings))


def net(**settings):
    ids = paddle.static.data("ids", [None, 1], "int64")
    rows = paddle.static.nn.sparse_embedding(ids, [10, 4], **settings)
    return paddle.static.nn.fc(rows, 1).mean()


def test_a_server_s_programs(server):
    assert server.is_server() and not server.is_worker() and server.server_index() == 1 and server.worker_num() == 2
    assert server.server_endpoints(to_string=True) == ",".join(SERVERS) and server.server_num() == 2
    with pytest.raises(RuntimeError, match="distributed_optimizer"):
        server.minimize(None)
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        loss = net()
        made = server.distributed_optimizer(paddle.optimizer.SGD(0.25), strategy(a_sync=False))
        made.minimize(loss)
        assert made.get_lr() == 0.25
    with paddle.static.scope_guard(paddle.static.Scope()):
        server.init_server()
        served = server._servers._fleet.main_program
        rates = [op.input("LearningRate")[0] for block in served.blocks for op in block.ops if op.input("LearningRate")]
        values = [np.array(paddle.static.global_scope().find_var(name).get_tensor()).item() for name in rates]
        assert values and set(values) == {0.25}
    with pytest.raises(NotImplementedError, match="var_names"):
        server.init_server("folder", ["w"])


@pytest.mark.parametrize("clip", [paddle.nn.ClipGradByValue(0.1), paddle.nn.ClipGradByNorm(0.1),
                                  paddle.nn.ClipGradByGlobalNorm(0.1)])
def test_workers_clip_before_they_send(clip):
    """As in PaddlePaddle 2.6.2, where what is in the name scope gradient_clip stays in a worker's Program."""
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        loss = paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 1).mean()
        paddle.optimizer.SGD(0.25, grad_clip=clip).minimize(loss)
    block = loss.block.program.global_block()
    clipped = {name for op in block.ops if "gradient_clip" in op.attr("op_namescope") for name in op.output_arg_names}
    updates = updates_of(loss.block.program)
    assert len(updates) == 2
    for update in updates:
        assert update.gradient in clipped and [op.type for op in update.ops] == ["sgd"]


def test_what_programs_cannot_have(server):
    cases = [({"a_sync": True}, paddle.distributed.ShowClickEntry("show", "click"), "show_click_entry:show:click"),
             ({"a_sync": True, "a_sync_configs": {"k_steps": 9}}, paddle.distributed.CountFilterEntry(3),
              "count_filter_entry:3")]
    for settings, entry, said in cases:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()), pytest.raises(
                NotImplementedError, match=said):
            server.distributed_optimizer(paddle.optimizer.SGD(0.1), strategy(**settings)).minimize(net(entry=entry))
    for wrong in ({"entry": "count"}, {"table_class": "Table"}):
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()), pytest.raises(
                ValueError, match="one of|CountFilterEntry"):
            net(**wrong)
    with pytest.raises(TypeError, match="role_maker"):
        fleet.init(3)


@pytest.mark.parametrize("entry, arguments", [
    (paddle.distributed.CountFilterEntry, (-1,)), (paddle.distributed.CountFilterEntry, (0.5,)),
    (paddle.distributed.ProbabilityEntry, (0,)), (paddle.distributed.ProbabilityEntry, (1.0,)),
    (paddle.distributed.ShowClickEntry, (1, "click"))])
def test_entries_that_make_no_sense(entry, arguments):
    with pytest.raises(ValueError, match="Received"):
        entry(*arguments)


def test_without_servers():
    alone = Fleet().init()
    alone.init_worker()
    alone.stop_worker()
    for method in (alone.init_server, alone.run_server):
        with pytest.warns(UserWarning, match="tells of no servers"):
            method()
    for method in (alone.save_persistables, lambda *of: alone.save_inference_model(*of, [], [])):
        with pytest.raises(RuntimeError, match="paddle.static"):
            method(None, "folder")
    with pytest.raises(RuntimeError, match=r"fleet\.shrink"):
        alone.shrink(1)
    assert alone.util.all_gather(3) == [3] and alone.all_reduce([1, 2]).tolist() == [1, 2]
    assert alone.util.get_file_shard(["a"]) == alone.util.get_heter_file_shard(["a"]) == ["a"]
    assert alone.local_device_ids() == [] and alone.world_device_ids() == [] and alone.node_num() == 1
    assert alone.server_num() == 0 and alone.server_endpoints() == [] and not alone.is_coordinator()
    refused = [alone.init_coordinator, alone.make_fl_strategy, alone.get_fl_client, alone.check_save_pre_patch_done,
               lambda: alone.load_model("path", 0), lambda: alone.load_inference_model("path", 0),
               lambda: alone.load_one_table(0, "path", 0), lambda: alone.save_one_table(0, "path", 0),
               lambda: alone.save_dense_params(None, "path", None, None), lambda: alone.save_cache_model("path"),
               lambda: alone.save_cache_table(0, 0), lambda: alone.collective_perf("allreduce")]
    for call in refused:
        with pytest.raises(NotImplementedError, match=r"fleet\.\w+: .*\. \w"):
            call()


def test_a_sparse_embedding_of_a_single_number():
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        number = paddle.static.data("number", [1], "int64")
        assert paddle.static.nn.sparse_embedding(number, [10, 4]).shape == (4,)
