"""What a Program measures while it runs: accuracy, AUC, sums for click rates; and averages of parameters."""

import numpy as np
import proa as paddle
import proa.fluid
import pytest
from proa import static

RANDOM = np.random.RandomState(0)
BATCHES = [(RANDOM.rand(6, 2).astype("float32"), (RANDOM.rand(6, 1) > 0.5).astype("int64")) for _ in range(3)]
#: What PaddlePaddle 2.6.2 answers to these batches with num_thresholds=10: all batches, the last batch.
AREAS = [(0.4444444444444444, 0.4444444444444444), (0.2638888888888889, 0.05555555555555555), (0.425, 0.625)]


def test_areas_are_paddles(programs):
    main, startup = programs
    p, label = static.data("p", [None, 2]), static.data("l", [None, 1], "int64")
    whole, last, stats = static.auc(p, label, num_thresholds=10)
    assert [v.shape for v in stats] == [(23,), (23,), (1, 11), (1, 11)]
    exe = static.Executor()
    exe.run(startup)
    for (scores, right), expected in zip(BATCHES, AREAS, strict=True):
        found = exe.run(main, feed={"p": scores, "l": right}, fetch_list=[whole, last, *stats])
        assert [a.dtype.name for a in found[:2]] == ["float64"] * 2
        np.testing.assert_allclose([float(a) for a in found[:2]], expected, rtol=1e-12)
    assert found[2].tolist() == [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 3]
    assert found[4].tolist() == [[0, 0, 0, 0, 2, 2, 2, 2, 0, 0, 0]]
    with pytest.raises(NotImplementedError, match="ROC"):
        static.auc(p, label, curve="PR")
    with pytest.raises(ValueError, match="probabilities"):
        exe.run(main, feed={"p": scores + 1, "l": right}, fetch_list=[whole])


def test_area_of_the_last_batches(programs):
    main, startup = programs
    p, label = static.data("p", [None, 2]), static.data("l", [None, 1], "int64")
    _, last, _ = static.auc(p, label, num_thresholds=100, slide_steps=2)
    exe = static.Executor()
    exe.run(startup)
    found = [float(exe.run(main, feed={"p": a, "l": b}, fetch_list=[last])[0]) for a, b in BATCHES]
    metric = paddle.metric.Auc(num_thresholds=100)
    with paddle.ops.core.trace.using(paddle.dygraph.eager.EAGER):
        for scores, right in BATCHES[1:]:
            metric.update(scores, right)
    np.testing.assert_allclose(found[-1], metric.accumulate())


@pytest.mark.parametrize("auc", [static.auc, proa.fluid.layers.auc])
def test_no_steps_are_all_batches(programs, auc):
    main, startup = programs
    p, label = static.data("p", [None, 2]), static.data("l", [None, 1], "int64")
    whole, last, stats = auc(p, label, num_thresholds=7, slide_steps=0)
    exe = static.Executor()
    exe.run(startup)
    for a, b in BATCHES:
        found = exe.run(main, feed={"p": a, "l": b}, fetch_list=[whole, last, *stats])
        assert found[0] == found[1] and [s.shape for s in found[2:]] == [(1, 8)] * 4
        np.testing.assert_array_equal(found[2], found[4])


def test_accuracy_and_its_counts(programs):
    main, _ = programs
    p, label = static.data("p", [None, 3]), static.data("l", [None, 1], "int64")
    counts = [main.global_block().create_var(name, [], "int32") for name in ("correct", "total")]
    part = static.accuracy(p, label, k=2, correct=counts[0], total=counts[1])
    feed = {"p": np.array([[0.1, 0.2, 0.7], [0.5, 0.4, 0.1], [0.3, 0.3, 0.4]], "float32"),
            "l": np.array([[1], [2], [2]])}
    found = static.Executor().run(main, feed=feed, fetch_list=[part, *counts])
    np.testing.assert_allclose(float(found[0]), 2 / 3, rtol=1e-6)
    assert [int(a) for a in found[1:]] == [2, 3]


def test_click_rates_add_up(programs):
    main, startup = programs
    p, label = static.data("p", [None, 1]), static.data("l", [None, 1])
    sums = static.ctr_metric_bundle(p, label)
    exe = static.Executor()
    exe.run(startup)
    scores, right = RANDOM.rand(4, 1).astype("float32"), np.array([[1], [0], [0], [1]], "float32")
    for times in (1, 2):
        found = exe.run(main, feed={"p": scores, "l": right}, fetch_list=list(sums))
    expected = [((scores - right) ** 2).sum(), np.abs(scores - right).sum(), scores.sum(),
                (1 / (1 + np.exp(-scores))).sum(), right.sum(), 4]
    np.testing.assert_allclose([float(a[0]) for a in found], np.array(expected) * times, rtol=1e-5)


