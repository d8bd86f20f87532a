"""Records of recurrent layers over packed rows, and of their single steps; references go sequence by sequence."""

import numpy as np
from proa.ops.core.trace import apply
from proa.ops.nn import attention_lstm, dynamic_rnn, rnn_units
from records import Record, floats

OFFSETS = np.array([0, 3, 3, 4, 9])
ROWS, SEQUENCES, HIDDEN, SIZE = 9, 4, 3, 2


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def relu(x):
    return x * (x > 0)


FUNCTIONS = {"sigmoid": sigmoid, "tanh": np.tanh, "relu": relu, "identity": lambda x: x}


def walk(x, offsets, is_reverse, states, step):
    """What `step(row, states)` gives of each row and passes on."""
    results = []
    for n, (begin, end) in enumerate(zip(offsets[:-1], offsets[1:], strict=True)):
        own, found = [s[n] for s in states], []
        for t in (range(end - 1, begin - 1, -1) if is_reverse else range(begin, end)):
            own = step(x[t], *own)
            found.append(own)
        results += found[::-1] if is_reverse else found
    return [np.array([r[k] for r in results]) for k in range(len(states))]


def gru_step(weight, activation="tanh", gate_activation="sigmoid", origin_mode=False):
    size = len(weight)
    gates, candidate = weight.ravel()[:2 * size * size].reshape(size, -1), weight.ravel()[2 * size * size:]

    def step(row, h):
        u, r = np.split(FUNCTIONS[gate_activation](row[..., :2 * size] + h @ gates), 2, axis=-1)
        c = FUNCTIONS[activation](row[..., 2 * size:] + (r * h) @ candidate.reshape(size, size))
        return ((u * h + (1 - u) * c) if origin_mode else ((1 - u) * h + u * c),)

    return step


def gru(is_reverse=False, **attrs):
    """(function, reference, inputs) of a gru."""
    def function(x, h0, weight, bias, offsets):
        return apply(dynamic_rnn.gru_op, x, h0, weight, bias, [offsets], is_reverse=is_reverse, **attrs)[0]

    def reference(x, h0, weight, bias, offsets):
        return walk(x + bias, offsets, is_reverse, [h0], gru_step(weight, **attrs))[0]

    inputs = [floats(ROWS, 3 * HIDDEN), floats(SEQUENCES, HIDDEN, seed=1), floats(HIDDEN, 3 * HIDDEN, seed=2),
              floats(1, 3 * HIDDEN, seed=3), OFFSETS]
    return function, reference, inputs


def lstm_step(weight, bias, hidden, projection=None, use_peepholes=True, gate_activation="sigmoid",
              cell_activation="tanh", candidate_activation="tanh", proj_activation="tanh", cell_clip=0.0,
              proj_clip=0.0):
    gate, cell = FUNCTIONS[gate_activation], FUNCTIONS[cell_activation]
    w_i, w_f, w_o = bias.ravel()[4 * hidden:].reshape(3, hidden) if use_peepholes else np.zeros((3, hidden))

    def step(row, h, c):
        g, i, f, o = np.split(row + bias.ravel()[:4 * hidden] + h @ weight, 4)
        new = FUNCTIONS[candidate_activation](g) * gate(i + c * w_i) + c * gate(f + c * w_f)
        if cell_clip:
            new = np.clip(new, -cell_clip, cell_clip)
        out = gate(o + new * w_o) * cell(new)
        if projection is not None:
            out = (FUNCTIONS["identity"] if proj_activation == "identity" else cell)(out @ projection)
            out = np.clip(out, -proj_clip, proj_clip) if proj_clip else out
        return out, new

    return step


def lstm(is_reverse=False, peepholes=True, **attrs):
    """(function, reference, inputs) of a lstm: hidden values and cells."""
    attrs = {"use_peepholes": peepholes, **attrs}

    def function(x, h0, c0, weight, bias, offsets):
        return list(apply(dynamic_rnn.lstm_op, x, h0, c0, weight, bias, [offsets], is_reverse=is_reverse, **attrs)[:2])

    def reference(x, h0, c0, weight, bias, offsets):
        return walk(x, offsets, is_reverse, [h0, c0], lstm_step(weight, bias, HIDDEN, **attrs))

    inputs = [floats(ROWS, 4 * HIDDEN), floats(SEQUENCES, HIDDEN, seed=1), floats(SEQUENCES, HIDDEN, seed=2),
              floats(HIDDEN, 4 * HIDDEN, seed=3), floats(1, (7 if peepholes else 4) * HIDDEN, seed=4), OFFSETS]
    return function, reference, inputs


