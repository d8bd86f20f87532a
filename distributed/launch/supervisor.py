"""A supervisor: starts one command, and when that is over, however it ended, leaves no process and no folder behind.

`python -I -S supervisor.py ORDER COMMAND…`. One stands before the mpiexec of a job, and one before each of the
processes that train. It is a process of its own because it must outlive those that are killed, and knows nothing of
this package, so that it begins within milliseconds. ORDER is a JSON text with what `Order` names.

As the nearest subreaper (prctl(2)) it inherits what its descendants leave behind, so that a process that a script has
started, or the processes that a killed mpiexec had started, can be found and ended. It looks for its own parent four
times a second, and ends all when that is gone.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from typing import Any

_DIES_WITH_PARENT, _INHERITS = 1, 36  # PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER
_LOOKS_S = 0.25
_LAST_WORDS_S = 2.0


def _had(*names: str) -> tuple[signal.Signals, ...]:
    """The signals of these names that this system has."""
    return tuple(signal.Signals[name] for name in names if hasattr(signal, name))


ENDS = _had("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT")
PASSES = _had("SIGUSR1", "SIGUSR2")


class Order:
    """What to do beside starting the command, as ORDER says.

    | seconds | how long those that are asked to end may take |
    | signal_if_killed | what the command gets should this process be killed |
    | remove | a folder that goes with the job when this process's parent is gone |
    | lock | a file descriptor that keeps that folder locked |
    | told | the folder of reports of the supervisors further down: who asks for an end asks these first |
    | count | how many supervisors report there: when one reports a failure, or all an end, mpiexec has to end in time |

    Of the processes that train:

    | rank_variables | where to read the rank in the environment |
    | report | a folder for a file of the rank's name, which says how it stands with the command |
    | log | a file for what it writes, `.RANK` behind |
    """

    def __init__(self, text: str):
        found = json.loads(text)
        self.seconds: float = found.get("seconds", 10.0)
        self.signal_if_killed: int = found.get("signal_if_killed", signal.SIGKILL)
        self.remove: str | None = found.get("remove")
        self.lock: int | None = found.get("lock")
        self.told: str | None = found.get("told")
        self.count: int = found.get("count", 0)
        self.report: str | None = found.get("report")
        log = found.get("log")
        self.rank = next((os.environ[name] for name in found.get("rank_variables", ()) if os.environ.get(name)), "0")
        self.log: str | None = f"{log}.{self.rank}" if log else None


class Supervisor:
    """One command, from its start to the end of its last descendant."""

    def __init__(self, order: Order, command: list[str]):
        self.order, self.command = order, command
        self.parent = os.getppid()
        self.stopped_by: int | None = None  # the signal that asked for the end
        self.deadline = float("inf")
        self.has_asked = False
        self.status: int | None = None

    def run(self) -> int:
        """The exit code for this process: the command's, or 128 and the number of the signal that ended it."""
        watched = {*ENDS, *PASSES, signal.SIGCHLD}
        for number in (*ENDS, *PASSES, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)  # what is ignored is not even waited for
        signal.pthread_sigmask(signal.SIG_BLOCK, watched)
        inherit_orphans()
        if self.order.lock is not None:
            os.set_inheritable(self.order.lock, False)
        try:
            code = self._run(watched)
        finally:
            if self.order.remove and os.getppid() != self.parent:
                shutil.rmtree(self.order.remove, ignore_errors=True)  # where that fails, the next job removes it
        return code

    def _run(self, watched: set[signal.Signals]) -> int:
        try:
            self.child = self._start()
        except OSError as error:
            print(f"{self.command[0]} cannot be started: {error}", file=sys.stderr)
            self._report(code=127, text=str(error))
            return 127
        self._report(code=None)
        while self.status is None:
            found = signal.sigtimedwait(watched, _LOOKS_S)
            if found is not None:
                self._receive(found.si_signo)
            elif os.getppid() != self.parent:
                self._stop(signal.SIGTERM)
            elif self.deadline == float("inf") and self._are_over():
                self.deadline = time.monotonic() + self.order.seconds
            self._reap()
            if self.status is None and time.monotonic() > self.deadline:
                self._insist()
        end_descendants(self.order.seconds if self.stopped_by is None else _LAST_WORDS_S)
        code = os.waitstatus_to_exitcode(self.status)
        self._report(code=code)
        if self.order.report and self.stopped_by is not None:
            return 0  # or MPI's launcher would kill those that are still ending by themselves
        return code if code >= 0 else 128 - code

    def _start(self) -> subprocess.Popen:
        output = None
        if self.order.log:
            os.makedirs(os.path.dirname(self.order.log), exist_ok=True)
            output = os.open(self.order.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            return subprocess.Popen(self.command, stdout=output, stderr=output, preexec_fn=self._prepare,
                                    close_fds=False)
        finally:
            if output is not None:
                os.close(output)

    def _prepare(self) -> None:
        """In the command's process, before it begins."""
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        _control(_DIES_WITH_PARENT, self.order.signal_if_killed)

    def _receive(self, number: int) -> None:
        if number in PASSES:
            self._send(number)
        elif number == signal.SIGQUIT:
            self._stop(number)
            self._kill_all()
        elif number in ENDS:
            self._stop(number)

    def _stop(self, number: int) -> None:
        """Asks for the end, once: schedulers send their signal to each process, and it also comes from above."""
        if self.stopped_by is None:
            self.stopped_by = number
            self.deadline = time.monotonic() + self.order.seconds
            self._send(number)

    def _send(self, number: int) -> None:
        for process in self._told() or [self.child.pid]:
            _kill(process, number)

    def _told(self) -> list[int]:
        """The supervisors further down whose commands run."""
        found = []
        for name in os.listdir(self.order.told) if self.order.told else ():
            if name.isdigit():
                said = self._said(name)
                if said["code"] is None:
                    found.append(said["process"])
        return found

    def _are_over(self) -> bool:
        """Whether the processes have ended, or one has failed. mpiexec itself may hang when they end in its start."""
        if not self.order.told:
            return False
        names = os.listdir(self.order.told)
        codes = [self._said(name)["code"] for name in names if name.isdigit()]
        return any(name.endswith(".error") for name in names) or any(codes) or codes.count(0) >= self.order.count > 0

    def _said(self, name: str) -> dict[str, Any]:
        with open(os.path.join(self.order.told or "", name)) as file:
            found: dict[str, Any] = json.load(file)
        return found

    def _insist(self) -> None:
        """The time is over: the command itself is asked, and then all that is left is killed."""
        if self.order.told and not self.has_asked:
            self.has_asked = True
            self.deadline = time.monotonic() + _LAST_WORDS_S
            _kill(self.child.pid, signal.SIGTERM)
        else:
            self._kill_all()

    def _kill_all(self) -> None:
        for process in descendants():
            _kill(process, signal.SIGKILL)
        self.deadline = time.monotonic() + _LAST_WORDS_S

    def _reap(self) -> None:
        """Takes leave of what has ended; orphans among them."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not process:
                return
            if process == self.child.pid:
                self.status = status
                self.child.returncode = os.waitstatus_to_exitcode(status)

    def _report(self, code: int | None, text: str = "") -> None:
        """Writes how it stands with the command: whole or not at all."""
        if not self.order.report or not os.path.isdir(self.order.report):  # on another machine it may not be there
            return
        path = os.path.join(self.order.report, self.order.rank)
        said = {"code": code, "stopped_by": self.stopped_by, "time": time.time(), "text": text, "process": os.getpid()}
        with open(f"{path}.new", "w") as file:
            json.dump(said, file)
        os.replace(f"{path}.new", path)


def inherit_orphans() -> None:
    """From here on this process is the parent of what its descendants leave behind."""
    _control(_INHERITS, 1)


def _control(what: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(what, value)


def descendants() -> list[int]:
    """The numbers of all processes below this one; without /proc, none."""
    children: dict[int, list[int]] = {}
    try:
        processes = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:
        return []
    for process in processes:
        state, parent = _state(process)
        if state not in ("Z", "X", ""):
            children.setdefault(parent, []).append(process)
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        below = children.get(waiting.pop(), ())
        found += below
        waiting += below
    return found


def _state(process: int) -> tuple[str, int]:
    """Its state's letter and its parent, of /proc/PID/stat; "" where it is gone."""
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return "", 0
    return fields[0].decode(), int(fields[1])


def end_descendants(seconds: float) -> None:
    """Ends all processes below this one: asked first, killed after `seconds`."""
    deadline, number, asked = time.monotonic() + seconds, signal.SIGTERM, set[int]()
    while True:
        left = descendants()
        if not left:
            break
        if time.monotonic() > deadline:
            number = signal.SIGKILL
        for process in left:
            if number == signal.SIGKILL or process not in asked:
                asked.add(process)
                _kill(process, number)
        _wait_for_any(0.02)
    _wait_for_any(0)


def _wait_for_any(seconds: float) -> None:
    time.sleep(seconds)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _kill(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


def command(order: dict[str, Any], start: Iterable[str]) -> list[str]:
    """The command line of a supervisor of `start`."""
    return [sys.executable, "-I", "-S", os.path.abspath(__file__), json.dumps(order), *start]


if __name__ == "__main__":
    code = Supervisor(Order(sys.argv[1]), sys.argv[2:]).run()
    sys.stdout.flush()
    os._exit(code)
