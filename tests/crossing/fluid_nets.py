"""Small networks of Paddle 1.x, built by PaddlePaddle 1.8.5 and by proa alike: what each is fed and what it gives."""

import numpy as np


def rows(seed, *shape):
    return np.random.RandomState(seed).rand(*shape).astype("float32")


def words(fluid, lengths, size=20):
    ids = np.random.RandomState(3).randint(0, size, [sum(lengths), 1]).astype("int64")
    return fluid.create_lod_tensor(ids, [lengths], fluid.CPUPlace())


def dense(fluid):
    layers = fluid.layers
    hidden = layers.fc(fluid.data("x", [None, 4], "float32"), 5, act="relu")
    return {"x": rows(0, 6, 4)}, layers.fc(hidden, 3, act="softmax")


def flattened(fluid):
    layers = fluid.layers
    hidden = layers.fc(layers.data("x", [3, 4]), 5, num_flatten_dims=2, act="tanh", name="first")
    return {"x": rows(1, 2, 3, 4)}, layers.fc([hidden, hidden], 2, bias_attr=False)


def pooled(fluid):
    layers = fluid.layers
    ids = layers.data("words", [1], dtype="int64", lod_level=1)
    embedded = layers.embedding(ids, [20, 6], param_attr=fluid.ParamAttr(name="table"))
    return {"words": words(fluid, [3, 1, 4])}, layers.fc(layers.sequence_pool(layers.fc(embedded, 4), "max"), 2)


def recurrent(fluid):
    layers = fluid.layers
    embedded = layers.embedding(layers.data("words", [1], dtype="int64", lod_level=1), [20, 6])
    hidden, _ = layers.dynamic_lstm(layers.fc(embedded, 12), 12, is_reverse=True)
    return {"words": words(fluid, [2, 5, 1])}, layers.fc(layers.sequence_last_step(hidden), 2, act="tanh")


def gated(fluid):
    layers = fluid.layers
    embedded = layers.embedding(layers.data("words", [1], dtype="int64", lod_level=1), [20, 6])
    hidden = layers.dynamic_gru(layers.fc(embedded, 9), 3)
    return {"words": words(fluid, [2, 5, 1])}, layers.sequence_softmax(layers.fc(hidden, 1))


def tagged(fluid):
    """The best tags by a conditional random field over both directions of a GRU."""
    layers = fluid.layers
    embedded = layers.embedding(layers.data("words", [1], dtype="int64", lod_level=1), [20, 6])
    ways = [layers.dynamic_gru(layers.fc(embedded, 9), 3, is_reverse=r, origin_mode=r) for r in (False, True)]
    scores = layers.fc(layers.concat(ways, axis=1), 5)
    layers.create_parameter([7, 5], "float32", name="crfw")
    return {"words": words(fluid, [2, 5, 1])}, layers.crf_decoding(scores, fluid.ParamAttr(name="crfw"))


def projected(fluid):
    """Hidden values that are projected, and labels of the likeliest path."""
    layers = fluid.layers
    embedded = layers.embedding(layers.data("words", [1], dtype="int64", lod_level=1), [20, 6])
    hidden, _ = layers.dynamic_lstmp(layers.fc(embedded, 16), 16, 3, use_peepholes=False, proj_clip=0.5)
    return {"words": words(fluid, [4, 5, 1])}, layers.ctc_greedy_decoder(layers.fc(hidden, 4, act="softmax"), 3)


def steps(fluid):
    """Single steps of both kinds of cells."""
    layers = fluid.layers
    x, h = fluid.data("x", [None, 9], "float32"), fluid.data("h", [None, 3], "float32")
    new, _, _ = layers.gru_unit(x, h, 9)
    return {"x": rows(4, 5, 9), "h": rows(5, 5, 3)}, layers.lstm_unit(x, new, h, forget_bias=1.0)[1]


def image(fluid):
    layers = fluid.layers
    made = layers.conv2d(fluid.data("x", [None, 3, 8, 8], "float32"), 4, 3, padding=1, act="relu")
    made = layers.pool2d(layers.batch_norm(made, is_test=True), 2, "max", 2)
    return {"x": rows(2, 2, 3, 8, 8)}, layers.fc(made, 3, act="softmax")


NETS = {"dense": dense, "flattened": flattened, "pooled": pooled, "recurrent": recurrent, "gated": gated,
        "tagged": tagged, "projected": projected, "steps": steps,
        "image": image}
