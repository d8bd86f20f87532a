"""Records of the recurrent operators, against one sequence at a time in plain NumPy."""

import numpy as np
from proa.ops.core.trace import apply
from proa.ops.nn import cudnn_lstm, rnn
from proa.ops.nn.cell_gates import gru_gates, lstm_gates
from records import Record, floats

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
STEPS, BATCH, FEATURES, HIDDEN = 4, 3, 2, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(mode, x, h, c, w, u, b, d):
    """One step of one sequence."""
    if mode == "GRU":
        (xr, xz, xn), (hr, hz, hn) = np.split(w @ x + b, 3), np.split(u @ h + d, 3)
        z = sigmoid(xz + hz)
        return (1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * h, None
    gates = w @ x + b + u @ h + d
    if mode == "LSTM":
        i, f, g, o = np.split(gates, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    return (np.tanh(gates), None) if mode == "RNN_TANH" else (gates * (gates.real > 0), None)


def sequences(mode, layers, directions, x, states, weights, lengths):
    """The outputs and final states of a stack."""
    half, finals = len(weights) // 2, [np.array(s) for s in states]
    for layer in range(layers):
        outs = []
        for n in range(layer * directions, (layer + 1) * directions):
            out = np.zeros((*x.shape[:2], finals[0].shape[2]), x.dtype)
            four = [*weights[2 * n:2 * n + 2], *weights[half + 2 * n:half + 2 * n + 2]]
            for b in range(x.shape[1]):
                length = x.shape[0] if lengths is None else lengths[b]
                h, c = finals[0][n, b], finals[-1][n, b]
                for t in range(length) if n % directions == 0 else reversed(range(length)):
                    h, c = step(mode, x[t, b], h, c, *four)
                    out[t, b] = h
                finals[0][n, b] = h
                if len(finals) > 1:
                    finals[1][n, b] = c
            outs.append(out)
        x = np.concatenate(outs, axis=2)
    return [x, *finals]


def attributes(mode, layers, directions):
    return {"mode": mode, "num_layers": layers, "is_bidirec": directions == 2, "hidden_size": HIDDEN}


def arrays(mode, layers, directions):
    """Input, states and weights."""
    count, gates = layers * directions, GATES[mode] * HIDDEN
    states = [floats(count, BATCH, HIDDEN, seed=9 + n) for n in range(2 if mode == "LSTM" else 1)]
    matrices, biases = [], []
    for n in range(count):
        own = FEATURES if n < directions else directions * HIDDEN
        matrices += [floats(gates, own, seed=20 + n), floats(gates, HIDDEN, seed=30 + n)]
        biases += [floats(gates, seed=40 + n), floats(gates, seed=50 + n)]
    return [floats(STEPS, BATCH, FEATURES), *states, *matrices, *biases]


class Case:
    """A stack, as the function and the reference of a record."""

    def __init__(self, mode, layers=1, directions=1, lengths=None, **more):
        self.mode, self.layers, self.directions, self.more = mode, layers, directions, more
        self.attrs = attributes(mode, layers, directions)
        self.inputs = arrays(mode, layers, directions)
        self.count = 2 if mode == "LSTM" else 1
        if lengths is not None:
            self.inputs.append(np.array(lengths, "int64"))
        self.has_lengths = lengths is not None

    def slots(self, values):
        lengths = values[-1] if self.has_lengths else None
        end = len(values) - self.has_lengths
        return values[0], list(values[1:1 + self.count]), list(values[1 + self.count:end]), lengths

    def apply(self, *values):
        return apply(rnn.rnn_op, *self.slots(values), **self.attrs, **self.more)

    def __call__(self, *values):
        out, states, _, _ = self.apply(*values)
        return [out, *states]

    def results(self, *values):
        return sequences(self.mode, self.layers, self.directions, *self.slots(values))

    def reference(self, *values):
        return self.results(*values)


class Gradient(Case):
    """`rnn_grad` of the same; the last inputs are the gradients of the output and of the states."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.forward_count = len(self.inputs)
        results = self.results(*self.inputs)
        self.inputs = [*self.inputs, *(floats(*r.shape, seed=60 + n) for n, r in enumerate(results))]

    def __call__(self, *values):
        own, grads = values[:self.forward_count], values[self.forward_count:]
        out, _, reserve, keep = self.apply(*[v.detach() for v in own])
        found = apply(rnn.rnn_grad_op, *self.slots(own), out, reserve, keep, grads[0], list(grads[1:]),
                      **self.attrs, dropout_prob=0.0)
        return [found[0], *found[1], *found[2]]

    def reference(self, *values):
        own, grads = values[:self.forward_count], values[self.forward_count:]
        return [self.slope(own, grads, n) for n in range(len(own) - self.has_lengths)]

    def slope(self, own, grads, n):
        """Each element by a complex step."""
        result = np.zeros(own[n].shape)
        for index in np.ndindex(own[n].shape):
            moved = [a.astype(complex) if a.dtype.kind == "f" else a for a in own]
            moved[n][index] += 1e-30j
            found = self.results(*moved)
            result[index] = sum((r * g).sum() for r, g in zip(found, grads, strict=True)).imag / 1e-30
        return result


class SecondGradient(Gradient):
    """`rnn_double_grad` of the same; the last inputs are the direction."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.backward_count = len(self.inputs)
        floating = [a for a in self.inputs[:self.forward_count] if a.dtype.kind == "f"]
        self.inputs = [*self.inputs, *(floats(*a.shape, seed=70 + n) for n, a in enumerate(floating))]

    def __call__(self, *values):
        own, grads = values[:self.forward_count], values[self.forward_count:self.backward_count]
        x, states, weights, _ = self.slots([*values[self.backward_count:], *own[len(own) - self.has_lengths:]])
        found = apply(rnn.rnn_double_grad_op, *self.slots(own), None, grads[0], list(grads[1:]), x, states, weights,
                      **self.attrs, dropout_prob=0.0)
        return [found[0], *found[1], *found[2], found[3], *found[4]]

    def reference(self, *values):
        own, grads = values[:self.forward_count], values[self.forward_count:self.backward_count]

        def moved(step):
            directions = values[self.backward_count:]
            return [a + step * d for a, d in zip(own, directions, strict=False)] + list(own[len(directions):])

        of_rule = zip(*(super(SecondGradient, self).reference(*moved(s), *grads) for s in (1e-5, -1e-5)), strict=True)
        forward = [f.imag / 1e-30 for f in self.results(*moved(1e-30j))]
        return [(high - low) / 2e-5 for high, low in of_rule] + forward


def record(type, case, label, **kwargs):
    return Record(type, case, case.inputs, case.reference, label, batched=(), **kwargs)


RECORDS = [
    record("rnn", Case("LSTM"), "lstm"),
    record("rnn", Case("LSTM", 2, 2, [4, 1, 3]), "lstm, two layers, both directions, lengths"),
    record("rnn", Case("LSTM", is_test=True), "lstm in evaluation"),
    record("rnn", Case("GRU"), "gru"),
    record("rnn", Case("GRU", 2, 2, [2, 0, 4]), "gru, two layers, both directions, lengths"),
    record("rnn", Case("RNN_TANH", 2, 1, [4, 2, 2]), "tanh, two layers, lengths"),
    record("rnn", Case("RNN_RELU", 1, 2), "relu, both directions"),
    record("rnn_grad", Gradient("LSTM", 1, 2, [4, 1, 3]), "lstm", second=False),
    record("rnn_grad", Gradient("GRU"), "gru", second=False),
    record("rnn_grad", Gradient("RNN_TANH"), "tanh", second=False),
    record("rnn_double_grad", SecondGradient("LSTM", 1, 2, [4, 1, 3]), "lstm", differentiable=(), tolerance=1e-6),
    record("rnn_double_grad", SecondGradient("GRU"), "gru", differentiable=(), tolerance=1e-6),
]


class InOneVector:
    """cudnn_lstm of a case: its weights are one vector."""

    def __init__(self, layers, directions, **more):
        self.case = Case("LSTM", layers, directions)
        self.attrs = {"hidden_size": HIDDEN, "num_layers": layers, "is_bidirec": directions == 2,
                      "input_size": FEATURES, **more}
        x, h, c, *weights = self.case.inputs
        self.shapes = [w.shape for w in weights]
        self.inputs = [x, h, c, np.concatenate([w.ravel() for w in weights])]

    def __call__(self, *values):
        return list(apply(cudnn_lstm.cudnn_lstm_op, *values, None, **self.attrs)[:3])

    def reference(self, x, h, c, weight):
        parts, start = [], 0
        for shape in self.shapes:
            parts.append(weight[start:start + int(np.prod(shape))].reshape(shape))
            start += int(np.prod(shape))
        return self.case.reference(x, h, c, *parts)


class GradientOfOneVector(InOneVector):
    """`cudnn_lstm_grad` of the same; the last inputs are the gradients of the results."""

    def __init__(self, *args):
        super().__init__(*args)
        self.gradient = Gradient("LSTM", *args)
        self.inputs = [*self.inputs, *self.gradient.inputs[self.gradient.forward_count:]]

    def __call__(self, *values):
        own, grads = values[:4], values[4:]
        out, _, _, reserve, keep = apply(cudnn_lstm.cudnn_lstm_op, *own, None, **self.attrs)
        attrs = {name: value for name, value in self.attrs.items() if name != "input_size"}
        return list(apply(cudnn_lstm.cudnn_lstm_grad_op, *own, out, reserve, keep, *grads, dropout_prob=0.0, **attrs))

    def reference(self, x, h, c, weight, *grads):
        found = self.gradient.reference(*self.gradient.inputs[:self.gradient.forward_count], *grads)
        return [*found[:3], np.concatenate([g.ravel() for g in found[3:]])]


RECORDS += [
    record("cudnn_lstm", InOneVector(1, 1), "one layer", second=False),
    record("cudnn_lstm", InOneVector(2, 2, is_test=True), "two layers, both directions", second=False),
    record("cudnn_lstm_grad", GradientOfOneVector(1, 2), "both directions", differentiable=()),
]


def gru_reference(x, h, state):
    (xr, xz, xn), (hr, hz, hn) = np.split(x, 3, -1), np.split(h, 3, -1)
    z = sigmoid(xz + hz)
    return (1 - z) * np.tanh(xn + sigmoid(xr + hr) * hn) + z * state


def lstm_reference(x, c):
    i, f, g, o = np.split(x, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(c), c]


RECORDS += [
    Record("gru_gates", gru_gates, [floats(3, 6), floats(3, 6, seed=1), floats(3, 2, seed=2)], gru_reference),
    Record("gru_gates", gru_gates, [floats(3, 6), floats(1, 6, seed=1), floats(1, 2, seed=2)], gru_reference,
           label="one state for all"),
    Record("lstm_gates", lambda x, c: list(lstm_gates(x, c)), [floats(3, 8), floats(3, 2, seed=1)], lstm_reference),
    Record("lstm_gates", lambda x, c: list(lstm_gates(x, c)), [floats(2, 3, 8), floats(1, 2, seed=1)], lstm_reference,
           label="one state for all"),
    Record("lstm_gates", lambda x, c: lstm_gates(x, c)[1], [floats(3, 8), floats(3, 2, seed=1)],
           lambda x, c: lstm_reference(x, c)[1], label="the cell's state alone"),
]
