"""Programs built, run, differentiated and trained by the Executor."""

import copy
import threading

import numpy as np
import proa as paddle
import pytest
from proa import static


@pytest.fixture
def programs():
    main, startup = static.Program(), static.Program()
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard(), static.program_guard(main, startup):
        yield main, startup


def run(program, fetch, **feed):
    return static.Executor().run(program, feed=feed, fetch_list=fetch)


def test_feed_and_fetch(programs):
    main, _ = programs
    x = static.data("x", [None, 2])
    y = x * 2.0 + 1.0
    [by_variable] = run(main, [y], x=np.ones((3, 2), "float32"))
    [by_name] = run(main, [y.name], x=np.ones((1, 2), "float32"))
    assert by_variable.tolist() == [[3.0, 3.0]] * 3
    assert by_name.shape == (1, 2)
    assert run(main, [x], x=np.ones((1, 2), "float32"))[0].shape == (1, 2)


def test_names_are_paddles(programs):
    main, startup = programs
    static.nn.fc(static.data("x", [None, 4]), 3)
    assert [p.name for p in main.all_parameters()] == ["fc_0.w_0", "fc_0.b_0"]
    assert {op.type for op in startup.global_block().ops} == {"uniform_random", "fill_constant"}
    assert [op.type for op in main.global_block().ops] == ["mul", "elementwise_add"]


def test_training_in_a_program_equals_eager(programs):
    main, startup = programs
    x, label = static.data("x", [None, 3]), static.data("y", [None, 1])
    out = static.nn.fc(x, 1)
    loss = paddle.mean((out - label) * (out - label))
    adam = paddle.optimizer.Adam(0.1, weight_decay=0.01)
    adam.minimize(loss)
    exe = static.Executor()
    exe.run(startup)
    scope = static.global_scope()
    initial = {n: np.array(scope.find_var(n).get_tensor()) for n in ("fc_0.w_0", "fc_0.b_0")}
    random = np.random.RandomState(0)
    batches = [(random.rand(4, 3).astype("float32"), random.rand(4, 1).astype("float32")) for _ in range(4)]
    static_losses = [float(exe.run(main, feed={"x": a, "y": b}, fetch_list=[loss])[0]) for a, b in batches]

    with paddle.ops.core.trace.using(paddle.dygraph.eager.EAGER):
        w, b = (paddle.create_parameter(v.shape, "float32", default_initializer=paddle.nn.initializer.Assign(v))
                for v in initial.values())
        adam = paddle.optimizer.Adam(0.1, parameters=[w, b], weight_decay=0.01)
        eager_losses = []
        for features, target in batches:
            out = paddle.to_tensor(features) @ w + b
            loss = paddle.mean((out - paddle.to_tensor(target)) ** 2)
            loss.backward()
            adam.step()
            adam.clear_grad()
            eager_losses.append(float(loss))
    np.testing.assert_allclose(static_losses, eager_losses, rtol=1e-5)


def test_scheduled_learning_rate_reaches_the_program(programs):
    main, startup = programs
    w = static.create_parameter([1], "float32", name="w", default_initializer=paddle.nn.initializer.Constant(1.0))
    schedule = paddle.optimizer.lr.StepDecay(0.5, step_size=1, gamma=0.5)
    paddle.optimizer.SGD(schedule).minimize(w.sum())
    exe = static.Executor()
    exe.run(startup)
    values = []
    for _ in range(3):
        exe.run(main)
        values.append(float(np.array(static.global_scope().find_var("w").get_tensor())[0]))
        schedule.step()
    np.testing.assert_allclose(values, [0.5, 0.25, 0.125])


def test_append_backward_gives_named_gradients(programs):
    main, startup = programs
    out = static.nn.fc(static.data("x", [2, 3]), 2)
    pairs = static.append_backward(paddle.mean(out))
    assert [(p.name, g.name) for p, g in pairs] == [("fc_0.w_0", "fc_0.w_0@GRAD"), ("fc_0.b_0", "fc_0.b_0@GRAD")]
    static.Executor().run(startup)
    [gradient] = run(main, ["fc_0.b_0@GRAD"], x=np.ones((2, 3), "float32"))
    np.testing.assert_allclose(gradient, [0.5, 0.5])


def test_append_backward_of_several_elements_is_that_of_their_sum(programs):
    main, startup = programs
    out = static.nn.fc(static.data("x", [2, 3]), 2)
    static.append_backward(out)
    with pytest.raises(ValueError, match="one element"):
        paddle.optimizer.SGD(0.1).minimize(out)
    static.Executor().run(startup)
    [gradient] = run(main, ["fc_0.b_0@GRAD"], x=np.ones((2, 3), "float32"))
    np.testing.assert_allclose(gradient, [2.0, 2.0])


