"""The launcher's command line: Paddle's options, and how many processes they ask for."""

from __future__ import annotations

import argparse
from typing import NamedTuple, NoReturn

DEFAULT_PORT = 6070
_PASSED_OVER = (  # how processes of Paddle's find each other, are watched, started again and logged
    "master", "legacy", "rank", "log_level", "log_overwrite", "sort_ip", "enable_gpu_log", "job_id",
    "auto_parallel_config", "gloo_port", "with_gloo", "max_restart", "elastic_level", "elastic_timeout")


class Processes(NamedTuple):
    """How many processes to start on each of which machines."""

    hosts: tuple[str, ...]
    per_host: int

    @property
    def total(self) -> int:
        """How many there are."""
        return len(self.hosts) * self.per_host


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    made = argparse.ArgumentParser(
        prog="python -m proa.distributed.launch", allow_abbrev=False,
        description="Runs a training script in one or several processes, with the variables that Paddle's launcher "
                    "sets and `import paddle` answered by proa. Several are started by MPI's mpiexec; each writes to "
                    "a file of its own, workerlog.RANK, and what the first one writes is shown. One that fails ends "
                    "all of them.")
    made.add_argument("--nnodes", default="1", help="how many machines; the first of --ips")
    made.add_argument("--nproc_per_node", type=int, help="how many processes on each: one a device, or one")
    made.add_argument("--devices", "--gpus", "--npus", "--xpus", default="",
                      help="the devices' numbers, one for each process")
    made.add_argument("--ips", default="127.0.0.1", help="the machines' addresses; mpiexec must reach them by ssh")
    made.add_argument("--run_mode", default="collective", choices=("collective", "ps"),
                      help="ps: servers keep the parameters that workers train")
    made.add_argument("--servers", default="", help="the servers' host:port, separated by commas")
    made.add_argument("--workers", "--trainers", default="", help="the workers' host:port, separated by commas")
    made.add_argument("--server_num", type=int, help="how many servers on this machine, where none are named")
    made.add_argument("--worker_num", "--trainer_num", type=int, help="how many workers on this machine, likewise")
    made.add_argument("--host", help="of --servers and --workers those of this address are started here")
    made.add_argument("--log_dir", default="log", help="where several processes' logs go")
    made.add_argument("--start_port", type=int, help="the first port, of PADDLE_CURRENT_ENDPOINT or of the servers")
    made.add_argument("-m", "--module", action="store_true", help="the script is a module's name")
    for name in _PASSED_OVER:
        made.add_argument(f"--{name}", help="changes nothing")
    made.add_argument("training_script")
    made.add_argument("arguments", nargs=argparse.REMAINDER)
    return made


def processes(of: argparse.ArgumentParser, options: argparse.Namespace) -> Processes:
    """What to start; an error of usage where that cannot be."""
    hosts = tuple(host.strip() for host in options.ips.split(",") if host.strip()) or ("127.0.0.1",)
    devices = [device for device in options.devices.split(",") if device]
    per_host = options.nproc_per_node if options.nproc_per_node is not None else max(1, len(devices))
    if per_host < 1:
        of.error(f"--nproc_per_node {per_host}: must be at least 1.")
    if devices and len(devices) < per_host:
        of.error(f"--devices {options.devices}: {per_host} processes need as many devices.")
    wanted = options.nnodes.split(":")[-1]
    if not wanted.isdigit() or int(wanted) < 1:
        of.error(f"--nnodes {options.nnodes}: must be a number of machines.")
    if int(wanted) > len(hosts):
        _refuse(of, f"--nnodes {options.nnodes} with the machines {', '.join(hosts)}",
                "--ips with an address for each machine, and start the launcher on one of them: it starts the others")
    return Processes(hosts[:int(wanted)] if int(wanted) > 1 else hosts, per_host)


def _refuse(of: argparse.ArgumentParser, what: str, instead: str) -> NoReturn:
    of.error(f"{what}: is not supported. Use {instead}.")