def lstmp(is_reverse=False, peepholes=True, **attrs):
    """(function, reference, inputs) of a lstmp: projected values and cells."""
    attrs = {"use_peepholes": peepholes, **attrs}

    def function(x, h0, c0, weight, projection, bias, offsets):
        return list(apply(dynamic_rnn.lstmp_op, x, h0, c0, weight, projection, bias, [offsets], is_reverse=is_reverse,
                          **attrs)[:2])

    def reference(x, h0, c0, weight, projection, bias, offsets):
        return walk(x, offsets, is_reverse, [h0, c0], lstm_step(weight, bias, HIDDEN, projection, **attrs))

    inputs = [floats(ROWS, 4 * HIDDEN), floats(SEQUENCES, SIZE, seed=1), floats(SEQUENCES, HIDDEN, seed=2),
              floats(SIZE, 4 * HIDDEN, seed=3), floats(HIDDEN, SIZE, seed=5),
              floats(1, (7 if peepholes else 4) * HIDDEN, seed=4), OFFSETS]
    return function, reference, inputs


def by_slopes(count, reference, results):
    """The gradients of the first `count` inputs for those of the results, which come last, by differences."""
    def slopes(*values):
        own, grads = list(values[:len(values) - results]), values[len(values) - results:]
        return [slope(own, n, grads) for n in range(count)]

    def slope(own, n, grads):
        found = np.zeros(own[n].shape)
        for index in np.ndindex(own[n].shape):
            ends = []
            for step in (1e-5, -1e-5):
                moved = [a.copy() for a in own]
                moved[n][index] += step
                found_there = reference(*moved)
                there = found_there if isinstance(found_there, (list, tuple)) else [found_there]
                ends.append(sum((r * g).sum() for r, g in zip(there, grads, strict=True)))
            found[index] = (ends[0] - ends[1]) / 2e-5
        return found

    return slopes


def gradient(type, case, count, grad_of):
    """A record of an operator's gradient: `grad_of(inputs, gradients)` applies it."""
    _, reference, inputs = case
    results = reference(*inputs)
    results = results if isinstance(results, (list, tuple)) else [results]
    grads = [floats(*r.shape, seed=60 + n) for n, r in enumerate(results)]
    return Record(type, lambda *values: grad_of(values[:len(inputs)], values[len(inputs):]), [*inputs, *grads],
                  by_slopes(count, reference, len(grads)), differentiable=(), batched=(), tolerance=1e-8)


def of_gru(values, grads):
    x, h0, weight, bias, offsets = values
    _, gates, reset, before = apply(dynamic_rnn.gru_op, x, h0, weight, bias, [offsets])
    return list(apply(dynamic_rnn.gru_grad_op, h0, weight, bias, gates, reset, before, *grads, [offsets],
                      activation="tanh", gate_activation="sigmoid", is_reverse=False, origin_mode=False))


LSTM = {"use_peepholes": True, "is_reverse": False, "gate_activation": "sigmoid", "cell_activation": "tanh",
        "candidate_activation": "tanh"}
LSTMP = {**LSTM, "proj_activation": "tanh", "cell_clip": 0.0, "proj_clip": 0.0}


def of_lstm(values, grads):
    x, h0, c0, weight, bias, offsets = values
    hidden, cell, gates, shown = apply(dynamic_rnn.lstm_op, x, h0, c0, weight, bias, [offsets])
    return list(apply(dynamic_rnn.lstm_grad_op, h0, c0, weight, bias, gates, cell, shown, hidden, *grads, [offsets],
                      **LSTM))


def of_lstmp(values, grads):
    x, h0, c0, weight, projection, bias, offsets = values
    out, cell, gates, shown, inner = apply(dynamic_rnn.lstmp_op, x, h0, c0, weight, projection, bias, [offsets])
    return list(apply(dynamic_rnn.lstmp_grad_op, h0, c0, weight, projection, bias, gates, cell, shown, inner, out,
                      *grads, [offsets], **LSTMP))


def gru_unit(**attrs):
    """(function, reference, inputs) of a step: the new state."""
    names = {k: ["identity", "sigmoid", "tanh", "relu"][v] if k != "origin_mode" else v for k, v in attrs.items()}

    def function(x, h, weight, bias):
        return apply(rnn_units.gru_unit_op, x, h, weight, bias, **attrs)[0]

    return function, lambda x, h, weight, bias: gru_step(weight, **names)(x + bias, h)[0], [
        floats(5, 3 * HIDDEN), floats(5, HIDDEN, seed=1), floats(HIDDEN, 3 * HIDDEN, seed=2),
        floats(1, 3 * HIDDEN, seed=3)]


def gru_unit_results(x, h, weight, bias):
    """All results of a step."""
    size, z = len(weight), x + bias
    gates, candidate = weight.ravel()[:2 * size * size].reshape(size, -1), weight.ravel()[2 * size * size:]
    both = sigmoid(z[:, :2 * size] + h @ gates)
    u, r = np.split(both, 2, axis=1)
    c = np.tanh(z[:, 2 * size:] + (r * h) @ candidate.reshape(size, size))
    return [(1 - u) * h + u * c, np.concatenate([both, c], axis=1), r * h]


