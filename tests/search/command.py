"""The command of a search: so many numbers, what was found in each, and how many of what there were."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Callable

from proa.core.flags import flags_guard

from .oracle import Oracle


def search(kind: str, about: str, found_in: Callable[[int, int, Counter, Oracle | None, float], str]) -> int:
    """`python -m tests.search.KIND`; `found_in(seed, number, counts, oracle, seconds)` gives what differs in one."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.search.{kind}", description=about)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--oracle", default=os.environ.get("PROA_ORACLE_PYTHON", ""))
    parser.add_argument("--shrink", type=float, default=20.0, help="seconds for each finding")
    options = parser.parse_args()
    counts: Counter = Counter()
    oracle = Oracle(options.oracle) if options.oracle else None
    with flags_guard({"FLAGS_cpu_engines": "", "FLAGS_kernel_cache_megabytes": 0}):
        for number in range(options.start, options.start + options.count):
            text = found_in(options.seed, number, counts, oracle, options.shrink)
            counts[kind] += 1
            if text:
                print(text, flush=True)
    for name, count in counts.most_common():
        print(f"{count:6} {name}")
    return 1 if counts["findings"] else 0
