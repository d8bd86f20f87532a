"""`python -m tests.search.programs --start 0 --count 1000`: runs generated Programs and prints what differs."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter

from proa.core.flags import flags_guard

from ..oracle import Oracle
from ..shrinking import shrink
from .running import checked
from .writing import HEAD, written


def found_in(seed: int, number: int, counts: Counter, oracle: Oracle | None = None, seconds: float = 20.0) -> str:
    """What differs in a Program, which is made small; nothing where it agrees."""
    source = written(seed, number)
    found = checked(source, counts, oracle)
    if found is None:
        return ""

    def fails(text: str) -> bool:
        try:
            other = checked(HEAD + text, Counter(), oracle, [found["way"]])
        except Exception:
            return False
        return other is not None and (other["way"], other["kind"]) == (found["way"], found["kind"])

    told = source.removeprefix(HEAD)
    small = shrink(told, fails, seconds) if seconds else told
    detail = (checked(HEAD + small, Counter(), oracle, [found["way"]]) or found)["detail"]
    return "=== {0}: {way}, {kind}\n{1}\n{2}".format(number, detail[-1500:], small, **found)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.search.programs", description=__doc__)
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
            counts["Programs"] += 1
            if text:
                print(text, flush=True)
    for name, count in counts.most_common():
        print(f"{count:6} {name}")
    return 1 if counts["findings"] else 0


if __name__ == "__main__":
    sys.exit(main())
