"""The launcher: sets the PADDLE_* variables that scripts for several processes read, and runs the script.

One process is this one. Several are started by MPI's launcher (`processes.py`), each as `rank.py`.
"""

from __future__ import annotations

import argparse
import os
import sys

from ...compat.alias import run_module, run_script
from . import parameter_server, processes
from .command import script_command
from .options import DEFAULT_PORT, parser
from .options import processes as processes_of

__all__ = ["launch"]


def launch() -> None:
    """Runs the script that the command line names, its arguments behind it, with `import paddle` answered by proa.

    `--nproc_per_node N`, or as many `--devices`, start N processes that train together, on each of the machines of
    `--ips`. `--server_num` and `--worker_num`, or `--servers` and `--workers`, start servers and workers. This process
    then ends with the exit code of the one that failed first.
    """
    found = parser()
    options = found.parse_args()
    cluster = parameter_server.cluster_of(found, options)
    if cluster is not None:
        sys.exit(parameter_server.run(cluster, options, script_command(options, os.environ.get("PROA_API", "2.6"))))
    wanted = processes_of(found, options)
    if wanted.total > 1:
        sys.exit(processes.run(wanted, options))
    announce(options, rank=0, size=1, local_rank=0, local_size=1, hosts=wanted.hosts)
    run(options)


def run(options: argparse.Namespace) -> None:
    """Runs the script in this process."""
    if options.module:
        run_module(options.training_script, options.arguments)
    elif options.training_script.endswith(".py"):
        run_script(options.training_script, options.arguments)
    else:  # a program of another kind takes this process over
        os.execvp(options.training_script, [options.training_script, *options.arguments])


def announce(options: argparse.Namespace, rank: int, size: int, local_rank: int, local_size: int,
             hosts: tuple[str, ...]) -> None:
    """Sets what Paddle's launcher sets for one of several processes."""
    first = DEFAULT_PORT if options.start_port is None else options.start_port
    endpoints = [f"{host}:{first + number}" for host in hosts for number in range(local_size)]
    os.environ.update({
        "PADDLE_MASTER": options.master or endpoints[0], "PADDLE_NNODES": str(len(hosts)),
        "PADDLE_GLOBAL_SIZE": str(size), "PADDLE_LOCAL_SIZE": str(local_size), "PADDLE_GLOBAL_RANK": str(rank),
        "PADDLE_LOCAL_RANK": str(local_rank), "PADDLE_RANK_IN_NODE": str(local_rank), "PADDLE_TRAINER_ID": str(rank),
        "PADDLE_TRAINERS_NUM": str(size), "PADDLE_CURRENT_ENDPOINT": endpoints[rank],
        "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints), "PADDLE_LOG_DIR": os.path.abspath(options.log_dir)})
    if options.devices:
        os.environ["FLAGS_selected_gpus"] = options.devices.split(",")[local_rank]
