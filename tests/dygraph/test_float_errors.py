"""Floating-point errors are values, infinity and NaN: NumPy tells of none of them, and the user's own state stays."""

import threading

import numpy as np
import proa as paddle
import pytest

pytestmark = pytest.mark.filterwarnings("error")

SIZES = (3, 4000)
ONE = {
    "1 / x": (lambda x: 1 / x, np.inf), "x / 0": (lambda x: x / 0, np.nan), "x / x": (lambda x: x / x, np.nan),
    "log": (paddle.log, -np.inf), "sqrt": (lambda x: paddle.sqrt(x - 1), np.nan), "rsqrt": (paddle.rsqrt, np.inf),
    "x * 3e38 * 1e5": (lambda x: (x + 1) * 3e38 * 1e5, np.inf), "exp": (lambda x: paddle.exp(x + 1e3), np.inf),
    "x % 0": (lambda x: x % 0.0, np.nan), "x // x": (lambda x: x // x, np.nan), "x ** -1": (lambda x: x ** -1, np.inf),
    "pow": (lambda x: paddle.pow(x - 1, 0.5), np.nan), "acos": (lambda x: paddle.acos(x + 2), np.nan),
    "mean of nothing": (lambda x: x[:0].mean() + x, np.nan), "inf - inf": (lambda x: x / 0.5 + np.inf - np.inf, np.nan),
    "softmax": (lambda x: paddle.nn.functional.softmax(x - np.inf), np.nan),
    "to float16": (lambda x: (x + 1e30).astype("float16"), np.inf),
    "matmul": (lambda x: paddle.matmul((x + 1e38).reshape([1, -1]), (x + 1e38).reshape([-1, 1]))[0] + x, np.inf),
    "index_add": (lambda x: paddle.index_add(x + 3e38, paddle.arange(x.shape[0]), 0, x + 3e38), np.inf),
    "divide by a column": (lambda x: (x.reshape([1, -1]) / paddle.zeros([2, 1]))[0], np.nan),
    "logsumexp": (lambda x: paddle.logsumexp(x - np.inf) + x, -np.inf),
    "float64": (lambda x: 1 / x.astype("float64"), np.inf),
}


def same(found, number, x):
    wanted = np.full(x.shape, number)
    np.testing.assert_array_equal(found.numpy().astype("float64"), wanted)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("size", SIZES)
def test_operators_tell_nothing(name, size):
    of, number = ONE[name]
    x = paddle.zeros([size])
    same(of(x), number, x)
    with np.errstate(all="raise"):  # a state that the user set for code of his own
        same(of(x), number, x)
        with paddle.no_grad():
            same(of(x), number, x)
    converted = paddle.jit.to_static(lambda x: of(x), full_graph=True)
    for _ in range(2):
        same(converted(x), number, x)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("of", [paddle.log, paddle.sqrt, lambda x: 1 / x, lambda x: x / x, paddle.rsqrt])
def test_gradients_tell_nothing(of, size):
    for create_graph in (False, True):
        x = paddle.zeros([size])
        x.stop_gradient = False
        [g] = paddle.grad(of(x).sum(), [x], create_graph=create_graph)
        assert not np.isfinite(g.numpy()).any()
        of(x).sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), g.numpy())


@pytest.mark.parametrize(
    "kind", ["SGD", "Momentum", "Adam", "AdamW", "RMSProp", "Adagrad", "Lamb", "Adadelta", "Adamax"])
def test_steps_tell_nothing(kind):
    w = paddle.create_parameter([300], "float32")
    optimizer = getattr(paddle.optimizer, kind)(
        learning_rate=1.0, parameters=[w], grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0))
    (w * float("inf")).sum().backward()
    optimizer.step()
    assert np.isnan(w.numpy()).any()


def test_data_that_a_dtype_cannot_hold_tell_nothing():
    assert paddle.to_tensor([1e300]).tolist() == paddle.full([1], 1e300).tolist() == [np.inf]
    assert paddle.to_tensor(np.array([-1e300]), dtype="float32").tolist() == [-np.inf]
    assert paddle.to_tensor([1e300 + 0j]).numpy()[0].real == np.inf
    assert paddle.to_tensor([np.nan]).astype("int32").dtype == paddle.int32


def test_the_users_own_state_stays():
    x, told = paddle.zeros([3]), []
    own = np.zeros(3)

    class Layer(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            raise ArithmeticError("on its way")


    x.stop_gradient = False
    with pytest.raises(ArithmeticError):
        Layer.apply(x).sum().backward()
    with pytest.raises(ValueError, match="inner dimensions"):
        paddle.matmul(paddle.zeros([2, 3]), paddle.zeros([2, 3]))
    1 / x
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="divide by zero"):
            told.append(1 / own)
        with np.errstate(all="raise"):
            1 / x
            with pytest.raises(FloatingPointError):
                1 / own
    thread = threading.Thread(target=lambda: told.append((1 / x).tolist()))
    thread.start()
    thread.join()
    assert told[-1] == [np.inf] * 3
