"""Programs on several CPU places: losses and parameters as on one, and as PaddlePaddle 1.8.5 gives them on as many."""

import threading

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.fluid import ParallelExecutor
from proa.static.run.feed_parts import joined, split_feed
from proa.static.run.lod_tensor import LoDTensor

RNG = np.random.RandomState(0)
FEED = {"x": RNG.rand(6, 4).astype("float32"), "y": RNG.rand(6, 1).astype("float32")}
CUSTOM = static.BuildStrategy.GradientScaleStrategy


@pytest.fixture(autouse=True)
def two_places(monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard():
        yield


def build(norm=False, clip=None, drop=0.0, rate=0.1):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        fill = paddle.nn.initializer.Constant
        x, y = static.data("x", [None, 4]), static.data("y", [None, 1])
        hidden = static.nn.fc(x, 3, activation="tanh", weight_attr=fill(0.1))
        if norm:
            hidden = static.nn.batch_norm(hidden)
        if drop:
            hidden = paddle.nn.functional.dropout(hidden, drop)
        out = static.nn.fc(hidden, 1, weight_attr=fill(0.2))
        loss = paddle.mean((out - y) ** 2)
        test = main.clone(for_test=True)
        paddle.optimizer.Momentum(rate, 0.9, weight_decay=0.01, grad_clip=clip).minimize(loss)
    return main, startup, out, loss, test


def parallel(program, loss=None, **settings):
    return static.CompiledProgram(program).with_data_parallel(None if loss is None else loss.name, **settings)


def train(compile_=parallel, steps=3, feed=FEED, **settings):
    main, startup, _, loss, _ = build(**settings)
    exe = static.Executor()
    with static.scope_guard(static.Scope()):
        exe.run(startup)
        compiled = compile_(main, loss)
        losses = [exe.run(compiled, feed=feed, fetch_list=[loss])[0] for _ in range(steps)]
        return np.array(losses), value("fc_0.w_0")[0, 0]


def value(name):
    return np.array(static.global_scope().find_var(name).get_tensor())


def check(found, losses, weight):
    np.testing.assert_allclose(found[0], losses, rtol=2e-5)
    np.testing.assert_allclose(found[1], weight, rtol=2e-4)


@pytest.mark.parametrize("clip", [None, paddle.nn.ClipGradByGlobalNorm(0.5)])
def test_losses_are_those_of_one_device(clip):
    alone, together = train(lambda program, loss: program, clip=clip), train(clip=clip)
    assert together[0].shape == (3, 2)
    np.testing.assert_allclose(together[0].mean(1), alone[0], rtol=1e-5)
    np.testing.assert_allclose(together[1], alone[1], rtol=1e-5)


def test_losses_are_those_of_1_8():
    check(train(), [[0.083139, 0.304669], [0.063480, 0.226225], [0.067303, 0.131941]], 0.123114)
    check(train(clip=paddle.nn.ClipGradByGlobalNorm(0.5)),
          [[0.083139, 0.304669], [0.068321, 0.251057], [0.059985, 0.167608]], 0.118946)
    check(train(norm=True), [[0.622169, 1.073756], [0.055276, 0.422581], [0.303754, 0.160505]], 0.017946)
    halves = [{k: v[:2] for k, v in FEED.items()}, {k: v[2:] for k, v in FEED.items()}]
    check(train(feed=halves), [[0.124624, 0.228544], [0.091399, 0.175501], [0.068163, 0.119338]], 0.121151)
    check(train(feed={k: v[:5] for k, v in FEED.items()}),
          [[0.083139, 0.428493], [0.061692, 0.312211], [0.077136, 0.166293]], 0.124669)


def test_what_gradients_begin_with():
    strategy = static.BuildStrategy()
    strategy.gradient_scale_strategy = CUSTOM.One
    found = train(lambda program, loss: parallel(program, loss, build_strategy=strategy))
    check(found, [[0.083139, 0.304669], [0.060417, 0.163024], [0.140674, 0.078019]], 0.128675)
    strategy.gradient_scale_strategy = CUSTOM.Customized
    main, startup, _, loss, _ = build()
    exe = static.Executor()
    exe.run(startup)
    compiled = parallel(main, loss, build_strategy=strategy)
    with pytest.raises(ValueError, match=r"Customized: feed \['.*@GRAD'\]"):
        exe.run(compiled, feed=FEED, fetch_list=[loss])
    parts = [{**part, f"{loss.name}@GRAD": np.float32(1.0)} for part in split_feed(FEED, 2)]
    losses = [exe.run(compiled, feed=parts, fetch_list=[loss])[0] for _ in range(3)]
    np.testing.assert_allclose(losses, found[0], rtol=1e-6)


def test_what_is_fetched():
    main, startup, out, loss, _ = build(norm=True)
    exe = static.Executor()
    exe.run(startup)
    compiled = parallel(main, loss)
    names = [out, "fc_0.w_0", "fc_0.w_0@GRAD", "learning_rate_0", "batch_norm_0.w_1", f"{loss.name}@GRAD", "x"]
    given, weight, gradient, rate, mean, start, x = exe.run(compiled, feed=FEED, fetch_list=names)
    assert given.shape == (6, 1) and weight.shape == gradient.shape == (8, 3) and mean.shape == (6,)
    np.testing.assert_array_equal(weight[:4], weight[4:])
    np.testing.assert_array_equal(weight[:4], value("fc_0.w_0"))
    np.testing.assert_array_equal(gradient[:4], gradient[4:])
    assert rate.tolist() == [np.float32(0.1)] * 2 and start.tolist() == [0.5, 0.5]
    assert not np.array_equal(mean[:3], mean[3:])
    np.testing.assert_array_equal(mean[:3], value("batch_norm_0.w_1"))
    np.testing.assert_array_equal(x, FEED["x"])
    parts = exe.run(compiled, feed=FEED, fetch_list=[loss, out], return_merged=False)
    assert [[a.shape for a in found] for found in parts] == [[(), ()], [(3, 1), (3, 1)]]
    assert isinstance(exe.run(compiled, feed=FEED, fetch_list=[out], return_numpy=False)[0], LoDTensor)
    assert exe.run(compiled, feed=FEED) == []


def test_devices_share_what_they_have_for_their_own():
    main, startup, out, loss, test = build(norm=True)
    exe = static.Executor()
    exe.run(startup)
    compiled, tested = parallel(main, loss), None
    shares = parallel(test, share_vars_from=compiled)
    with pytest.raises(RuntimeError, match="has not run yet"):
        exe.run(shares, feed=FEED, fetch_list=[out])
    for _ in range(3):
        exe.run(compiled, feed=FEED, fetch_list=[loss])
    tested = exe.run(shares, feed=FEED, fetch_list=[out])[0]
    alone = exe.run(test, feed=FEED, fetch_list=[out])[0]
    fresh = exe.run(parallel(test), feed=FEED, fetch_list=[out])[0]
    np.testing.assert_allclose(tested[:3], alone[:3], rtol=1e-6)
    assert np.abs(tested[3:] - alone[3:]).max() > 1e-4
    np.testing.assert_allclose(fresh, alone, rtol=1e-6)


def test_devices_run_at_once():
    meeting = threading.Barrier(2, timeout=100)

    def meet(x):
        meeting.wait()
        return np.array(x)

    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 4])
        met = main.current_block().create_var("met", [-1, 4], "float32")
        static.py_func(meet, x, met)
        doubled = met * 2.0
    found = static.Executor().run(parallel(main), feed={"x": FEED["x"]}, fetch_list=[doubled])[0]
    np.testing.assert_array_equal(found, FEED["x"] * 2)


