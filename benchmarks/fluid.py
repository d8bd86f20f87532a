"""The fluid section: training steps over packed sequences, beside PaddlePaddle 1.8.5 (`--fluid` names its Python)."""

import argparse

from . import catalogue, machine, steps
from .format import ratio, table


def measure(options, pythons):
    """Figures of the workloads in Paddle 1.x's API: plain data."""
    if options.fluid:
        pythons = {**pythons, "fluid": options.fluid}
    frameworks = [name for name in ("proa", "fluid") if name in pythons]
    wanted = argparse.Namespace(**{**vars(options), "frameworks": frameworks, "no_limits": True, "modes": None})
    return steps.measure(wanted, pythons, catalogue.FLUID)


def report(figures, options):
    """The section as Markdown."""
    sides = steps.columns(figures)
    rows = []
    for name, found in figures["workloads"].items():
        cells = [steps.cell(found["sides"].get(side), steps.timing) for side in sides]
        against = steps.against_peers(found["sides"], "proa/program")
        rows.append([catalogue.ALL[name].title, *cells, ratio(against), ratio(catalogue.ALL[name].asked[0])])
    parts = [machine.heading("fluid", steps.versions(figures), options),
             table(["a step", *steps.head(sides), "proa ÷ Fluid", "asked"], rows),
             "\n".join(steps.unavailable(figures))]
    return "\n\n".join(part for part in parts if part)
