"""The research section: whole eager programs as people write them, on all sides; JAX's Python by `--jax`."""

import argparse
import statistics

from . import catalogue, environments, machine, steps
from .format import ratio, table

ASKED = {"eager": 0.6, "to_static": 0.4}


def measure(options, pythons):
    """Figures of the programs: plain data."""
    if options.frameworks == list(catalogue.NAMES) or options.jax:
        pythons = {**pythons, "jax": environments.python_for("jax", options.jax, options.environments)}
    wanted = argparse.Namespace(**{**vars(options), "frameworks": list(pythons), "no_limits": True})
    return steps.measure(wanted, pythons, catalogue.RESEARCH_PROGRAMS)


def fastest_eager(sides, key):
    """The least of the peers' eager sides: (side, value), or None."""
    return steps.fastest({side: record for side, record in sides.items() if side.endswith("/eager")}, False, key)


def against_eager(sides, mode, key):
    """A mode of proa's divided by the fastest eager peer, or None."""
    best, record = fastest_eager(sides, key), sides.get(f"proa/{mode}")
    return key(record) / best[1] if best and record and "unavailable" not in record else None


def _median(record):
    return record["median"]


def _processor(record):
    return record["processor"]


def ratio_table(figures):
    """proa's modes against the fastest eager peer, by the clock and by processors, and against any mode of a peer."""
    rows, kinds = [], [(mode, key) for mode in ASKED for key in (_median, _processor)]
    for name, found in figures["workloads"].items():
        sides, best = found["sides"], fastest_eager(found["sides"], _median)
        rows.append([catalogue.ALL[name].title, catalogue.label(best[0].split("/")) if best else "–",
                     *(against_eager(sides, mode, key) for mode, key in kinds),
                     *(steps.against_peers(sides, f"proa/{mode}", _processor) for mode in ASKED)])
    columns = list(zip(*rows))[2:]
    means = [statistics.geometric_mean(known) if (known := [v for v in column if v is not None]) else None
             for column in columns]
    asked = [value for value in ASKED.values() for _ in range(2)] + [None, None]
    lines = [*rows, ["geometric mean", "", *means], ["asked", "", *asked]]
    head = ["proa ÷ fastest eager peer", "which", "eager", "eager, processors", "`to_static`",
            "`to_static`, processors", "eager ÷ any mode, processors", "`to_static` ÷ any mode, processors"]
    return table(head, [[*line[:2], *map(ratio, line[2:])] for line in lines], 2)


def report(figures, options):
    """The section as Markdown."""
    parts = [machine.heading("research", steps.versions(figures), options)]
    if figures["workloads"]:
        parts += [steps.times_table(figures), ratio_table(figures)]
    parts.append("\n".join(steps.differing(figures) + steps.unavailable(figures)))
    return "\n\n".join(part for part in parts if part)