def test_devices_draw_for_themselves_and_the_same_after_a_seed():
    def drawn():
        paddle.seed(5)
        return train(drop=0.5, steps=4)[0]

    first = drawn()
    np.testing.assert_array_equal(first, drawn())
    main = static.Program()
    with static.program_guard(main):
        noise = paddle.uniform([8]) + 0.0 * static.data("x", [None, 4]).sum()
    paddle.seed(3)
    both = static.Executor().run(parallel(main), feed={"x": FEED["x"]}, fetch_list=[noise])[0]
    paddle.seed(3)
    alone = static.Executor().run(main, feed={"x": FEED["x"]}, fetch_list=[noise])[0]
    np.testing.assert_array_equal(both[:8], alone)
    assert not np.array_equal(both[8:], alone)


def test_what_follows_an_update():
    main, startup, _, loss, _ = build()
    with static.program_guard(main):
        weight = main.global_block().var("fc_0.w_0") * static.data("x", [None, 4]).sum()
    exe = static.Executor()
    exe.run(startup)
    found = exe.run(parallel(main, loss), feed=FEED, fetch_list=[weight])[0]
    sums = FEED["x"].reshape(2, 12).sum(1)
    np.testing.assert_allclose(found, np.concatenate([value("fc_0.w_0") * total for total in sums]), rtol=1e-5)


