"""Processes whose Programs exchange different things, or not at all, are told, and end."""

import sys

import numpy as np
import paddle

paddle.enable_static()
paddle.distributed.init_parallel_env()
rank, way = paddle.distributed.get_rank(), sys.argv[1]
main = paddle.static.Program()
with paddle.static.program_guard(main):
    x = paddle.static.data("x", [3])
    block = main.global_block()
    y = x * 2.0
    block.append_op(type="c_allreduce_sum", inputs={"X": y}, outputs={"Out": y}, attrs={"ring_id": 0})
    z = x * 3.0
    if way == "other":
        type = "c_allreduce_max" if rank else "c_allreduce_sum"
        block.append_op(type=type, inputs={"X": z}, outputs={"Out": z}, attrs={"ring_id": 0})
exe = paddle.static.Executor()
feed = {"x": np.ones(3, "float32")}
if way == "late":  # the first run is in order, and in the second one the other process is missing
    found, _ = exe.run(main, feed, [y, z])
    assert found.tolist() == [4.0, 4.0, 4.0]
    paddle.set_flags({"FLAGS_communication_timeout": 2.0})  # from here on: both may have begun slowly
    if rank == 1:
        import time

        time.sleep(20)
exe.run(main, feed, [y, z])