def test_gradients_of_gradients(programs):
    main, _ = programs
    x = static.data("x", [3])
    x.stop_gradient = False
    [g] = static.gradients(x.tanh().sum(), x)
    [second] = static.gradients(g.sum(), x)
    value = np.array([0.1, 0.5, -0.3], "float32")
    t = np.tanh(value)
    np.testing.assert_allclose(run(main, [second], x=value)[0], -2 * t * (1 - t * t), rtol=1e-5)


def test_bad_feeds_are_told(programs):
    main, _ = programs
    x = static.data("x", [None, 2])
    y = x + 1.0
    with pytest.raises(ValueError, match=r"'x' takes shape \[-1, 2\]"):
        run(main, [y], x=np.ones((1, 3), "float32"))
    with pytest.raises(TypeError, match="astype"):
        run(main, [y], x=np.ones((1, 2), "complex64"))
    for kind in (KeyError, RuntimeError):  # the second as in Paddle
        with pytest.raises(kind, match="not fed"):
            run(main, [y])
    with pytest.raises(ValueError, match="fetch_list"):
        run(main, ["nothing"], x=np.ones((1, 2), "float32"))
    with pytest.raises(TypeError, match="fetch_list: must have variables, or their names. Received 1123"):
        run(main, [y, 1123], x=np.ones((1, 2), "float32"))


def test_a_feed_that_the_program_does_not_use_is_told_and_passed_over(programs):
    main, _ = programs
    x = static.data("x", [None, 2])
    static.data("unused", [1])
    one = np.ones((1, 2), "float32")
    with pytest.warns(UserWarning, match="no variable 'z'"):
        [y] = run(main, [x + 1.0], x=one, z=object())
    assert y.tolist() == [[2.0, 2.0]]
    assert run(main, [x], x=one, unused=[3.0])[0].tolist() == [[1.0, 1.0]]


def test_lists_of_lists_are_fetched_flat_and_updates_have_no_value(programs):
    main, startup = programs
    x = static.data("x", [None, 2])
    loss = static.nn.fc(x, 1).mean()
    updates = paddle.optimizer.SGD(0.1).minimize(loss)
    run(startup, [])
    one = np.ones((1, 2), "float32")
    a, b, c = run(main, [loss, [x, (loss.name,)], None], x=one)
    assert a == c and b.shape == (1, 2)
    [before, *_] = run(main, [loss, updates[0]], x=one)
    assert run(main, [updates[0]], x=one) == []
    assert run(main, loss, x=one)[0] < before


def test_uninitialized_parameters_are_told(programs):
    main, _ = programs
    out = static.nn.fc(static.data("x", [None, 2]), 1)
    with pytest.raises(RuntimeError, match="startup Program"):
        run(main, [out], x=np.ones((1, 2), "float32"))


def test_a_failing_operation_is_named_with_its_line(programs):
    main, _ = programs
    x, y = static.data("x", [None]), static.data("y", [None])
    total = x + y
    with pytest.raises(ValueError, match=r"(?s)do not broadcast.*elementwise_add.*test_executor\.py:\d+"):
        run(main, [total], x=np.ones(2, "float32"), y=np.ones(3, "float32"))


def test_what_is_not_fetched_is_not_computed(programs):
    main, _ = programs
    x, unused = static.data("x", [1]), static.data("unused", [1])
    wanted, _ = x + 1.0, unused + 1.0
    assert run(main, [wanted], x=np.zeros(1, "float32"))[0].tolist() == [1.0]


def test_values_cannot_be_asked_for_while_building(programs):
    x = static.data("x", [None])
    for ask in (bool, int, float, len, lambda v: v.numpy(), lambda v: v.item(), list):
        with pytest.raises(TypeError, match="no value while"):
            ask(x)
    with pytest.raises(TypeError, match="must be a Variable"):
        with paddle.ops.core.trace.using(paddle.dygraph.eager.EAGER):
            value = paddle.ones([1])
        paddle.concat([x, value])


