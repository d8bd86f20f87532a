"""Translation of padded sentences: cells, `rnn`, and a beam search by `dynamic_decode`."""

import numpy as np

SOURCE, TARGET, SIZE, BEAMS, STEPS = 25, 20, 12, 3, 6
START, END = 0, 1


def named(fluid, name):
    return fluid.ParamAttr(name=name)


def encoded(fluid, cell):
    layers = fluid.layers
    source, lengths = fluid.data("source", [None, STEPS], "int64"), fluid.data("lengths", [None], "int64")
    embedded = fluid.embedding(source, [SOURCE, SIZE], param_attr=named(fluid, "source_table"))
    return layers.rnn(cell, embedded, sequence_length=lengths)[1]


def parts(fluid):
    """The encoder's cell, the decoder's, and what makes scores of its outputs."""
    layers = fluid.layers
    encoder = layers.GRUCell(SIZE, param_attr=named(fluid, "encoder_w"), bias_attr=named(fluid, "encoder_b"))
    decoder = layers.GRUCell(SIZE, param_attr=named(fluid, "decoder_w"), bias_attr=named(fluid, "decoder_b"))
    return encoder, decoder, lambda x: layers.fc(x, TARGET, num_flatten_dims=len(x.shape) - 1, bias_attr=False,
                                                 param_attr=named(fluid, "to_words"))


def build(fluid):
    layers = fluid.layers
    encoder, decoder, scored = parts(fluid)
    first = encoded(fluid, encoder)
    target, following = (fluid.data(name, [None, STEPS], "int64") for name in ("target", "following"))
    embedded = fluid.embedding(target, [TARGET, SIZE], param_attr=named(fluid, "target_table"))
    outputs, _ = layers.rnn(decoder, embedded, first)
    mask = layers.sequence_mask(fluid.data("target_lengths", [None], "int64"), STEPS, "float32")
    losses = layers.softmax_with_cross_entropy(scored(outputs), layers.unsqueeze(following, [2]))
    losses = layers.elementwise_mul(layers.squeeze(losses, [2]), mask)
    loss = layers.elementwise_div(layers.reduce_sum(losses), layers.reduce_sum(mask))
    fluid.optimizer.Adam(0.02, epsilon=1e-3).minimize(loss)
    inference, unused = fluid.Program(), fluid.Program()
    with fluid.program_guard(inference, unused):
        encoder, decoder, scored = parts(fluid)
        first = encoded(fluid, encoder)
        search = layers.BeamSearchDecoder(
            decoder, START, END, BEAMS, output_fn=scored,
            embedding_fn=lambda ids: fluid.embedding(ids, [TARGET, SIZE], param_attr=named(fluid, "target_table")))
        ids, _, found = layers.dynamic_decode(search, first, max_step_num=STEPS, return_length=True)
    return {"loss": loss, "metrics": [], "inference": inference, "feeds": ["source", "lengths"],
            "targets": [ids, found]}


def batch(step):
    random = np.random.RandomState(600 + step)
    lengths = random.randint(1, STEPS, 4).astype("int64")
    source = random.randint(2, SOURCE, (4, STEPS)).astype("int64")
    words = source % (TARGET - 2) + 2
    places = np.arange(STEPS)
    there = places < lengths[:, None]
    following = np.where(there, words, END)
    target = np.where(there, words, END)
    target = np.concatenate([np.full((4, 1), START), target[:, :-1]], axis=1)
    return {"source": source, "lengths": lengths, "target_lengths": lengths + 1, "target": target.astype("int64"),
            "following": following.astype("int64")}
