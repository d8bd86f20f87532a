"""Optimizers around others in a Program: gradients of several runs, and recomputation."""

import tracemalloc

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.incubate.optimizer import GradientMergeOptimizer, RecomputeOptimizer

FILL = paddle.nn.initializer.Constant


@pytest.fixture(autouse=True)
def scope():
    with static.scope_guard(static.Scope()), paddle.utils.unique_name.guard(), static.program_guard(static.Program()):
        yield  # optimizers without parameters are made where a Program is built


def value(name):
    return np.array(static.global_scope().find_var(name).get_tensor())


def linear(rule):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        out = static.nn.fc(static.data("x", [None, 3]), 2, weight_attr=FILL(0.5))
        loss = paddle.mean(out * out)
        rule.minimize(loss)
    static.Executor().run(startup)
    return main, loss


def test_gradients_of_two_runs_are_those_of_paddle():
    main, loss = linear(GradientMergeOptimizer(paddle.optimizer.Momentum(0.1), 2, True))
    found = []
    for run in range(5):
        x = np.random.RandomState(run).rand(4, 3).astype("float32")
        given = static.Executor().run(main, feed={"x": x}, fetch_list=[loss])[0]
        found.append((float(given), float(value("fc_0.w_0")[0, 0]), int(value("gradient_merge_step")[0])))
    np.testing.assert_allclose(found, [(0.890812, 0.5, 1), (0.321840, 0.467141, 0), (0.225769, 0.467141, 1),
                                       (0.376689, 0.417029, 0), (0.277004, 0.417029, 1)], rtol=1e-5)
    assert {"fc_0.w_0@GRAD@GradientMerge", "fc_0.b_0@GRAD@GradientMerge", "gradient_merge_step"} <= {
        v.name for v in main.list_vars() if v.persistable}


def test_merged_gradients_are_those_of_a_large_batch():
    x = np.random.RandomState(0).rand(6, 3).astype("float32")
    weights = []
    clip = paddle.nn.ClipGradByGlobalNorm(0.1)
    alone, merged = paddle.optimizer.Adam(0.1, grad_clip=clip), paddle.optimizer.Adam(0.1, grad_clip=clip)
    for rule, batches in ((alone, [x] * 2), (GradientMergeOptimizer(merged, 3), [x[:2], x[2:4], x[4:]] * 2)):
        with static.scope_guard(static.Scope()):
            main, _ = linear(rule)
            for batch in batches:
                static.Executor().run(main, feed={"x": batch})
            weights.append(value("fc_0.w_0"))
    np.testing.assert_allclose(*weights, rtol=1e-5)


def test_sums_and_single_steps():
    x = np.ones((2, 3), "float32")
    weights = []
    for rule, runs in ((GradientMergeOptimizer(paddle.optimizer.SGD(0.1), 2, avg=False), 2),
                       (paddle.optimizer.SGD(0.2), 1), (GradientMergeOptimizer(paddle.optimizer.SGD(0.2)), 1)):
        with static.scope_guard(static.Scope()):
            main, _ = linear(rule)
            for _ in range(runs):
                static.Executor().run(main, feed={"x": x})
            weights.append(value("fc_0.w_0"))
    np.testing.assert_allclose(weights[0], weights[1], rtol=1e-6)
    np.testing.assert_array_equal(weights[1], weights[2])


def test_gradients_merge_on_several_devices():
    x = np.random.RandomState(0).rand(4, 3).astype("float32")
    weights = []
    for devices in (1, 2):
        with static.scope_guard(static.Scope()):
            main, loss = linear(GradientMergeOptimizer(paddle.optimizer.SGD(0.1), 2))
            compiled = static.CompiledProgram(main).with_data_parallel(loss.name, places=static.cpu_places(devices))
            for run in range(4):
                static.Executor().run(compiled, feed={"x": x + run})
            weights.append(value("fc_0.w_0"))
    np.testing.assert_allclose(*weights, rtol=1e-5)


