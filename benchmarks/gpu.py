"""The gpu section: the workloads at a GPU's sizes on one CUDA device, in proa (by CuPy) and PyTorch."""

import argparse

from . import catalogue, limits, machine, steps
from .format import megabytes, ratio, table


def measure(options, pythons):
    """Figures of the workloads and of the device's limits: plain data."""
    options.pace.device = "gpu"
    chosen = argparse.Namespace(**{**vars(options), "frameworks": [f for f in options.frameworks if f != "paddle"]})
    return steps.measure(chosen, pythons, catalogue.GPU)


def memory_table(figures):
    """The most that was held on the device, and proa's against the least peer's."""
    sides = steps.columns(figures)
    rows = [[catalogue.ALL[name].title,
             *(steps.cell(found["sides"].get(side), lambda record: megabytes(steps.peak(record))) for side in sides),
             *(ratio(steps.against_peers(found["sides"], f"proa/{mode}", steps.peak))
               for mode in ("eager", "to_static"))] for name, found in figures["workloads"].items()]
    return table(["peak MB of the device", *steps.head(sides), "eager ÷ least peer", "`to_static`"], rows)


def report(figures, options):
    """The section as Markdown."""
    parts = [machine.heading("gpu", steps.versions(figures), options), machine.accelerator()]
    if figures["workloads"]:
        parts += [steps.times_table(figures), limits.sentence(figures["limits"]),
                  steps.ratio_table(figures, with_asked=False),
                  memory_table(figures)]
    parts.append("\n".join(steps.differing(figures) + steps.unavailable(figures)))
    return "\n\n".join(part for part in parts if part)
