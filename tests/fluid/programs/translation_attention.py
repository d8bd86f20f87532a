"""Translation: a recurrent encoder, a decoder that attends to what it read, and a beam search written as a loop."""

import numpy as np

SOURCE, TARGET, SIZE, BEAMS, LONGEST = 25, 20, 12, 3, 6
START, END = 0, 1


def named(fluid, name):
    return fluid.ParamAttr(name=name)


def encoded(fluid):
    layers = fluid.layers
    source = fluid.data("source", [None, 1], "int64", lod_level=1)
    embedded = layers.embedding(source, [SOURCE, SIZE], param_attr=named(fluid, "source_table"))
    gates = layers.fc(embedded, 3 * SIZE, param_attr=named(fluid, "to_gates"), bias_attr=False)
    forward = layers.dynamic_gru(gates, SIZE, param_attr=named(fluid, "gru_forward"), bias_attr=named(fluid, "gru_f_b"))
    backward = layers.dynamic_gru(gates, SIZE, is_reverse=True, param_attr=named(fluid, "gru_backward"),
                                  bias_attr=named(fluid, "gru_b_b"))
    states = layers.concat([forward, backward], axis=1)
    keys = layers.fc(states, SIZE, param_attr=named(fluid, "to_keys"), bias_attr=False)
    first = layers.fc(layers.sequence_first_step(backward), SIZE, act="tanh", param_attr=named(fluid, "to_first"),
                      bias_attr=False)
    return states, keys, first


def attended(fluid, states, keys, hidden):
    layers = fluid.layers
    query = layers.fc(hidden, SIZE, param_attr=named(fluid, "to_query"), bias_attr=False)
    spread = layers.sequence_expand(query, keys)
    weights = layers.fc(layers.elementwise_add(keys, spread), 1, act="tanh", param_attr=named(fluid, "to_weight"),
                        bias_attr=False)
    weights = layers.reshape(layers.sequence_softmax(weights), [-1])
    return layers.sequence_pool(layers.elementwise_mul(states, weights, axis=0), "sum")


def stepped(fluid, word, context, hidden, like=None):
    """The new state, and the words' probabilities, whose rows are sequences as those of `like` are."""
    layers = fluid.layers
    gates = layers.fc([word, context], 3 * SIZE, param_attr=[named(fluid, "word_gates"), named(fluid, "context_gates")],
                      bias_attr=False)
    new, _, _ = layers.gru_unit(gates, hidden, 3 * SIZE, param_attr=named(fluid, "decoder_gru"),
                                bias_attr=named(fluid, "decoder_b"))
    seen = new if like is None else layers.lod_reset(new, like)
    scores = layers.fc(seen, TARGET, act="softmax", param_attr=named(fluid, "to_words"), bias_attr=False)
    return new, scores


def build(fluid):
    layers = fluid.layers
    states, keys, first = encoded(fluid)
    target = fluid.data("target", [None, 1], "int64", lod_level=1)
    following = fluid.data("following", [None, 1], "int64", lod_level=1)
    embedded = layers.embedding(target, [TARGET, SIZE], param_attr=named(fluid, "target_table"))
    rnn = layers.DynamicRNN()
    with rnn.block():
        word = rnn.step_input(embedded)
        of_states, of_keys = rnn.static_input(states), rnn.static_input(keys)
        hidden = rnn.memory(init=first, need_reorder=True)
        new, scores = stepped(fluid, word, attended(fluid, of_states, of_keys, hidden), hidden)
        rnn.update_memory(hidden, new)
        rnn.output(scores)
    loss = layers.mean(layers.cross_entropy(rnn(), following))
    fluid.optimizer.Momentum(0.1, 0.9).minimize(loss)
    inference, unused = fluid.Program(), fluid.Program()
    with fluid.program_guard(inference, unused):
        ids, scores = searched(fluid)
    return {"loss": loss, "metrics": [], "inference": inference, "feeds": ["source", "first_ids", "first_scores"],
            "targets": [ids, scores]}


def searched(fluid):
    """The sentences that a beam search finds: a loop over arrays whose items have two levels of LoD."""
    layers = fluid.layers
    states, keys, first = encoded(fluid)
    first_ids = fluid.data("first_ids", [None, 1], "int64", lod_level=2)
    first_scores = fluid.data("first_scores", [None, 1], "float32", lod_level=2)
    counter = layers.zeros([1], "int64", force_cpu=True)
    limit = layers.fill_constant([1], "int64", LONGEST)
    ids, scores = layers.create_array("int64"), layers.create_array("float32")
    for array, value in ((ids, first_ids), (scores, first_scores)):
        layers.array_write(value, counter, array)
    carried = [layers.array_write(value, counter) for value in (first, states, keys)]
    going = layers.less_than(counter, limit)
    loop = layers.While(going)
    with loop.block():
        before_ids, before_scores = layers.array_read(ids, counter), layers.array_read(scores, counter)
        hidden, of_states, of_keys = [layers.sequence_expand(layers.array_read(array, counter), before_scores)
                                      for array in carried]
        word = layers.reshape(layers.embedding(before_ids, [TARGET, SIZE], param_attr=named(fluid, "target_table")),
                              [-1, SIZE])
        new, likely = stepped(fluid, word, attended(fluid, of_states, of_keys, hidden), hidden, before_scores)
        best_scores, best_ids = layers.topk(likely, BEAMS)
        total = layers.elementwise_add(layers.log(best_scores), layers.reshape(before_scores, [-1]), axis=0)
        chosen_ids, chosen_scores = layers.beam_search(before_ids, before_scores, best_ids, total, BEAMS, END, level=0)
        layers.increment(counter, 1)
        for array, value in zip(carried, (new, of_states, of_keys)):
            layers.array_write(value, counter, array)
        layers.array_write(chosen_ids, counter, ids)
        layers.array_write(chosen_scores, counter, scores)
        more = layers.less_than(counter, limit)
        left = layers.logical_not(layers.is_empty(chosen_ids))
        layers.logical_and(more, left, out=going)
    return layers.beam_search_decode(ids, scores, BEAMS, END)


def batch(step):
    random = np.random.RandomState(500 + step)
    lengths = random.randint(1, 6, 4).tolist()
    source = random.randint(2, SOURCE, (sum(lengths), 1)).astype("int64")
    words = source % (TARGET - 2) + 2
    parts = np.split(words, np.cumsum(lengths)[:-1])
    target = np.concatenate([np.concatenate([[[START]], part]) for part in parts]).astype("int64")
    following = np.concatenate([np.concatenate([part, [[END]]]) for part in parts]).astype("int64")
    longer = [length + 1 for length in lengths]
    ones = [1] * len(lengths)
    return {"source": (source, [lengths]), "target": (target, [longer]), "following": (following, [longer]),
            "first_ids": (np.zeros((len(lengths), 1), "int64"), [ones, ones]),
            "first_scores": (np.zeros((len(lengths), 1), "float32"), [ones, ones])}
