"""One of the processes of `spawn`, as MPI's launcher starts it: calls the function that a file holds."""

from __future__ import annotations

import multiprocessing.spawn
import os
import pickle
import sys

from ...core import launched
from .processes import end_all


def main(path: str) -> None:
    """Calls the function of a file that `spawn` has written."""
    rank = launched.rank()
    os.environ["PADDLE_TRAINER_ID"] = str(rank)
    try:
        with open(path, "rb") as file:  # the caller's own, from a folder that only this user can read
            multiprocessing.spawn.prepare(pickle.load(file))
            func, args, devices = pickle.load(file)
        if devices:
            os.environ["FLAGS_selected_gpus"] = devices.split(",")[rank]
        func(*args)
    except BaseException as error:
        end_all(error)
        raise


if __name__ == "__main__":
    main(sys.argv[1])
