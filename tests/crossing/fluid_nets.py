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


def arithmetic(fluid):
    layers = fluid.layers
    x = fluid.data("x", [None, 4, 6], "float32")
    halves = layers.split(layers.transpose(x, [0, 2, 1]), 2, dim=1)
    made = layers.concat([layers.matmul(halves[0], halves[1], transpose_y=True), halves[1]], axis=2)
    made = layers.elementwise_mul(made, layers.reduce_mean(x, dim=[1, 2], keep_dim=False), axis=0)
    made = layers.reshape(layers.slice(made, [1, 2], [0, 1], [3, 6]), [-1, 15])
    made = layers.elementwise_add(made, layers.fill_constant([15], "float32", 0.5))
    return {"x": rows(3, 2, 4, 6)}, layers.fc(layers.clip(layers.scale(made, 2.0, -0.1), 0.0, 1.5), 3, act="sigmoid")


def normalized(fluid):
    layers = fluid.layers
    made = layers.layer_norm(layers.fc(fluid.data("x", [None, 4], "float32"), 8, act="leaky_relu"))
    made = layers.dropout(made, 0.5, is_test=True)
    return {"x": rows(4, 5, 4)}, layers.l2_normalize(layers.elementwise_add(made, layers.fc(made, 8)), axis=1)


def sequences(fluid):
    layers = fluid.layers
    embedded = layers.embedding(layers.data("words", [1], dtype="int64", lod_level=1), [20, 6], padding_idx=0)
    made = layers.sequence_conv(embedded, 5, 3, act="tanh")
    first = layers.sequence_first_step(made)
    both = layers.concat([made, layers.sequence_expand_as(first, made)], axis=1)
    return {"words": words(fluid, [2, 5, 1])}, layers.sequence_reverse(layers.fc(both, 3))


def looping(fluid):
    layers = fluid.layers
    x = fluid.data("x", [None, 4], "float32")
    i, limit = layers.fill_constant([1], "int64", 0), layers.fill_constant([1], "int64", 3)
    held = layers.array_write(layers.fc(x, 4, act="tanh"), i)
    going = layers.less_than(i, limit)
    loop = layers.While(going)
    with loop.block():
        last = layers.array_read(held, i)
        layers.increment(i, in_place=True)
        layers.array_write(layers.scale(last, 0.5, 1.0), i, held)
        layers.less_than(i, limit, cond=going)
    return {"x": rows(5, 3, 4)}, layers.array_read(held, limit)


NETS = {net.__name__: net for net in (
    dense, flattened, pooled, recurrent, gated, tagged, projected, steps, image, arithmetic, normalized, sequences,
    looping)}
