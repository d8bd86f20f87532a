"""Roles of words for a verb: eight features, LSTMs in both directions one on the other, a conditional random field."""

import numpy as np

WORDS, VERBS, ROLES, SIZE = 50, 12, 7, 16
CONTEXT = ["word", "two_before", "one_before", "at_verb", "one_behind", "two_behind"]


def build(fluid):
    layers = fluid.layers

    def feature(name):
        return fluid.data(name, [None, 1], "int64", lod_level=1)

    words = [layers.embedding(feature(name), [WORDS, 8], param_attr=fluid.ParamAttr(name="word_table"))
             for name in CONTEXT]
    verb = layers.embedding(feature("verb"), [VERBS, 8], param_attr=fluid.ParamAttr(name="verb_table"))
    mark = layers.embedding(feature("mark"), [2, 4])
    hidden = layers.sums([layers.fc(x, SIZE) for x in (*words, verb, mark)])
    recurrent = layers.dynamic_lstm(hidden, SIZE, candidate_activation="relu", gate_activation="sigmoid",
                                    cell_activation="sigmoid")[0]
    below = [hidden, recurrent]
    for depth in range(1, 4):
        mixed = layers.sums([layers.fc(below[0], SIZE), layers.fc(below[1], SIZE)])
        recurrent = layers.dynamic_lstm(mixed, SIZE, candidate_activation="relu", gate_activation="sigmoid",
                                        cell_activation="sigmoid", is_reverse=depth % 2 == 1)[0]
        below = [mixed, recurrent]
    scores = layers.sums([layers.fc(below[0], ROLES, act="tanh"), layers.fc(below[1], ROLES, act="tanh")])
    role = fluid.data("role", [None, 1], "int64", lod_level=1)
    cost = layers.linear_chain_crf(scores, role, param_attr=fluid.ParamAttr(name="transitions", learning_rate=0.5))
    loss = layers.mean(cost)
    decoded = layers.crf_decoding(scores, param_attr=fluid.ParamAttr(name="transitions"))
    counted = layers.chunk_eval(decoded, role, chunk_scheme="IOB", num_chunk_types=(ROLES - 1) // 2)
    inference = fluid.default_main_program().clone(for_test=True)
    rate = layers.exponential_decay(0.05, decay_steps=10, decay_rate=0.5, staircase=True)
    fluid.optimizer.SGD(rate).minimize(loss)
    return {"loss": loss, "metrics": list(counted[3:]), "inference": inference, "targets": [decoded],
            "feeds": [*CONTEXT, "verb", "mark"]}


def batch(step):
    random = np.random.RandomState(400 + step)
    lengths = random.randint(1, 7, 4).tolist()
    rows = sum(lengths)

    def sequence(values):
        return np.asarray(values).reshape(-1, 1).astype("int64"), [lengths]

    feed = {name: sequence(random.randint(0, WORDS, rows)) for name in CONTEXT}
    feed["verb"] = sequence(np.repeat(random.randint(0, VERBS, 4), lengths))
    feed["mark"] = sequence(random.randint(0, 2, rows))
    feed["role"] = sequence(feed["word"][0] % ROLES)
    return feed
