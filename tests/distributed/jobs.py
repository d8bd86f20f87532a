"""Jobs that are started to be harmed, and the question what is left of them."""

import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time
import uuid

import pytest

MARK = "PROA_TEST_JOB"
SHARED = pathlib.Path("/dev/shm")


@contextlib.contextmanager
def _hearing_of_hangups():
    """What is started in the block is ended by SIGHUP, though tests that `nohup` started are not."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)


class Job:
    """A launcher with its processes, which all carry a mark in their environment."""

    def __init__(self, folder, script, *arguments, options=(), processes=2, environment=None, **kept):
        pytest.importorskip("mpi4py")
        self.folder, self.mark = folder, uuid.uuid4().hex
        self.path = folder / "train.py"
        if script is not None:
            self.path.write_text(script)
        self.command = [sys.executable, "-m", "proa.distributed.launch", "--nproc_per_node", str(processes),
                        "--log_dir", str(folder / "log"), "--stop_timeout", "2", *options, str(self.path), *arguments]
        kept = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **kept}
        with _hearing_of_hangups():
            self.launcher = subprocess.Popen(self.command, cwd=folder, text=True, **kept, env={
                **os.environ, "OMP_NUM_THREADS": "1", MARK: self.mark, **(environment or {})})

    def running(self):
        """The numbers of its processes that run, with their command lines."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit() and is_running(int(entry.name)):
                try:
                    if f"{MARK}={self.mark}".encode() in (entry / "environ").read_bytes():
                        found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                except (FileNotFoundError, ProcessLookupError, PermissionError):
                    continue
        return found

    def find(self, text, count=1):
        """The processes whose command line has a text, once there are so many."""
        return wait_for(lambda: len(found := [process for process, line in self.running().items() if text in line]
                                    ) >= count and sorted(found))

    def pids(self, count=2):
        """The processes that train, by their ranks, once each has written its number."""
        files = wait_for(lambda: len(found := [*self.folder.glob("*.pid")]) == count and all(
            file.read_text() for file in found) and found)
        return [int(file.read_text()) for file in sorted(files)]

    def logs(self):
        """What the processes have written."""
        return "".join(file.read_text(errors="replace") for file in sorted((self.folder / "log").glob("workerlog*")))

    def end(self, timeout=60):
        """The launcher's exit code, output and errors; all else must be gone soon after."""
        try:
            out, err = self.launcher.communicate(timeout=timeout)
            left = wait_for(lambda: self.running() or "none", until=lambda found: found == "none")
            assert left == "none", left
        finally:
            for process in self.running():
                os.kill(process, signal.SIGKILL)
        return self.launcher.returncode, out, err

    def folders(self):
        """The folder in memory that its processes share, in a list."""
        return [*SHARED.glob(f"proa-launch-{self.launcher.pid}-*")]


def is_running(number):
    """Whether a process is there and not just a zombie."""
    try:
        text = pathlib.Path(f"/proc/{number}/stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def wait_for(what, until=bool, seconds=60):
    """What is true in the end, or what it is after so many seconds."""
    deadline = time.monotonic() + seconds
    while True:
        found = what()
        if until(found) or time.monotonic() > deadline:
            return found
        time.sleep(0.05)
