"""What a worker that is one of several ranks asks: how many there are, which it is, its part of a batch.

`BENCHMARK_RANKS` in the environment says how many; alone, everything is given back as it is.
"""

import importlib
import os

COUNT = "BENCHMARK_RANKS"


def count():
    """How many ranks train together."""
    return int(os.environ.get(COUNT, 1))


def number():
    """Which of them this is, as proa's launcher or PyTorch's variables say."""
    return int(os.environ.get("PADDLE_TRAINER_ID") or os.environ.get("RANK") or 0) if count() > 1 else 0


def connect(framework):
    """Connects the ranks: proa's by MPI, PyTorch's by gloo."""
    if count() == 1:
        return
    if framework == "torch":
        importlib.import_module("torch.distributed").init_process_group("gloo")
    else:
        importlib.import_module(framework).distributed.init_parallel_env()


def part(array):
    """The rows of a batch that are this rank's."""
    rows = len(array) // count()
    return array[number() * rows:(number() + 1) * rows]


def in_paddle(paddle, layer, optimizer, mode):
    """The layer and the optimizer as several ranks train them, in the mode "sharded" with state that is divided."""
    if count() == 1:
        return layer, optimizer
    if mode == "sharded":
        return paddle.distributed.sharding.group_sharded_parallel(layer, optimizer, "os_g")[:2]
    return paddle.DataParallel(layer), optimizer


def in_torch(torch, module):
    """The module as several ranks train it."""
    return torch.nn.parallel.DistributedDataParallel(module) if count() > 1 else module