def test_schedules_and_three_places():
    def three(program, loss):
        return parallel(program, loss, places=static.cpu_places(3))

    rates = [paddle.optimizer.lr.ExponentialDecay(0.1, 0.5) for _ in range(2)]
    alone = train(lambda program, loss: program, rate=rates[0])
    together = train(three, rate=rates[1])
    assert together[0].shape == (3, 3)
    np.testing.assert_allclose(together[0].mean(1), alone[0], rtol=1e-5)


def test_parallel_executor():
    main, startup, out, loss, test = build(norm=True)
    static.Executor().run(startup)
    trained = ParallelExecutor(False, loss.name, main)
    tested = ParallelExecutor(False, main_program=test, share_vars_from=trained)
    assert trained.device_count == tested.device_count == 2
    losses = [trained.run([loss.name], feed=FEED)[0] for _ in range(3)]
    np.testing.assert_allclose(losses, train(norm=True)[0], rtol=1e-5)
    assert tested.run([out.name], feed_dict=FEED)[0].shape == (6, 1)
    assert isinstance(trained.run([loss], feed=FEED, return_numpy=False)[0], LoDTensor)
    trained.drop_local_exe_scopes()
    with pytest.raises(RuntimeError, match="num_trainers=2 and trainer_id=0"):
        ParallelExecutor(False, loss.name, main, num_trainers=2)
    with pytest.raises(TypeError, match="must be a ParallelExecutor. Received int"):
        ParallelExecutor(False, main_program=test, share_vars_from=3)


def test_sequences_are_divided_whole():
    rows = np.arange(12, dtype="float32").reshape(6, 2)
    first, second = split_feed({"x": LoDTensor(rows, [[0, 1, 3], [0, 2, 2, 6]])}, 2)
    assert first["x"].lod() == [[0, 1], [0, 2]] and second["x"].lod() == [[0, 2], [0, 0, 4]]
    np.testing.assert_array_equal(np.array(second["x"]), rows[2:])
    whole = joined([first["x"], second["x"]])
    assert whole.lod() == [[0, 1, 3], [0, 2, 2, 6]]
    np.testing.assert_array_equal(np.array(whole), rows)
    sizes = [len(part["x"]) for part in split_feed({"x": np.zeros(7)}, 4)]
    assert sizes == [2, 2, 2, 1] and [len(p["x"]) for p in split_feed({"x": np.zeros(5)}, 4)] == [2, 1, 1, 1]
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [-1, 2], lod_level=1)
        y = x * 2.0
    feed = {"x": LoDTensor(rows, [[0, 1, 4, 6]])}
    found = static.Executor().run(parallel(main), feed=feed, fetch_list=[y], return_numpy=False)[0]
    assert found.lod() == [[0, 1, 4, 6]]
    np.testing.assert_array_equal(np.array(found), rows * 2)


