"""How much memory this process occupies, and the most it did: from Linux's /proc where there is one.

A peak since a moment needs /proc/self/clear_refs; without it the peak is that of the whole process.
"""

import os
import sys

CLEAR = "/proc/self/clear_refs"
_highest = 0


def _status(key):
    if os.path.exists("/proc/self/status"):
        with open("/proc/self/status") as file:
            for line in file:
                if line.startswith(key + ":"):
                    return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def resident():
    """Bytes that the process occupies now."""
    return _status("VmRSS")


def peak():
    """The most bytes that the process occupied since `forget_peak`."""
    return _status("VmHWM")


def highest():
    """The most bytes that the process ever occupied."""
    return max(_highest, peak())


def forget_peak():
    """Starts a new peak where the system can."""
    global _highest
    _highest = highest()
    if os.access(CLEAR, os.W_OK):
        with open(CLEAR, "w") as file:
            file.write("5")
