"""How many processors this process may use: those it is bound to, and the time that its control group is given.

A container that may use two processors' time on a machine of 64 sees all 64: as many threads would stand still most of
the time. Knows the system alone.
"""

from __future__ import annotations

import functools
import math
import os

_GROUPS, _ROOT = "/proc/self/cgroup", "/sys/fs/cgroup"
_DESCRIBED = "/proc/cpuinfo"
_ZEN_4 = ("AuthenticAMD", 25)  # vendor and family; Zen 3, of the same, has no such vectors
_ZEN_5 = ("AuthenticAMD", 26)


def bound() -> int:
    """The processors that this process is bound to, or all."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on; PYTHON_CPU_COUNT counts too
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def usable() -> int:
    """`bound()`, or as many as the control group's share of time keeps busy, where that is less."""
    given = share()
    return bound() if given is None else max(1, min(bound(), math.ceil(given)))


def share(groups: str = _GROUPS, root: str = _ROOT) -> float | None:
    """How many processors' time this process' control groups are given, the least of them; None without a limit.

    Groups of version 2 say it in `cpu.max`, those of version 1 in `cpu.cfs_quota_us`; a group that contains them limits
    them too. Where a container shows another path than it has, the topmost folder is its own.
    """
    try:
        with open(groups, encoding="utf-8") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
    except OSError:
        return None
    found = []
    for _, controllers, path in (line for line in lines if len(line) == 3):
        names = controllers.split(",")
        for folder in ([""] if controllers == "" else [controllers, "cpu"] if "cpu" in names else []):
            found += [_share_of(os.path.join(root, folder, place)) for place in _and_above(path)]
    return min((one for one in found if one is not None), default=None)


def _and_above(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part not in ("", "..")]
    return ["/".join(parts[:count]) for count in range(len(parts), -1, -1)]


def _share_of(folder: str) -> float | None:
    """What a group's folder says; None where it is no such folder, or sets no limit."""
    told = _words(os.path.join(folder, "cpu.max")) or [
        *_words(os.path.join(folder, "cpu.cfs_quota_us")), *_words(os.path.join(folder, "cpu.cfs_period_us"))]
    if len(told) != 2 or not (told[0].isdigit() and told[1].isdigit()) or int(told[1]) == 0:
        return None  # "max", or -1
    return int(told[0]) / int(told[1])


def _words(path: str) -> list[str]:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split()
    except OSError:
        return []


def _told(described: str) -> tuple[str, int]:
    """The processor's vendor and family, as the system describes them; an empty text and 0 where it does not."""
    try:
        with open(described, encoding="utf-8") as file:
            pairs = [line.partition(":") for line in file.read().partition("\n\n")[0].splitlines()]
    except OSError:
        return "", 0
    told = {name.strip(): value.strip() for name, _, value in pairs}
    family = told.get("cpu family", "")
    return told.get("vendor_id", ""), int(family) if family.isdigit() else 0


@functools.cache
def halves_wide_vectors(described: str = _DESCRIBED) -> bool:
    """Whether an instruction on vectors of 64 bytes takes as long as two on 32 bytes, as far as is known."""
    return _told(described) == _ZEN_4


@functools.cache
def has_whole_wide_vectors(described: str = _DESCRIBED) -> bool:
    """Whether an instruction on vectors of 64 bytes takes as long as one on 32 bytes, as far as it was measured."""
    return _told(described) == _ZEN_5
