"""The scaling section: time and memory of a step against batch, depth and length of the sequence."""

import dataclasses
import sys

from . import catalogue, machine, pictures, steps, turns
from .format import megabytes, table, timing

SWEEPS = {
    "batch": ("lenet", "batch", (1, 4, 16, 64, 256), (1, 16, 256)),
    "depth": ("mlp", "depth", (1, 2, 4, 8, 16, 32), (2, 8, 32)),
    "length": ("transformer", "length", (16, 32, 64, 128, 256), (16, 64, 256)),
    "recurrent length": ("lstm", "length", (10, 25, 50, 100, 200), (10, 200)),
}
QUICK_MODES = ("eager", "to_static")


def measure(options, pythons):
    """Figures of every sweep: {sweep: {point: {side: record}}}, plain data."""
    modes = options.modes or (QUICK_MODES if options.quick else None)
    pace = dataclasses.replace(options.pace, rounds=min(options.pace.rounds, 3 if options.quick else 7))
    figures = {}
    for sweep, (name, what, points, fewer) in SWEEPS.items():
        if options.only and sweep not in options.only and name not in options.only:
            continue
        workload = catalogue.ALL[name]
        figures[sweep] = {}
        for point in fewer if options.quick else points:
            print(f"{workload.title}: {what} {point}", file=sys.stderr, flush=True)
            size = workload.sizes({**options.size, what: point})
            sides = catalogue.sides(workload, options.frameworks, modes)
            found = turns.measure(workload.module, size, sides, pythons, pace, options.verbose)
            figures[sweep][str(point)] = {"/".join(side): record for side, record in found.items()}
    return figures


def _as_workload(points):
    """A sweep in the form of the workloads' figures, for what is shared with them."""
    return {"workloads": {point: {"sides": sides} for point, sides in points.items()}}


def report(figures, options):
    """The section as Markdown."""
    versions = {}
    parts = []
    for sweep, points in figures.items():
        name, what = SWEEPS[sweep][:2]
        form = _as_workload(points)
        versions.update(steps.versions(form))
        sides = steps.columns(form)
        rows = [[point, *(steps.cell(found.get(side), _both) for side in sides)] for point, found in points.items()]
        parts += [f"{catalogue.ALL[name].title}, against {what}: time of a step, and MB beyond the import.",
                  table([what, *steps.head(sides)], rows, 0)]
        missing = [f"- {what} {point}, {catalogue.label(side.split('/'))}: not available: "
                   f"{record['unavailable'].splitlines()[0]}"
                   for point, found in points.items() for side, record in found.items() if "unavailable" in record]
        parts += ["\n".join(missing)] if missing else []
    return "\n\n".join([machine.heading("scaling", versions, options), *parts])


def _both(record):
    return f"{timing(record)}, {megabytes(steps.growth(record))} MB"


def draw(figures, folder):
    """Lines of time and memory, a row of axes a sweep; returns [(file, what it shows)]."""
    rows = []
    for sweep, points in figures.items():
        name, what = SWEEPS[sweep][:2]
        lines = {}
        for point, found in points.items():
            for side, record in found.items():
                if "unavailable" not in record:
                    line = lines.setdefault(catalogue.label(side.split("/")).replace("`", ""), [])
                    line.append((int(point), record["median"] * 1e3, max(steps.growth(record) / 1e6, 0.1)))
        rows.append((catalogue.ALL[name].title, what, lines))
    return [pictures.lines(folder, "scaling.svg", rows)]
