"""`python -m proa.distributed.launch_ps SCRIPT`: 1.x's launcher of servers and workers, on this machine.

Scripts find Paddle 1.8.5 (`--api 1.8` of `proa run`).
"""

from __future__ import annotations

import argparse
import os
import sys

from .launch import parameter_server
from .launch.command import script_command

__all__ = ["launch"]


def _parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m proa.distributed.launch_ps", allow_abbrev=False,
        description="Runs a training script of Paddle 1.x in servers and workers on this machine.")
    made.add_argument("--endpoints", default="", help="the servers' host:port, separated by commas")
    made.add_argument("--worker_num", type=int, default=2, help="how many workers")
    made.add_argument("--server_num", type=int, default=2, help="how many servers")
    made.add_argument("--start_port", type=int, default=6170, help="the servers' first port, without --endpoints")
    made.add_argument("--log_dir", default="logs", help="where serverlog.N and workerlog.N go")
    for name in ("cluster_node_ips", "node_ip", "print_config"):
        made.add_argument(f"--{name}", help="changes nothing")
    made.add_argument("training_script")
    made.add_argument("arguments", nargs=argparse.REMAINDER)
    return made


def launch() -> None:
    """Runs the script that the command line names in servers and workers; ends with the first failure's exit code."""
    found = _parser()
    options = found.parse_args()
    vars(options).update(servers=options.endpoints, workers="", run_mode="ps", host="", module=False)
    if options.endpoints:
        options.server_num = None
    cluster = parameter_server.cluster_of(found, options)
    assert cluster is not None
    sys.exit(parameter_server.run(cluster, options, script_command(options, os.environ.get("PROA_API", "1.8"))))


if __name__ == "__main__":
    launch()