def test_averages_stand_in_for_parameters(programs):
    main, startup = programs
    one = paddle.nn.initializer.Constant(1.0)
    out = static.nn.fc(static.data("x", [None, 1]), 1, bias_attr=False, weight_attr=one)
    paddle.optimizer.SGD(0.1).minimize(out.mean())
    average = static.ExponentialMovingAverage(0.9)
    average.update()
    exe, scope = static.Executor(), static.global_scope()
    exe.run(startup)

    def weight():
        return float(np.array(scope.find_var("fc_0.w_0").get_tensor())[0, 0])

    found = []
    for _ in range(3):
        exe.run(main, feed={"x": np.ones((1, 1), "float32")})
        with average.apply(exe):
            found.append(weight())
    np.testing.assert_allclose(found, [0.9, 0.8473683, 0.7929888], rtol=1e-6)  # as PaddlePaddle 2.6.2
    np.testing.assert_allclose(weight(), 0.7, rtol=1e-6)
    with average.apply(exe, need_restore=False):
        pass
    np.testing.assert_allclose(weight(), found[-1], rtol=1e-6)
    average.restore(exe)
    np.testing.assert_allclose(weight(), 0.7, rtol=1e-6)
    kept = [v.name for v in main.list_vars() if v.persistable and "ema" in v.name.lower()]
    assert sorted(kept) == ["@EMA_STEP_COUNTER@", "fc_0.w_0_ema_0", "scheduled_ema_decay_rate"]
    assert np.array(scope.find_var("@EMA_STEP_COUNTER@").get_tensor()).tolist() == [3]


def test_averages_are_called_as_paddle_calls_them(programs):
    static.create_parameter([1], "float32", name="w")
    for name in ("mine", "f.", None):
        static.ExponentialMovingAverage(0.9, name=name).update()
    kept = [v.name for v in programs[0].list_vars() if v.persistable and "ema" in v.name.lower()]
    assert {"@EMA_STEP_COUNTER@", "scheduled_ema_decay_rate", "minew_ema_0", "f.w_ema_0", "w_ema_0"} <= set(kept)


def test_averages_are_those_of_the_decay_that_updates_have(programs):
    main, startup = programs
    w = static.create_parameter([1], "float32", name="w", default_initializer=paddle.nn.initializer.Constant(1.0))
    average = static.ExponentialMovingAverage(0.999)  # as float32 0.99900001, and what is left of 1 is 1.3e-5 less
    average.update()
    exe, scope = static.Executor(), static.global_scope()
    exe.run(startup)
    for _ in range(3):
        exe.run(main, fetch_list=[w])
    with average.apply(exe):
        np.testing.assert_allclose(np.array(scope.find_var("w").get_tensor()), [1.0], rtol=1e-6)


def _kept(scope, *names):
    return [float(np.array(scope.find_var(name).get_tensor()).ravel()[0]) for name in names]


@pytest.mark.parametrize("window", (False, True))
def test_averages_of_batch_normalization(programs, window):
    """Its mean and variance are averaged as its weights are; what asks for no average keeps its value."""
    main, startup = programs
    out = static.nn.batch_norm(static.data("x", [None, 1]), bias_attr=paddle.ParamAttr(do_model_average=False))
    paddle.optimizer.SGD(0.1).minimize(out.mean())
    if window:
        average = paddle.incubate.ModelAverage(1.0, min_average_window=2, max_average_window=10)
    else:
        average = static.ExponentialMovingAverage(0.9)
        average.update()
    exe, scope = static.Executor(), static.global_scope()
    exe.run(startup)
    names = ("batch_norm_0.b_0", "batch_norm_0.w_1", "batch_norm_0.w_2")
    seen = []
    for step in range(2):
        exe.run(main, feed={"x": np.float32([[0], [2 + step]])})
        seen.append(_kept(scope, *names))
    (_, one, first), (bias, two, second) = seen
    shares = (0.5, 0.5) if window else (0.09 / 0.19, 0.1 / 0.19)
    with average.apply(exe):
        expected = [bias, *(np.dot(shares, pair) for pair in ((one, two), (first, second)))]
        np.testing.assert_allclose(_kept(scope, *names), expected, rtol=1e-6)
    np.testing.assert_allclose(_kept(scope, *names), (bias, two, second), rtol=1e-6)


def test_averages_whose_decay_grows(programs):
    main, startup = programs
    steps = static.create_global_var([1], 0, "int64", persistable=True)
    paddle.increment(steps)
    w = static.create_parameter([1], "float32", name="w", default_initializer=paddle.nn.initializer.Constant(2.0))
    paddle.optimizer.SGD(0.5).minimize(w.sum())
    average = static.ExponentialMovingAverage(0.999, thres_steps=steps)
    with pytest.raises(RuntimeError, match="update"):
        average.apply(None).__enter__()
    average.update()
    exe = static.Executor()
    exe.run(startup)
    total, left, value = 0.0, 1.0, 2.0
    for step in (1, 2, 3):
        exe.run(main)
        value -= 0.5
        decay = (1 + step) / (10 + step)
        total, left = decay * total + (1 - decay) * value, left * decay
        with average.apply(exe):
            found = float(np.array(static.global_scope().find_var("w").get_tensor())[0])
        np.testing.assert_allclose(found, total / (1 - left), rtol=1e-5)
    with pytest.raises(ValueError, match="decay"):
        static.ExponentialMovingAverage(1.5)


def test_averages_of_no_program_are_refused():
    with pytest.raises(RuntimeError, match="enable_static"):
        static.ExponentialMovingAverage(0.9)
