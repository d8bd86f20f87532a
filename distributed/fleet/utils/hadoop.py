"""The command `hadoop fs`, by which files of HDFS are listed, read and written: a process a call, without a shell.

Knows Hadoop's options and what it prints; file systems as scripts know them are `fs.py`.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

__all__ = ["ExecuteError", "FSShellCmdAborted", "FSTimeOut", "Hadoop", "Listed"]

_ABORTED = 134  # 128 + SIGABRT
_NO = 1  # what `-test` answers


class ExecuteError(Exception):
    """The command failed."""


class FSTimeOut(Exception):
    """The command was tried until its time had run out."""


class FSShellCmdAborted(ExecuteError):
    """The command was aborted."""


class Listed(NamedTuple):
    """A line of a listing."""

    path: str
    is_dir: bool
    size: int


class Hadoop:
    """`hadoop fs` of an installation: `home`, with its settings (`fs.default.name`, `hadoop.job.ugi`, …).

    A command that fails is tried again, `retries` times in `time_out` seconds, with pauses of `pause` seconds. Raises
    ExecuteError with what Hadoop said; FSTimeOut when the time is over; FileNotFoundError where there is no Hadoop.
    """

    def __init__(self, home: str, configs: Mapping[str, str] | None = None, time_out: float = 300.0,
                 pause: float = 1.0):
        self.binary = os.path.join(os.path.expandvars(str(home)), "bin", "hadoop")
        self.command = [self.binary, "fs", *(f"-D{key}={value}" for key, value in (configs or {}).items())]
        self.time_out, self.pause = time_out, pause

    def run(self, option: str, *paths: str, retries: int = 5) -> str:
        """What `hadoop fs OPTION PATH …` prints."""
        done = self._tried([option, *self._checked(option, paths)], retries, lambda code: code == 0)
        return done.stdout

    def test(self, option: str, path: str) -> bool:
        """What `hadoop fs -test OPTION PATH` answers."""
        done = self._tried(["-test", option, *self._checked("-test", [path])], 1, lambda code: code in (0, _NO))
        return done.returncode == 0

    def listed(self, path: str, recursively: bool = False) -> list[Listed]:
        """What is in a folder, with whole paths; a file is listed as itself."""
        text = self.run("-ls", *(["-R"] if recursively else []), path)
        found = []
        for line in text.splitlines():
            columns = line.split(None, 7)  # mode, replicas, owner, group, size, day, time, path
            if len(columns) == 8:
                found.append(Listed(columns[7], columns[0].startswith("d"), int(columns[4])))
        return found

    def delete(self, path: str) -> None:
        """Deletes a file, or a folder with all that is in it."""
        self.run("-rm", "-r", path)

    def _checked(self, option: str, paths: Sequence[str]) -> list[str]:
        for path in paths:
            if not isinstance(path, str) or not path or "\0" in path:
                raise TypeError(f"hadoop fs {option}: a path is a text. Received {path!r}.")
            if path.startswith("-") and path not in ("-R", "-r", "-f", "-p"):
                raise ValueError(f"hadoop fs {option}: a path does not begin with '-', which would be an option. "
                                 f"Received {path!r}; write ./{path}.")
        return list(paths)

    def _tried(self, arguments: list[str], retries: int,
               is_good: Callable[[int], bool]) -> subprocess.CompletedProcess[str]:
        deadline = time.monotonic() + self.time_out
        for left in range(retries, -1, -1):
            try:
                done = subprocess.run([*self.command, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                                      text=True, errors="replace", check=False,
                                      timeout=max(0.001, deadline - time.monotonic()))
            except FileNotFoundError:
                raise FileNotFoundError(f"There is no Hadoop: {self.binary} is not a program. Give HDFSClient the "
                                        "folder hadoop_home where bin/hadoop is.") from None
            except subprocess.TimeoutExpired:
                raise FSTimeOut(f"hadoop fs {' '.join(arguments)}: did not end in {self.time_out:g} s.") from None
            said = _faults(done.stderr)
            if is_good(done.returncode) and not (done.returncode and said):
                return done
            if done.returncode == _ABORTED:
                raise FSShellCmdAborted(f"hadoop fs {' '.join(arguments)}: was aborted. {said}")
            if time.monotonic() + self.pause > deadline:
                raise FSTimeOut(f"hadoop fs {' '.join(arguments)}: failed for {self.time_out:g} s. {said}")
            if left:
                time.sleep(self.pause)
        raise ExecuteError(f"hadoop fs {' '.join(arguments)}: ended with exit code {done.returncode}. {said}")


def _faults(text: str) -> str:
    """What Hadoop said, without the warnings and notes of its log."""
    lines = [line for line in text.splitlines() if line.strip() and " WARN " not in line and " INFO " not in line]
    return "\n".join(lines)
