"""One of several processes of a training script, as MPI's launcher starts it: `python -m proa.distributed.launch.rank`.

Sets the variables that scripts read from MPI's numbers, writes to a log of its own, runs the script, and ends all
processes when that fails.
"""

from __future__ import annotations

import os
import pathlib
import sys

from ...core import launched
from .main import announce, run
from .options import parser, processes
from .processes import end_all


def main() -> None:
    """Runs the script of the command line, which is that of the launcher."""
    found = parser()
    options = found.parse_args()
    wanted = processes(found, options)
    rank, size = launched.rank(), launched.size()
    _write_to(pathlib.Path(options.log_dir) / f"workerlog.{rank}")
    announce(options, rank, size, rank % wanted.per_host, wanted.per_host, wanted.hosts)
    try:
        run(options)
    except BaseException as error:
        end_all(error)
        raise


def _write_to(log: pathlib.Path) -> None:
    """Has this process, and what it calls, write to a file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(file, 1)
    os.dup2(file, 2)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]


if __name__ == "__main__":
    main()
