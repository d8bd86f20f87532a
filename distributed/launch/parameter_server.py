"""Servers and workers of a training script, started on this machine: `--servers`, `--workers`, `--server_num`, …

Each is a process of its own with the variables that role makers read. Servers write to `serverlog.N`, workers to
`workerlog.N`; what the first worker writes is shown as it comes. When the workers have ended, the servers end; the
first process that fails ends all, with the end of its log. No process outlives the launcher.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...core import child_processes, processors
from ..fleet.base.roles import checked_endpoints
from . import supervisor
from .elastic import COUNT, log
from .options import is_here, restarts
from .processes import shown, signals_go_to

_POLL_S = 0.05
_SERVERS_END_S = 10.0  # how long servers may take to end by themselves when the last worker has
_TO_END_S = 10.0  # how long a process may take to end when it is asked to
_LAST_LINES = 40


class Cluster(NamedTuple):
    """The endpoints of a job, on all machines."""

    servers: list[str]
    workers: list[str]


class _Process:
    """A server or a worker."""

    def __init__(self, kind: str, number: int, log: pathlib.Path):
        self.kind, self.number, self.log = kind, number, log
        self.started: subprocess.Popen[bytes] | None = None
        self.lives = 0

    def start(self, command: Sequence[str], variables: dict[str, str]) -> None:
        if self.lives:
            variables = {**variables, COUNT: str(self.lives)}
            if self.kind == "server":
                variables["FLAGS_ps_restarted_alone"] = "1"
        self.lives += 1
        with open(self.log, "ab") as log:
            self.started = subprocess.Popen(
                supervisor.command({"seconds": _TO_END_S - 2}, command), env=variables, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)

    def code(self) -> int | None:
        """The exit code; None while it runs."""
        return None if self.started is None else self.started.poll()

    def send_signal(self, number: int) -> None:
        if self.started is not None and self.code() is None:
            self.started.send_signal(number)

    def wait(self, deadline: float) -> None:
        if self.started is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.started.wait(max(0.0, deadline - time.monotonic()))


class _All:
    """All processes, as one that signals are sent to."""

    def __init__(self, processes: list[_Process]):
        self.processes = processes
        self.asked_to_end = 0

    def poll(self) -> int | None:
        return None if any(one.code() is None for one in self.processes) else 0

    def send_signal(self, number: int) -> None:
        self.asked_to_end = number
        for one in self.processes:
            one.send_signal(number)

    def kill(self) -> None:
        for one in self.processes:
            one.send_signal(signal.SIGKILL)

    def wait(self) -> None:
        for one in self.processes:
            if one.started is not None:
                one.started.wait()

    def end(self) -> None:
        """Ends all: they are asked to, and killed where they do not."""
        for one in self.processes:
            one.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + _TO_END_S
        for one in self.processes:
            one.wait(deadline)
        self.kill()
        self.wait()


def run(cluster: Cluster, options: argparse.Namespace, command: list[str]) -> int:
    """Runs the servers and workers of this machine; the exit code of the first that failed, 0 where none did.

    `command` is what each process runs. With `--elastic` one that fails is started again, as long as starts are left.
    """
    logs = pathlib.Path(options.log_dir)
    logs.mkdir(parents=True, exist_ok=True)
    own = _own(cluster, options, logs)
    for one, _ in own:
        one.log.write_bytes(b"")
    everyone = _All([one for one, _ in own])
    workers = [one for one, _ in own if one.kind == "worker"]
    with signals_go_to(everyone), shown(logs / "workerlog.0" if workers else logs / "serverlog.0"):
        for one, variables in own:
            one.start(command, variables)
        left = restarts(options) if hasattr(options, "elastic") else 0
        environment = {id(one): variables for one, variables in own}
        while (failed := _watch(everyone, workers)) is not None and left:
            log.warning("%s %d ended with exit code %d and is started again in %g s; %d more starts are left.",
                        failed.kind.capitalize(), failed.number, failed.code(), options.restart_pause, left := left - 1)
            time.sleep(options.restart_pause)
            failed.start(command, environment[id(failed)])
        everyone.end()
    if failed is None:
        return 128 + everyone.asked_to_end if everyone.asked_to_end else 0
    code = failed.code() or 0
    _tell(failed, code)
    return code if code >= 0 else 128 - code


def _watch(everyone: _All, workers: list[_Process]) -> _Process | None:
    """Waits until the workers have ended, and the servers where they do by themselves; the first that failed."""
    until: float | None = None
    while True:
        failed = next((one for one in everyone.processes if one.code()), None)
        if failed is not None or everyone.asked_to_end:
            return None if everyone.asked_to_end else failed
        if everyone.poll() is not None:
            return None
        if workers and all(one.code() == 0 for one in workers):
            until = until or time.monotonic() + _SERVERS_END_S
            if time.monotonic() > until:
                return None
        time.sleep(_POLL_S)


def _own(cluster: Cluster, options: argparse.Namespace, logs: pathlib.Path) -> list[tuple[_Process, dict[str, str]]]:
    """The processes of this machine, each with its environment; servers first."""
    servers = [n for n, endpoint in enumerate(cluster.servers) if _is_of(endpoint, options)]
    workers = [n for n, endpoint in enumerate(cluster.workers) if _is_of(endpoint, options)]
    common = {**child_processes.environment(),
              "PADDLE_PSERVERS_IP_PORT_LIST": ",".join(cluster.servers),
              "PADDLE_TRAINER_ENDPOINTS": ",".join(cluster.workers),
              "PADDLE_TRAINERS_NUM": str(len(cluster.workers)), "PADDLE_LOG_DIR": str(logs.resolve())}
    for name in ("PADDLE_TRAINER_ID", "PADDLE_PSERVER_ID", "http_proxy", "https_proxy"):
        common.pop(name, None)  # messages between the processes go straight
    common.setdefault("FLAGS_ps_checkpoint_folder", os.getcwd())  # below it servers save tables
    if hasattr(options, "elastic") and restarts(options):
        common.setdefault("FLAGS_ps_checkpoint_every", "1")  # from these a server that is started again goes on
    common.setdefault("OMP_NUM_THREADS", str(max(1, processors.usable() // max(1, len(workers)))))
    found: list[tuple[_Process, dict[str, str]]] = []
    for place, number in enumerate(servers):
        found.append((_Process("server", number, logs / f"serverlog.{place}"),
                      {**common, **_part("PSERVER", cluster.servers[number])}))
    for place, number in enumerate(workers):
        found.append((_Process("worker", number, logs / f"workerlog.{place}"),
                      {**common, **_part("TRAINER", cluster.workers[number]), "PADDLE_TRAINER_ID": str(number)}))
    return found


def _part(role: str, endpoint: str) -> dict[str, str]:
    host, _, port = endpoint.rpartition(":")
    return {"TRAINING_ROLE": role, "PADDLE_ROLE": role, "POD_IP": host, "PADDLE_PORT": port}


def _is_of(endpoint: str, options: argparse.Namespace) -> bool:
    """Whether an endpoint is this machine's: `--host`'s, or else of an address that a socket can be bound to here."""
    host = endpoint.rpartition(":")[0]
    return bool(host == options.host) if getattr(options, "host", None) else is_here(host)


def cluster_of(of: argparse.ArgumentParser, options: argparse.Namespace) -> Cluster | None:
    """The endpoints that a command line asks for, an error of usage where it makes no sense; None for no servers.

    `--servers` and `--workers` name them; `--server_num` and `--worker_num` want so many on this machine, with free
    ports, or those from `--start_port` on where it is given.
    """
    if not (options.servers or options.workers or options.server_num or options.worker_num
            or options.run_mode == "ps"):
        return None
    if hasattr(options, "elastic") and restarts(options) and not os.environ.get("FLAGS_ps_checkpoint_folder"):
        of.error("--elastic: a server that is started again goes on from its checkpoint. Say in the environment "
                 "variable FLAGS_ps_checkpoint_folder where servers keep theirs, a folder that all of them see.")
    if options.servers and not (options.workers or options.worker_num):
        of.error("--servers: needs --workers beside it, or --worker_num.")
    if options.workers and not (options.servers or options.server_num):
        of.error("--workers: needs --servers beside it, or --server_num.")
    port, taken = options.start_port, []  # type: ignore[var-annotated]
    try:
        servers = _endpoints(of, "--servers", options.servers, options.server_num, port, taken)
        after = None if port is None else port + len(servers)
        workers = _endpoints(of, "--workers", options.workers, options.worker_num, after, taken)
    finally:
        for held in taken:
            held.close()
    if set(servers) & set(workers):
        of.error(f"--servers and --workers: each endpoint is one process's. Received "
                 f"{', '.join(sorted(set(servers) & set(workers)))} twice.")
    return Cluster(servers, workers)


def _endpoints(of: argparse.ArgumentParser, option: str, given: str, count: int | None, port: int | None,
               taken: list[Any]) -> list[str]:
    if given:
        try:
            found = checked_endpoints([part.strip() for part in given.split(",") if part.strip()], option)
        except ValueError as error:
            of.error(str(error))
        if count not in (None, len(found)):
            of.error(f"{option} names {len(found)} processes, and {option[:-1]}_num asks for {count}.")
        return found
    wanted = 1 if count is None else count
    if wanted < 1:
        of.error(f"{option[:-1]}_num {count}: must be at least 1.")
    if port is not None:
        return [f"127.0.0.1:{port + n}" for n in range(wanted)]
    taken += [socket.create_server(("127.0.0.1", 0)) for _ in range(wanted)]
    return [f"127.0.0.1:{held.getsockname()[1]}" for held in taken[-wanted:]]


def _tell(failed: _Process, code: int) -> None:
    """Says which process failed first, with the end of its log."""
    is_shown = failed.log.name == "workerlog.0"
    print(f"{failed.kind.capitalize()} {failed.number} ended with exit code {code}, and all others with it. Its log is "
          f"{failed.log}{', shown above' if is_shown else ':'}", file=sys.stderr)
    if not is_shown:
        sys.stderr.write("".join(failed.log.read_text(errors="replace").splitlines(keepends=True)[-_LAST_LINES:]))
