"""A training step over sequences of many lengths, packed (LoD), in Paddle 1.x's API, with Adam.

`tagger` 0: three stacked LSTM layers, pooled and classified, the sentiment model of Paddle's book. 1: two bidirectional
GRU layers and a conditional random field over 57 tags.
"""

import importlib

import numpy as np

SIZE = {"tagger": 0, "batch": 32, "width": 128, "shortest": 20, "longest": 200, "words": 5000}
EMBEDDED, TAGS = 128, 57


def operations(size):
    rows = size["batch"] * (size["shortest"] + size["longest"]) // 2
    width = size["width"]
    if size["tagger"]:
        inputs = 3 * width * (EMBEDDED + 2 * width)
        layers = 2 * (inputs + 2 * 3 * width * width)
    else:
        inputs = 4 * width * (EMBEDDED + 2 * 5 * width)
        layers = inputs + 3 * 4 * width * width
    return 3 * 2 * rows * layers  # there, and back to inputs and weights


def _lengths(size):
    return np.random.RandomState(0).randint(size["shortest"], size["longest"] + 1, size["batch"]).tolist()


def _stacked(layers, embedded, label, width):
    hidden = layers.fc(embedded, 4 * width)
    cells, _ = layers.dynamic_lstm(hidden, 4 * width)
    inputs = [hidden, cells]
    for number in range(2):
        hidden = layers.fc(inputs, 4 * width)
        cells, _ = layers.dynamic_lstm(hidden, 4 * width, is_reverse=number == 0)
        inputs = [hidden, cells]
    prediction = layers.fc([layers.sequence_pool(x, "max") for x in inputs], 2, act="softmax")
    return layers.mean(layers.cross_entropy(prediction, label))


def _tagger(layers, x, label, width, attr):
    for _ in range(2):
        ways = [layers.dynamic_gru(layers.fc(x, 3 * width), width, is_reverse=r) for r in (False, True)]
        x = layers.concat(ways, axis=1)
    return layers.mean(layers.linear_chain_crf(layers.fc(x, TAGS), label, attr))


def _filled(fluid, program):
    """Parameters that are equal on all sides."""
    for seed, parameter in enumerate(program.global_block().all_parameters()):
        value = np.random.RandomState(seed).uniform(-0.08, 0.08, parameter.shape).astype("float32")
        fluid.global_scope().find_var(parameter.name).get_tensor().set(value, fluid.CPUPlace())


def in_paddle(paddle, mode, size):
    fluid = importlib.import_module(paddle.__name__ + ".fluid")
    layers, place, lengths = fluid.layers, fluid.CPUPlace(), _lengths(size)
    rng, rows = np.random.RandomState(1), sum(lengths)
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        words = fluid.data("words", [None, 1], "int64", lod_level=1)
        label = fluid.data("label", [None, 1], "int64", lod_level=1 if size["tagger"] else 0)
        embedded = layers.embedding(words, [size["words"], EMBEDDED])
        if size["tagger"]:
            loss = _tagger(layers, embedded, label, size["width"], fluid.ParamAttr(name="crfw"))
        else:
            loss = _stacked(layers, embedded, label, size["width"])
        fluid.optimizer.Adam(learning_rate=1e-3).minimize(loss)

    def packed(high):
        return fluid.create_lod_tensor(rng.randint(0, high, (rows, 1)).astype("int64"), [lengths], place)

    feed = {"words": packed(size["words"])}
    feed["label"] = packed(TAGS) if size["tagger"] else rng.randint(0, 2, (len(lengths), 1)).astype("int64")
    executor = fluid.Executor(place)
    executor.run(startup)
    _filled(fluid, main)
    return lambda: executor.run(main, feed=feed, fetch_list=[loss])[0]
