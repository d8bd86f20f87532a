"""The folder that the processes of a job share: in memory where the system has such a place, gone when the job is over.

There are the reports of how processes ended, and what Open MPI keeps of a job on one machine, which it would leave
behind elsewhere when it is killed. A lock on it lasts as long as the launcher or the job's supervisor; a folder without
its lock is left over from two that were killed, and the next job removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from types import ModuleType

_IN_MEMORY = "/dev/shm"
_PREFIX = "proa-launch-"
_LOCK = "lock"
_MADE_S = 60.0  # a younger folder without a lock may be one that is being made


class SharedFolder:
    """A folder that is locked, by this process and by the job's supervisor, who inherits the lock."""

    def __init__(self, place: str | None = None) -> None:
        fcntl = _fcntl()
        place = place or _place()
        remove_left_over(place)
        self.path = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=place)
        self.lock = os.open(os.path.join(self.path, _LOCK), os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.reports = os.path.join(self.path, "reports")
        os.mkdir(self.reports)

    def remove(self) -> None:
        """Removes it, once the job is over. When this process is killed before that, the supervisor removes it."""
        if self.lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)  # what cannot be removed now is left to the next job
            os.close(self.lock)
            self.lock = -1


def remove_left_over(place: str) -> None:
    """Removes this user's folders whose jobs are dead."""
    for entry in os.scandir(place):
        if not entry.name.startswith(_PREFIX):
            continue
        try:
            found = entry.stat(follow_symlinks=False)
            if found.st_uid != os.geteuid() or not entry.is_dir(follow_symlinks=False):
                continue
            if not _is_locked(entry.path) and time.time() - found.st_mtime > _MADE_S:
                shutil.rmtree(entry.path, ignore_errors=True)  # another launcher may be doing the same
        except FileNotFoundError:
            continue


def _is_locked(path: str) -> bool:
    try:
        lock = os.open(os.path.join(path, _LOCK), os.O_RDWR)
    except FileNotFoundError:
        return False
    fcntl = _fcntl()
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _place() -> str:
    return _IN_MEMORY if os.path.isdir(_IN_MEMORY) else tempfile.gettempdir()


def _fcntl() -> ModuleType:
    """Locks of files, which Windows has otherwise: there is no launcher for it."""
    try:
        import fcntl
    except ImportError as error:
        raise NotImplementedError(
            "paddle.distributed.launch and spawn start processes by Open MPI, which Linux and macOS have. Received a "
            f"system ({os.name}) without fcntl. Use Linux there too, by its subsystem (WSL) or a container.") from error
    return fcntl
