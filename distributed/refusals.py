"""What there is no support for, and what to do in its place: each says so by its name when it is called."""

from __future__ import annotations

from typing import NoReturn

TENSORS = ("tensors divided among processes (auto_parallel)",
           "Each process has whole tensors: divide the batch with paddle.DataParallel or fleet, and the optimizer's "
           "state with paddle.distributed.sharding.group_sharded_parallel")
LAYERS = ("layers divided among processes (tensor parallelism)",
          "Use the layers as they are, whole in each process, and divide the batch")
CALLS = ("calls of functions in other processes",
         "They would run code that another process names. Exchange tensors, or objects with all_gather_object")
PASSES = ("passes that rewrite Programs for several processes",
          "fleet.distributed_optimizer and DataParallel do what is supported")


def refuse(what: str, subject: tuple[str, str]) -> NoReturn:
    """Raises NotImplementedError in the name of `what`."""
    reason, instead = subject
    raise NotImplementedError(f"{what}: {reason}: this is not supported. {instead}.")
