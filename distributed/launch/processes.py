"""Several processes of a training script: MPI's launcher starts them, here it is watched.

Each process writes to `workerlog.RANK`; what the first one writes is shown as it comes. When a process fails all end,
and the end of its log is shown. A signal that asks this process to end goes to all; none is left behind when it is
killed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core import child_processes, launched
from .options import Processes

FAILURES = "PROA_LAUNCH_FAILURES"  # the folder where a process that fails writes its exit code
_PASSED_ON = ("PADDLE_", "PROA_", "FLAGS_", "OMP_", "PYTHON", "CUDA_", "PATH", "LD_LIBRARY_PATH")
_LAST_LINES = 40
_IN_MEMORY = "/dev/shm"
_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def run(wanted: Processes, options: argparse.Namespace) -> int:
    """Runs the script in all processes; the exit code of the first that failed, 0 where none did."""
    logs = pathlib.Path(options.log_dir)
    logs.mkdir(parents=True, exist_ok=True)
    for rank in range(wanted.total):
        (logs / f"workerlog.{rank}").write_bytes(b"")
    with folder() as own:
        failures = os.path.join(own, "failures")
        os.mkdir(failures)
        started = start(wanted, ["-m", "proa.distributed.launch.rank", *sys.argv[1:]], own, {FAILURES: failures})
        with signals_go_to(started), shown(logs / "workerlog.0"):
            code = started.wait()
        failed = sorted(pathlib.Path(failures).iterdir(), key=lambda file: file.stat().st_mtime_ns)
        if failed:
            code = int(failed[0].read_text())
            _tell(int(failed[0].name), wanted.total, code, logs)
    return code if code >= 0 else 128 - code


def folder() -> tempfile.TemporaryDirectory:
    """A folder for what the processes share: in memory, where the system has such a place."""
    return tempfile.TemporaryDirectory(prefix="proa-launch-", dir=_IN_MEMORY if os.path.isdir(_IN_MEMORY) else None)


def start(wanted: Processes, arguments: list[str], own: str, variables: dict[str, str]) -> subprocess.Popen:
    """Starts processes of this Python with these arguments, and environment variables beside this process's.

    `own` is a folder that goes away with them: there Open MPI keeps what they share on one machine, which it would
    leave behind elsewhere when one of them is killed.
    """
    variables = {**child_processes.environment(), **variables}
    if len(wanted.hosts) == 1:
        variables["OMPI_MCA_btl_sm_backing_directory"] = own
    variables.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // wanted.per_host)))
    return subprocess.Popen([*_mpiexec(wanted, variables), sys.executable, *arguments], env=variables,
                            preexec_fn=die_with_parent)


def _mpiexec(wanted: Processes, variables: dict[str, str]) -> list[str]:
    """The command that starts processes, up to what each is."""
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    found = beside if os.access(beside, os.X_OK) else shutil.which("mpiexec")
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


def die_with_parent() -> None:
    """In the process that starts the others: it is told to end when this one has ended, however that was."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGTERM)


@contextmanager
def signals_go_to(started: Any) -> Iterator[None]:
    """Within the block a signal to end goes to the processes, which then end this one."""
    def pass_on(number: int, _: Any) -> None:
        if started.poll() is None:
            started.send_signal(number)

    old: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        old = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
        if started.poll() is None:
            started.kill()
            started.wait()


@contextmanager
def shown(log: pathlib.Path) -> Iterator[None]:
    """Within the block what is written to a file is shown."""
    over = threading.Event()

    def follow() -> None:
        with log.open("rb") as file:
            while True:
                is_last = over.wait(0.1)
                data = file.read()
                if data:
                    sys.stdout.write(data.decode(errors="replace"))
                    sys.stdout.flush()
                if is_last:
                    return

    thread = threading.Thread(target=follow, name="proa-launch-log", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def end_all(error: BaseException) -> None:
    """In one of the processes: ends all of them after an error, with its traceback; nothing where it is a good end."""
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    else:
        traceback.print_exception(error)
        code = 1
    if not code:
        return
    folder = os.environ.get(FAILURES)
    if folder and os.path.isdir(folder):
        pathlib.Path(folder, str(launched.rank())).write_text(str(code))
    sys.stdout.flush()
    sys.stderr.flush()
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is not None and mpi.Is_initialized() and not mpi.Is_finalized():
        mpi.COMM_WORLD.Abort(code)
    os._exit(code)  # nothing that waits for other processes runs first


def _tell(rank: int, size: int, code: int, logs: pathlib.Path) -> None:
    """Says which process failed first, with the end of its log."""
    log = logs / f"workerlog.{rank}"
    print(f"Process {rank} of {size} ended with exit code {code}, and all others with it. Its log is {log}"
          f"{', shown above' if rank == 0 else ':'}", file=sys.stderr)
    if rank:
        sys.stderr.write("".join(log.read_text(errors="replace").splitlines(keepends=True)[-_LAST_LINES:]))
