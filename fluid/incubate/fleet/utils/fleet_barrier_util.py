"""`fleet.utils.fleet_barrier_util`: that all trainers have come to the same epoch."""

from __future__ import annotations

import os

from ..parameter_server.distribute_transpiler import fleet

__all__ = ["check_all_trainers_ready"]


def check_all_trainers_ready(ready_path: str, epoch: int) -> None:
    """Waits until all trainers have come here. In 1.x they meet in a folder of HDFS, here through the first server.

    `ready_path`: the folder there, of which this machine's path is used for nothing but the message.
    """
    fleet.barrier_worker()
    if fleet.is_first_worker():
        print(f"all {fleet.worker_num()} trainers are ready for epoch {epoch} ({os.path.basename(ready_path)})")
