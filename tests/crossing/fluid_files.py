"""Writes and reads every kind of file of Paddle 1.x: imported by the tests, and run by the Python of 1.8.5.

`python fluid_files.py write FOLDER NETS` or `read FOLDER NETS`.
"""

import os
import sys

import numpy as np
from fluid_nets import NETS


def build(fluid, name):
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        feed, target = NETS[name](fluid)
    return main, startup, feed, target


def run(fluid, exe, program, feed, fetches):
    return np.array(exe.run(program, feed=feed, fetch_list=fetches, return_numpy=False)[0])


def write(fluid, folder, name):
    """All files of a network with new parameters; the names of its parameters, and what it computes."""
    main, startup, feed, target = build(fluid, name)
    exe, at = fluid.Executor(fluid.CPUPlace()), lambda *parts: os.path.join(folder, name, *parts)
    with fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard():
        exe.run(startup)
        expected = run(fluid, exe, main, feed, [target])
        fluid.io.save_inference_model(at("model"), list(feed), [target], exe, main)
        fluid.io.save_inference_model(at("combined"), list(feed), [target], exe, main, "net", "values")
        fluid.io.save_params(exe, at("params"), main)
        fluid.io.save_persistables(exe, at("persistables"), main, "all")
        fluid.save(main, at("saved", "net"))
    names = [p.name for p in main.all_parameters()]
    np.savez(at("expected.npz"), out=expected, names=np.array(names))


def read(fluid, folder, name):
    """What a network computes with each kind of its files; they must be those that `write` has written elsewhere."""
    main, startup, feed, target = build(fluid, name)
    exe, at = fluid.Executor(fluid.CPUPlace()), lambda *parts: os.path.join(folder, name, *parts)
    loads = {
        "params": lambda: fluid.io.load_params(exe, at("params"), main),
        "persistables": lambda: fluid.io.load_persistables(exe, at("persistables"), main, "all"),
        "saved": lambda: fluid.load(main, at("saved", "net"), exe),
        "state": lambda: fluid.set_program_state(main, fluid.load_program_state(at("saved", "net"))),
    }
    found = {}
    with fluid.scope_guard(fluid.Scope()):
        for arguments in (("model",), ("combined", "net", "values")):
            program, _, targets = fluid.io.load_inference_model(at(arguments[0]), exe, *arguments[1:])
            found[arguments[0]] = run(fluid, exe, program, feed, targets)
        for kind, load in loads.items():
            exe.run(startup)
            load()
            found[kind] = run(fluid, exe, main, feed, [target])
    np.savez(at("found.npz"), names=np.array([p.name for p in main.all_parameters()]), **found)


if __name__ == "__main__":
    import paddle.fluid as fluid_there

    for net in sys.argv[3:]:
        {"write": write, "read": read}[sys.argv[1]](fluid_there, sys.argv[2], net)
