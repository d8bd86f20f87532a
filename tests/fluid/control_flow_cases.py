"""Programs with loops, branches, recurrences and decoders, small enough to hold all that they compute in a fixture.

Each case takes `fluid`, PaddlePaddle's or proa's, and gives a feed and what to fetch. PaddlePaddle 1.8.5's Python
imports this by its path.
"""

import numpy as np

RANDOM = np.random.RandomState(0)
ROWS, SIDE = RANDOM.randn(9, 4).astype("float32"), RANDOM.randn(7, 3).astype("float32")
STATES = RANDOM.randn(3, 5).astype("float32")
PADDED, LENGTHS = RANDOM.randn(3, 6, 4).astype("float32"), np.array([6, 2, 4], "int32")
MASKED = RANDOM.randn(5, 2).astype("float32")


def lod(fluid, array, *lengths):
    return fluid.create_lod_tensor(array, list(lengths), fluid.CPUPlace())


def with_gradients(fluid, loss, fetch):
    """The values, and the gradients of all parameters by their names."""
    found = fluid.backward.append_backward(loss)
    return [*fetch, loss, *(g for _, g in sorted(found, key=lambda pair: pair[0].name))]


def loop_over_array(fluid):
    """The index of a list is read before it is counted up, and after."""
    layers = fluid.layers
    x = fluid.data("x", [3, 5])
    x.stop_gradient = False
    w = layers.create_parameter([5, 5], "float32", name="w")
    i, n = layers.zeros([1], "int64"), layers.fill_constant([1], "int64", 3)
    items = layers.array_write(x, i)
    going = layers.less_than(i, n)
    loop = layers.While(going)
    with loop.block():
        product = layers.mul(layers.array_read(items, i), w)
        layers.increment(i, 1, in_place=True)
        layers.array_write(product, i, items)
        layers.less_than(i, n, cond=going)
    last = layers.array_read(items, n)
    length = layers.array_length(items)
    return {"x": STATES}, with_gradients(fluid, layers.mean(last * last), [last, length, "x@GRAD"])


def switch(fluid, value):
    layers = fluid.layers
    step, rate = fluid.data("step", [1]), layers.create_global_var([1], 0.5, "float32", persistable=True, name="rate")
    with layers.Switch() as chosen:
        for bound in (2.0, 4.0):
            with chosen.case(layers.less_than(step, layers.fill_constant([1], "float32", bound))):
                layers.assign(layers.fill_constant([1], "float32", bound), rate)
        with chosen.default():
            layers.assign(step * 10.0, rate)
    return {"step": np.float32([value])}, [rate]


def if_else(fluid, signs):
    layers = fluid.layers
    x, sign = fluid.data("x", [None, 2]), fluid.data("sign", [None, 1])
    x.stop_gradient = False
    both = layers.IfElse(layers.less_than(sign, layers.zeros_like(sign)))
    with both.true_block():
        taken = both.input(x)
        both.output(layers.fc(taken, 3, param_attr=fluid.ParamAttr(name="below")), layers.scale(taken, 2.0))
    with both.false_block():
        taken = both.input(x)
        both.output(layers.fc(taken, 3, act="tanh", param_attr=fluid.ParamAttr(name="above")),
                    layers.scale(taken, -1.0))
    first, second = both()
    loss = layers.mean(first * first) + layers.mean(second)
    return ({"x": MASKED, "sign": np.array(signs, "float32").reshape(-1, 1)},
            with_gradients(fluid, loss, [first, second, "x@GRAD"]))


def static_rnn(fluid):
    layers = fluid.layers
    x, first = fluid.data("x", [6, 3, 4]), fluid.data("first", [3, 5])
    x.stop_gradient = first.stop_gradient = False
    rnn = layers.StaticRNN()
    with rnn.step():
        item = rnn.step_input(x)
        hidden, summed = rnn.memory(init=first), rnn.memory(shape=[-1, 5], batch_ref=item, init_value=0.5)
        new = layers.fc([item, hidden, summed], 5, act="tanh")
        rnn.update_memory(hidden, new)
        rnn.update_memory(summed, layers.elementwise_add(summed, new))
        rnn.output(new, summed)
    outputs, sums = rnn()
    loss = layers.mean(outputs * outputs) + layers.mean(sums)
    return ({"x": PADDED.transpose(1, 0, 2).copy(), "first": STATES},
            with_gradients(fluid, loss, [outputs, sums, "x@GRAD", "first@GRAD"]))


def dynamic_rnn(fluid):
    layers = fluid.layers
    x, side = fluid.data("x", [None, 4], lod_level=1), fluid.data("side", [None, 3], lod_level=1)
    first = fluid.data("first", [None, 5])
    x.stop_gradient = side.stop_gradient = first.stop_gradient = False
    rnn = layers.DynamicRNN()
    with rnn.block():
        item, beside = rnn.step_input(x), rnn.static_input(side)
        zero, begun = rnn.memory(shape=[5], value=0.0), rnn.memory(init=first, need_reorder=True)
        new = layers.fc([item, zero, begun, layers.sequence_pool(beside, "sum")], 5, bias_attr=False, act="tanh")
        rnn.update_memory(zero, new)
        rnn.update_memory(begun, new)
        rnn.output(new, begun)
    outputs, before = rnn()
    last = layers.sequence_last_step(outputs)
    loss = layers.mean(last) + layers.mean(before * before)
    return ({"x": lod(fluid, ROWS, [2, 4, 3]), "side": lod(fluid, SIDE, [3, 3, 1]), "first": STATES},
            with_gradients(fluid, loss, [outputs, before, last, "x@GRAD", "side@GRAD", "first@GRAD"]))


