"""`save` and `load` of a state of `megabytes` in ten arrays, in a temporary folder."""

import atexit
import os
import tempfile

import numpy as np

SIZE = {"megabytes": 400, "load": 0}


def amount(size):
    return size["megabytes"]


def _step(framework, make, size):
    folder = tempfile.TemporaryDirectory(dir=os.getcwd())
    atexit.register(folder.cleanup)
    path = os.path.join(folder.name, "state.pdparams")
    arrays = np.random.default_rng(0).random((10, size["megabytes"] * 25_000), "float32")
    state = {f"weight_{number}": make(array) for number, array in enumerate(arrays)}
    framework.save(state, path)

    def save():
        framework.save(state, path)

    def load():
        return framework.load(path)["weight_0"]

    return load if size["load"] else save


def in_paddle(paddle, mode, size):
    return _step(paddle, paddle.to_tensor, size)


def in_torch(torch, mode, size):
    return _step(torch, lambda array: torch.from_numpy(array.copy()), size)
