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
