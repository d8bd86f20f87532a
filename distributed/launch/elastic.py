"""A job from its start to its end: run once, or with --elastic started again when it fails.

Where one process of an MPI job dies all end, so it is the whole job that is started again; the script goes on from the
last checkpoint that it has saved. `PADDLE_RESTART_COUNT` tells it how often that has happened.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from . import logs, reports, supervisor
from .options import Processes, restarts
from .processes import signals_go_to, start
from .shared_folder import SharedFolder

COUNT = "PADDLE_RESTART_COUNT"
_LONGEST_PAUSE_S = 30.0
_WELL_S = 300.0  # after a life of that length, the next pause is a short one again
_ANSWERS_S = 5.0
log = logging.getLogger("proa.distributed.launch")


class Stopped(BaseException):  # no Exception: one that comes while a handler of logging writes would be lost there
    """A signal has asked the launcher to end while no process ran."""


def run(wanted: Processes, options: argparse.Namespace, arguments: Any) -> int:
    """Runs the script in all processes, again where that is asked for; the exit code of the first that failed at last.

    `arguments` gives the arguments of Python for the processes of a life, which may have fewer machines.
    """
    supervisor.inherit_orphans()
    try:
        with _signals_stop():
            return _lives(wanted, options, arguments)
    except Stopped as stopped:
        return 128 + int(stopped.args[0])


def _lives(wanted: Processes, options: argparse.Namespace, arguments: Any) -> int:
    most, life, pause = restarts(options), 0, options.restart_pause
    folder = pathlib.Path(options.log_dir)
    while True:
        began = time.monotonic()
        now = _reachable(wanted, options) if wanted.fewest < len(wanted.hosts) else wanted
        failure, stopped = _live(now, options, arguments(now), folder, life)
        if failure is None:
            return 128 + stopped if stopped else 0
        _tell(failure, now.total, folder)
        if stopped or not most:
            return 128 + stopped if stopped else failure.exit_code
        why = failure.is_certain or ("" if life < most else f"it has been started again {most} times")
        if why:
            log.error("The job is not started again: %s.", why)
            return failure.exit_code
        pause = options.restart_pause if time.monotonic() - began > _WELL_S else pause
        life += 1
        log.warning("The job is started again in %g s, for the %s of %d times. The logs up to here are kept in "
                    "%s.*.life%d.", pause, _ordinal(life), most, folder / logs.NAME, life - 1)
        _pause(pause)
        pause = min(2 * pause, max(_LONGEST_PAUSE_S, options.restart_pause))
        logs.set_aside(folder, wanted.total, life - 1)


def _live(wanted: Processes, options: argparse.Namespace, arguments: list[str], folder: pathlib.Path,
          life: int) -> tuple[reports.Failure | None, int]:
    """One life of a job: how it failed, None where it did not; the signal that has ended it, or 0."""
    logs.prepare(folder, wanted.total, options.log_overwrite and not life)
    shared = SharedFolder() if len(wanted.hosts) == 1 else SharedFolder(str(folder.resolve()))
    try:
        job = start(wanted, arguments, shared, {COUNT: str(life)}, folder / logs.NAME, options.stop_timeout)
        log.debug("Started: %s", job.started.args)
        with signals_go_to(job) as came, logs.shown(folder / f"{logs.NAME}.0"):
            code = job.wait()
        stopped = came[0] if came else 0
        ended = reports.codes(shared.reports)
        if not any(ended) and (not code or ended.count(0) == wanted.total):
            return None, 0
        if stopped:
            return (None, 0) if ended and not any(ended) else (None, stopped)
        if not reports.begun(shared.reports) and len(wanted.hosts) == 1 and 0 <= code < 128:  # nobody has killed it
            return reports.Failure(None, code or 1, reports.NOT_STARTED), 0
        return reports.first_failure(shared.reports, code if code >= 0 else 128 - code), 0
    finally:
        shared.remove()


@contextlib.contextmanager
def _signals_stop() -> Iterator[None]:
    """Within the block a signal to end raises Stopped, but while processes run, to which it goes."""
    def ended(number: int, _: Any) -> None:
        raise Stopped(number)

    wanted = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    old = {number: signal.signal(number, ended) for number in wanted}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _pause(seconds: float) -> None:
    time.sleep(seconds)


def _reachable(wanted: Processes, options: argparse.Namespace) -> Processes:
    """The machines that answer: all, or after --elastic_timeout those that do, if they are enough."""
    deadline = time.monotonic() + options.elastic_timeout
    while True:
        found = tuple(host for number, host in enumerate(wanted.hosts) if not number or _answers(host))
        if len(found) == len(wanted.hosts) or time.monotonic() > deadline and len(found) >= wanted.fewest:
            return wanted._replace(hosts=found)
        if time.monotonic() > deadline:
            sys.exit(f"--nnodes {options.nnodes}: only {', '.join(found)} answered by ssh within "
                     f"{options.elastic_timeout:g} s (--elastic_timeout).")
        time.sleep(1)


def _answers(host: str) -> bool:
    command = [*os.environ.get("PRTE_MCA_plm_ssh_agent", "ssh").split(), host, "true"]
    if command[0] == "ssh":
        command[1:1] = ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={_ANSWERS_S:g}"]
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * _ANSWERS_S,
                              check=False).returncode == 0
    except (subprocess.TimeoutExpired, FileNotFoundError):
        return False


def _ordinal(number: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{ending}"


def _tell(failure: reports.Failure, size: int, folder: pathlib.Path) -> None:
    """Says which process failed first, with its traceback or the end of its log."""
    if failure.rank is None:
        log.error("The %d processes ended with exit code %d; what mpiexec says of it stands above.", size,
                  failure.exit_code)
        return
    file = folder / f"{logs.NAME}.{failure.rank}"
    is_shown = failure.rank == 0
    log.error("Process %d of %d %s, and all others with it. Its log is %s%s", failure.rank, size, failure.said, file,
              ", shown above" if is_shown else ":")
    end = logs.last_lines(file) if file.exists() else ""
    text = "" if failure.text.strip() in end else failure.text  # a full disk may have kept it out of the log
    if text or not is_shown:
        log.error("%s", text if is_shown else end + text)
