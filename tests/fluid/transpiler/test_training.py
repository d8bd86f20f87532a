"""Trainers and parameter servers compute what one process with the whole batch does."""

import networks
import numpy as np
import proa.fluid as fluid
import pytest
from cluster import Cluster, alone, divided
from proa.distributed.ps import engine, first_rows

layers, optimizer = fluid.layers, fluid.optimizer
L2, L1 = fluid.regularizer.L2Decay, fluid.regularizer.L1Decay
OPTIMIZERS = {
    "sgd": lambda: optimizer.SGD(0.1),
    "momentum": lambda: optimizer.Momentum(0.05, 0.9),
    "nesterov": lambda: optimizer.Momentum(0.05, 0.9, use_nesterov=True),
    "adam": lambda: optimizer.Adam(0.01),
    "adagrad": lambda: optimizer.Adagrad(0.05),
    "adamax": lambda: optimizer.Adamax(0.01),
    "rmsprop": lambda: optimizer.RMSProp(0.01),
    "decayed_adagrad": lambda: optimizer.DecayedAdagrad(0.05),
    "ftrl": lambda: optimizer.Ftrl(0.05),
    "lars": lambda: optimizer.LarsMomentum(0.05, 0.9),
    "l2": lambda: optimizer.SGD(0.1, regularization=L2(0.1)),
    "l1": lambda: optimizer.Momentum(0.1, 0.5, regularization=L1(0.01)),
    "decay": lambda: optimizer.Adam(layers.exponential_decay(0.05, 2, 0.5)),
    "piecewise": lambda: optimizer.SGD(layers.piecewise_decay([2, 4], [0.1, 0.05, 0.01])),
    "noam": lambda: optimizer.SGD(layers.noam_decay(16, 3)),
}


def check(network, feeds, trainers=2, values=None, tolerance=1e-9, **options):
    values = values or networks.values_of(network)
    losses, scope = alone(network, feeds, values)
    cluster = Cluster(network, trainers=trainers, values=values, **options).run(divided(feeds, trainers))
    np.testing.assert_allclose(np.mean(cluster.results, 0), losses, rtol=tolerance)
    for name in values:
        np.testing.assert_allclose(cluster.parameter(name), scope.array(name), rtol=tolerance, atol=tolerance,
                                   err_msg=name)
    return cluster


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name != "lars"])
def test_sync_equals_one_process(name):
    cluster = check(networks.regression(OPTIMIZERS[name]), networks.rows())
    assert len(cluster.transpilers[0]._parts["fc_0.w_0"]) == 2


CLIPS = {
    "value": lambda: fluid.clip.GradientClipByValue(0.01),
    "norm": lambda: fluid.clip.GradientClipByNorm(0.1),
    "global norm": lambda: fluid.clip.GradientClipByGlobalNorm(0.1),
}


@pytest.mark.parametrize("name", CLIPS)
def test_gradients_are_clipped_by_each_trainer_before_they_are_sent(name):
    network = networks.regression(lambda: optimizer.Momentum(0.1, 0.9, regularization=L2(0.1), grad_clip=CLIPS[name]()))
    check(network, networks.rows(), trainers=1)  # one trainer clips what one process does
    cluster = Cluster(network)
    for program in cluster.programs.values():
        types = [op.type for block in program.blocks for op in block.ops]
        assert not {"clip", "clip_by_norm", "sqrt", "elementwise_max", "square"} & set(types) and "momentum" in types
        assert types.count("sum") == types.count("momentum")


def test_clipping_set_for_parameters():
    def network():
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByGlobalNorm(0.1), program=fluid.default_main_program())
        return networks.regression(OPTIMIZERS["sgd"])()
    check(network, networks.rows(), trainers=1)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", ["sgd", "adam", "momentum", "adagrad", "l2", "decay"])
def test_tables_with_sparse_gradients_live_on_servers(name, shared):
    network = networks.words(OPTIMIZERS[name], shared=shared)
    cluster = check(network, networks.numbers(shared=shared), tolerance=2e-5)
    types = [op.type for op in cluster.mains[0].global_block().ops]
    assert types.count("distributed_lookup_table") == 1 and "lookup_table" not in types
    table = cluster.trainers[0].scope.array("table")
    assert table.shape == (2000, 16) and table.strides == (0, 0)  # it takes no memory on trainers


