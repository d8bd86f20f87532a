"""Opens files that proa wrote with PaddlePaddle 2.6.2: PYTHON_WITH_PADDLE oracle_read.py FOLDER

FOLDER/tasks.json lists what to do; FOLDER/results.npz gets what was found, by task:

- {"kind": "model", "key", "prefix", "arrays": file of input arrays "0.0" (try, input), "tune": steps}: jit.load;
- {"kind": "predictor", ...}: the same through paddle.inference, which runs Paddle's passes over the Program;
- {"kind": "methods", "key", "prefix"}: TwoMethods;
- {"kind": "resume", "key", "prefix", "run"}: losses of a run continued from PREFIX.pdparams and PREFIX.pdopt;
- {"kind": "static", "key", "prefix"}: an inference model in the Executor;
- {"kind": "program", "key", "prefix"}: a Program by paddle.load, with its state, in the Executor;
- {"kind": "state", "key", "prefix", "net"}: a network with the state of PREFIX.pdparams or of a saved model.

A task that fails gives its error's text under KEY.error, and the others go on.
"""

import bz2  # noqa: F401  before Paddle, whose own copies of these libraries crash Python's otherwise
import gzip  # noqa: F401
import json
import lzma  # noqa: F401
import os
import sys
import traceback
import zlib  # noqa: F401

import nets
import numpy as np
import paddle


def tries(path):
    """The lists of input arrays in a file."""
    held = np.load(path)
    return [[held[f"{n}.{k}"] for k in range(sum(key.startswith(f"{n}.") for key in held))]
            for n in range(len({key.split(".")[0] for key in held}))]


def model(task):
    loaded = paddle.jit.load(task["prefix"])
    loaded.eval()
    inputs = tries(task["arrays"])
    found = {f"{n}.{k}": r for n, arrays in enumerate(inputs)
             for k, r in enumerate(nets.outputs(paddle, loaded, arrays))}
    if task.get("tune"):
        found["tuning"] = np.array(nets.tune(paddle, loaded, inputs[-1], task["tune"]))
    return found


def predictor(task):
    config = paddle.inference.Config(task["prefix"] + ".pdmodel", task["prefix"] + ".pdiparams")
    config.disable_glog_info()
    predicting = paddle.inference.create_predictor(config)
    found = {}
    for n, arrays in enumerate(tries(task["arrays"])):
        for name, array in zip(predicting.get_input_names(), arrays):
            predicting.get_input_handle(name).copy_from_cpu(array)
        predicting.run()
        found.update({f"{n}.{k}": predicting.get_output_handle(name).copy_to_cpu()
                      for k, name in enumerate(predicting.get_output_names())})
    return found


def methods(task):
    loaded = paddle.jit.load(task["prefix"])
    loaded.eval()
    return nets.both_methods(paddle, loaded)


def resume(task):
    run = nets.Run(paddle, task["run"])
    run.load(task["prefix"])
    return {"losses": np.array(run.steps(nets.RESUME_AT, nets.STEPS))}


def static(task):
    return nets.load_static(paddle, task["prefix"])


def program(task):
    def fill(program, state):  # set_state_dict fills only variables that the scope has already
        for name, value in state.items():
            paddle.static.global_scope().var(name).get_tensor().set(np.asarray(value), paddle.CPUPlace())

    return nets.load_program(paddle, task["prefix"], fill)


def state(task):
    net = nets.build(paddle, task["net"])
    for value in net.state_dict().values():
        value.set_value(np.zeros(value.shape, "float32"))
    given, own = paddle.load(task["prefix"]), net.state_dict()
    missing, unexpected = net.set_state_dict(given)
    filled = {id(own[key]) for key in given if key in own}  # maybe under another of its names
    assert not unexpected and all(id(own[key]) in filled for key in missing), (missing, unexpected)
    net.eval()
    return {f"{n}.{k}": r for n, arrays in enumerate(nets.inputs(task["net"]))
            for k, r in enumerate(nets.outputs(paddle, net, arrays))}


KINDS = {f.__name__: f for f in (model, predictor, methods, resume, static, program, state)}


def main(folder):
    found = {}
    with open(os.path.join(folder, "tasks.json")) as file:
        tasks = json.load(file)
    for task in tasks:
        try:
            found.update({f"{task['key']}.{k}": v for k, v in KINDS[task["kind"]](task).items()})
        except Exception:
            found[f"{task['key']}.error"] = np.array(traceback.format_exc()[-3000:])
    np.savez(os.path.join(folder, "results.npz"), **found)


if __name__ == "__main__":
    main(sys.argv[1])