def of_gru_unit(values, grads):
    x, h, weight, bias = values
    _, gates, reset = apply(rnn_units.gru_unit_op, x, h, weight, bias)
    return list(apply(rnn_units.gru_unit_grad_op, h, weight, bias, gates, reset, *grads, activation=2,
                      gate_activation=1, origin_mode=False))


def lstm_unit(x, c, forget_bias=0.5):
    i, f, o, j = np.split(x, 4, axis=1)
    new = sigmoid(f + forget_bias) * c + sigmoid(i) * np.tanh(j)
    return [new, sigmoid(o) * np.tanh(new)]


def of_lstm_unit(values, grads):
    x, c = values
    new, _ = apply(rnn_units.lstm_unit_op, x, c, forget_bias=0.5)
    return list(apply(rnn_units.lstm_unit_grad_op, x, c, new, *grads, forget_bias=0.5))


def attending(optional=True, **attrs):
    """(function, reference, inputs) of an attending_lstm: states and cells."""
    gate, inner, candidate = (FUNCTIONS[attrs.get(f"{name}_activation", usual)] for name, usual in (
        ("gate", "sigmoid"), ("cell", "tanh"), ("candidate", "tanh")))

    def function(x, c0, h0, attention, attention_bias, factor, factor_bias, weight, bias, offsets):
        chosen = [h0, attention, attention_bias, factor, factor_bias]
        chosen = chosen if optional else [None, attention, None, None, None]
        return list(apply(attention_lstm.attending_lstm_op, x, c0, *chosen, weight, bias, [offsets], **attrs))

    def reference(x, c0, h0, attention, attention_bias, factor, factor_bias, weight, bias, offsets):
        of_sequence = np.repeat(np.arange(SEQUENCES), np.diff(offsets))
        kept = optional * 1.0

        def step(row, h, c):
            rows = x[of_sequence == of_sequence[row]]
            scores = relu(rows @ attention[:SIZE] + c @ attention[SIZE:] + kept * attention_bias)
            scores = relu(scores * factor + factor_bias) if optional else scores
            mean = (np.exp(scores) / np.exp(scores).sum() * rows).sum(0)
            forget, write, show, new = np.split(h @ weight[:HIDDEN] + mean @ weight[HIDDEN:] + bias[0], 4)
            c = gate(forget) * c + gate(write) * candidate(new)
            return gate(show) * inner(c), c

        return walk(np.arange(ROWS), offsets, False, [kept * h0, c0], step)

    inputs = [floats(ROWS, SIZE), floats(SEQUENCES, HIDDEN, seed=1), floats(SEQUENCES, HIDDEN, seed=2),
              floats(SIZE + HIDDEN, 1, seed=3), floats(1, 1, seed=4), floats(1, 1, seed=5), floats(1, 1, seed=6),
              floats(SIZE + HIDDEN, 4 * HIDDEN, seed=7), floats(1, 4 * HIDDEN, seed=8), OFFSETS]
    return function, reference, inputs


UNIT = [floats(5, 12), floats(5, 3, seed=1)]


def record(type, case, label, **kwargs):
    function, reference, inputs = case
    return Record(type, function, inputs, reference, label, second=False, batched=(), **kwargs)


RECORDS = [
    record("attending_lstm", attending(), "all inputs"),
    record("attending_lstm", attending(False, gate_activation="relu", candidate_activation="identity"), "what must be"),
    record("gru", gru(), "both states and rows"),
    record("gru", gru(is_reverse=True, origin_mode=True), "reversed, the other way round"),
    record("gru", gru(activation="sigmoid", gate_activation="relu"), "activations"),
    gradient("gru_grad", gru(), 4, of_gru),
    record("lstm", lstm(), "peepholes"),
    record("lstm", lstm(is_reverse=True, peepholes=False), "reversed, without peepholes"),
    record("lstm", lstm(gate_activation="tanh", cell_activation="identity", candidate_activation="sigmoid"),
           "activations"),
    gradient("lstm_grad", lstm(), 5, of_lstm),
    record("lstmp", lstmp(), "peepholes"),
    record("lstmp", lstmp(is_reverse=True, peepholes=False, cell_clip=0.35, proj_clip=0.2), "reversed, clipped"),
    record("lstmp", lstmp(proj_activation="identity", cell_activation="sigmoid"), "activations"),
    gradient("lstmp_grad", lstmp(), 6, of_lstmp),
    record("gru_unit", gru_unit(), "a step"),
    record("gru_unit", gru_unit(activation=3, gate_activation=2, origin_mode=True), "activations"),
    gradient("gru_unit_grad", (None, gru_unit_results, gru_unit()[2]), 4, of_gru_unit),
    Record("lstm_unit", lambda x, c: list(apply(rnn_units.lstm_unit_op, x, c, forget_bias=0.5)), UNIT, lstm_unit,
           second=False),
    gradient("lstm_unit_grad", (None, lstm_unit, UNIT), 2, of_lstm_unit),
]