@pytest.mark.parametrize("options", [{"servers": 1}, {"servers": 3, "trainers": 4}, {"trainers": 1}])
def test_any_number_of_servers_and_trainers(options):
    check(networks.regression(OPTIMIZERS["adam"]), networks.rows(), **options)


def configured(**fields):
    def make():
        config = fluid.DistributeTranspilerConfig()
        for name, value in fields.items():
            setattr(config, name, value)
        return config
    return make


def learns(network, feeds, **options):
    """Whether trainers that wait for nobody come as near as one process that makes all steps, within a quarter."""
    values = networks.values_of(network)
    cluster = Cluster(network, values=values, **options).run([feeds[0::2], feeds[1::2]])
    first, last = np.mean([r[:4] for r in cluster.results]), np.mean([r[-4:] for r in cluster.results])
    assert last < 0.5 * first, (first, last)
    return cluster


def a_line(steps=160, width=200, seed=0):
    rng = np.random.RandomState(seed)
    weight = rng.randn(width, 1) / width**0.5
    feeds = []
    for _ in range(steps):
        x = rng.randn(16, width)
        feeds.append({"x": x, "y": x @ weight})
    return feeds


@pytest.mark.parametrize("fields", [
    {}, {"sync_mode": False, "runtime_split_send_recv": True}, {"enable_dc_asgd": True},
    {"sync_mode": False, "runtime_split_send_recv": True, "half_async": True}], ids=lambda fields: " ".join(fields))
def test_async_converges(fields):
    learns(networks.regression(lambda: optimizer.SGD(0.02)), a_line(), config=configured(**fields), sync_mode=False)


def test_delays_are_compensated():
    """A gradient g counts as g + g·g·(w - w'), w' being what the parameter was when its trainer last sent one."""
    cluster = Cluster(networks.named(["w"], OPTIMIZERS["sgd"]), servers=1, config=configured(enable_dc_asgd=True),
                      sync_mode=False)
    endpoint, gradient = cluster.endpoints[0], np.full((200, 200), 2.0, "float32")

    def begun(cluster):
        cluster.first = cluster.parameter("w").copy()

    def send(cluster):
        for trainer in (0, 1):
            engine.client(trainer, [endpoint]).send(endpoint, "w@GRAD", gradient).result()

    cluster.run([[], []], before=begun, after=send)
    second = cluster.first - 0.1 * gradient
    wanted = second - 0.1 * (gradient + gradient * gradient * (second - cluster.first))
    np.testing.assert_allclose(cluster.parameter("w"), wanted, rtol=1e-5, atol=1e-6)


def test_async_with_one_trainer_is_what_one_process_does():
    for name in ("adam", "decay", "l2"):
        check(networks.regression(OPTIMIZERS[name]), networks.rows(), trainers=1, sync_mode=False)


def test_schedules_count_the_steps_of_all_trainers_where_nobody_waits():
    network = networks.regression(lambda: optimizer.SGD(layers.exponential_decay(0.01, 4, 0.5)))
    cluster = Cluster(network, sync_mode=False).run(divided(networks.rows(steps=6), 2))
    for scope in cluster.scopes.values():
        assert scope.array("@LR_DECAY_COUNTER@").item() == 11


def test_sync_where_send_cuts_gradients():
    fields = {"sync_mode": False, "runtime_split_send_recv": True, "completely_not_async": True}
    cluster = check(networks.regression(OPTIMIZERS["adam"]), networks.rows(), config=configured(**fields),
                    sync_mode=False)
    types = [op.type for op in cluster.mains[0].global_block().ops]
    assert "split_byref" not in types and "concat" not in types


def test_parts_begin_with_their_rows_of_given_values():
    values = np.arange(200 * 200, dtype="float32").reshape(200, 200)
    given = fluid.ParamAttr(name="w", initializer=fluid.initializer.NumpyArrayInitializer(values))
    cluster = Cluster(networks.named([given], OPTIMIZERS["sgd"]))
    for endpoint in cluster.endpoints:
        cluster.begin(endpoint)
    np.testing.assert_array_equal(cluster.parameter("w"), values)
    assert [part.shape for part in cluster.transpilers[0]._parts["w"]] == [(100, 200), (100, 200)]


def test_without_slices():
    cluster = check(networks.regression(OPTIMIZERS["adam"]), networks.rows(), config=configured(slice_var_up=False))
    assert {len(parts) for parts in cluster.transpilers[0]._parts.values()} == {1}


