"""One of several processes of a training script, as MPI's launcher starts it: `python -m proa.distributed.launch.rank`.

Sets the variables that scripts read from MPI's numbers, runs the script, and ends all processes when that fails. Its
supervisor has opened its log.
"""

from __future__ import annotations

import argparse
import json
import sys

from ...core import launched
from .processes import end_all
from .script import announce, run


def main(text: str) -> None:
    """Runs the script that the launcher has named (`script.arguments`)."""
    told = json.loads(text)
    options = argparse.Namespace(**told["options"])
    per_host = told["per_host"]
    rank, size = launched.rank(), launched.size()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    announce(options, rank, size, rank % per_host, per_host, tuple(told["hosts"]))
    try:
        run(options)
    except BaseException as error:
        end_all(error)
        raise


if __name__ == "__main__":
    main(sys.argv[1])
