"""Runs with PaddlePaddle 1.8.5: a Program with a reader that proa has written, fed through the queue that it names.

    python fluid_reader_there.py FOLDER    # prints the fetched values as JSON
"""

import bz2  # noqa: F401 - paddle fails where the first import of these is its own
import gzip  # noqa: F401
import json
import lzma  # noqa: F401
import sys
import zlib  # noqa: F401

import numpy as np
import paddle.fluid as fluid

folder = sys.argv[1]
main, startup = (fluid.Program.parse_from_string(open(f"{folder}/{name}", "rb").read()) for name in ("main", "startup"))
exe, place = fluid.Executor(fluid.CPUPlace()), fluid.CPUPlace()
queue = fluid.core.init_lod_tensor_blocking_queue(fluid.global_scope().var("train_queue"), 2, False)
exe.run(startup)
arrays = fluid.core.LoDTensorArray()
for array, lod in ((np.full((2, 3), 2, "float32"), []), (np.arange(3).reshape(3, 1).astype("int64"), [[0, 1, 3]])):
    tensor = fluid.LoDTensor()
    tensor.set(array, place)
    tensor.set_lod(lod)
    arrays.append(tensor)
queue.push(arrays)
fetched = exe.run(main, fetch_list=sys.argv[2:], return_numpy=False)
print(json.dumps([[np.array(value).tolist(), value.lod()] for value in fetched]))
