"""Trains one of the runs and prints its losses as a line of JSON: `python train.py FRAMEWORK NAME STEPS`.

Runs by path and imports its folder alone, so that a Python without proa can do it.
"""

import importlib
import json
import sys
from pathlib import Path


def losses(paddle, name, steps):
    """The losses of a run, rounded to what JSON keeps."""
    run = importlib.import_module(f"{Path(__file__).parent.name}.{name}")
    return run.train(paddle, steps)


if __name__ == "__main__":
    for module in ("zlib", "gzip", "bz2", "lzma"):  # before PaddlePaddle, whose libraries otherwise get in their way
        importlib.import_module(module)
    sys.path.insert(0, str(Path(__file__).parent.parent))
    framework, name, steps = sys.argv[1:]
    print(json.dumps(losses(importlib.import_module(framework), name, int(steps))))
