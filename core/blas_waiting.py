"""How long OpenBLAS's threads wait for the next product in a loop: NumPy's wheels have them wait for some 100 ms.

From the import of NumPy on, and after each product that they share, they keep a processor from the threads of loops
and of oneDNN: those then wait for the scheduler, a millisecond each time. OpenBLAS reads the environment when NumPy is
imported; whoever imports NumPy first has it as it is.
"""

from __future__ import annotations

import os
import sys

_NAME = "OPENBLAS_THREAD_TIMEOUT"
_CYCLES = "22"  # the power of two of cycles: a millisecond or two
_said: list[str] = []


def shorten() -> None:
    """Has them wait shortly, unless the user says how long or NumPy is there."""
    if "numpy" not in sys.modules and _NAME not in os.environ:
        os.environ[_NAME] = _CYCLES
        _said.append(_NAME)


def leave() -> None:
    """Leaves the environment as it was, now that NumPy is there."""
    while _said:
        os.environ.pop(_said.pop(), None)
