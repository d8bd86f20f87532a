"""Runs saved models with PaddlePaddle 2.6.2: reads folders from standard input, answers each with a line.

A folder holds `model.pdmodel`, `model.pdiparams` and `arrays.npz` with the inputs of each try; what the model gives is
written to `found.npz` there. Run by the Python that has PaddlePaddle; imports nothing of proa.
"""

import bz2  # noqa: F401  before Paddle, whose own copies of these libraries crash Python's otherwise
import gzip  # noqa: F401
import json
import lzma  # noqa: F401
import os
import sys
import zlib  # noqa: F401

import numpy as np
import paddle
from oracle_training import told, trained


def answer(folder):
    """What a folder's model gives for each try."""
    with np.load(os.path.join(folder, "arrays.npz")) as held:
        names = sorted(
            (key for key in held.files if key.startswith("input ")), key=lambda key: [int(k) for k in key.split()[1:]]
        )
        tries = {}
        for key in names:
            tries.setdefault(key.split()[1], []).append(held[key])
    model = paddle.jit.load(os.path.join(folder, "model"))
    model.eval()
    found = {}
    for n, arrays in tries.items():
        result = model(*map(paddle.to_tensor, arrays))
        results = result if isinstance(result, (list, tuple)) else [result]
        found.update({f"try {n} output{k}": part.numpy() for k, part in enumerate(results)})
    np.savez(os.path.join(folder, "found.npz"), **found)


def main():
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what Paddle prints is not an answer
    print("ready", file=out, flush=True)
    for line in sys.stdin:
        try:
            folder = line.strip()
            kinds = {"program.py": trained, "training.py": told}
            next((kinds[name] for name in kinds if os.path.exists(os.path.join(folder, name))), answer)(folder)
            said = ""
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        print(json.dumps(said[-1500:]), file=out, flush=True)


if __name__ == "__main__":
    main()
