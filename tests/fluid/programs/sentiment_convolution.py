"""Sentiment of sentences: convolutions over the packed words, pooled to a row a sentence."""

import numpy as np

WORDS, CLASSES = 40, 2


def build(fluid):
    layers = fluid.layers
    words = layers.data("words", [1], dtype="int64", lod_level=1)
    label = layers.data("label", [1], dtype="int64")
    embedded = layers.embedding(words, [WORDS, 12])
    pooled = [fluid.nets.sequence_conv_pool(embedded, 8, size, act="tanh", pool_type="sqrt") for size in (3, 4)]
    prediction = layers.fc(pooled, CLASSES, act="softmax")
    loss = layers.mean(layers.cross_entropy(prediction, label))
    accuracy = layers.accuracy(prediction, label)
    inference = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.Momentum(0.05, 0.9).minimize(loss)
    return {"loss": loss, "metrics": [accuracy], "inference": inference, "feeds": ["words"], "targets": [prediction]}


def batch(step):
    random = np.random.RandomState(100 + step)
    lengths = random.randint(1, 7, 5).tolist()
    words = random.randint(0, WORDS, (sum(lengths), 1)).astype("int64")
    return {"words": (words, [lengths]), "label": (words[np.cumsum(lengths) - 1] % CLASSES).astype("int64")}
