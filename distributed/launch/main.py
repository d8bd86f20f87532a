"""The launcher: sets the PADDLE_* variables that scripts for several processes read, and runs the script.

One process is this one. Several are started by MPI's launcher (`elastic.py`, `processes.py`), each as `rank.py`.
"""

from __future__ import annotations

import argparse
import logging
import os
import shutil
import sys

from . import elastic, parameter_server
from .command import script_command
from .options import parse, parser, restarts
from .options import processes as processes_of
from .script import announce, arguments, run

__all__ = ["launch"]


def launch() -> None:
    """Runs the script that the command line names, its arguments behind it, with `import paddle` answered by proa.

    `--nproc_per_node N`, or as many `--devices`, start N processes that train together, on each of the machines of
    `--ips`. `--server_num` and `--worker_num`, or `--servers` and `--workers`, start servers and workers. This process
    then ends with the exit code of the one that failed first. With `--elastic` a job that fails is
    started again, of servers and workers the one that fails, `--max_restart` times at most.

    >>> import os, subprocess, sys, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "train.py")
    >>> with open(path, "w") as file:
    ...     _ = file.write("import sys\\nimport paddle.distributed as dist\\n"
    ...                    "print(dist.get_rank(), dist.get_world_size(), sys.argv[1:])\\n")
    >>> command = [sys.executable, "-m", "proa.distributed.launch", "--nproc_per_node", "1", path, "--epochs", "2"]
    >>> print(subprocess.run(command, capture_output=True, text=True).stdout, end="")
    0 1 ['--epochs', '2']
    """
    found = parser()
    options = parse(found)
    _prepare_log(options)
    cluster = parameter_server.cluster_of(found, options)
    if cluster is not None:
        _check_script(options)
        sys.exit(parameter_server.run(cluster, options, script_command(options, os.environ.get("PROA_API", "2.6"))))
    wanted = processes_of(found, options)
    if wanted.total > 1 or restarts(options):
        _check_script(options)
        sys.exit(elastic.run(wanted, options, lambda now: arguments(options, now)))
    announce(options, rank=0, size=1, local_rank=0, local_size=1, hosts=wanted.hosts)
    run(options)


def _prepare_log(options: argparse.Namespace) -> None:
    """Has the launcher say what its log level lets through."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    elastic.log.addHandler(handler)
    elastic.log.propagate = False
    elastic.log.setLevel(options.log_level)
    if options.print_config:
        for name, value in sorted(vars(options).items()):
            print(f"{name}: {value}")


def _check_script(options: argparse.Namespace) -> None:
    """Ends with exit code 2 where there is no such script, 1 where it is not Python: before any process starts."""
    name = options.training_script
    if options.module:
        return
    if not name.endswith(".py"):
        if shutil.which(name) is None:
            print(f"{name}: there is no such program. The script's name stands before its arguments.", file=sys.stderr)
            sys.exit(2)
        return
    try:
        with open(name, "rb") as file:
            source = file.read()
    except OSError as error:
        print(f"{name}: the script cannot be read: {error.strerror}.", file=sys.stderr)
        sys.exit(2)
    compile(source, name, "exec")
