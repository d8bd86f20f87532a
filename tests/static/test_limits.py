"""What a loaded model may take: memory and rounds of loops, however it was loaded and is run."""

import gc

import numpy as np
import proa as paddle
import proa.fluid as fluid
import pytest
from proa.core.limits import LimitError
from proa.static import InputSpec


def looping(x, count):
    rounds = paddle.zeros([1], "int64")
    while rounds < count:
        x = x * 0.5
        rounds += 1
    return x


def nested(x, count):
    outer = paddle.zeros([1], "int64")
    while outer < count:
        inner = paddle.zeros([1], "int64")
        while inner < count:
            x = x * 0.5
            inner += 1
        outer += 1
    return x


class Layer(paddle.nn.Layer):
    def __init__(self, function):
        super().__init__()
        self.fc, self.function = paddle.nn.Linear(4, 4), function

    def forward(self, x, count):
        return self.function(self.fc(x), count)


X = np.ones([3, 4], "float32")


def count(number):
    return np.array([number], "int64")


@pytest.fixture
def saved(tmp_path):
    def save(function, name="net"):
        prefix = str(tmp_path / name)
        paddle.jit.save(Layer(function), prefix, input_spec=[InputSpec([None, 4], "float32", "x"),
                                                             InputSpec([1], "int64", "count")])
        return prefix

    return save


def by_translated(prefix, **limits):
    layer = paddle.jit.load(prefix, **limits)
    return lambda x, n: layer(paddle.to_tensor(x), paddle.to_tensor(n)).numpy()


def by_training(prefix, **limits):
    layer = paddle.jit.load(prefix, **limits)
    layer.train()

    def run(x, n):
        y = layer(paddle.to_tensor(x), paddle.to_tensor(n))
        y.sum().backward()
        return y.numpy()

    return run


def by_conversion(prefix, **limits):
    layer = paddle.jit.load(prefix, **limits)
    converted = paddle.jit.to_static(lambda x, n: layer(x, n) + 0.0)
    return lambda x, n: converted(paddle.to_tensor(x), paddle.to_tensor(n)).numpy()


def by_predictor(prefix, memory_limit_mb=None, loop_limit=None):
    config = paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    config.set_memory_limit_mb(memory_limit_mb)
    config.set_loop_limit(loop_limit)
    assert (config.memory_limit_mb(), config.loop_limit()) == (memory_limit_mb, loop_limit)
    predictor = paddle.inference.create_predictor(config).clone()
    return lambda x, n: predictor.run([x, n])[0].numpy()


def by_executor(prefix, **limits):
    exe, scope = paddle.static.Executor(paddle.CPUPlace()), paddle.static.Scope()
    with paddle.static.scope_guard(scope):
        program, feeds, fetches = paddle.static.load_inference_model(prefix, exe, **limits)

    def run(x, n):
        with paddle.static.scope_guard(scope):
            return exe.run(program, dict(zip(feeds, (x, n), strict=True)), fetches)[0]

    return run


WAYS = [by_translated, by_training, by_conversion, by_predictor, by_executor]


@pytest.mark.parametrize("way", WAYS)
def test_rounds(saved, way):
    prefix = saved(looping)
    run = way(prefix, loop_limit=20)
    expected = by_translated(prefix)(X, count(20))
    np.testing.assert_allclose(run(X, count(20)), expected, rtol=1e-6)
    for _ in range(2):
        with pytest.raises(LimitError, match=r"(?s)have run 20 rounds.*jit.load\(path, loop_limit=…\).*'while'"):
            run(X, count(21))
        run(X, count(20))  # each run begins anew


@pytest.mark.parametrize("way", WAYS)
def test_rounds_of_all_loops_count_together(saved, way):
    run = way(saved(nested), loop_limit=20)
    run(X, count(4))
    with pytest.raises(LimitError):
        run(X, count(5))


def growing(x, count):
    return paddle.full([paddle.to_tensor(0) + count.sum()], 1.0) + x.sum()


def repeated(x, count):
    return paddle.tile(x, paddle.concat([count, paddle.ones([1], "int64")]))


def remembering(x, count):
    rounds, found = paddle.zeros([1], "int64"), []
    while rounds < count:
        found.append(x + paddle.zeros([100_000, 4]))
        rounds += 1
    return paddle.concat(found, 0)