def test_what_cannot_be():
    main, startup, out, loss, test = build(norm=True)
    exe = static.Executor()
    exe.run(startup)
    compiled = parallel(main, loss)
    few = {name: array[:1] for name, array in FEED.items()}
    synced = static.BuildStrategy()
    synced.sync_batch_norm = True
    wrong = [
        (ValueError, "'x' has 1 rows, fewer than the 2 devices.*CPU_NUM",
         lambda: exe.run(compiled, feed=few, fetch_list=[loss])),
        (ValueError, "a list has a dict for each device, of which there are 2. Received 3",
         lambda: exe.run(compiled, feed=[FEED] * 3, fetch_list=[loss])),
        (TypeError, "each device takes a dict. Received int", lambda: exe.run(compiled, feed=[3, 4])),
        (TypeError, "must be a dict, or a list with a dict for each device. Received int",
         lambda: exe.run(compiled, feed=3)),
        (ValueError, "every device must be fed the same variables",
         lambda: exe.run(compiled, feed=[FEED, {"x": FEED["x"]}])),
        (KeyError, "'y', which was not fed",
         lambda: exe.run(compiled, feed={"x": FEED["x"]}, fetch_list=[loss])),
        (ValueError, r"'x' takes shape \[-1, 4\]", lambda: exe.run(compiled, feed={**FEED, "x": FEED["x"][:, :3]})),
        (ValueError, "no variable 'nope'", lambda: exe.run(compiled, feed=FEED, fetch_list=["nope"])),
        (ValueError, "has run in another scope", lambda: exe.run(compiled, feed=FEED, scope=static.Scope())),
        (RuntimeError, "was told so already", lambda: compiled.with_data_parallel()),
        (ValueError, "the name of the loss must be given", lambda: exe.run(parallel(main), feed=FEED)),
        (ValueError, "the Program has no variable 'nope'",
         lambda: exe.run(static.CompiledProgram(main).with_data_parallel("nope"), feed=FEED)),
        (ValueError, r"share_vars_from\): must be a CompiledProgram", lambda: parallel(test, share_vars_from=3)),
        (TypeError, "must be a BuildStrategy. Received int", lambda: parallel(test, build_strategy=3)),
        (TypeError, "must be an ExecutionStrategy. Received int", lambda: parallel(test, exec_strategy=3)),
        (NotImplementedError, "a batch norm over several devices",
         lambda: exe.run(parallel(main, loss, build_strategy=synced), feed=FEED)),
        (ValueError, "a list has a dict for each device, and this Program runs on one. Received 2",
         lambda: exe.run(main, feed=[FEED, FEED])),
        (TypeError, "must be a dict of values by name. Received int", lambda: exe.run(main, feed=3)),
    ]
    exe.run(compiled, feed=FEED)
    for kind, message, call in wrong:
        with pytest.raises(kind, match=message):
            call()
    assert exe.run(main, feed=[FEED], fetch_list=[out])[0].shape == (6, 1)


def test_a_failure_names_the_operation():
    main = static.Program()
    with static.program_guard(main):
        y = static.data("x", [None, 4]).reshape([2, -1, 4])
    with pytest.raises(ValueError, match="reshape"):
        static.Executor().run(parallel(main), feed={"x": FEED["x"]}, fetch_list=[y])


def decayed(compile_):
    """Losses and weights where parameters decay by a copy that is made of them behind their update."""
    main, startup, _, loss, _ = build()
    with static.program_guard(main, startup):
        for parameter in main.all_parameters():
            copy = parameter * 1.0
            with main._optimized_guard([parameter]):
                paddle.assign(parameter - copy * 0.01, parameter)
    exe = static.Executor()
    with static.scope_guard(static.Scope()):
        exe.run(startup)
        return [exe.run(compile_(main, loss), feed=FEED, fetch_list=[loss])[0].mean() for _ in range(3)]


def test_what_is_computed_of_updated_parameters_alone_is_computed_once():
    np.testing.assert_allclose(decayed(parallel), decayed(lambda main, loss: main), rtol=1e-6)


def test_its_places_are_known_once_it_has_run():
    """paddle-propeller, of 1.x, counts them to divide what it fetches."""
    main, startup, _, loss, _ = build()
    exe = static.Executor()
    exe.run(startup)
    compiled = parallel(main, loss, places=static.cpu_places(2))
    assert compiled._places is None
    exe.run(compiled, feed=FEED, fetch_list=[loss])
    assert len(compiled._places) == 2
