"""What each run of a package of the 1.x era needs: equal first values in two Pythons, and a place for its results."""

import bz2  # noqa: F401  (PaddlePaddle 1.8.5 fails when these are loaded after it)
import gzip  # noqa: F401
import json
import lzma  # noqa: F401
import os
import sys
import time
import traceback
import warnings
import zlib

warnings.simplefilter("ignore")

import numpy as np  # noqa: E402
import paddle.fluid as fluid  # noqa: E402

FOLDER, SIDE = sys.argv[1:3]
RESULTS = {}

if not hasattr(fluid.core, "get_cuda_device_count"):  # PaddlePaddle without CUDA, which packages do not expect
    fluid.core.get_cuda_device_count = lambda: 0


def same_values(*programs):
    """Gives the parameters of Programs first values that follow from their names; each name once."""
    found = {p.name: p for program in programs for p in program.global_block().all_parameters() if p.trainable}
    for name, parameter in sorted(found.items()):
        random = np.random.RandomState(zlib.crc32(name.encode()) % 2 ** 32)
        filters = len(parameter.shape) == 4  # whose results keep the size of what they read
        bound = (3.0 / np.prod(parameter.shape[1:])) ** 0.5 if filters else 0.3
        value = random.uniform(-bound, bound, parameter.shape).astype("float32")
        fluid.global_scope().find_var(name).get_tensor().set(value, fluid.CPUPlace())


def leaves(structure):
    """The arrays of nested dicts and lists, dicts by their keys."""
    if isinstance(structure, dict):
        structure = [structure[key] for key in sorted(structure)]
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in leaves(item)]
    return [structure]


def run(**cases):
    """Calls each case with a dict for its results, in Programs and a scope of its own, and writes all of them."""
    for name, case in cases.items():
        found = RESULTS[name] = {}
        begin = time.process_time()
        try:
            with fluid.scope_guard(fluid.Scope()), fluid.unique_name.guard(), \
                    fluid.program_guard(fluid.Program(), fluid.Program()):
                case(found)
        except Exception:
            found["error"] = traceback.format_exc()
        print(f"{SIDE} {name}: {time.process_time() - begin:.1f} s", file=sys.stderr)
    with open(os.path.join(FOLDER, SIDE + ".json"), "w") as file:
        json.dump(RESULTS, file)
