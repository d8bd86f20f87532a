"""Checkpoints of a fleet: numbered folders with the values of a Program and how many epochs are over.

A folder has its name when all of it is there, so that one that is killed leaves no half.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

from .....distributed.fs_wrapper import LocalFS
from .... import io

PREFIX = "__paddle_fleet_checkpoint__"
VALUES = "_paddle_fleet_param__"
_STATUS = "fleet_train_status"
_NAME = re.compile(re.escape(PREFIX) + r"\.(\d+)")


class TrainStatus:
    """How far a training has come: the number of the last epoch that is over, -1 for none.

    >>> from proa.fluid.incubate.fleet.collective import TrainStatus
    >>> TrainStatus(2).next(), TrainStatus() == TrainStatus(-1)
    (3, True)
    """

    def __init__(self, epoch_no: int = -1):
        self._epoch_no = epoch_no

    def next(self) -> int:
        """The epoch to go on with."""
        return self._epoch_no + 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TrainStatus) and self._epoch_no == other._epoch_no

    def __hash__(self) -> int:
        return hash(self._epoch_no)


def numbers(path: str, files: Any) -> list[int]:
    """The numbers of a folder's checkpoints, the last one last."""
    found = (_NAME.fullmatch(os.path.basename(name.rstrip("/"))) for name in files.list_dirs(path))
    return sorted(int(match[1]) for match in found if match)


def save(executor: Any, path: str, status: TrainStatus, program: Any, files: Any, cache: str) -> int:
    """Writes a checkpoint, and gives its number."""
    if not files.stat(path):
        files.mkdir(path)
    number = max(numbers(path, files), default=-1) + 1
    place = f"{path}/{PREFIX}.{number}"
    written = beside = f"{place}.tmp"
    local = LocalFS()
    if files.need_upload_download():
        written = f"{cache}/{PREFIX}.{number}.saved_cache"
    local.delete(written)
    local.mkdir(written)
    io.save_persistables(executor, written, program, filename=VALUES)
    with open(os.path.join(written, _STATUS), "w") as file:
        json.dump({"epoch_no": status._epoch_no}, file)
        file.flush()
        os.fsync(file.fileno())
    if files.need_upload_download():
        files.delete(beside)
        files.upload(written, beside)
    files.mv(beside, place)
    return number


def remove_older(path: str, files: Any, kept: int) -> None:
    """Removes all but the last checkpoints."""
    for number in numbers(path, files)[:-max(kept, 1)]:
        files.rmr(f"{path}/{PREFIX}.{number}")


def load(executor: Any, path: str, trainer: int, program: Any, files: Any, cache: str) -> TrainStatus | None:
    """Reads the last checkpoint; None where there is none. ValueError for one without a number of epochs."""
    found = numbers(path, files)
    if not found:
        return None
    place = read = f"{path}/{PREFIX}.{found[-1]}"
    if files.need_upload_download():
        read = f"{cache}/{PREFIX}.{found[-1]}.load_cache.{trainer}"
        LocalFS().delete(read)
        LocalFS().mkdir(cache)
        files.download(place, read)
    io.load_persistables(executor, read, program, filename=VALUES)
    return _status(os.path.join(read, _STATUS))


def _status(file_name: str) -> TrainStatus:
    if not os.path.isfile(file_name):
        return TrainStatus()
    with open(file_name) as file:
        try:
            epoch = json.load(file)["epoch_no"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"load_checkpoint: {file_name} says no number of epochs ({error}). Remove this checkpoint "
                             "to go on from the one before.") from error
    if not isinstance(epoch, int) or epoch < 0:
        raise ValueError(f"load_checkpoint: {file_name} says epoch_no={epoch!r}, which must be 0 or more. Remove this "
                         "checkpoint to go on from the one before.")
    return TrainStatus(epoch)
