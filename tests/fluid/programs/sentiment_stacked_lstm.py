"""Sentiment of sentences: an embedding, LSTMs over the packed words, one on the other in both directions in turn."""

import numpy as np

WORDS, CLASSES = 40, 2
SIZE = 24  # hidden states of 6: of a multiple of 8, 1.8.5 computes wrong gradients (its kernels for AVX)


def build(fluid):
    layers = fluid.layers
    words = fluid.data("words", [None, 1], "int64", lod_level=1)
    label = fluid.data("label", [None, 1], "int64")
    embedded = layers.embedding(words, [WORDS, 12], is_sparse=True)
    below = layers.fc(embedded, SIZE)
    hidden, _ = layers.dynamic_lstm(below, SIZE)
    for depth in (2, 3):
        below = layers.fc([below, hidden], SIZE)
        hidden, _ = layers.dynamic_lstm(below, SIZE, is_reverse=depth % 2 == 0)
    pooled = [layers.sequence_pool(below, "max"), layers.sequence_pool(hidden, "max")]
    prediction = layers.fc(pooled, CLASSES, act="softmax")
    loss = layers.mean(layers.cross_entropy(prediction, label))
    accuracy = layers.accuracy(prediction, label)
    inference = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Adagrad(0.05).minimize(loss)
    return {"loss": loss, "metrics": [accuracy], "inference": inference, "feeds": ["words"], "targets": [prediction]}


def batch(step):
    random = np.random.RandomState(step)
    lengths = random.randint(1, 7, 5).tolist()
    words = random.randint(0, WORDS, (sum(lengths), 1)).astype("int64")
    ends = np.cumsum(lengths) - 1
    return {"words": (words, [lengths]), "label": (words[ends] % CLASSES).astype("int64")}
