"""The script of a command line: the variables that it reads, how this process runs it, and how another is told to."""

from __future__ import annotations

import argparse
import json
import os

from ...compat.alias import run_module, run_script
from .options import DEFAULT_PORT, Processes

_OPTIONS = ("training_script", "arguments", "module", "log_dir", "master", "start_port", "devices", "job_id")


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
        "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints), "PADDLE_LOG_DIR": os.path.abspath(options.log_dir),
        "PADDLE_JOB_ID": options.job_id})
    if options.devices:
        os.environ["FLAGS_selected_gpus"] = options.devices.split(",")[local_rank]


def arguments(options: argparse.Namespace, now: Processes) -> list[str]:
    """What Python is given to run the script in one of several processes, on the machines `now`."""
    told = {name: getattr(options, name) for name in _OPTIONS}
    return ["-m", f"{__package__}.rank",
            json.dumps({"options": told, "hosts": now.hosts, "per_host": now.per_host})]
