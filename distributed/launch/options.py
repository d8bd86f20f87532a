"""The launcher's command line: the options of Paddle 2.x's launcher and of 1.x's, and how many processes they ask for.

Each option does what it says, or changes nothing because MPI does its work, or is refused by its name.
"""

from __future__ import annotations

import argparse
import os
import socket
from typing import Any, NamedTuple, NoReturn

DEFAULT_PORT = 6070
DEFAULT_RESTARTS = 3
LEVELS = ("CRITICAL", "ERROR", "WARNING", "INFO", "DEBUG")
_HERE = "127.0.0.1"
_FROM_ENVIRONMENT = {  # Paddle 2.x's launcher reads them, and they count more than the command line
    "PADDLE_MASTER": "master", "PADDLE_DEVICES": "devices", "PADDLE_NNODES": "nnodes", "PADDLE_RUN_MODE": "run_mode",
    "PADDLE_LOG_LEVEL": "log_level", "PADDLE_LOG_OVERWRITE": "log_overwrite", "PADDLE_SORT_IP": "sort_ip",
    "PADDLE_NPROC_PER_NODE": "nproc_per_node", "PADDLE_JOB_ID": "job_id", "PADDLE_RANK": "rank",
    "PADDLE_LOG_DIR": "log_dir", "PADDLE_MAX_RESTART": "max_restart", "PADDLE_ELASTIC_LEVEL": "elastic_level",
    "PADDLE_ELASTIC_TIMEOUT": "elastic_timeout", "PADDLE_START_PORT": "start_port", "PADDLE_IPS": "ips",
    "PADDLE_SERVER_NUM": "server_num", "PADDLE_TRAINER_NUM": "worker_num", "PADDLE_SERVERS_ENDPOINTS": "servers",
    "PADDLE_TRAINERS_ENDPOINTS": "workers", "POD_IP": "host"}
_CHANGE_NOTHING = (  # how processes of Paddle's find each other, where they look for devices, what they log of them
    "legacy", "enable_gpu_log", "gloo_port", "with_gloo", "http_port")
_REFUSED = {  # what would be missed, and what to do instead
    "auto_parallel_config": "DataParallel, which divides the batch", "auto_tuner_json": "measurements of your own",
    "cluster_topo_path": "the order of --ips", "rank_mapping_path": "the order of --ips",
    "enable_auto_mapping": "the order of --ips", "elastic_server": "--elastic, which needs no server",
    "elastic_pre_hook": "a script that does both", "np": "--nnodes MIN:MAX with --ips",
    "scale": "another --nnodes, and start again", "force": "another --nnodes, and start again",
    "heter_workers": "workers of one kind", "heter_worker_num": "workers of one kind",
    "heter_devices": "workers of one kind", "coordinators": "workers alone", "coordinator_num": "workers alone"}


class Processes(NamedTuple):
    """How many processes to start on each of which machines; of the machines, `fewest` are enough."""

    hosts: tuple[str, ...]
    per_host: int
    fewest: int = 1

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
                    "all of them; with --elastic all are then started again.")
    add = made.add_argument
    add("--nnodes", default="1",
        help="how many machines, the first of --ips; MIN:MAX with --elastic: as many as answer")
    add("--nproc_per_node", type=int, help="how many processes on each: one a device, or one")
    add("--devices", "--gpus", "--npus", "--xpus", "--selected_gpus", "--selected_xpus", default="",
        help="the devices' numbers, one for each process")
    add("--ips", "--cluster_node_ips", help="the machines' addresses; mpiexec must reach them by ssh")
    add("--host", "--node_ip",
        help="this machine's address among --ips: the launcher must run on the first. Of --servers and --workers those "
             "of this address are started here")
    add("--rank", type=int, default=-1, help="this machine's number, likewise")
    add("--sort_ip", type=_truth, default=False, help="true: the machines' order is that of their addresses")
    add("--master", help="what scripts read in PADDLE_MASTER; the processes find each other by MPI")
    add("--run_mode", default="collective", choices=("collective", "ps"),
        help="ps: servers keep the parameters that workers train")
    add("--servers", default="", help="the servers' host:port, separated by commas")
    add("--workers", "--trainers", default="", help="the workers' host:port, separated by commas")
    add("--server_num", type=int, help="how many servers on this machine, where none are named")
    add("--worker_num", "--trainer_num", type=int, help="how many workers on this machine, likewise")
    add("--backend", default="auto", choices=("auto", "gloo", "mpi"), help="all are MPI here")
    add("--log_dir", default="log", help="where several processes' logs go")
    add("--log_level", default="INFO", type=_level, help="how much the launcher says: a name or number of logging's")
    add("--log_overwrite", type=_truth, default=False, help="true: logs that are there begin again")
    add("--print_config", type=_truth, default=False, help="true: all options are shown first")
    add("--job_id", default="default", help="what scripts read in PADDLE_JOB_ID")
    add("--start_port", "--started_port", type=int, help="the first port of the endpoints")
    add("--elastic", action="store_true",
        help="a job that fails is started again; the script goes on from its last checkpoint")
    add("--elastic_level", type=int, help="1: as --elastic; -1: not")
    add("--max_restart", type=int, help=f"how often at most; {DEFAULT_RESTARTS}. Alone it asks for --elastic")
    add("--restart_pause", type=float, default=1.0,
        help="seconds before the job is started again for the first time; each time twice as many, up to 30")
    add("--elastic_timeout", type=float, default=30.0,
        help="seconds to wait for the machines of MIN:MAX before the job begins with fewer")
    add("--stop_timeout", type=float, default=10.0,
        help="seconds that processes may take to end, when the launcher is told to, before they are killed")
    add("-m", "--module", action="store_true", help="the script is a module's name")
    add("--use_paddlecloud", action="store_true", help="not supported")
    for name in _CHANGE_NOTHING:
        add(f"--{name}", help="changes nothing")
    for name in _REFUSED:
        add(f"--{name}", help="not supported")
    add("training_script")
    add("arguments", nargs=argparse.REMAINDER)
    return made


