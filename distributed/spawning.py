"""spawn: a function of the caller's in several processes, which MPI's launcher starts.

The function and its arguments go to them as `multiprocessing` sends them to its own: in a file that only this user can
read, with what makes the caller's script importable there.
"""

from __future__ import annotations

import multiprocessing.spawn
import os
import pickle
import signal
import subprocess
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..core import child_processes, launched
from .launch import processes, reports
from .launch.options import Processes
from .launch.shared_folder import SharedFolder

__all__ = ["spawn"]


class Spawned:
    """The processes that `spawn` has started."""

    def __init__(self, job: processes.Job, name: str):
        self._job, self._name = job, name
        self._remove = weakref.finalize(self, job.folder.remove)

    def join(self, timeout: float | None = None) -> bool:
        """Waits until all have ended, `timeout` seconds at most; whether they have.

        Raises RuntimeError where one has failed: its traceback stands on the terminal.
        """
        try:
            code = self._job.started.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        failure = reports.first_failure(self._job.folder.reports, code) if code else None
        self._remove()
        if failure is not None:
            which = "a process" if failure.rank is None else f"process {failure.rank}"
            raise RuntimeError(f"spawn(func): {which} of {self._name} {failure.said}, and all others with it; what it "
                               f"printed stands above.\n{failure.text}".rstrip())
        return True

    def terminate(self) -> None:
        """Ends all of them."""
        self._job.send_signal(signal.SIGTERM)


def spawn(func: Callable[..., Any], args: Sequence[Any] = (), nprocs: int = -1, join: bool = True,
          daemon: bool = False, **options: Any) -> Spawned:
    """Calls `func(*args)` in `nprocs` processes, which train together once each has called `init_parallel_env()`.

    `func` and `args` must be what `multiprocessing` can send: a function of a module or of the script, which guards
    what starts it by `if __name__ == "__main__"`. `nprocs=-1` is one, as there is one CPU place. `join=True` waits for
    them. `daemon` changes nothing: they end with this process anyway; of `options`, `gpus` gives each its device.
    Raises RuntimeError where one fails, and within a process that a launcher has started. `paddle.distributed.spawn`.

    >>> import os, subprocess, sys, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "train.py")
    >>> with open(path, "w") as file:
    ...     _ = file.write("import proa.distributed as dist\\ndef train(what):\\n    print(dist.get_rank(), what)\\n"
    ...                    "if __name__ == '__main__':\\n    dist.spawn(train, args=('digits',), nprocs=1)\\n")
    >>> print(subprocess.run([sys.executable, path], capture_output=True, text=True).stdout, end="")
    0 digits
    """
    if launched.size() != 1:
        raise RuntimeError("spawn(func): a launcher has started this process as one of several. Call the function.")
    devices = str(options.get("gpus") or options.get("selected_gpus") or "")
    count = max(1, len([one for one in devices.split(",") if one])) if nprocs == -1 else nprocs
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"spawn(nprocs): must be the number of processes, or -1. Received {nprocs!r}.")
    name = getattr(func, "__qualname__", repr(func))
    folder = SharedFolder()
    path = os.path.join(folder.path, "call")
    prepared = multiprocessing.spawn.get_preparation_data(name)
    del prepared["authkey"]  # of pipes between processes, which these do not have
    prepared["sys_path"] = [*child_processes.path(), *prepared["sys_path"]]
    with open(path, "wb") as file:
        pickle.dump(prepared, file)
        pickle.dump((func, tuple(args), devices), file)
    made = Spawned(processes.start(Processes(("127.0.0.1",), count), ["-m", "proa.distributed.launch.spawned", path],
                                   folder, {"PADDLE_TRAINERS_NUM": str(count)}), name)
    if join:
        made.join()
    return made
