"""Lines of a file that has gone through a command, as `zcat` or `python generator.py`: a process reads it as input."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from typing import IO, Any

from ...core.child_processes import environment

_AS_IT_IS = "cat"


class Commands:
    """The commands that run for a reader, which whoever wants no more of it ends: they may be busy for long."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen] = set()
        self._ended = False

    def add(self, process: subprocess.Popen) -> None:
        """Takes a command that was started; it is ended at once where no more is wanted."""
        with self._lock:
            self._running.add(process)
            if self._ended:
                _end(process)

    def remove(self, process: subprocess.Popen) -> None:
        """Forgets a command that is at its end."""
        with self._lock:
            self._running.discard(process)

    def end(self) -> None:
        """Ends those that run, and such as are started from now on."""
        with self._lock:
            self._ended = True
            for process in self._running:
                _end(process)


def lines_through(path: str, command: str, commands: Commands) -> Iterator[str]:
    """The lines of what `command` writes when it is given the file, unpacked if it ends in .gz, as its input.

    The command is the shell's, as the user wrote it, and may be a pipeline; the file's name is no part of it. Raises
    FileNotFoundError for a file that is not there, RuntimeError for a command that fails. Leaving the loop ends it.
    """
    if not os.path.isfile(path):
        raise FileNotFoundError(f"set_filelist(filelist): there is no file {path!r}.")
    with _opened(path) as file:
        if command.strip() == _AS_IT_IS:
            yield from (line.decode() for line in file)
            return
        with _running(command, file, commands) as process:
            yield from (line.decode() for line in process.stdout)
            code = process.wait()
        if code != 0:
            raise RuntimeError(f"The pipe command {command!r} failed on the file {path!r}: exit code {code}. It is "
                               "given the file as its standard input; what it wrote to its standard error says why.")


def _opened(path: str) -> IO[bytes]:
    return gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")  # type: ignore[return-value]


@contextlib.contextmanager
def _running(command: str, file: IO[bytes], commands: Commands) -> Iterator[Any]:
    shell = shutil.which("bash")
    words = [shell, "-o", "pipefail", "-c", command] if shell else ["/bin/sh", "-c", command]
    packed = isinstance(file, gzip.GzipFile)
    process = subprocess.Popen(words, stdin=subprocess.PIPE if packed else file, stdout=subprocess.PIPE,
                               start_new_session=True, env=environment())
    feeder = threading.Thread(target=_feed, args=(file, process.stdin), daemon=True, name="proa pipe")
    if packed:
        feeder.start()
    commands.add(process)
    try:
        yield process
    finally:
        if process.poll() is None:
            _end(process)
        process.wait()
        commands.remove(process)
        if packed:
            feeder.join()
        assert process.stdout is not None
        process.stdout.close()


def _end(process: subprocess.Popen) -> None:
    """Ends the command, and all that it has started: they are a group of processes."""
    import signal

    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGTERM)
        else:  # Windows, which has no groups: the command itself
            process.terminate()


def _feed(file: IO[bytes], sink: IO[bytes]) -> None:
    with contextlib.suppress(BrokenPipeError), sink:  # the command may have read enough
        shutil.copyfileobj(file, sink)
