"""Sentiment of sentences: an LSTM that is written as the step of a DynamicRNN."""

import numpy as np

WORDS, CLASSES, SIZE = 40, 2, 10


def build(fluid):
    layers = fluid.layers
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    label = fluid.data("label", [None, 1], "int64")
    sentence = layers.fc(layers.embedding(words, [WORDS, 12]), SIZE, act="tanh")
    rnn = layers.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(sentence)
        hidden = rnn.memory(shape=[SIZE], value=0.0)
        cell = rnn.memory(shape=[SIZE], value=0.0)

        def gate(act, name):
            return layers.fc([word, hidden], SIZE, act=act, param_attr=[
                fluid.ParamAttr(name=name + "_of_word"), fluid.ParamAttr(name=name + "_of_state")])

        kept = layers.elementwise_mul(gate("sigmoid", "forget"), cell)
        new_cell = layers.elementwise_add(kept, layers.elementwise_mul(gate("sigmoid", "input"), gate("tanh", "new")))
        new_hidden = layers.elementwise_mul(gate("sigmoid", "output"), layers.tanh(new_cell))
        rnn.update_memory(hidden, new_hidden)
        rnn.update_memory(cell, new_cell)
        rnn.output(new_hidden)
    last = layers.sequence_last_step(rnn())
    logits = layers.fc(last, CLASSES, act="softmax")
    loss = layers.mean(layers.cross_entropy(logits, label))
    inference = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adam(0.02, epsilon=1e-3).minimize(loss)
    return {"loss": loss, "metrics": [], "inference": inference, "feeds": ["words"], "targets": [logits]}


def batch(step):
    random = np.random.RandomState(200 + step)
    lengths = random.randint(1, 7, 5).tolist()
    words = random.randint(0, WORDS, (sum(lengths), 1)).astype("int64")
    return {"words": (words, [lengths]), "label": (words[np.cumsum(lengths) - 1] % CLASSES).astype("int64")}