def test_clone_for_test_leaves_updates_out(programs):
    main, startup = programs
    out = static.nn.fc(static.data("x", [None, 2]), 1)
    dropped = paddle.nn.functional.dropout(out, 0.5)
    loss = paddle.mean(dropped)
    paddle.optimizer.SGD(0.1).minimize(loss)
    test = main.clone(for_test=True)
    assert "sgd" in {op.type for op in main.global_block().ops}
    assert not any(op.type == "sgd" or op.attrs.get("op_role") for op in test.global_block().ops)
    assert [op.attrs["is_test"] for op in test.global_block().ops if op.type == "dropout"] == [True]
    static.Executor().run(startup)
    x = np.ones((50, 2), "float32")
    np.testing.assert_array_equal(run(test, [dropped.name], x=x)[0], run(test, [out.name], x=x)[0])


def test_state_dict_of_a_program(programs):
    main, startup = programs
    out = static.nn.fc(static.data("x", [None, 2]), 1)
    paddle.optimizer.Momentum(0.1).minimize(paddle.mean(out))
    static.Executor().run(startup)
    assert set(main.state_dict("param")) == {"fc_0.w_0", "fc_0.b_0"}
    assert "fc_0.w_0_velocity_0" in main.state_dict("opt")
    state = {name: np.array(value) + 1 for name, value in main.state_dict("param").items()}
    main.set_state_dict(state)
    np.testing.assert_array_equal(np.array(main.state_dict()["fc_0.w_0"]), state["fc_0.w_0"])
    with pytest.raises(ValueError, match="shape"):
        main.set_state_dict({"fc_0.b_0": np.zeros(9), "fc_0.w_0": np.zeros((2, 1))})
    np.testing.assert_array_equal(np.array(main.state_dict()["fc_0.w_0"]), state["fc_0.w_0"])
    with pytest.warns(UserWarning, match="'other'"):
        main.set_state_dict({"other": np.zeros(1)})
    with pytest.raises(ValueError, match="mode"):
        main.state_dict("everything")


def test_deepcopy_is_independent(programs):
    main, _ = programs
    x = static.data("x", [1])
    y = x + 1.0
    other = copy.deepcopy(main)
    with static.program_guard(other):
        _ = other.global_block().var(y.name) * 2.0
    assert len(main.global_block().ops) + 1 == len(other.global_block().ops)


def test_one_program_from_several_threads(programs):
    main, _ = programs
    x = static.data("x", [None])
    y = (x * 2.0).exp()
    found = {}

    def work(number):
        value = np.full(100, number / 10, "float32")
        found[number] = [run(main, [y], x=value)[0] for _ in range(20)]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, results in found.items():
        for result in results:
            np.testing.assert_allclose(result, np.exp(np.full(100, number / 5)), rtol=1e-5)


def test_static_mode_is_a_switch():
    assert paddle.in_dynamic_mode()
    paddle.enable_static()
    try:
        assert not paddle.in_dynamic_mode()
        with static.program_guard(static.Program()):
            assert isinstance(paddle.ones([1]), static.Variable)
            weight = static.create_parameter([1], "float32")
            assert isinstance(weight, paddle.base.framework.Parameter)
            assert not isinstance(paddle.ones([1]), static.Parameter)
    finally:
        paddle.disable_static()
    assert paddle.in_dynamic_mode()
    assert isinstance(paddle.nn.Linear(1, 1).weight, paddle.base.framework.Parameter)
    assert not isinstance(paddle.ones([1]), paddle.framework.Parameter)
    assert isinstance(paddle.ones([1]), paddle.Tensor)


def pruned_program():
    """A loss that is minimized, and beside it a draw before the one that is fetched, running statistics, a counter."""
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x, unfed = static.data("x", [None, 2]), static.data("unfed", [None, 2])
        w = static.create_parameter([2, 1], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
        loss = paddle.matmul(x, w).mean()
        paddle.rand([1])
        drawn = paddle.rand([1])
        paddle.matmul(unfed, w)
        static.nn.batch_norm(x)
        minimized = paddle.optimizer.SGD(0.1).minimize(loss)
        count = static.create_global_var([1], 0.0, "float32", persistable=True)
        paddle.increment(count)
    return main, startup, loss, drawn, minimized, w, count


@pytest.mark.parametrize("prune", [False, True])
def test_use_prune_computes_what_is_fetched_and_updated(prune):
    """The numbers are PaddlePaddle's: what nobody fetches draws none, and statistics stay."""
    main, startup, loss, drawn, minimized, w, count = pruned_program()
    exe, scope, feed = static.Executor(), static.Scope(), {"x": np.ones((3, 2), "float32")}
    with static.scope_guard(scope):
        paddle.seed(1)
        exe.run(startup)
        found = [exe.run(main, feed=feed, fetch_list=[drawn, loss], use_prune=prune) for _ in range(2)]
        weight, counted = (np.array(scope.find_var(v.name).get_tensor()) for v in (w, count))
        np.testing.assert_allclose([value.item() for pair in found for value in pair],
                                   [0.017876267, 2, 0.7649231, 1.8] if prune else [0.7649231, 2, 0.046205785, 1.8])
        np.testing.assert_allclose(weight.ravel(), 0.8)
        assert counted.item() == (0 if prune else 2)


def test_use_prune_takes_what_is_fed_in_the_place_of_its_inputs():
    """PaddlePaddle's numbers: what is fed is computed only if it is fetched itself."""
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [2])
        x.stop_gradient = False
        y = x * 2
        total = y + x
        loss = paddle.mean(y * y)
        slope, = static.gradients(loss, y)
    exe, three, five = static.Executor(), np.full(2, 3.0, "float32"), np.full(2, 5.0, "float32")

    def found(feed, *fetched, prune=True):
        return [np.max(value).item() for value in exe.run(main, feed=feed, fetch_list=list(fetched), use_prune=prune)]

    assert found({y.name: three}, loss, slope) == [9.0, 3.0]
    assert found({y.name: three, "x": five}, total) == [8.0]
    assert found({y.name: three, "x": five}, total, prune=False) == [15.0]
    assert found({y.name: three, "x": five}, total, y) == [15.0, 10.0]
    with pytest.raises(KeyError, match="'x', which was not fed"):
        found({y.name: three}, loss, prune=False)


