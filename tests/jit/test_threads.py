"""One converted function in several threads: first calls at once, different kinds of calls, training, failures."""

import threading
import warnings

import numpy as np
import proa as paddle
import pytest
from proa import nn
from proa.jit import FallbackWarning


def in_threads(work, count=4):
    """Runs `work(number)` in threads that start together; their results by number."""
    found, failed = {}, []
    barrier = threading.Barrier(count)

    def run(number):
        try:
            barrier.wait()
            found[number] = work(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    return found


def batch(seed, rows):
    return paddle.to_tensor(np.random.RandomState(seed).randn(rows, 3).astype("float32"))


def test_first_calls_at_once_trace_once():
    @paddle.jit.to_static(full_graph=True)
    def function(x):
        if x.sum() > 0:
            x = x * 2
        return x + 1

    for number, value in in_threads(lambda n: function(paddle.full([2], float(n))).tolist()).items():
        assert value == [2.0 * number + 1] * 2
    assert function.get_traced_count() == 1


def test_gradients_in_every_thread():
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    converted = paddle.jit.to_static(net, full_graph=True)

    def work(number):
        found = []
        for turn in range(5):
            x = batch(number * 10 + turn, 1 + number % 3)
            x.stop_gradient = False
            (gradient,) = paddle.grad(converted(x).sum(), x)
            found.append(gradient.numpy())
        return found

    found = in_threads(work)
    net.forward.rollback()
    for number, gradients in found.items():
        for turn, gradient in enumerate(gradients):
            x = batch(number * 10 + turn, 1 + number % 3)
            x.stop_gradient = False
            (wanted,) = paddle.grad(net(x).sum(), x)
            np.testing.assert_allclose(gradient, wanted.numpy(), rtol=1e-5, atol=1e-6)


def test_a_layer_for_each_thread():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 1, nn.initializer.Constant(0.5))  # draws come in any order in several threads
            self.register_buffer("calls", paddle.zeros([1]))

        @paddle.jit.to_static(full_graph=True)
        def forward(self, x):
            self.calls = self.calls + 1
            y = self.fc(x)
            return y * 2 if y.mean() > 0 else y

    def work(number):
        net = Net()
        sgd = paddle.optimizer.SGD(0.05, parameters=net.parameters())
        losses = []
        for _ in range(8):
            loss = (net(batch(number, 4)) ** 2).mean()
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            losses.append(float(loss))
        return losses, float(net.calls)

    for losses, calls in in_threads(work).values():
        assert losses[-1] < losses[0] and calls == 8.0


def test_failures_in_threads_warn_once():
    def unfit(x):
        return x + x.numpy()

    converted = paddle.jit.to_static(unfit)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        results = in_threads(lambda n: [converted(paddle.full([1], float(n))).item() for _ in range(3)])
    assert results == {n: [2.0 * n] * 3 for n in range(4)}
    assert [w.category for w in given] == [FallbackWarning]


def test_eager_threads_beside_a_trace():
    """What another thread does while one traces is not part of the Program."""
    inside, done = threading.Event(), threading.Event()

    @paddle.jit.not_to_static
    def meet():
        inside.set()
        return done.wait(100)

    def slow(x):
        assert meet()
        return x * 2

    converted = paddle.jit.to_static(paddle.jit.not_to_static(lambda x: x) and slow, full_graph=True)
    results = []
    thread = threading.Thread(target=lambda: results.append(converted(paddle.ones([1]))))
    thread.start()
    assert inside.wait(100)
    y = paddle.ones([1]) + 1
    assert y.item() == 2.0 and y.tolist() == [2.0]
    done.set()
    thread.join()
    assert results[0].item() == 2.0
    assert {op.type for op in converted.main_program.global_block().ops} == {"scale"}


def test_switching_off_is_for_the_process():
    kinds = []

    @paddle.jit.to_static
    def function(x):
        kinds.append(type(x).__name__)
        return x + 1

    paddle.jit.enable_to_static(False)
    try:
        in_threads(lambda n: function(paddle.ones([1])), 2)
    finally:
        paddle.jit.enable_to_static(True)
    assert kinds == ["Tensor", "Tensor"]


pytestmark = pytest.mark.filterwarnings("error")
