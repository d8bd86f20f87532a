"""Jobs of trainers and servers that go on from checkpoints, with the same number of servers or another."""

import networks
import numpy as np
import proa.fluid as fluid
import pytest
from cluster import Built, Cluster, alone, divided
from proa.core import flags
from proa.distributed.ps import checkpoint, engine

NETWORKS = {
    "adam": lambda: networks.regression(lambda: fluid.optimizer.Adam(0.01)),
    "decay": lambda: networks.regression(lambda: fluid.optimizer.Momentum(
        fluid.layers.exponential_decay(0.05, 2, 0.5), 0.9)),
}


@pytest.mark.parametrize("name, before, after", [("adam", 2, 2), ("adam", 2, 3), ("adam", 3, 1), ("decay", 1, 2)])
def test_training_goes_on_with_another_number_of_servers(tmp_path, name, before, after):
    network = NETWORKS[name]()
    values, feeds = networks.values_of(network), networks.rows()
    losses, scope = alone(network, feeds, values)
    with flags.flags_guard({checkpoint.FOLDER: str(tmp_path), checkpoint.EVERY: 1}):
        first = Cluster(network, servers=before, values=values).run(divided(feeds[:3], 2))
        second = Cluster(network, servers=after, values=values).run(divided(feeds[3:], 2))
    np.testing.assert_allclose(np.mean(np.concatenate([first.results, second.results], 1), 0), losses, rtol=1e-9)
    for parameter in values:
        np.testing.assert_allclose(second.parameter(parameter), scope.array(parameter), rtol=1e-9, atol=1e-9)


def test_parameters_that_are_named_like_blocks_are_not_mixed_up():
    """`res.block0.w` is a parameter of the user's, and no part of one called `res.w`."""
    built = Built(networks.named(["res.block0.w", "res.block1.w"], lambda: fluid.optimizer.Adam(0.1)))
    t = fluid.DistributeTranspiler()
    endpoints = ["127.0.0.1:6174", "127.0.0.1:6175"]
    t.transpile(0, built.main, ",".join(endpoints), 1, startup_program=built.startup)
    found = [t.get_pserver_program(endpoint)._parts_on_server[1] for endpoint in endpoints]
    for name in ("res.block0.w", "res.block1.w"):
        assert [parts[f"{name}.block{number}"] for number, parts in enumerate(found)] == [(name, 0), (name, 100)]
        assert [parts[f"{name}_moment1_0"] for parts in found] == [(f"{name}_moment1_0", 0), (f"{name}_moment1_0", 100)]


def test_a_table_on_servers_alone_goes_on(tmp_path):
    network = networks.words(lambda: fluid.optimizer.SGD(0.1), is_distributed=True)
    feeds = networks.numbers(size=50)

    def rows(cluster):
        cluster.found = engine.client(0).look_up(cluster.endpoints, "table", np.arange(50))

    with flags.flags_guard({checkpoint.FOLDER: str(tmp_path), checkpoint.EVERY: 1}):
        first = Cluster(network, servers=2).run(divided(feeds, 2), after=rows)
        second = Cluster(network, servers=3).run([[], []], after=rows)
    np.testing.assert_array_equal(first.found, second.found)
    assert np.ptp(first.found) > 0


def test_a_trainer_asks_for_a_checkpoint(tmp_path):
    network = NETWORKS["adam"]()

    def notify(cluster):
        program = fluid.Program()
        program.global_block().append_op(type="checkpoint_notify", inputs={}, outputs={}, attrs={
            "epmap": cluster.endpoints, "dir": str(tmp_path / "mine"), "lookup_table": ""})
        fluid.Executor(fluid.CPUPlace()).run(program)

    with flags.flags_guard({checkpoint.FOLDER: str(tmp_path)}):
        Cluster(network).run(divided(networks.rows(steps=2), 2), after=notify)
    assert sorted(path.name for path in (tmp_path / "mine" / "2").iterdir()) == ["part-0-of-2", "part-1-of-2"]