def gru_cell(fluid):
    layers = fluid.layers
    x = fluid.data("x", [None, 6, 4])
    x.stop_gradient = False
    outputs, last = layers.rnn(layers.GRUCell(5), x)
    loss = layers.mean(outputs * outputs) + layers.reduce_sum(last)
    return {"x": PADDED}, with_gradients(fluid, loss, [outputs, last, "x@GRAD"])


def lstm_cell_backwards(fluid):
    layers = fluid.layers
    x, lengths = fluid.data("x", [None, 6, 4]), fluid.data("lengths", [None], "int32")
    x.stop_gradient = False
    outputs, (h, c) = layers.rnn(layers.LSTMCell(5, name="cell"), x, sequence_length=lengths, is_reverse=True)
    loss = layers.mean(outputs * outputs) + layers.reduce_sum(h * c)
    return {"x": PADDED, "lengths": LENGTHS}, with_gradients(fluid, loss, [outputs, h, c, "x@GRAD"])


def steps_first(fluid):
    x, first = fluid.data("x", [6, None, 4]), fluid.data("first", [None, 5])
    lengths = fluid.data("lengths", [None], "int32")
    outputs, last = fluid.layers.rnn(fluid.layers.GRUCell(5), x, first, sequence_length=lengths, time_major=True)
    return {"x": PADDED.transpose(1, 0, 2).copy(), "first": STATES, "lengths": LENGTHS}, [outputs, last]


def embedded(fluid):
    return lambda ids: fluid.embedding(ids, [10, 4], param_attr=fluid.ParamAttr(name="table"))


def beam_search(fluid):
    layers = fluid.layers
    first = fluid.data("first", [None, 5])
    decoder = layers.BeamSearchDecoder(
        layers.GRUCell(5), 0, 1, 3, embedding_fn=embedded(fluid),
        output_fn=lambda x: layers.fc(x, 10, num_flatten_dims=len(x.shape) - 1, bias_attr=False))
    ids, state, lengths = layers.dynamic_decode(decoder, inits=first, max_step_num=6, return_length=True)
    return {"first": STATES}, [ids, lengths, state.log_probs, state.lengths, state.finished, state.cell_states]


def taught(fluid):
    layers = fluid.layers
    first, x = fluid.data("first", [None, 5]), fluid.data("x", [None, 6, 4])
    lengths = fluid.data("lengths", [None], "int32")
    decoder = layers.BasicDecoder(layers.GRUCell(5), layers.TrainingHelper(x, lengths),
                                  output_fn=lambda x: layers.fc(x, 10, bias_attr=False))
    (outputs, ids), state, found = layers.dynamic_decode(decoder, inits=first, return_length=True, impute_finished=True)
    loss = layers.mean(outputs * outputs)
    return ({"first": STATES, "x": PADDED, "lengths": LENGTHS},
            with_gradients(fluid, loss, [outputs, ids, state, found]))


def greedy(fluid):
    layers = fluid.layers
    first = fluid.data("first", [None, 5])
    begin = layers.fill_constant_batch_size_like(first, [-1], "int64", 0)
    decoder = layers.BasicDecoder(layers.LSTMCell(5), layers.GreedyEmbeddingHelper(embedded(fluid), begin, 1),
                                  output_fn=lambda x: layers.fc(x, 10, bias_attr=False))
    (outputs, ids), state, lengths = layers.dynamic_decode(decoder, inits=[first, first], max_step_num=5,
                                                           return_length=True, output_time_major=True)
    return {"first": STATES}, [outputs, ids, state[0], lengths]


def conditions(fluid):
    layers = fluid.layers
    x = fluid.data("x", [3, 5])
    x.stop_gradient = False
    one = layers.fill_constant([1], "float32", 1.0)
    chosen = layers.cond(layers.less_than(layers.reduce_sum(x), one), lambda: layers.scale(x, 2.0), lambda: x * x)
    other = layers.case([(layers.less_than(one, one), lambda: x + 1.0), (layers.equal(one, one), lambda: x * 3.0)],
                        lambda: x)
    third = layers.switch_case(layers.fill_constant([1], "int32", 2), {1: lambda: x, 2: lambda: x - 4.0}, lambda: x)
    loss = layers.mean(chosen) + layers.mean(other * third)
    return {"x": STATES}, with_gradients(fluid, loss, [chosen, other, third, "x@GRAD"])


CASES = {
    "loop over an array": loop_over_array, "switch, first": lambda fluid: switch(fluid, 1.0),
    "switch, second": lambda fluid: switch(fluid, 3.0), "switch, default": lambda fluid: switch(fluid, 5.0),
    "rows both ways": lambda fluid: if_else(fluid, [1, -1, -2, 3, 4]),
    "all rows one way": lambda fluid: if_else(fluid, [1, 1, 1, 1, 1]),
    "all rows the other way": lambda fluid: if_else(fluid, [-1, -1, -1, -1, -1]),
    "static rnn": static_rnn, "dynamic rnn": dynamic_rnn, "gru cell": gru_cell, "lstm cell": lstm_cell_backwards,
    "steps first": steps_first, "beam search": beam_search, "taught": taught, "greedy": greedy,
    "conditions": conditions,
}


def computed(fluid, case, first_value):
    """What a case gives: arrays with their LoDs."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard(), fluid.program_guard(main, startup):
        feed, fetch = CASES[case](fluid)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for parameter in main.global_block().all_parameters():
            tensor = fluid.global_scope().find_var(parameter.name).get_tensor()
            tensor.set(first_value(parameter.name, parameter.shape), fluid.CPUPlace())
        got = exe.run(main, feed=feed, fetch_list=fetch, return_numpy=False)
        return [(np.array(value), [list(map(int, level)) for level in value.lod()]) for value in got]
