"""Runs programs of the 1.x era under whichever `fluid` is given: PaddlePaddle's, to make a fixture of, or proa's.

Parameters begin with values that follow from their names, and data from the number of the step, so that both begin and
go on alike. Knows no other module of the tests: PaddlePaddle 1.8.5's Python imports it by its path.
"""

import zlib

import numpy as np

NAMES = ("sentiment_stacked_lstm", "sentiment_convolution", "sentiment_dynamic_rnn", "recommender", "semantic_roles",
         "translation_attention", "translation_cells", "language_model")
STEPS = 20


def first_value(name, shape):
    """What a parameter begins with."""
    return np.random.RandomState(zlib.crc32(name.encode()) % 2 ** 32).uniform(-0.3, 0.3, shape).astype("float32")


def fed(fluid, feed, names=None):
    """A feed of arrays, and of LoD tensors where there are lengths."""
    return {name: fluid.create_lod_tensor(value[0], value[1], fluid.CPUPlace()) if isinstance(value, tuple) else value
            for name, value in feed.items() if names is None or name in names}


def plain(value):
    """A fetched value as lists: of its elements, and of its LoD."""
    array = np.array(value)
    found = [float(x) for x in array.reshape(-1)]
    return {"shape": list(array.shape), "lod": [list(map(int, level)) for level in value.lod()], "values": found}


def trained(fluid, module, folder):
    """Trains a program, saves what it infers with, and gives losses, parameters and inferred values."""
    main, startup = fluid.Program(), fluid.Program()
    with fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard(), fluid.program_guard(main, startup):
        made = module.build(fluid)
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(startup)
        parameters = main.global_block().all_parameters()
        for parameter in parameters:
            tensor = fluid.global_scope().find_var(parameter.name).get_tensor()
            tensor.set(first_value(parameter.name, parameter.shape), fluid.CPUPlace())
        losses = []
        for step in range(STEPS):
            feed = {name: value for name, value in module.batch(step).items() if main.global_block().has_var(name)}
            got = exe.run(main, feed=fed(fluid, feed), fetch_list=[made["loss"], *made["metrics"]])
            losses.append([float(np.asarray(value).reshape(-1)[0]) for value in got])
        fluid.io.save_inference_model(folder, made["feeds"], made["targets"], exe, main_program=made["inference"])
    return {"losses": losses, "parameters": {p.name: list(p.shape) for p in parameters},
            "inferred": inferred(fluid, module, folder)}


def inferred(fluid, module, folder):
    """What a saved program gives of the next batch."""
    with fluid.scope_guard(fluid.Scope()):
        exe = fluid.Executor(fluid.CPUPlace())
        program, feeds, targets = fluid.io.load_inference_model(folder, exe)
        got = exe.run(program, feed=fed(fluid, module.batch(STEPS), feeds), fetch_list=targets, return_numpy=False)
        return [plain(value) for value in got]
