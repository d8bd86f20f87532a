"""Values that lie on servers: saved from trainer 0, read by servers, also by another number of them."""

import networks
import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from cluster import Built, Cluster, alone, divided
from proa.fluid.incubate.fleet.base import role_maker
from proa.fluid.incubate.fleet.parameter_server.distribute_transpiler import DistributedTranspiler
from proa.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import StrategyFactory

RULES = {"adam": lambda: fluid.optimizer.Adam(fluid.layers.exponential_decay(0.05, 2, 0.5)),
         "momentum": lambda: fluid.optimizer.Momentum(0.05, 0.9)}
NETWORKS = {"dense": (networks.regression, networks.rows), "sparse": (networks.words, networks.numbers)}


@pytest.fixture
def set_flag():
    before = {}

    def change(name, value):
        before.setdefault(name, paddle.get_flags(name)[name])
        paddle.set_flags({name: value})
    yield change
    paddle.set_flags(before)


def save(folder, number=0):
    def after(cluster):
        with fluid.scope_guard(cluster.trainers[number].scope):
            fluid.io.save_persistables(fluid.Executor(fluid.CPUPlace()), str(folder), cluster.mains[number])
    return after


def load(folder, startup=True):
    def before(cluster):
        for endpoint in cluster.endpoints:
            program = (cluster.startups if startup else cluster.programs)[endpoint]
            with fluid.scope_guard(cluster.scopes[endpoint]):
                fluid.io.load_persistables(fluid.Executor(fluid.CPUPlace()), str(folder), program)
    return before


@pytest.mark.parametrize("servers", [2, 3])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", NETWORKS)
def test_training_goes_on(tmp_path, kind, rule, servers):
    make, rows = NETWORKS[kind]
    network, feeds = make(RULES[rule]), rows(steps=6)
    values = networks.values_of(network)
    losses, scope = alone(network, feeds, values)
    first = Cluster(network, values=values).run(divided(feeds[:3], 2), after=save(tmp_path))
    second = Cluster(network, servers=servers).run(divided(feeds[3:], 2), before=load(tmp_path, servers == 2))
    tolerance = 1e-9 if kind == "dense" else 1e-4
    np.testing.assert_allclose(np.mean([a + b for a, b in zip(first.results, second.results, strict=True)], 0),
                               losses, rtol=tolerance)
    for name in values:
        np.testing.assert_allclose(second.parameter(name), scope.array(name), rtol=tolerance, atol=1e-5)


def test_one_process_goes_on_with_what_trainers_saved(tmp_path):
    network, feeds = networks.words(RULES["momentum"]), networks.numbers(steps=6)
    values = networks.values_of(network)
    losses, _ = alone(network, feeds, values)
    Cluster(network, values=values).run(divided(feeds[:3], 2), after=save(tmp_path))
    built, exe = Built(network), fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(built.scope):
        exe.run(built.startup)
        names = [var for var in built.main.list_vars() if var.persistable and "learning_rate" not in var.name]
        fluid.io.load_vars(exe, str(tmp_path), built.main, vars=names)
        again = [float(exe.run(built.main, feed, [built.loss])[0][0]) for feed in feeds[3:]]
    np.testing.assert_allclose(again, losses[3:], rtol=1e-4)


def test_parameters_alone_and_other_trainers(tmp_path):
    def after(cluster):
        with fluid.scope_guard(cluster.trainers[0].scope):
            fluid.io.save_params(fluid.Executor(fluid.CPUPlace()), str(tmp_path / "first"), cluster.mains[0])
        save(tmp_path / "second", 1)(cluster)

    cluster = Cluster(networks.words(RULES["adam"])).run(divided(networks.numbers(), 2), after=after)
    assert sorted(path.name for path in (tmp_path / "first").iterdir()) == ["fc_0.b_0", "fc_0.w_0", "table"]
    with fluid.scope_guard(fluid.Scope()):
        program = fluid.Program()
        table = program.global_block().create_var("table", [2000, 16], "float32", persistable=True)
        fluid.io.load_vars(fluid.Executor(fluid.CPUPlace()), str(tmp_path / "first"), program, vars=[table])
        np.testing.assert_array_equal(np.array(fluid.global_scope().find_var("table").get_tensor()),
                                      cluster.parameter("table"))
    assert "table" not in [path.name for path in (tmp_path / "second").iterdir()]


def test_a_model_asks_servers_for_rows(tmp_path):
    network, feeds = networks.words(RULES["momentum"]), networks.numbers()

    def after(cluster):
        exe, main = fluid.Executor(fluid.CPUPlace()), cluster.mains[0]
        with fluid.scope_guard(cluster.trainers[0].scope):
            target = main.global_block().var("fc_0.tmp_1")
            fluid.io.save_inference_model(str(tmp_path), ["a"], [target], exe, main)
            expected = exe.run(main.clone(for_test=True)._prune_with_input(["a"], [target]),
                               {"a": feeds[0]["a"]}, [target])[0]
        with fluid.scope_guard(fluid.Scope()):
            program, _, fetches = fluid.io.load_inference_model(str(tmp_path), exe, pserver_endpoints=cluster.endpoints)
            given = exe.run(program, {"a": feeds[0]["a"]}, fetches)[0]
            np.testing.assert_allclose(given, expected, rtol=1e-6)
            with pytest.raises(ValueError, match="2 servers"):
                fluid.io.load_inference_model(str(tmp_path), exe, pserver_endpoints=["127.0.0.1:1"])

    Cluster(network).run(divided(feeds, 2), after=after)


