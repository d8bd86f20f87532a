"""Spawns processes, one of which fails when it is told to."""

import sys

import paddle
import paddle.distributed as dist


def work(scale, fails):
    dist.init_parallel_env()
    x = paddle.ones([2]) * scale
    dist.all_reduce(x)
    if fails and dist.get_rank() == 1:
        raise ValueError("this one fails")
    print(f"process {dist.get_rank()}: {x.tolist()}", flush=True)


if __name__ == "__main__":
    dist.spawn(work, (3.0, "fail" in sys.argv), nprocs=2)
    print("all have ended")
