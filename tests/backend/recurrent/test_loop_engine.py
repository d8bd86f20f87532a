"""Recurrent layers as generated loops give what they give as NumPy's calls, whatever the sizes and strides."""

import numpy as np
import pytest
from proa.backend import loops, threads
from proa.backend.recurrent import (
    GATES,
    ArrayEngine,
    LoopEngine,
    Plan,
    Stack,
    calling,
    loop_engine,
    takes,
    weight_gradients,
)

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason="generated loops need llvmlite")

SIZES = {  # layers, directions, steps, batch, features, hidden
    "whole blocks": (1, 1, 7, 8, 16, 16),
    "odd": (2, 2, 6, 7, 3, 10),
    "one sequence": (1, 2, 5, 1, 4, 33),
    "one sequence, wide": (1, 1, 4, 1, 30, 66),
    "one row behind blocks": (1, 1, 4, 9, 21, 34),
    "one step": (3, 1, 1, 5, 4, 20),
    "many rows": (2, 2, 9, 33, 17, 12),
}


@pytest.fixture(params=[1, 2])
def count(request):
    """With one thread and with two, which share even little work."""
    before = threads.get_num_threads()
    threads.set_num_threads(request.param)
    yield request.param
    threads.set_num_threads(before)


class Case:
    """A stack with random values, for either engine."""

    def __init__(self, mode, layers, directions, steps, batch, features, hidden, lengths=False, keep=False):
        self.rng = np.random.default_rng(0)
        self.plan = Plan(mode, layers, directions, hidden, steps, batch)
        count, gates = layers * directions, GATES[mode] * hidden
        self.x = self.floats(batch, steps, features).transpose(1, 0, 2)
        self.states = [self.floats(count, batch, hidden) for _ in range(2 if mode == "LSTM" else 1)]
        inputs = [features if n < directions else directions * hidden for n in range(count)]
        self.weights = [w for own in inputs for w in (self.floats(gates, own), self.floats(gates, hidden))]
        self.weights += [self.floats(gates) for _ in range(2 * count)]
        self.lengths = self.rng.integers(0, steps + 1, batch) if lengths else None
        self.keep = self.rng.random((layers - 1, steps, batch, directions * hidden)) > 0.3 if keep else None
        width = directions * hidden
        self.grad_out = np.broadcast_to(self.floats(batch, 1, width), (batch, steps, width)).transpose(1, 0, 2)
        self.grad_states = [self.floats(*s.shape) for s in self.states]

    def floats(self, *shape):
        return (self.rng.standard_normal(shape) * 0.4).astype("float32")

    def run(self, engine):
        stack = Stack(engine, self.plan, self.x, self.states, self.weights, self.lengths, self.keep, 0.3)
        reserve = np.empty(self.plan.size, "float32")
        out, finals = stack.forward(reserve)
        of_x, of_states, of_weights = stack.backward(reserve, out, self.grad_out, self.grad_states)
        tested = stack.forward(None)
        return [out, *finals, of_x, *of_states, *of_weights, tested[0], *tested[1]]

    def check(self):
        for n, (found, expected) in enumerate(zip(self.run(LoopEngine()), self.run(ArrayEngine(np)), strict=True)):
            assert found.shape == expected.shape and found.dtype == expected.dtype, n
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5, err_msg=str(n))


@pytest.mark.parametrize("lengths", [False, True], ids=["whole", "lengths"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", GATES)
def test_equals_the_arrays(mode, size, lengths, count):
    Case(mode, *SIZES[size], lengths=lengths).check()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mode", GATES)
def test_nothing_is_read_of_what_a_call_before_has_left(mode, size):
    case = Case(mode, *SIZES[size])
    before = case.run(LoopEngine())
    for left in calling._kept.arrays.values():
        left.fill(np.nan)
    for found, expected in zip(case.run(LoopEngine()), before, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", GATES)
def test_the_number_of_threads_changes_no_bit(mode):
    before, found = threads.get_num_threads(), []
    for count in (1, 2, 3):
        threads.set_num_threads(count)
        found.append(Case(mode, 1, 1, 30, 33, 17, 12).run(LoopEngine()))
    threads.set_num_threads(before)
    for one, *others in zip(*found, strict=True):
        assert all(np.array_equal(one, other) for other in others)


def test_dropped_elements():
    Case("LSTM", 2, 2, 6, 7, 3, 10, keep=True).check()


@pytest.mark.parametrize("mode", GATES)
def test_weights_too_large_to_stay_near(mode, monkeypatch):
    """The inputs' part is then computed before the sweep, and gradients of weights as large products."""
    monkeypatch.setattr(loop_engine, "_FITS", 0)
    monkeypatch.setattr(weight_gradients, "_MOST", 0)
    Case(mode, 2, 2, 6, 7, 3, 10, lengths=True).check()


def test_several_chunks_of_rows(count):
    Case("GRU", 1, 1, 70, 12, 18, 5).check()


def test_large_values_saturate():
    case = Case("LSTM", *SIZES["odd"])
    case.x = case.x * 1e4
    for found, expected in zip(case.run(LoopEngine())[:3], case.run(ArrayEngine(np))[:3], strict=True):
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_what_is_taken():
    x, plan = np.zeros((8, 32, 4), "float32"), Plan("LSTM", 1, 1, 16, 8, 32)
    assert takes("forward", plan, x)
    assert not takes("forward", plan, x, x.astype("float64"))
    assert not takes("forward", Plan("LSTM", 1, 1, 16, 4, 1), x)
