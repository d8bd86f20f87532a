"""The physical limit: what the cores multiply and what the memory moves at most, measured in every framework."""

import sys

from . import catalogue, turns
from .format import digits


def measure(options, pythons):
    """The best FLOP/s of a large product and the best bytes/s of a large copy, of all frameworks, and whose."""
    found = {}
    for workload in catalogue.LIMITS:
        size = workload.sizes({})
        sides = catalogue.sides(workload, options.frameworks, None)
        records = turns.measure(workload.module, size, sides, pythons, options.pace)
        amount = workload.count("operations", size) or workload.count("traffic", size)
        rates = [(amount / r["least"], catalogue.NAMES[s[0]]) for s, r in records.items() if "unavailable" not in r]
        if rates:
            found[workload.name] = max(rates)
    print(sentence(found), file=sys.stderr)
    return found


def seconds(workload, size, found):
    """The least time that a step can take: operations at the peak, or bytes at the bandwidth; None if not known."""
    parts = [(workload.count("operations", size), found.get("product")),
             (workload.count("traffic", size), found.get("copy"))]
    known = [amount / rate[0] for amount, rate in parts if amount and rate]
    return max(known) if known else None


def sentence(found):
    """What the limits are, in words."""
    parts = []
    if "product" in found:
        parts.append(f"{digits(found['product'][0] / 1e9)} GFLOP/s (a product of 2048³ in {found['product'][1]})")
    if "copy" in found:
        parts.append(f"{digits(found['copy'][0] / 1e9)} GB/s (a copy of 256 MB in {found['copy'][1]})")
    return f"The limit is the larger of operations and bytes of a step over {' and '.join(parts)}." if parts else ""
