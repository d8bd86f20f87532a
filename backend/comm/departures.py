"""Which processes of a job have ended by themselves, as when a script calls `sys.exit(0)`: who waits for one is told.

Each says it in the folder that the launcher's processes share, a file RANK.done. Where no launcher names such a folder,
as under mpiexec, nobody can tell.
"""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Collection

from ...core import launched

_LOOKS_S = 1.0
_STAYS_S = 5.0  # what is on its way from one that has ended arrives within that time


def will_be_told() -> None:
    """Has this process say so when it ends by itself."""
    atexit.register(_tell)


def _tell() -> None:
    folder = os.environ.get(launched.REPORTS)
    if folder and os.path.isdir(folder):
        with open(os.path.join(folder, f"{launched.rank()}.done"), "w") as file:
            file.write("{}")


class Departures:
    """What one wait knows of those that it waits for, by their ranks."""

    def __init__(self, ranks: Collection[int]):
        self._ranks = ranks
        self._looked = time.monotonic()
        self._noticed: float | None = None

    def found(self, now: float) -> list[int]:
        """Who has ended and is not waited for any longer; it is looked for once a second."""
        if now - self._looked < _LOOKS_S:
            return []
        self._looked = now
        folder = os.environ.get(launched.REPORTS)
        if not folder or not os.path.isdir(folder):
            return []
        done = {name.removesuffix(".done") for name in os.listdir(folder) if name.endswith(".done")}
        gone = [rank for rank in self._ranks if str(rank) in done]
        if not gone:
            return []
        self._noticed = self._noticed or now
        return gone if now - self._noticed >= _STAYS_S else []
