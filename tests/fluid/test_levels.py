"""LoDTensors of more levels than an input was declared with: as if they had been declared."""

import numpy as np
import proa.fluid as fluid

layers = fluid.layers
ROWS = np.arange(6, dtype="float32").reshape(6, 1)


def sequences(array, *lengths):
    return fluid.create_lod_tensor(array, list(lengths), fluid.CPUPlace())


TWO = sequences(ROWS, [2, 1], [1, 2, 3])


def run(built, **feed):
    """Values with their LoD."""
    exe = fluid.Executor(fluid.CPUPlace())
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(fluid.Scope()):
        fetches = built()
        exe.run(startup)
        return [(np.array(v), v.lod()) for v in exe.run(main, feed=feed, fetch_list=fetches, return_numpy=False)]


def test_what_1_8_gives():
    def built():
        x, y = (fluid.data(name, [None, 1], lod_level=1) for name in "xy")
        return [layers.sequence_pool(x, "sum"), layers.sequence_softmax(x), layers.sequence_expand(y, x, ref_level=0)]

    pooled, softmax, expanded = run(built, x=TWO, y=sequences(ROWS[:3], [1, 2]))
    assert pooled[0].tolist() == [[0], [3], [12]] and pooled[1] == [[0, 2, 3]]
    np.testing.assert_allclose(softmax[0][:3, 0], [1, 0.26894142, 0.73105858], 1e-6)
    assert softmax[1] == [[0, 2, 3], [0, 1, 3, 6]]
    assert expanded[0].tolist() == [[0], [0], [1], [2]] and expanded[1] == [[0, 1, 2, 4]]


def test_training():
    """The same gradients, whether the second level is declared, comes with what is fed, or is not there."""
    def built(level):
        x = fluid.data("x", [None, 1], lod_level=level)
        hidden = layers.fc(x, 3, act="tanh", param_attr=fluid.initializer.Uniform(-1, 1, seed=5))
        weights = layers.sequence_softmax(layers.fc(hidden, 1, param_attr=fluid.initializer.Uniform(-1, 1, seed=6)))
        pooled = layers.sequence_pool(layers.elementwise_mul(hidden, weights, axis=0), "sum")
        loss = layers.reduce_sum(pooled * pooled)
        fluid.optimizer.SGD(0.1).minimize(loss)
        return [loss, hidden, "fc_0.w_0@GRAD", hidden.name + "@GRAD"]

    declared, undeclared = (run(lambda level=level: built(level), x=TWO) for level in (2, 1))
    flat = run(lambda: built(1), x=sequences(ROWS, [1, 2, 3]))
    assert undeclared[1][1] == undeclared[3][1] == declared[1][1] == [[0, 2, 3], [0, 1, 3, 6]]
    assert flat[1][1] == flat[3][1] == [[0, 1, 3, 6]]
    for one, two, three in zip(declared, undeclared, flat, strict=True):
        np.testing.assert_array_equal(one[0], two[0])
        np.testing.assert_array_equal(one[0], three[0])


def test_an_lod_that_was_not_declared():
    """What is computed row by row has it; choosing rows loses it."""
    def built():
        x = fluid.layers.data("x", [1])
        hidden = layers.fc(x, 3, act="tanh")
        fluid.optimizer.SGD(0.1).minimize(layers.mean(hidden))
        return [layers.cast(x, "float64"), hidden, layers.reshape(x, [-1]), layers.slice(x, [1], [0], [1]),
                layers.slice(x, [0], [0], [6]), layers.gather(x, layers.range(0, 6, 1, "int64"))]

    found = run(built, x=sequences(ROWS, [2, 1, 3]))
    assert [lod for _, lod in found] == [[[0, 2, 3, 6]]] * 4 + [[]] * 2
    assert [lod for _, lod in run(built, x=ROWS)] == [[]] * 6
    assert run(built, x=TWO)[0][1] == [[0, 2, 3], [0, 1, 3, 6]]


