"""The time in which MPI connects a process with the others: it is bounded from outside.

MPI_Init waits for all processes, and for one that hangs it waits for ever; nothing else of this process can run
meanwhile. So another process keeps the time, and ends this one with a word and, under the launcher, a traceback.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_KEEPER = """
import os, select, signal, sys
if not select.select([0], [], [], float(sys.argv[1]))[0] and os.getppid() == int(sys.argv[2]):
    print(sys.argv[3], file=sys.stderr, flush=True)
    os.kill(int(sys.argv[2]), signal.SIGABRT)
"""


@contextmanager
def watched(seconds: float) -> Iterator[None]:
    """Within the block this process has so many seconds."""
    said = (f"init_parallel_env(): this process has waited {seconds:g} s for the other processes of the job to begin. "
            f"One of them hangs, is very slow, or never calls init_parallel_env(). FLAGS_communication_timeout says how"
            f" long to wait.")
    keeper = subprocess.Popen([sys.executable, "-I", "-S", "-c", _KEEPER, str(seconds), str(os.getpid()), said],
                              stdin=subprocess.PIPE)
    try:
        yield
    finally:
        keeper.communicate()  # it ends when its input does