def deep(rule, layers=6, width=64, drop=0.0, checkpoints=None):
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup), paddle.utils.unique_name.guard():
        hidden, kept = static.data("x", [None, width]), []
        for number in range(layers):
            hidden = static.nn.fc(hidden, width, weight_attr=paddle.nn.initializer.Assign(
                np.random.RandomState(number).randn(width, width).astype("float32") / 8), activation="tanh")
            hidden = paddle.nn.functional.dropout(hidden, drop) if drop else paddle.exp(hidden * 0.1)
            if checkpoints and number % checkpoints == checkpoints - 1:
                kept.append(hidden)
        loss = paddle.mean(hidden ** 2)
        if checkpoints:
            rule._set_checkpoints(kept)
        rule.minimize(loss)
    static.Executor().run(startup)
    return main, loss, kept


@pytest.mark.parametrize("drop", [0.0, 0.3])
def test_recomputed_gradients_are_the_same(drop):
    x = np.random.RandomState(7).randn(8, 64).astype("float32")
    losses = []
    for checkpoints in (None, 2):
        with static.scope_guard(static.Scope()):
            rule = paddle.optimizer.SGD(0.5)
            main, loss, kept = deep(RecomputeOptimizer(rule) if checkpoints else rule, 6, 64, drop, checkpoints)
            paddle.seed(3)
            losses.append([static.Executor().run(main, feed={"x": x}, fetch_list=[loss])[0] for _ in range(3)])
    np.testing.assert_allclose(*losses, rtol=1e-5)
    block = main.global_block()
    again = [op for op in block.ops if op.has_attr("recompute")]
    assert {op.attr("recompute") for op in again} == {1, 2, 3} and all(op.attr("op_role") == 1 for op in again)
    assert not any(op.type == "dropout" for op in again)
    if not drop:
        forward = {name for op in block.ops if not op.attrs.get("op_role") for name in op.output_arg_names}
        after = {v.name for v in kept}
        read = {name for op in block.ops if op.attrs.get("op_role") == 1 for name in op.input_arg_names}
        last = block.ops.index(next(op for op in block.ops if kept[-1].name in op.output_arg_names))
        tail = {n for op in block.ops[last:] if not op.attrs.get("op_role") for n in op.output_arg_names}
        assert (read & forward) - after <= tail


def test_recomputation_takes_less_memory():
    x = np.random.RandomState(7).randn(1000, 64).astype("float32")
    peaks = []
    for checkpoints in (None, 3):
        with static.scope_guard(static.Scope()):
            rule = paddle.optimizer.SGD(0.5)
            main, loss, _ = deep(RecomputeOptimizer(rule) if checkpoints else rule, 12, 64, 0.0, checkpoints)
            exe = static.Executor()
            exe.run(main, feed={"x": x}, fetch_list=[loss])
            tracemalloc.start()
            exe.run(main, feed={"x": x}, fetch_list=[loss])
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < 0.8 * peaks[0], peaks


def test_what_is_refused():
    rule = paddle.optimizer.SGD(0.1)
    with pytest.raises(ValueError, match="k_steps.*at least 1. Received 0"):
        GradientMergeOptimizer(rule, 0)
    with pytest.raises(TypeError, match="must be an optimizer. Received None"):
        GradientMergeOptimizer(None)
    with pytest.raises(TypeError, match="must be a list of Variables or of names. Received 3"):
        RecomputeOptimizer(rule)._set_checkpoints(3)
    with pytest.raises(TypeError, match=r"Received \[3\]"):
        RecomputeOptimizer(rule)._set_checkpoints([3])
    with pytest.raises(RuntimeError, match="call _set_checkpoints first"):
        linear(RecomputeOptimizer(rule))
    named = RecomputeOptimizer(rule)
    named._set_checkpoints(["nope"])
    with pytest.raises(ValueError, match=r"\['nope'\] are no values that the Program computes"):
        linear(named)
