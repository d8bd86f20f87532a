"""Runs with PaddlePaddle 1.8.5: training in dynamic mode, its files, and traced layers.

    python fluid_dygraph_there.py write FOLDER    # trains, saves, and traces
    python fluid_dygraph_there.py read FOLDER     # goes on with what proa has saved, and runs what it has traced
"""

import bz2  # noqa: F401 - paddle fails where the first import of these is its own
import gzip  # noqa: F401
import json
import lzma  # noqa: F401
import os
import sys
import zlib  # noqa: F401

import paddle.fluid as fluid

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fluid", "dygraph"))

from training_runs import CASES, go_on, run, run_traced, traced

command, folder = sys.argv[1:]
told = {}
for name in CASES:
    prefix = os.path.join(folder, name)
    if command == "write":
        run(fluid, name, 6, prefix)
    told[name] = go_on(fluid, name, prefix, 6)
model = os.path.join(folder, "traced")
told["traced"] = (traced if command == "write" else run_traced)(fluid, model).tolist()
with open(os.path.join(folder, command + ".json"), "w") as file:
    json.dump(told, file)