def test_what_minimize_returned_prunes_and_gives_nothing():
    main, startup, loss, _, minimized, w, count = pruned_program()
    exe, scope = static.Executor(), static.Scope()
    with static.scope_guard(scope):
        exe.run(startup)
        found = exe.run(main, feed={"x": np.ones((3, 2), "float32")}, fetch_list=[loss, minimized])
        assert [value.item() for value in found] == [2]
        assert np.array(scope.find_var(count.name).get_tensor()).item() == 0
        np.testing.assert_allclose(np.array(scope.find_var(w.name).get_tensor()).ravel(), 0.9)


@pytest.mark.parametrize(("declared", "fed"), [([3, 1], [3]), ([-1, 1], [3]), ([3, 1, 1], [3]), ([1, 1], [1])])
def test_sizes_of_1_at_the_end_may_be_left_out_of_what_is_fed(programs, declared, fed):
    main, _ = programs
    y = static.data("x", declared) * 2.0
    assert run(main, [y], x=np.ones(fed, "float32"))[0].shape == tuple(fed)


@pytest.mark.parametrize(("declared", "fed"), [([3], [3, 1]), ([-1], [3, 1]), ([1, 3], [3]), ([3, 1], [2]), ([1], [])])
def test_other_sizes_are_not_left_out(programs, declared, fed):
    main, _ = programs
    y = static.data("x", declared) * 2.0
    with pytest.raises(ValueError, match=r"feed: 'x' takes shape"):
        run(main, [y], x=np.ones(fed, "float32"))


def test_persistable_variables_keep_what_is_fed(programs):
    main, startup = programs
    x = static.data("x", [None, 2])
    kept = static.create_global_var([1], 1.0, "float32", persistable=True, name="kept")
    y = x * kept
    static.Executor().run(startup)
    fed = np.array([3.0], "float32")
    assert static.Executor().run(main, {"x": np.ones((1, 2), "float32"), "kept": fed}, [y])[0].tolist() == [[3.0, 3.0]]
    fed[:] = 7.0  # the caller's
    assert static.Executor().run(main, {"x": np.ones((1, 2), "float32")}, [y])[0].tolist() == [[3.0, 3.0]]
    assert np.array(static.global_scope().find_var("kept").get_tensor()).tolist() == [3]


def test_a_fed_learning_rate(programs):
    main, startup = programs
    w = static.create_parameter([1], "float32", "w", default_initializer=paddle.nn.initializer.Constant(5.0))
    paddle.optimizer.SGD(0.1).minimize(w.sum())
    static.Executor().run(startup)
    found = [static.Executor().run(main, {**fed}, [w])[0].item() for fed in (
        {"learning_rate_0": np.array([0.5], "float32")}, {}, {"learning_rate_0": np.array(1.0, "float32")})]
    assert found == [4.5, 4, 3]


def test_uint16_fed_as_bfloat16_are_its_bits():
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x = static.data("x", [2], "bfloat16")
        y = paddle.cast(x, "float32") + 1
    bits = (np.float32([1.5, -3]).view("uint32") >> 16).astype("uint16")
    assert static.Executor().run(main, {"x": bits}, [y])[0].tolist() == [2.5, -2.0]
