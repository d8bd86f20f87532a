"""Every layer on sequences saved as a model, and run from a file: under proa and under PaddlePaddle 1.8.5 (Python 3.7).

    python fluid_sequences.py save|run FOLDER        under 1.8.5
"""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "fluid"))

import sequence_layers as layers


def save(fluid, folder):
    """Saves a model; which result is which is told by the names in the fixture."""
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.core.Scope()
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        _, made = layers.layers_of(fluid)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        for parameter in main.global_block().all_parameters():
            tensor = scope.find_var(parameter.name).get_tensor()
            tensor.set(layers.initial(parameter.name, parameter.shape), fluid.CPUPlace())
        feeds = list(layers.fed(fluid))
        fluid.io.save_inference_model(folder, feeds, list(made.values()), exe, main_program=main)


def run(fluid, folder):
    """(values, offsets) of each result of a model."""
    with fluid.scope_guard(fluid.core.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, fetches = fluid.io.load_inference_model(folder, exe)
        feed = {name: value for name, value in layers.fed(fluid).items() if name in feeds}
        found = exe.run(program, feed=feed, fetch_list=fetches, return_numpy=False)
    return [[np.array(value).tolist(), value.lod()] for value in found]


if __name__ == "__main__":
    import paddle.fluid

    _, what, where = sys.argv
    if what == "save":
        save(paddle.fluid, where)
    else:
        print("ANSWER" + json.dumps(run(paddle.fluid, where)))
