"""What each run needs: weights that the first Python draws and the second reads, and a place for its results."""

import bz2  # noqa: F401  (Paddle 2.6.2 fails when these are loaded after it)
import gzip  # noqa: F401
import json
import lzma  # noqa: F401
import os
import sys
import time
import traceback
import warnings
import zlib  # noqa: F401

warnings.simplefilter("ignore")

import numpy as np  # noqa: E402

FOLDER, SIDE = sys.argv[1:3]
RESULTS = {}


def same_weights(layer, name):
    """Writes the layer's state to FOLDER/name.npz, or where there is one takes it over."""
    path = os.path.join(FOLDER, f"{name}.npz")
    state = layer.state_dict()
    if not os.path.exists(path):
        np.savez(path, **{key: value.numpy() for key, value in state.items()})
        return
    kept = np.load(path)
    if set(kept.files) != set(state):
        raise ValueError(f"{name}: other names of parameters: {sorted(set(kept.files) ^ set(state))}")
    for key, value in state.items():
        value.set_value(kept[key].astype(value.numpy().dtype))


def trained(layer, loss, optimizer, steps=5):
    """The losses of some steps."""
    losses = []
    layer.train()
    for _ in range(steps):
        value = loss(layer)
        value.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(value))
    layer.eval()
    return losses


def numbers(tensor):
    """The elements of a Tensor, as JSON has them."""
    return np.asarray(tensor.numpy(), "float64").tolist()


def run(**cases):
    """Calls each case with a dict for its results, and writes all of them."""
    for name, case in cases.items():
        found = RESULTS[name] = {}
        begin = time.process_time()
        try:
            case(found)
        except Exception:
            found["error"] = traceback.format_exc()
        print(f"{SIDE} {name}: {time.process_time() - begin:.1f} s", file=sys.stderr)
    with open(os.path.join(FOLDER, f"{SIDE}.json"), "w") as file:
        json.dump(RESULTS, file)