def test_arguments_of_before_1_8():
    cluster = Cluster(networks.regression(OPTIMIZERS["sgd"]), slice_var_up=False,
                      split_method=fluid.transpiler.HashName)
    assert {len(parts) for parts in cluster.transpilers[0]._parts.values()} == {1}
    assert fluid.DistributeTranspilerConfig.slice_var_up
    with pytest.raises(TypeError, match="unexpected keyword argument 'slices'"):
        Cluster(networks.regression(OPTIMIZERS["sgd"]), slices=False)


class Backwards(fluid.transpiler.RoundRobin):
    def dispatch(self, varlist):
        return super().dispatch(varlist)[::-1]


@pytest.mark.parametrize("method", [fluid.transpiler.HashName, Backwards])
def test_other_dispatchers(method):
    check(networks.regression(OPTIMIZERS["adam"]), networks.rows(), config=configured(split_method=method))


def test_two_blocks_on_one_server():
    class First(fluid.transpiler.ps_dispatcher.PSDispatcher):
        def dispatch(self, varlist):
            return [self.eps[0]] * len(varlist)

    cluster = check(networks.regression(OPTIMIZERS["adam"]), networks.rows(), config=configured(split_method=First))
    scope = cluster.scopes[cluster.endpoints[0]]
    assert scope.array("fc_0.w_0_moment1_0.block0").shape == (100, 128)


@pytest.mark.parametrize("is_distributed", [False, True])
def test_geo_sgd(is_distributed):
    config = configured(geo_sgd_mode=True, geo_sgd_need_push_nums=5)
    learns(networks.regression(lambda: optimizer.SGD(0.02)), a_line(), config=config,
           transpiler=fluid.transpiler.GeoSgdTranspiler)
    network, feeds = networks.words(OPTIMIZERS["sgd"], is_distributed), networks.numbers(steps=10)
    values = networks.values_of(network)
    losses, scope = alone(networks.words(OPTIMIZERS["sgd"]), feeds, values)
    cluster = Cluster(network, trainers=1, values=values, config=config,
                      transpiler=fluid.transpiler.GeoSgdTranspiler).run([feeds])
    np.testing.assert_allclose(cluster.results[0], losses, rtol=1e-5)  # one trainer goes on as if it were alone
    for name in values:
        np.testing.assert_allclose(cluster.parameter(name), scope.array(name), rtol=1e-4, atol=1e-5)


def test_geo_sgd_of_two_trainers_adds_half_of_what_each_has_changed():
    network, feeds = networks.regression(OPTIMIZERS["sgd"]), networks.rows(steps=1)
    values = networks.values_of(network)
    _, scope = alone(network, feeds, values)
    cluster = Cluster(network, values=values, config=configured(geo_sgd_mode=True, geo_sgd_need_push_nums=1),
                      transpiler=fluid.transpiler.GeoSgdTranspiler).run([feeds, []])
    for name, value in values.items():
        np.testing.assert_allclose(cluster.parameter(name), (value + scope.array(name)) / 2, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("is_distributed", [False, True])
def test_padding_is_zeros_whatever_the_servers_hold(is_distributed):
    network = networks.words(OPTIMIZERS["sgd"], is_distributed=is_distributed, padding=3)
    label = np.array([[2.0], [1.0]], "float32")
    cluster = Cluster(network, values={} if is_distributed else {"table": np.ones((2000, 16), "float32")})
    cluster.run([[{"a": np.array([[3], [3]]), "y": label}]] * 2)
    np.testing.assert_allclose(cluster.results, [[np.square(label).mean()]] * 2, rtol=1e-6)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", ["sgd", "adagrad", "decay of sgd"])
def test_distributed_tables(name, shared):
    """Rows are made when they are asked for; updates are those of a table that is there as a whole."""
    rule = OPTIMIZERS.get(name, lambda: optimizer.SGD(layers.exponential_decay(0.1, 2, 0.5)))
    network, whole = (networks.words(rule, is_distributed=each, shared=shared) for each in (True, False))
    feeds, values = networks.numbers(shared=shared), networks.values_of(network)
    cluster = Cluster(network, values=values)
    (type, attrs), seed = (cluster.programs[cluster.endpoints[0]]._tables_on_server["table"][key]
                           for key in ("begins", "seed"))
    assert type == "uniform_random"
    values["table"] = first_rows.uniform(attrs["min"], attrs["max"])(np.arange(2000), 16, seed).astype("float32")
    losses, scope = alone(whole, feeds, values)

    def look(cluster):
        rows = engine.client(0, cluster.endpoints).look_up(cluster.endpoints, "table", np.arange(2000))
        np.testing.assert_allclose(rows, scope.array("table"), rtol=1e-4, atol=1e-6)

    cluster.run(divided(feeds, 2), after=look)
    np.testing.assert_allclose(np.mean(cluster.results, 0), losses, rtol=1e-5)
    assert all("table" not in scope.local_var_names() for scope in cluster.scopes.values())


@pytest.mark.parametrize("kind", ["dense", "blocks", "distributed"])
def test_gradients_are_divided_by_all_trainers_also_when_one_is_done(kind):
    """The last steps of one trainer alone count half, whatever holds the parameter."""
    network = networks.words(OPTIMIZERS["sgd"], is_distributed=kind == "distributed")
    feeds, rows = networks.numbers(steps=3), []

    def after(cluster):
        rows.append(engine.client(0, cluster.endpoints).look_up(cluster.endpoints, "table", feeds[2]["a"].reshape(-1)))

    values = networks.values_of(network)
    halved = networks.words(lambda: optimizer.SGD(0.05), is_distributed=kind == "distributed")
    if kind == "blocks":
        values["table"] = values["table"] * 0 + 0.1
    found = []
    for each, trainers, given in ((network, 2, [feeds, []]), (halved, 1, [feeds])):
        cluster = Cluster(each, trainers=trainers, values=values).run(
            given, leaving=range(1, trainers), after=after if kind == "distributed" else None)
        found.append((cluster.results[0], rows.pop() if rows else cluster.parameter(
            "table" if kind == "blocks" else "fc_0.w_0")))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-5)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-5)


