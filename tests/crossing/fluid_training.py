"""Training with Paddle 1.x that is stopped, saved and gone on with elsewhere; run by the Python of 1.8.5, too.

`python fluid_training.py begin FOLDER CASES` trains three steps and saves, `go_on` loads and trains three more.
"""

import json
import os
import sys

import numpy as np
from fluid_nets import rows, words


def dense(fluid):
    layers = fluid.layers
    x, label = fluid.data("x", [None, 4], "float32"), fluid.data("label", [None, 1], "int64")
    scores = layers.fc(layers.fc(x, 6, act="tanh"), 3, act="softmax")
    feed = {"x": rows(0, 6, 4), "label": np.array([[0], [2], [1], [1], [0], [2]], "int64")}
    return feed, layers.mean(layers.cross_entropy(scores, label))


def sequences(fluid):
    layers = fluid.layers
    ids, label = layers.data("words", [1], dtype="int64", lod_level=1), layers.data("label", [1], dtype="int64")
    hidden, _ = layers.dynamic_lstm(layers.fc(layers.embedding(ids, [20, 6]), 12), 12)
    scores = layers.fc(layers.sequence_pool(hidden, "max"), 2, act="softmax")
    feed = {"words": words(fluid, [3, 1, 4]), "label": np.array([[0], [1], [1]], "int64")}
    return feed, layers.mean(layers.cross_entropy(scores, label))


def image(fluid):
    layers = fluid.layers
    x, label = fluid.data("x", [None, 3, 8, 8], "float32"), fluid.data("label", [None, 1], "int64")
    made = layers.batch_norm(layers.conv2d(x, 4, 3, bias_attr=False), act="relu")
    scores = layers.fc(layers.pool2d(made, 2, "avg", 2), 3)
    feed = {"x": rows(2, 4, 3, 8, 8), "label": np.array([[0], [2], [1], [1]], "int64")}
    return feed, layers.mean(layers.softmax_with_cross_entropy(scores, label))


CASES = {
    "sgd": (dense, lambda fluid: fluid.optimizer.SGD(0.5)),
    "momentum": (image, lambda fluid: fluid.optimizer.Momentum(
        0.1, 0.9, regularization=fluid.regularizer.L2Decay(1e-3))),
    "adam": (sequences, lambda fluid: fluid.optimizer.Adam(0.05)),
    "decayed": (dense, lambda fluid: fluid.optimizer.Adagrad(
        fluid.layers.exponential_decay(0.3, 2, 0.5, staircase=True))),
}


def build(fluid, case):
    main, startup = fluid.Program(), fluid.Program()
    network, optimizer = CASES[case]
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        feed, loss = network(fluid)
        optimizer(fluid).minimize(loss)
    return main, startup, feed, loss


def steps(exe, main, feed, loss):
    return [float(np.array(exe.run(main, feed=feed, fetch_list=[loss])[0]).reshape(-1)[0]) for _ in range(3)]


def begin(fluid, folder, case):
    """Trains, saves in every way, and trains on; the losses and the names of what was saved."""
    main, startup, feed, loss = build(fluid, case)
    exe, at = fluid.Executor(fluid.CPUPlace()), lambda name: os.path.join(folder, case, name)
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        steps(exe, main, feed, loss)
        fluid.io.save_persistables(exe, at("each"), main)
        fluid.io.save_persistables(exe, at("one"), main, "all")
        fluid.save(main, at("saved/net"))
        losses = steps(exe, main, feed, loss)
    names = sorted(v.name for v in main.list_vars() if fluid.io.is_persistable(v))
    with open(at("begun.json"), "w") as file:
        json.dump([losses, names], file)


def go_on(fluid, folder, case):
    """Loads in every way, and trains on; the losses of each, and the names of what was loaded."""
    main, startup, feed, loss = build(fluid, case)
    exe, at = fluid.Executor(fluid.CPUPlace()), lambda name: os.path.join(folder, case, name)
    loads = [lambda: fluid.io.load_persistables(exe, at("each"), main),
             lambda: fluid.io.load_persistables(exe, at("one"), startup, "all"),
             lambda: fluid.load(main, at("saved/net"), exe),
             lambda: fluid.set_program_state(main, fluid.load_program_state(at("saved/net")))]
    found = []
    for load in loads:
        with fluid.scope_guard(fluid.Scope()):
            exe.run(startup)
            load()
            found.append(steps(exe, main, feed, loss))
    names = sorted(v.name for v in main.list_vars() if fluid.io.is_persistable(v))
    with open(at("gone_on.json"), "w") as file:
        json.dump([found, names], file)


def parallel(fluid, folder, case):
    """Trains on as many CPU places as CPU_NUM says from what `begin` has saved; its losses, and parameters."""
    main, startup, feed, loss = build(fluid, case)
    exe, at = fluid.Executor(fluid.CPUPlace()), lambda name: os.path.join(folder, case, name)
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        fluid.io.load_persistables(exe, at("each"), main)
        compiled = fluid.CompiledProgram(main).with_data_parallel(loss_name=loss.name)
        losses = [np.array(exe.run(compiled, feed=feed, fetch_list=[loss])[0]).tolist() for _ in range(3)]
        sums = {p.name: float(np.abs(np.array(fluid.global_scope().find_var(p.name).get_tensor())).sum())
                for p in main.all_parameters()}
    with open(at(f"parallel.{fluid.__name__}.json"), "w") as file:
        json.dump([losses, sums], file)


if __name__ == "__main__":
    import paddle.fluid as fluid_there

    for name in sys.argv[3:]:
        {"begin": begin, "go_on": go_on, "parallel": parallel}[sys.argv[1]](fluid_there, sys.argv[2], name)
