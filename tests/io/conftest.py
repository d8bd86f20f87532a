"""What the tests of proa.io share: scripts in processes of their own, and looking for what they left behind."""

import contextlib
import os
import pathlib
import subprocess
import sys
import time

import proa
import pytest


def process_lives(pid):
    """True while the process runs; a zombie does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def children():
    """The ids of this process's children, zombies among them."""
    found = set()
    for path in pathlib.Path("/proc/self/task").glob("*/children"):
        with contextlib.suppress(FileNotFoundError):  # the thread has ended
            found.update(int(pid) for pid in path.read_text().split())
    return found


def shared_files():
    """The names in /dev/shm, but for those of processes that MPI has started for other tests at the same time."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith(("sm_segment.", "proa-launch-"))}


@pytest.fixture
def shared_memory():
    """A function that gives the names in shared memory."""
    return shared_files


@pytest.fixture
def wait_gone():
    """A function that fails unless the processes end within some seconds."""

    def wait(pids, seconds=5.0):
        deadline = time.monotonic() + seconds
        while (living := [pid for pid in pids if process_lives(pid)]) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not living, f"still running: {living}"

    return wait


@pytest.fixture
def nothing_left():
    """Fails when the test leaves a child process, a named shared file or an open descriptor behind."""
    before = children(), shared_files(), len(os.listdir("/proc/self/fd"))
    yield
    assert (children(), shared_files(), len(os.listdir("/proc/self/fd"))) == before


def _search_path():
    """Where a script finds what the tests find, without the package's own folder, whose `io` is not Python's."""
    package = pathlib.Path(proa.__file__).parent.resolve()
    return [entry for entry in sys.path if entry and pathlib.Path(entry).resolve() != package]


@pytest.fixture
def start_script(tmp_path):
    """A function that starts Python on a script, with warnings as errors, in a process group of its own."""
    started = []

    def start(text):
        path = tmp_path / "script.py"
        path.write_text(text)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(_search_path())}
        process = subprocess.Popen([sys.executable, "-W", "error", str(path)], stdout=subprocess.PIPE, text=True,
                                   stderr=subprocess.PIPE, env=environment, start_new_session=True)
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def run_script(start_script):
    """A function that runs a script to its end and returns its exit code, output and errors."""

    def run(text, timeout=20):
        process = start_script(text)
        out, err = process.communicate(timeout=timeout)
        return process.returncode, out, err

    return run
