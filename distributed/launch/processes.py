"""Several processes of a training script: MPI's launcher starts them, under a supervisor that leaves none behind.

    launcher ── supervisor ── mpiexec ┬─ supervisor ── process 0      (on each machine MPI's own daemon stands between)
                                      └─ supervisor ── process 1

The launcher may be killed, mpiexec may be, a process may ignore that it is asked to end, or leave children behind:
a supervisor that is alive ends all that is below it.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...core import child_processes, launched, processors
from . import reports, supervisor
from .logs import shown
from .options import Processes
from .shared_folder import SharedFolder

__all__ = ["Job", "die_with_parent", "end_all", "shown", "signals_go_to", "start"]

_PASSED_ON = ("PADDLE_", "PROA_", "FLAGS_", "OMP_", "PYTHON", "CUDA_", "PATH", "LD_LIBRARY_PATH")
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class Job:
    """Processes that were started: the supervisor of all of them, and the folder that they share."""

    def __init__(self, started: subprocess.Popen, folder: SharedFolder):
        self.started, self.folder = started, folder
        self.poll, self.send_signal, self.pid = started.poll, started.send_signal, started.pid
        self.ended_by: int | None = None  # the last signal that asked for the end

    def wait(self, timeout: float | None = None) -> int:
        """The exit code of all. Where their supervisor itself was killed, this process ends what it has left."""
        code = self.started.wait(timeout)
        if code < 0:
            supervisor.end_descendants(0)
        return code


def start(wanted: Processes, arguments: Sequence[str], folder: SharedFolder, variables: dict[str, str],
          log: pathlib.Path | None = None, seconds: float = 10.0) -> Job:
    """Starts processes of this Python with these arguments, and environment variables beside this process's.

    What each writes goes to the file `log`, `.RANK` behind. They may take `seconds` to end when they are asked to.
    """
    own = {name: value for name, value in child_processes.environment().items() if name not in launched.NUMBERS}
    variables = {**own, **variables, reports.FOLDER: folder.reports}
    if len(wanted.hosts) == 1:  # Open MPI's own, on one machine
        variables |= {"OMPI_MCA_btl_sm_backing_directory": folder.path, "PRTE_MCA_prte_tmpdir_base": folder.path}
    variables.setdefault("OMP_NUM_THREADS", str(max(1, processors.usable() // wanted.per_host)))
    each: dict[str, Any] = {"rank_variables": launched.RANKS, "report": folder.reports, "seconds": seconds}
    if log is not None:
        each["log"] = str(log.resolve())
    command = [sys.executable, "-X", "faulthandler", *arguments]
    if wanted.total > 1:
        command = [*_mpiexec(wanted, variables), *supervisor.command(each, command)]
        all_of_them = {"told": folder.reports, "signal_if_killed": signal.SIGTERM, "count": wanted.total}
    else:
        command, all_of_them = supervisor.command(each, command), {"signal_if_killed": signal.SIGTERM}
    all_of_them |= {"seconds": seconds, "remove": folder.path, "lock": folder.lock}
    started = subprocess.Popen(supervisor.command(all_of_them, command), env=variables, pass_fds=[folder.lock],
                               start_new_session=True)  # Ctrl-C comes to the launcher alone, which passes it on
    return Job(started, folder)


def _mpiexec(wanted: Processes, variables: dict[str, str]) -> list[str]:
    """The command that starts processes, up to what each is."""
    found = mpiexec()
    if found is None:
        sys.exit("python -m proa.distributed.launch: there is no mpiexec, which starts several processes. Install an "
                 "MPI: pip install 'proa[mpi]', or the machine's own with mpi4py.")
    command = [found, "-n", str(wanted.total)]
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI" in version or "prte" in version.lower() or "OpenRTE" in version:
        command += ["--oversubscribe", "--bind-to", "none"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--allow-run-as-root")
        if len(wanted.hosts) > 1:
            command += ["--host", ",".join(f"{host}:{wanted.per_host}" for host in wanted.hosts)]
            for name in variables:
                if name.startswith(_PASSED_ON):
                    command += ["-x", name]
    elif len(wanted.hosts) > 1:
        command += ["-hosts", ",".join(wanted.hosts), "-ppn", str(wanted.per_host)]
    return command


def mpiexec() -> str | None:
    """MPI's launcher: that beside this Python, or the machine's own; None where there is none."""
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    return beside if os.access(beside, os.X_OK) else shutil.which("mpiexec")


def die_with_parent() -> None:
    """In the process that starts the others: it is told to end when this one has ended, however that was."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGTERM)


@contextmanager
def signals_go_to(started: Any) -> Iterator[list[int]]:
    """Within the block a signal goes to the processes, which then end this one; what has come, in a list.

    Who presses Ctrl-C twice does not wait. A hang-up that is ignored, as `nohup` has it, stays so.
    """
    came: list[int] = []

    def pass_on(number: int, _: Any) -> None:
        if number not in supervisor.PASSES:
            number = signal.SIGQUIT if number == signal.SIGINT and number in came else number
            came.append(number)
        if started.poll() is None:
            started.send_signal(number)

    old: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        old = {number: signal.signal(number, pass_on) for number in (*supervisor.ENDS, *supervisor.PASSES)
               if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield came
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
        if started.poll() is None:
            started.kill()
            started.wait()


def end_all(error: BaseException) -> None:
    """In one of the processes: ends all of them after an error, with its traceback; nothing where it is a good end."""
    kind, text = type(error).__name__, ""
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        text = error.code if isinstance(error.code, str) else ""
    else:
        code, text = 1, "".join(traceback.format_exception(error))
    if not code:
        return
    reports.write_error(code, kind, text)
    try:
        if text:
            print(text.rstrip(), file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
    finally:  # where a full disk takes no more text, the launcher still has it
        mpi = sys.modules.get("mpi4py.MPI")
        if mpi is not None and mpi.Is_initialized() and not mpi.Is_finalized():
            mpi.COMM_WORLD.Abort(code)
        os._exit(code)  # nothing that waits for other processes runs first
