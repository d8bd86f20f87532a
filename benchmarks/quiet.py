"""Waiting for a moment in which nothing else computes: the pause before a turn, longer where others are busy."""

import os
import time

STATISTICS = "/proc/stat"
SHARE = 0.2  # of one core: what others may use in a quiet moment


def _busy():
    """Processor seconds that everything has used, or None where the system does not say."""
    if not os.path.exists(STATISTICS):
        return None
    with open(STATISTICS) as file:
        user, nice, system, _idle, _wait, *rest = map(int, file.readline().split()[1:])
    return (user + nice + system + sum(rest[:3])) / os.sysconf("SC_CLK_TCK")


def pause(seconds, patience):
    """Sleeps so long, and again while others compute, until `patience` seconds have passed."""
    end = time.monotonic() + patience
    while True:
        begin, before = time.monotonic(), _busy()
        time.sleep(seconds)
        if before is None or time.monotonic() >= end:
            return
        if _busy() - before <= SHARE * (time.monotonic() - begin):
            return
