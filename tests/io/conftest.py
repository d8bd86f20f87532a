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


def open_files():
    """How many descriptors this process has."""
    return len(os.listdir("/proc/self/fd"))


def shared_files():
    """The names in /dev/shm, but for those of processes that MPI has started for other tests at the same time."""
    return {name for name in os.listdir("/dev/shm") if not name.startswith(("sm_segment.", "proa-launch-"))}


def wait_until_none(found, seconds=60.0):
    """Fails unless what `found` gives is empty within some seconds."""
    deadline = time.monotonic() + seconds
    while (left := found()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left, f"left behind: {left}"


@pytest.fixture
def no_shared_files():
    """Fails when names in shared memory are left behind; those of other processes' semaphores are gone soon."""
    before = shared_files()
    yield
    wait_until_none(lambda: shared_files() - before)


@pytest.fixture
def wait_gone():
    """A function that fails unless the processes end within some seconds."""

    def wait(pids, seconds=60.0):
        wait_until_none(lambda: [pid for pid in pids if process_lives(pid)], seconds)

    return wait


@pytest.fixture
def nothing_left(no_shared_files):
    """Fails when the test leaves a child process, a named shared file or an open descriptor behind."""
    before = children(), open_files()
    yield
    assert not children() - before[0]
    assert open_files() <= before[1]  # what an earlier test left to the collector may be gone by now


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

    def run(text, timeout=120):
        process = start_script(text)
        out, err = process.communicate(timeout=timeout)
        return process.returncode, out, err

    return run
