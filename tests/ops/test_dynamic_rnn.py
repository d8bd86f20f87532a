"""Generated loops of lstm and gru over packed rows against the kernels on namespaces, where sizes fit no block."""

import numpy as np
import pytest
from proa.backend import loops
from proa.ops.nn import dynamic_rnn
from proa.ops.nn.dynamic_rnn_kernels import ACTIVATIONS

pytestmark = pytest.mark.skipif(not loops.is_ready(), reason="there are no generated loops")

LENGTHS = {"one": [90], "several": [31, 5, 47, 0, 12, 1, 1, 0, 22], "many": list(range(40))}
LSTM = {"gate_activation": "sigmoid", "cell_activation": "tanh", "candidate_activation": "tanh"}
GRU = {"gate_activation": "sigmoid", "activation": "tanh"}


def drawn(*shape):
    return np.random.default_rng(sum(shape)).uniform(-0.5, 0.5, shape).astype("float32")


def offsets(name):
    return np.append(0, np.cumsum(LENGTHS[name]))


def same(found, wanted):
    assert found is not NotImplemented
    for a, b in zip(found, wanted, strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert (a.shape, a.dtype) == (b.shape, b.dtype)
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5 * max(1, float(abs(b).max(initial=0))))


@pytest.mark.parametrize("hidden", [15, 33])
@pytest.mark.parametrize("states", [False, True])
@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("lengths", LENGTHS)
def test_lstm(lengths, is_reverse, states, hidden):
    lod = [offsets(lengths)]
    rows, count = int(lod[0][-1]), len(lod[0]) - 1
    h0, c0 = (drawn(count, hidden), drawn(count, hidden)) if states else (None, None)
    peepholes = hidden == 33
    attrs = {**LSTM, "is_reverse": is_reverse, "use_peepholes": peepholes}
    x, weight, bias = drawn(rows, 4 * hidden), drawn(hidden, 4 * hidden), drawn(1, (7 if peepholes else 4) * hidden)
    wanted = dynamic_rnn._lstm(np, x, h0, c0, weight, bias, lod, **attrs)
    same(dynamic_rnn._lstm_by_loops(x, h0, c0, weight, bias, lod, **attrs), wanted)
    out, cells, gates, shown = wanted
    kept = (h0, c0, weight, bias, gates, cells, shown, out, drawn(rows, hidden), drawn(rows, hidden), lod)
    same(dynamic_rnn._lstm_grad_by_loops(*kept, **attrs), dynamic_rnn._lstm_grad(np, *kept, **attrs))


@pytest.mark.parametrize("hidden", [20, 33])
@pytest.mark.parametrize("states", [False, True])
@pytest.mark.parametrize("is_reverse", [False, True])
@pytest.mark.parametrize("lengths", LENGTHS)
def test_gru(lengths, is_reverse, states, hidden):
    lod = [offsets(lengths)]
    rows, count = int(lod[0][-1]), len(lod[0]) - 1
    h0 = drawn(count, hidden) if states else None
    attrs = {**GRU, "is_reverse": is_reverse, "origin_mode": hidden == 33}
    bias = None if hidden == 20 else drawn(1, 3 * hidden)
    x, weight = drawn(rows, 3 * hidden), drawn(hidden, 3 * hidden)
    wanted = dynamic_rnn._gru(np, x, h0, weight, bias, lod, **attrs)
    same(dynamic_rnn._gru_by_loops(x, h0, weight, bias, lod, **attrs), wanted)
    kept = (h0, weight, bias, *wanted[1:], drawn(rows, hidden), lod)
    same(dynamic_rnn._gru_grad_by_loops(*kept, **attrs), dynamic_rnn._gru_grad(np, *kept, **attrs))


@pytest.mark.parametrize(("gate", "cell", "candidate"), [
    ("sigmoid", "sigmoid", "relu"), ("tanh", "identity", "sigmoid"), ("relu", "tanh", "identity")])
def test_activations_of_lstm(gate, cell, candidate):
    lod, hidden = [offsets("several")], 20
    rows = int(lod[0][-1])
    attrs = {"gate_activation": gate, "cell_activation": cell, "candidate_activation": candidate,
             "is_reverse": False, "use_peepholes": True}
    x, weight, bias = drawn(rows, 4 * hidden), drawn(hidden, 4 * hidden) / 10, drawn(1, 7 * hidden)
    wanted = dynamic_rnn._lstm(np, x, None, None, weight, bias, lod, **attrs)
    same(dynamic_rnn._lstm_by_loops(x, None, None, weight, bias, lod, **attrs), wanted)
    out, cells, gates, shown = wanted
    kept = (None, None, weight, bias, gates, cells, shown, out, drawn(rows, hidden), drawn(rows, hidden), lod)
    same(dynamic_rnn._lstm_grad_by_loops(*kept, **attrs), dynamic_rnn._lstm_grad(np, *kept, **attrs))


def test_parts_of_wider_arrays():
    lod, hidden = [np.array([0, 50, 80])], 20
    x, weight, bias = drawn(80, 6 * hidden)[:, ::2], drawn(hidden, 3 * hidden), drawn(1, 3 * hidden)
    wanted = dynamic_rnn._gru(np, x, None, weight, bias, lod, **GRU)
    same(dynamic_rnn._gru_by_loops(x, None, weight, bias, lod, **GRU), wanted)
    kept = (None, weight, bias, *wanted[1:], drawn(80, 2 * hidden)[:, hidden:], lod)
    attrs = {**GRU, "is_reverse": False, "origin_mode": False}
    same(dynamic_rnn._gru_grad_by_loops(*kept, **attrs), dynamic_rnn._gru_grad(np, *kept, **attrs))


def test_other_activations_and_dtypes_are_left_to_the_kernels():
    lod, hidden = [np.array([0, 80])], 20
    x, weight, bias = drawn(80, 3 * hidden), drawn(hidden, 3 * hidden), drawn(1, 3 * hidden)
    for name in set(ACTIVATIONS) - {"tanh"}:
        found = dynamic_rnn._gru_by_loops(x, None, weight, bias, lod, activation=name)
        assert found is NotImplemented
    assert dynamic_rnn._gru_by_loops(x.astype("float64"), None, weight, bias, lod) is NotImplemented
