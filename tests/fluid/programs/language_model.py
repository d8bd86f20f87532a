"""A language model: a recurrence over steps that is written as a StaticRNN, with dropout off and clipped gradients."""

import numpy as np

WORDS, SIZE, STEPS, SENTENCES = 30, 10, 5, 4


def build(fluid):
    layers = fluid.layers
    words = fluid.data("words", [SENTENCES, STEPS], "int64")
    following = fluid.data("following", [SENTENCES * STEPS, 1], "int64")
    first = fluid.data("first", [SENTENCES, SIZE], "float32")
    embedded = layers.transpose(fluid.embedding(words, [WORDS, SIZE]), [1, 0, 2])
    rnn = layers.StaticRNN()
    with rnn.step():
        word = rnn.step_input(embedded)
        hidden = rnn.memory(init=first)
        summed = rnn.memory(shape=[-1, SIZE], batch_ref=word)
        new = layers.fc([word, hidden, summed], SIZE, act="tanh")
        rnn.update_memory(hidden, new)
        rnn.update_memory(summed, layers.elementwise_add(summed, new))
        rnn.step_output(new)
    outputs = layers.reshape(layers.transpose(rnn(), [1, 0, 2]), [-1, SIZE])
    scores = layers.fc(outputs, WORDS)
    loss = layers.mean(layers.softmax_with_cross_entropy(scores, following))
    inference = fluid.default_main_program().clone(for_test=True)
    fluid.optimizer.SGD(0.5, grad_clip=fluid.clip.GradientClipByGlobalNorm(1.0)).minimize(loss)
    return {"loss": loss, "metrics": [], "inference": inference, "feeds": ["words", "first"], "targets": [scores]}


def batch(step):
    random = np.random.RandomState(700 + step)
    words = random.randint(0, WORDS, (SENTENCES, STEPS)).astype("int64")
    return {"words": words, "following": ((words * 7 + 3) % WORDS).reshape(-1, 1).astype("int64"),
            "first": random.uniform(-0.5, 0.5, (SENTENCES, SIZE)).astype("float32")}