BESIDE_RULES = {
    "l2": lambda: optimizer.SGD(0.1, regularization=L2(0.1)),
    "l1": lambda: optimizer.Adagrad(0.1, regularization=L1(0.01)),
    "value": lambda: optimizer.SGD(0.1, regularization=L2(0.1), grad_clip=CLIPS["value"]()),
    "adamax": lambda: optimizer.Adamax(0.01, regularization=L2(0.1)),
}


@pytest.mark.parametrize("name", BESIDE_RULES)
def test_rows_of_distributed_tables_are_regularized_when_they_are_updated(name):
    """Each step looks all rows up, so that all are: as in one process, which decays whole tables."""
    network, whole = (networks.words(BESIDE_RULES[name], is_distributed=each, size=8) for each in (True, False))
    feeds = networks.numbers(size=8)
    for feed in feeds:
        feed["a"] = np.arange(8).reshape(8, 1)
    values = networks.values_of(network)
    cluster = Cluster(network, values=values, trainers=1)
    attrs, seed = (cluster.programs[cluster.endpoints[0]]._tables_on_server["table"][key] for key in ("begins", "seed"))
    values["table"] = first_rows.uniform(attrs[1]["min"], attrs[1]["max"])(np.arange(8), 16, seed).astype("float32")
    losses, _ = alone(whole, feeds, values)
    np.testing.assert_allclose(cluster.run([feeds]).results[0], losses, rtol=1e-5)


def test_multiples_of_the_learning_rate_count_for_rows():
    def network(is_distributed):
        def build():
            ids, label = layers.data("a", [1], dtype="int64"), layers.data("y", [1])
            table = fluid.ParamAttr(name="table", learning_rate=3.0, initializer=fluid.initializer.Constant(0.1))
            rows = layers.embedding(ids, [8, 16], is_sparse=True, is_distributed=is_distributed, param_attr=table)
            loss = layers.mean(layers.square_error_cost(layers.fc(rows, 1), label))
            optimizer.SGD(0.1).minimize(loss)
            return loss
        return build

    values = {name: value for name, value in networks.values_of(network(False)).items() if name != "table"}
    feeds = networks.numbers(size=8)
    losses, _ = alone(network(False), feeds, values)
    np.testing.assert_allclose(Cluster(network(True), values=values, trainers=1).run([feeds]).results[0], losses,
                               rtol=1e-5)


def test_a_distributed_table_takes_any_number():
    network = networks.words(OPTIMIZERS["adam"], is_distributed=True, size=1 << 40)
    feeds = networks.numbers(size=1 << 40, steps=3)
    cluster = Cluster(network).run(divided(feeds, 2))
    assert np.isfinite(cluster.results).all()
