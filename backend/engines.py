"""Which engines compute on the host: oneDNN, loops generated through LLVM, and NumPy, which is always there.

An engine is in use when it is wanted (the flag) and can be loaded. Results are the same within rounding with any.
"""

from __future__ import annotations

from ..core import flags

ONEDNN, LOOPS = "onednn", "loops"


def is_wanted(engine: str) -> bool:
    """Whether the flag lets this engine be used."""
    return engine in flags.values["FLAGS_cpu_engines"]