def test_files_that_are_missing_or_of_others(tmp_path):
    cluster = Cluster(networks.regression(RULES["momentum"]))
    program, exe = cluster.programs[cluster.endpoints[0]], fluid.Executor(fluid.CPUPlace())
    with pytest.raises(FileNotFoundError, match="fc_0.w_0"):
        fluid.io.load_persistables(exe, str(tmp_path), program)
    with pytest.raises(ValueError, match="dirname"):
        fluid.io.load_persistables(exe, None, program)
    with pytest.raises(ValueError, match="dirname"):
        fluid.io.save_persistables(exe, None, cluster.mains[0])


@pytest.mark.parametrize("servers", [2, 3])
def test_servers_go_on_from_their_checkpoints(tmp_path, set_flag, servers):
    set_flag("FLAGS_ps_checkpoint_folder", str(tmp_path))
    set_flag("FLAGS_ps_checkpoint_every", 3)
    network, feeds = networks.words(RULES["adam"]), networks.numbers(steps=6)
    values = networks.values_of(network)
    losses, scope = alone(network, feeds, values)
    first = Cluster(network, values=values).run(divided(feeds[:4], 2))
    second = Cluster(network, servers=servers).run(divided(feeds[3:], 2))  # the fourth step is made again
    np.testing.assert_allclose(np.mean(second.results, 0), losses[3:], rtol=1e-4)
    assert first.results[0][3] == second.results[0][0] or servers == 3


def test_distributed_tables_are_saved_by_servers(tmp_path, set_flag):
    set_flag("FLAGS_ps_checkpoint_folder", str(tmp_path / "servers"))
    network, feeds = networks.words(lambda: fluid.optimizer.Adagrad(0.1), is_distributed=True), networks.numbers(6)
    whole = Cluster(network, values=networks.values_of(network)).run(divided(feeds, 2))
    Cluster(network, values=networks.values_of(network)).run(divided(feeds[:3], 2), after=save(tmp_path / "model"))
    assert (tmp_path / "servers" / "model").is_dir()
    set_flag("FLAGS_ps_checkpoint_folder", str(tmp_path / "servers" / "model"))
    second = Cluster(network, servers=3).run(divided(feeds[3:], 2))
    np.testing.assert_allclose(np.mean(second.results, 0), np.mean(whole.results, 0)[3:], rtol=1e-5)


@pytest.mark.parametrize("is_distributed", [False, True])
def test_tables_that_are_elsewhere_are_not_written_as_zeros(tmp_path, set_flag, is_distributed):
    set_flag("FLAGS_ps_checkpoint_folder", str(tmp_path / "servers"))
    network = networks.words(lambda: fluid.optimizer.SGD(0.1), is_distributed=is_distributed)
    refused = []

    def after(cluster):
        main, exe = cluster.mains[0], fluid.Executor(fluid.CPUPlace())
        prefix, folder = str(tmp_path / "model" / "m"), str(tmp_path / "variables")
        table = [main.global_block().var("table")]
        with fluid.scope_guard(cluster.trainers[0].scope):
            for write in (lambda: fluid.save(main, prefix), lambda: paddle.static.save(main, prefix), main.state_dict,
                          lambda: fluid.io.save_vars(exe, folder, main, table)):
                with pytest.raises(RuntimeError, match=r"\['table'\] live on parameter servers alone.*FLAGS_ps"):
                    write()
                refused.append(write)
            a, target = main.global_block().var("a"), main.global_block().var("fc_0.tmp_1")
            for write in (paddle.static.save_inference_model, paddle.static.serialize_persistables):
                given = [prefix] if write is paddle.static.save_inference_model else []
                with pytest.raises(RuntimeError, match=r"\['table'\] live on parameter servers.*e_model of"):
                    write(*given, [a], [target], exe, program=main)
                refused.append(write)
            fluid.io.save_vars(exe, folder, main, [main.global_block().var("fc_0.w_0")])

    Cluster(network).run(divided(networks.numbers(1), 2), after=after)
    assert len(refused) == 6 and not (tmp_path / "model").exists()
    assert [path.name for path in (tmp_path / "variables").iterdir()] == ["fc_0.w_0"]


def test_a_server_says_that_rows_begin_anew(tmp_path, set_flag, recwarn):
    place, model = tmp_path / "servers", tmp_path / "model"
    set_flag("FLAGS_ps_checkpoint_folder", str(place))
    network = networks.words(lambda: fluid.optimizer.SGD(0.1), is_distributed=True)
    cluster = Cluster(network).run(divided(networks.numbers(1), 2), after=save(model))
    server = DistributedTranspiler()
    server.init(role_maker.UserDefinedRoleMaker(0, role_maker.Role.SERVER, 2, cluster.endpoints))
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.unique_name.guard():
        made = server.distributed_optimizer(fluid.optimizer.SGD(0.1), StrategyFactory.create_sync_strategy())
        made.minimize(networks.words(lambda: made._optimizer, is_distributed=True, minimized=False)())
    with fluid.scope_guard(fluid.Scope()):
        with pytest.warns(UserWarning, match=r"the rows of \['table'\] live on servers alone.*the folder 'model'"):
            server.init_server(str(model))
        set_flag("FLAGS_ps_checkpoint_folder", str(place / "model"))
        recwarn.clear()
        server.init_server(str(model))
        assert not recwarn.list