def test_an_lod_that_a_saved_model_did_not_declare(tmp_path):
    exe = fluid.Executor(fluid.CPUPlace())
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        made = layers.embedding(layers.data("words", [1], dtype="int64"), [9, 2])
        exe.run(fluid.default_startup_program())
        fluid.io.save_inference_model(str(tmp_path), ["words"], [made], exe)
        program, _, targets = fluid.io.load_inference_model(str(tmp_path), exe)
        words = sequences(np.ones((3, 1), "int64"), [2, 1])
        (rows,) = exe.run(program, feed={"words": words}, fetch_list=targets, return_numpy=False)
    assert rows.recursive_sequence_lengths() == [[2, 1]]


def test_all_sequences_of_labels_are_empty():
    """Blanks alone: a row of -1 that no sequence has, which are as far from others as those are long."""
    def built():
        x, y = (fluid.data(name, [None, size], dtype, lod_level=1) for name, size, dtype in
                (("x", 2, "float32"), ("y", 1, "int64")))
        found = layers.ctc_greedy_decoder(x, blank=1)
        return [found, layers.edit_distance(found, y, normalized=False)[0]]

    (labels, lod), (far, _) = run(built, x=sequences(np.tile(np.float32([0, 1]), (4, 1)), [1, 3]),
                                  y=sequences(np.ones((3, 1), "int64"), [2, 1]))
    assert labels.tolist() == [[-1]] and lod == [[0, 0, 0]] and far.tolist() == [[2], [1]]


def test_costs_of_hsigmoid_stay_sequences_and_normalized_rows_do_not():
    def built():
        x, words = layers.data("x", [4], lod_level=1), layers.data("words", [1], dtype="int64", lod_level=1)
        return layers.hsigmoid(x, words, 6), layers.l2_normalize(x, 1)

    costs, normalized = run(built, x=sequences(np.ones((3, 4), "float32"), [1, 2]),
                            words=sequences(np.array([[0], [5], [2]]), [1, 2]))
    assert costs[1] == [[0, 1, 3]] and normalized[1] == []


def test_rows_joined_along_the_first_dimension_are_the_sequences_of_all(tmp_path):
    def built():
        x, y = (layers.data(name, [1], lod_level=2) for name in "xy")
        both = layers.abs(layers.concat([x, y], axis=0))
        return both, layers.sequence_pool(both, "sum"), layers.concat([x, y], axis=1)

    feed = {"x": TWO, "y": sequences(10 * ROWS[:3], [1], [3])}
    both, summed, beside = run(built, x=TWO, y=TWO)
    assert both[1] == [[0, 2, 3, 5, 6], [0, 1, 3, 6, 7, 9, 12]] and beside[1] == [[0, 2, 3], [0, 1, 3, 6]]
    np.testing.assert_array_equal(summed[0], [[0], [3], [12]] * 2)
    assert summed[1] == [[0, 2, 3, 5, 6]]
    exe, main = fluid.Executor(fluid.CPUPlace()), fluid.Program()
    with fluid.program_guard(main, fluid.Program()), fluid.scope_guard(fluid.Scope()):
        x, y = (layers.data(name, [1], lod_level=2) for name in "xy")
        fluid.io.save_inference_model(
            str(tmp_path), ["x", "y"], [layers.sequence_pool(layers.concat([x, y], axis=0), "sum")], exe, main)
        read, _, (target,) = fluid.io.load_inference_model(str(tmp_path), exe)
        found = exe.run(read, feed=feed, fetch_list=[target], return_numpy=False)[0]
    assert np.array(found).tolist() == [[0], [3], [12], [30]] and found.lod() == [[0, 2, 3, 4]]


def test_places_begin_with_each_sequence():
    def built():
        return (layers.add_position_encoding(layers.data("x", [4], lod_level=1), 0.5, 2.0),
                layers.add_position_encoding(layers.data("padded", [3, 4]), 0.5, 2.0))

    values = np.arange(24, dtype="float32").reshape(2, 3, 4)
    rows, padded = run(built, x=sequences(values.reshape(6, 4)[:5], [3, 2]), padded=values)
    np.testing.assert_allclose(rows[0], padded[0].reshape(6, 4)[:5], rtol=1e-6)
    assert rows[1] == [[0, 3, 5]]
