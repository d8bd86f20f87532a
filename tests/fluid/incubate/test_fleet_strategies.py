"""Strategies of 1.x's fleet, and what it refuses."""

import numpy as np
import proa.fluid as fluid
import pytest
from proa.fluid.incubate.fleet.base import role_maker
from proa.fluid.incubate.fleet.parameter_server import pslib
from proa.fluid.incubate.fleet.parameter_server.distribute_transpiler import DistributedTranspiler
from proa.fluid.incubate.fleet.parameter_server.distribute_transpiler import distributed_strategy as strategies
from proa.fluid.transpiler.distribute_transpiler import DistributedMode, DistributeTranspilerConfig

FACTORY = strategies.StrategyFactory


def test_what_each_way_demands():
    """As PaddlePaddle 1.8.5 answers."""
    made = {"sync": FACTORY.create_sync_strategy(), "async": FACTORY.create_async_strategy(),
            "half": FACTORY.create_half_async_strategy(), "geo": FACTORY.create_geo_strategy(7)}
    names = ("sync_mode", "runtime_split_send_recv", "half_async", "completely_not_async", "geo_sgd_mode",
             "geo_sgd_need_push_nums")
    assert {key: [getattr(each.get_program_config(), name) for name in names] for key, each in made.items()} == {
        "sync": [False, True, True, True, False, 100], "async": [False, True, False, False, False, 100],
        "half": [False, True, True, False, False, 100], "geo": [False, True, False, False, True, 7]}
    assert [each.get_execute_strategy().use_thread_barrier for each in made.values()] == [True, False, True, False]
    assert all(each.get_build_strategy().async_mode for each in made.values())
    assert made["geo"].get_trainer_runtime_config().get_communicator_flags() == {
        "communicator_thread_pool_size": "5", "communicator_send_wait_times": "5"}
    assert len(made["async"].get_trainer_runtime_config().get_communicator_flags()) == 9


def test_threads_are_those_of_the_environment(monkeypatch):
    monkeypatch.setenv("CPU_NUM", "4")
    strategy = FACTORY.create_sync_strategy()
    strategy.set_trainer_runtime_config({"communicator_send_queue_size": "8", "rpc_deadline": 5})
    flags = strategy.get_trainer_runtime_config().get_communicator_flags()
    assert flags["communicator_send_queue_size"] == flags["communicator_max_merge_var_num"] == "4"
    assert strategy.get_execute_strategy().num_threads == 4
    assert strategy.get_build_strategy().reduce_strategy == fluid.BuildStrategy.ReduceStrategy.Reduce
    assert "communicator_send_wait_times" in repr(strategy.get_trainer_runtime_config())


def test_parts_are_set_by_dicts_and_objects():
    strategy = FACTORY.create_async_strategy()
    strategy.set_program_config({"slice_var_up": False})
    assert not strategy.get_program_config().slice_var_up
    config = DistributeTranspilerConfig()
    strategy.set_program_config(config)
    assert strategy.get_program_config() is config and config.runtime_split_send_recv
    strategy.set_execute_strategy({"num_threads": 3})
    strategy.set_build_strategy(fluid.BuildStrategy())
    strategy.set_server_runtime_config({"_rpc_send_thread_num": 5})
    assert strategy.get_build_strategy().async_mode and strategy.get_execute_strategy().num_threads == 3
    assert strategy.get_server_runtime_config()._rpc_send_thread_num == 5
    for setter in (strategy.set_program_config, strategy.set_trainer_runtime_config, strategy.set_build_strategy,
                   strategy.set_server_runtime_config, strategy.set_execute_strategy):
        with pytest.raises(ValueError, match="no_such"):
            setter({"no_such": 1})
        with pytest.raises(TypeError, match="Received int"):
            setter(3)
    with pytest.raises(NotImplementedError, match="StrategyFactory"):
        strategies.DistributedStrategy()
    strategy.set_debug_opt({"dump_slot": 1})
    assert strategy.get_debug_opt()["dump_slot"] is True and FACTORY.create_sync_strategy().get_debug_opt() == {}


@pytest.mark.parametrize("settings, mode", [
    ({}, DistributedMode.SYNC), ({"sync_mode": False}, DistributedMode.HALF_ASYNC),
    ({"sync_mode": False, "runtime_split_send_recv": True}, DistributedMode.ASYNC),
    ({"sync_mode": False, "runtime_split_send_recv": True, "half_async": True}, DistributedMode.HALF_ASYNC),
    ({"sync_mode": False, "runtime_split_send_recv": True, "geo_sgd_mode": True}, DistributedMode.GEO)])
def test_a_transpiler_s_config_is_a_strategy(settings, mode):
    config = DistributeTranspilerConfig()
    for name, value in settings.items():
        setattr(config, name, value)
    fleet, cost = DistributedTranspiler(), None
    with pytest.raises(ValueError, match="fleet.init"):
        fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), config)
    fleet.init(role_maker.UserDefinedRoleMaker(1, role_maker.Role.SERVER, 2, ["127.0.0.1:1", "127.0.0.1:2"]))
    with pytest.raises(ValueError, match="minimize"):
        fleet.init_server()
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        cost = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 4]), 1))
        fleet.distributed_optimizer(fluid.optimizer.SGD(0.1), config).minimize(cost)
    assert fleet._transpile_config.mode == mode
    assert fleet.main_program.global_block().ops[-1].type == "listen_and_serv"
    with fluid.scope_guard(fluid.Scope()):
        fleet.init_server()
        with pytest.raises(ValueError, match="no folder"):
            fleet.init_server("/nowhere")
    with pytest.raises(RuntimeError, match="init_worker"):
        fleet.stop_worker()


def test_what_fleet_tells_and_refuses(tmp_path):
    fleet = DistributedTranspiler()
    with pytest.raises(RuntimeError, match=r"fleet.init\(role_maker\)"):
        fleet.worker_num()
    with pytest.raises(TypeError, match="a role maker"):
        fleet.init(3)
    fleet.init(role_maker.UserDefinedRoleMaker(0, worker_num=1, server_endpoints=["127.0.0.1:1", "127.0.0.1:2"]))
    assert fleet.is_first_worker() and fleet.server_num() == 2 and fleet.worker_index() == 0
    assert fleet.server_endpoints(to_string=True) == "127.0.0.1:1,127.0.0.1:2" and fleet.worker_endpoints() == []
    assert fleet.split_files(["a", "b"]) == ["a", "b"]
    total = np.zeros(2)
    fleet.all_reduce_worker(np.ones(2), total)
    fleet.barrier_worker()
    assert total.tolist() == [1, 1]
    for call in (lambda: fleet.distributed_optimizer("sgd"), lambda: fleet.distributed_optimizer(
            fluid.optimizer.SGD(0.1), "sync"), lambda: fleet.save_persistables("exe", str(tmp_path)),
            lambda: fleet.distributed_optimizer(fluid.optimizer.SGD(0.1)).minimize([1])):
        with pytest.raises(TypeError, match="Received"):
            call()
    exe = fluid.Executor(fluid.CPUPlace())
    with pytest.raises(ValueError, match="not divided"):
        fleet.save_persistables(exe, str(tmp_path), fluid.Program())
    for call in (lambda: pslib.fleet.init(None), lambda: pslib.fleet.shrink_sparse_table(),
                 lambda: pslib.fleet.init_worker(), lambda: pslib.fleet_embedding("click")):
        with pytest.raises(NotImplementedError, match="not published"):
            call()
