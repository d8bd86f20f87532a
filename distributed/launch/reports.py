"""Reports: how each process of a job has ended, in a folder that the launcher and the processes share.

A supervisor writes RANK when its process begins and when it has ended; a process that fails with an exception writes
RANK.error before it ends the others, one that ends by itself RANK.done. The launcher finds there who was first, and
why.
"""

from __future__ import annotations

import json
import os
import pathlib
import signal
import time
from typing import Any, NamedTuple

from ...core import launched

FOLDER = launched.REPORTS
_BEFORE_OTHERS_S = 2.0  # what others notice of a process that a signal ends, they may notice before its supervisor does
NOT_STARTED = "not started"
_CERTAIN = ("SyntaxError", "IndentationError", "TabError", "ModuleNotFoundError", "ImportError")


class Failure(NamedTuple):
    """The process that failed first: its exit code, -N where the signal N ended it; None where nobody could tell."""

    rank: int | None
    code: int
    kind: str = ""
    text: str = ""

    @property
    def exit_code(self) -> int:
        """What the launcher ends with: as a shell's, 128 and the number of a signal."""
        return self.code if self.code >= 0 else 128 - self.code

    @property
    def said(self) -> str:
        """How it ended, in words."""
        if self.code >= 0:
            return f"ended with exit code {self.code}"
        try:
            return f"was ended by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"was ended by signal {-self.code}"

    @property
    def is_certain(self) -> str:
        """Why it would fail again if it were started again; "" where it may not."""
        if self.kind == NOT_STARTED:
            return "mpiexec has not started any process"
        if self.kind in _CERTAIN:
            return f"{self.kind} is an error of the program, which another start does not change"
        if self.code == 2 and self.kind == "SystemExit":
            return "exit code 2 says that the script was called with wrong arguments"
        return ""


def write_error(code: int, kind: str, text: str) -> None:
    """In a process that fails: why, for the launcher."""
    folder = os.environ.get(FOLDER)
    if folder and os.path.isdir(folder):
        said = {"code": code, "kind": kind, "text": text, "time": time.time()}
        path = os.path.join(folder, f"{launched.rank()}.error")
        pathlib.Path(f"{path}.new").write_text(json.dumps(said))
        os.replace(f"{path}.new", path)


def begun(folder: str) -> int:
    """How many processes have begun."""
    return sum(name.isdigit() for name in os.listdir(folder))


def codes(folder: str) -> list[int | None]:
    """The exit codes of the processes; None where a process's supervisor was killed with it."""
    return [_read(os.path.join(folder, name))["code"] for name in os.listdir(folder) if name.isdigit()]


def first_failure(folder: str, otherwise: int) -> Failure:
    """Who failed first; `otherwise` is the exit code of all where the folder does not say."""
    found: list[tuple[float, Failure]] = []
    stopped_by = 0
    for name in os.listdir(folder):
        said = _read(os.path.join(folder, name)) if not name.endswith(".new") else {}
        if name.endswith(".error"):
            found.append((said["time"], Failure(int(name[:-6]), said["code"], said["kind"], said["text"])))
        elif said.get("code") and said["stopped_by"] is None and not os.path.exists(
                os.path.join(folder, f"{name}.error")):
            head_start = _BEFORE_OTHERS_S if said["code"] < 0 else 0
            found.append((said["time"] - head_start, Failure(int(name), said["code"], text=said["text"])))
        stopped_by = stopped_by or said.get("stopped_by") or 0
    return min(found, key=lambda one: one[0])[1] if found else Failure(None, otherwise or -stopped_by)


def _read(path: str) -> dict[str, Any]:
    return json.loads(pathlib.Path(path).read_text())
