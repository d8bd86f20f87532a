"""Variables of a Program as axes and sizes: constants are known while it is built, others are an error that says so."""

import numpy as np
import proa as paddle
import pytest
from proa import static
from proa.nn import functional as F
from proa.ops.core.operator import find
from proa.ops.core.trace import current_trace, using
from proa.static.building.trace import ProgramTrace

X = np.random.RandomState(0).rand(2, 3, 4).astype("float32")
IMAGE = np.random.RandomState(1).rand(1, 2, 4, 6).astype("float32")

# Those that PaddlePaddle 2.6.2 takes too; of an image or of X, with the number.
CALLS = {
    "argmax": (lambda x, k: paddle.argmax(x, k), X, 1),
    "argmin": (lambda x, k: paddle.argmin(x, k), X, 1),
    "cumsum": (lambda x, k: paddle.cumsum(x, k), X, 1),
    "sum": (lambda x, k: paddle.sum(x, k), X, 1),
    "sum, listed": (lambda x, k: paddle.sum(x, [k, 0]), X, 1),
    "mean": (lambda x, k: x.mean(k), X, -1),
    "max": (lambda x, k: paddle.max(x, [k]), X, 1),
    "min": (lambda x, k: paddle.min(x, k), X, 1),
    "prod": (lambda x, k: paddle.prod(x, k), X, 1),
    "std": (lambda x, k: paddle.std(x, k), X, 1),
    "squeeze": (lambda x, k: paddle.squeeze(x, k), X[:, :1], 1),
    "unsqueeze": (lambda x, k: paddle.unsqueeze(x, [k]), X, 1),
    "adaptive_avg_pool2d": (lambda x, k: F.adaptive_avg_pool2d(x, [k, 3]), IMAGE, 2),
    "conv2d_transpose": (lambda x, k: F.conv2d_transpose(x, paddle.ones([2, 3, 3, 3]), output_size=[k, 8]), IMAGE, 6),
    "crop": (lambda x, k: paddle.crop(x, [1, k, 2], [0, 0, 0]), X, 2),
    "dropout": (lambda x, k: F.dropout(x, k), X, 0),
}
NUMBERS = {
    "full": lambda k: paddle.full([], k, "int64"),
    "full of one element": lambda k: paddle.full([1], k, "int32"),
    "assign": lambda k: paddle.assign(np.array([k])),
    "computed": lambda k: paddle.full([1], k + 2, "int64") - 2,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_constants_are_axes_and_sizes(call):
    function, array, number = call
    wanted = function(paddle.to_tensor(array), number)
    for make in NUMBERS.values():
        with static.program_guard(static.Program()):
            x = static.data("x", array.shape, array.dtype.name)
            result = function(x, make(number))
            found, = static.Executor().run(feed={"x": array}, fetch_list=[result])
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-6)

    def converted(x):
        return function(x, paddle.full([1], number, "int64"))

    np.testing.assert_allclose(
        paddle.jit.to_static(converted, full_graph=True)(paddle.to_tensor(array)).numpy(), wanted.numpy(), rtol=1e-6)


def test_the_size_of_a_result_that_is_fed():
    function, array, size = CALLS["conv2d_transpose"]
    with static.program_guard(static.Program()):
        x, k = static.data("x", array.shape, array.dtype.name), static.data("k", [1], "int64")
        found, = static.Executor().run(feed={"x": array, "k": np.array([size])}, fetch_list=[function(x, k)])
    np.testing.assert_allclose(found, function(paddle.to_tensor(array), size).numpy(), rtol=1e-6)


def test_what_a_run_decides_is_an_error():
    """Of a number of Python's kind; other functions take what is fed (test_fed_axes.py)."""
    function, array, _ = CALLS["dropout"]
    with static.program_guard(static.Program()):
        x, k = static.data("x", array.shape, array.dtype.name), static.data("k", [1], "int64")
        with pytest.raises(TypeError, match="while the Program is b"):
            function(x, k)


def test_what_is_known():
    with static.program_guard(static.Program()):
        five = paddle.full([1], 5, "int64")
        assert five.known_value().tolist() == [5] and five.tolist() == [5]
        assert int(five * 2 + 1) == 11 and [0, 1, 2][five - 4] == 1 and float(paddle.full([], 0.5)) == 0.5
        assert paddle.concat([five, five]).tolist() == [5, 5]
        assert static.data("x", [1]).known_value() is None and paddle.rand([1]).known_value() is None
        assert paddle.full([1], 0.0).uniform_().known_value() is None
        paddle.assign(five + 1, five)
        assert five.known_value() is None  # it is another number further up
        with pytest.raises(TypeError, match="int\\(x\\)"):
            int(five)


def test_numbers_of_constants():
    """As a network's `__init__` asks for its rates, which a Program is built with."""
    with static.program_guard(static.Program()):
        rates = [rate.item() for rate in paddle.linspace(0, 0.5, 3)]
        assert rates == [0.0, 0.25, 0.5] and all(type(rate) is float for rate in rates)
        table = paddle.to_tensor([[1, 2], [3, 4]])
        assert table.item(1, 0) == 3 and table.item(3) == 4
        with pytest.raises(ValueError, match="size 1"):
            table.item()
        assert table[0, 0] == 1 and not table[1, 1] == 1  # truth values
        with pytest.raises(TypeError, match="x.item"):
            static.data("x", [1]).item()


def test_nothing_is_known_of_what_a_loop_may_change():
    with static.program_guard(static.Program()):
        x, i = static.data("x", [2, 3]), paddle.full([1], 0, "int64")

        def body(i, total):
            assert i.known_value() is None
            with pytest.raises(TypeError, match="int\\(x\\)"):
                int(i)
            two = paddle.full([1], 1, "int64")
            assert two.known_value().tolist() == [1]
            return [i + 1, total + x.sum(two).sum()]

        _, total = static.nn.while_loop(lambda i, total: i < 2, body, [i, paddle.zeros([])])
        found, = static.Executor().run(feed={"x": np.ones((2, 3), "float32")}, fetch_list=[total])
        assert found == 12


def test_an_attribute_is_never_a_variable():
    """A file would hold it, and the kernel be given it."""
    with static.program_guard(static.Program()), using(ProgramTrace(static.default_main_program())):
        x, k = static.data("x", [2, 3]), paddle.full([], 1, "int64")
        current_trace().apply(find("softmax"), (x,), {"axis": k})
        assert type(x.block.ops[-1].attr("axis")) is int
        with pytest.raises(TypeError, match="softmax\\(axis\\)"):
            current_trace().apply(find("softmax"), (x,), {"axis": static.data("k", [1], "int64")})


@pytest.mark.parametrize(("call", "size"), [
    (lambda: paddle.arange(5), 5),
    (lambda: paddle.arange(1, 6, 2), 3),
    (lambda: paddle.arange(0.0, 0.6, 0.1), 6),
    (lambda: paddle.arange(5, 0), 0),
    (lambda: paddle.linspace(0, 1, 7), 7),
    (lambda: paddle.linspace(0, 9, 4, "int32") * 2, 4),
    (lambda: paddle.arange(paddle.full([1], 5, "int64")), -1),
])
def test_a_range_of_numbers_has_a_size(call, size):
    main = static.Program()
    with static.program_guard(main):
        made = call()
        assert made.shape == (size,)
        found = static.Executor().run(main, fetch_list=[made])[0]
    assert len(found) == (5 if size == -1 else size)
