"""Sums of arrays that are exchanged in parts: in place, elsewhere and over each other; arrays broadcast together."""

import numpy as np
import paddle.distributed as dist
from proa.backend.comm import exchanges, mpi
from proa.backend.comm.communicator import AVG, MAX, SUM
from proa.distributed import engine

dist.init_parallel_env()
group = engine.communicator(0)
mpi._PART, mpi._MESSAGE = 64, 40  # bytes
for dtype in ("float32", "float64", "float16", "int8", "complex128"):
    for count in (0, 1, 15, 16, 17, 64, 1000):
        rows = [np.random.default_rng(seed).integers(-9, 9, count).astype(dtype) for seed in range(group.size)]
        own = rows[group.rank]
        for operation, expected in ((SUM, sum(rows)), (AVG, sum(rows) / group.size), (MAX, np.max(rows, 0))):
            if dtype == "int8" and operation == AVG or dtype == "complex128" and operation == MAX:
                continue
            elsewhere = group.all_reduce(own, operation)
            given = np.full(count, 7, dtype)
            in_place = own.copy()
            behind = exchanges.begin(lambda x=in_place, op=operation: group.all_reduce(x, op, x))  # by the thread
            assert group.do(lambda x=own, op=operation, out=given: group.all_reduce(x, op, out)) is given
            assert behind.wait() is in_place
            for found in (elsewhere, given, in_place):
                assert found.dtype == own.dtype and np.array_equal(found, expected.astype(dtype)), (dtype, count)
overlapping = np.arange(40.0)
group.all_reduce(overlapping[:32], SUM, overlapping[:32])
assert np.array_equal(overlapping, [*(group.size * np.arange(32.0)), *range(32, 40)])

shapes = [(3,), (), (2, 2), (0,), (30,), (1, 5), (4,)]
dtypes = ["float32", "int64", "float16", "float32", "float64", "uint8", "bool"]
arrays = [np.full(shape, 1 + group.rank, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
for array, own in zip(group.broadcast_all(arrays, group.size - 1), arrays, strict=True):
    assert array.shape == own.shape and array.dtype == own.dtype and np.all(array == np.array(group.size, own.dtype))
print("summed", group.rank)