@pytest.mark.parametrize("function, few, many", [(growing, 1000, 2**40), (growing, 1000, 2**24),
                                                 (repeated, 1000, 2**33), (remembering, 3, 30)])
@pytest.mark.parametrize("way", WAYS)
def test_memory(saved, way, function, few, many):
    run = way(saved(function), memory_limit_mb=20)
    x = X[:1]
    expected = run(x, count(few))
    with pytest.raises(LimitError, match=r"(?s)may take 20 MB.*memory_limit_mb.*in the operation"):
        run(x, count(many))
    np.testing.assert_array_equal(run(x, count(few)), expected)


def test_results_that_a_user_keeps_do_not_count(saved):
    layer = paddle.jit.load(saved(repeated), memory_limit_mb=4)
    kept = [layer(paddle.to_tensor(X), paddle.to_tensor(count(10_000))) for _ in range(20)]
    assert len(kept) == 20 and kept[-1].shape == [30_000, 4]


def test_values_that_are_gone_do_not_count(saved):
    """100 rounds make 160 MB, and hold 3."""
    run = by_predictor(saved(looping), memory_limit_mb=6)
    run(np.ones([100_000, 4], "float32"), count(100))
    gc.collect()


def test_a_large_result_is_told_when_the_plan_is_made(tmp_path):
    prefix = str(tmp_path / "net")
    paddle.jit.save(paddle.jit.to_static(lambda x: paddle.full([3_000_000], 1.0) + x), prefix,
                    input_spec=[InputSpec([1], "float32", "x")])
    layer = paddle.jit.load(prefix, memory_limit_mb=8)
    with pytest.raises(LimitError, match=r"float32\[3000000\].*8 MB"):
        layer(paddle.ones([1]))


def test_flags_hold_where_a_loader_is_told_nothing(saved):
    prefix = saved(looping)
    with paddle.core.flags.flags_guard({"FLAGS_loaded_loop_limit": 5}):
        limited, free = by_translated(prefix), by_translated(prefix, loop_limit=0)
    with pytest.raises(LimitError):
        limited(X, count(6))
    free(X, count(50))


def test_own_code_has_no_limit():
    with paddle.core.flags.flags_guard({"FLAGS_loaded_loop_limit": 5, "FLAGS_loaded_memory_limit_mb": 1}):
        assert paddle.jit.to_static(looping)(paddle.ones([2000, 400]), paddle.to_tensor(count(9))).shape == [2000, 400]


def test_lists_and_loops_of_fluid(tmp_path):
    main, startup, exe = fluid.Program(), fluid.Program(), fluid.Executor(fluid.CPUPlace())
    with fluid.scope_guard(fluid.Scope()), fluid.program_guard(main, startup):
        end = fluid.data("end", [1], "int64")
        at = fluid.layers.fill_constant([1], "int64", 0)
        total = fluid.layers.fill_constant([300_000], "float32", 0.0)
        array = fluid.layers.array_write(total, at)
        condition = fluid.layers.less_than(at, end)
        loop = fluid.layers.While(condition)
        with loop.block():
            fluid.layers.increment(at)
            fluid.layers.array_write(total + 1.0, at, array)
            fluid.layers.less_than(at, end, cond=condition)
        fluid.io.save_inference_model(str(tmp_path), ["end"], [fluid.layers.array_length(array)], exe, main)
    for limits, message in (({"loop_limit": 10}, "have run 10 rounds"), ({"memory_limit_mb": 20}, "may take 20 MB")):
        with fluid.scope_guard(fluid.Scope()):
            program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), exe, **limits)
            assert exe.run(program, {"end": count(10)}, fetches)[0].tolist() == [11]
            with pytest.raises(LimitError, match=message):
                exe.run(program, {"end": count(30)}, fetches)


def test_a_place_far_behind_the_end_of_a_list():
    from proa.ops.program.tensor_arrays import ArrayValue

    with pytest.raises(ValueError, match="write_to_array: the place 2147483647 lies too far"):
        ArrayValue([X]).written(2**31 - 1, X)
    with pytest.raises(ValueError, match="write_to_array: a place in a list is 0 or more. Received -1"):
        ArrayValue([X]).written(-1, X)