def parse(of: argparse.ArgumentParser) -> argparse.Namespace:
    """The options of the command line, and of the environment where Paddle's launcher reads it."""
    options = of.parse_args()
    actions = {action.dest: action for action in of._actions}
    for variable, name in _FROM_ENVIRONMENT.items():
        text = os.environ.get(variable)
        if text:
            try:
                setattr(options, name, of._get_value(actions[name], text))
            except argparse.ArgumentError as error:
                of.error(f"the environment variable {variable}, which stands for --{name}: {error}")
    return options


def processes(of: argparse.ArgumentParser, options: argparse.Namespace) -> Processes:
    """What to start; an error of usage where that cannot be."""
    _refuse_what_is_not_here(of, options)
    hosts = tuple(host.strip() for host in (options.ips or "").split(",") if host.strip())
    if options.sort_ip:
        hosts = tuple(sorted(hosts, key=lambda host: [part.zfill(3) for part in host.split(".")]))
    hosts = hosts or (options.host or _HERE,)
    devices = [device for device in options.devices.split(",") if device]
    per_host = options.nproc_per_node if options.nproc_per_node is not None else max(1, len(devices))
    if per_host < 1:
        of.error(f"--nproc_per_node {per_host}: must be at least 1.")
    if devices and len(devices) < per_host:
        of.error(f"--devices {options.devices}: {per_host} processes need as many devices.")
    fewest, _, most = options.nnodes.partition(":")
    most = most or fewest
    if not (fewest.isdigit() and most.isdigit() and 1 <= int(fewest) <= int(most)):
        of.error(f"--nnodes {options.nnodes}: must be a number of machines, or MIN:MAX.")
    if int(most) > len(hosts):
        _refuse(of, f"--nnodes {options.nnodes} with the machines {', '.join(hosts)}",
                "--ips with an address for each machine, and start the launcher on one of them: it starts the others")
    hosts = hosts[:int(most)] if int(most) > 1 else hosts
    if int(fewest) < int(most) and not is_elastic(options):
        _refuse(of, f"--nnodes {options.nnodes} without --elastic", "--elastic, or one number")
    if len(hosts) > 1:
        _require_first(of, options, hosts)
    return Processes(hosts, per_host, int(fewest) if int(most) > 1 else len(hosts))


def is_elastic(options: argparse.Namespace) -> bool:
    """Whether a job that fails is to be started again."""
    if options.elastic_level is not None and not options.elastic:
        return bool(options.elastic_level > 0)
    return bool(options.elastic or options.max_restart)


def restarts(options: argparse.Namespace) -> int:
    """How often a job that fails is started again."""
    if not is_elastic(options):
        return 0
    return DEFAULT_RESTARTS if options.max_restart is None else int(options.max_restart)


def _refuse_what_is_not_here(of: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    for name, instead in _REFUSED.items():
        if getattr(options, name) is not None:
            _refuse(of, f"--{name} {getattr(options, name)}", instead)
    if options.use_paddlecloud:
        _refuse(of, "--use_paddlecloud", "--ips with the machines' addresses")
    if options.master and options.master.startswith("etcd://"):
        _refuse(of, f"--master {options.master}", "--ips with the machines' addresses: MPI connects the processes")
    if options.elastic_level not in (None, -1, 1):
        _refuse(of, f"--elastic_level {options.elastic_level}, where the others hold while one is started by hand,",
                "--elastic_level 1: with MPI all processes end together, and all are started again")
    if options.max_restart is not None and options.max_restart < 0:
        of.error(f"--max_restart {options.max_restart}: must be at least 0.")
    for name in ("stop_timeout", "elastic_timeout", "restart_pause"):
        if not 0 <= getattr(options, name) < float("inf"):
            of.error(f"--{name} {getattr(options, name)}: must be a number of seconds.")


def _require_first(of: argparse.ArgumentParser, options: argparse.Namespace, hosts: tuple[str, ...]) -> None:
    """An error of usage where this is another machine than the first: its launcher starts the processes of all."""
    if options.rank >= 0:
        place = options.rank
    elif options.host in hosts:
        place = hosts.index(options.host)
    else:
        place = next((number for number, host in enumerate(hosts) if is_here(host)), 0)
    if place:
        machine = f"{hosts[place]}, the" if place < len(hosts) else "the"
        of.error(f"this is {machine} machine of the number {place}. With MPI one launcher starts the processes on all "
                 f"machines: start it on {hosts[0]} only, or use the machines' own (mpiexec, srun).")


def is_here(host: str) -> bool:
    """Whether an address is this machine's: one that a socket can be bound to."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.bind(address)
    except OSError:
        return False
    return True


def _truth(text: str) -> bool:
    if text.lower() in ("1", "true", "t", "yes", "y", "on"):
        return True
    if text.lower() in ("0", "false", "f", "no", "n", "off"):
        return False
    raise argparse.ArgumentTypeError(f"must be true or false. Received {text!r}.")


def _level(text: str) -> Any:
    if text.isdigit():
        return int(text)
    if text.upper() in LEVELS:
        return text.upper()
    raise argparse.ArgumentTypeError(f"must be one of {', '.join(LEVELS)}, or a number. Received {text!r}.")


def _refuse(of: argparse.ArgumentParser, what: str, instead: str) -> NoReturn:
    of.error(f"{what}: is not supported. Use {instead}.")
