"""Trains and saves, or infers with, the programs of tests/fluid/programs under PaddlePaddle 1.8.5.

    python fluid_programs_there.py save|infer FOLDER PATH…

FOLDER has a folder for each program; the paths are where the programs and what runs them are found. Prints JSON.
"""

import bz2  # noqa: F401 - paddle fails where the first import of these is its own
import gzip  # noqa: F401
import importlib
import json
import lzma  # noqa: F401
import os
import sys
import warnings
import zlib  # noqa: F401

warnings.simplefilter("ignore")

import paddle.fluid as fluid  # noqa: E402

what, folder = sys.argv[1:3]
sys.path[:0] = sys.argv[3:]

import program_runs  # noqa: E402

found = {}
for name in program_runs.NAMES:
    run = program_runs.trained if what == "save" else program_runs.inferred
    found[name] = run(fluid, importlib.import_module(name), os.path.join(folder, name))
print(json.dumps(found))
