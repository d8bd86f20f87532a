"""The workloads section: time, ratios, distance to the limit and memory of training steps and inference."""

import sys

from . import catalogue, limits, machine, pictures, turns
from .format import digits, megabytes, ratio, seconds, table, timing


def measure(options, pythons, workloads=catalogue.WORKLOADS):
    """Figures of the chosen workloads on all sides, and of the limits: plain data."""
    chosen = [w for w in workloads if not options.only or w.name in options.only]
    wanted = chosen and not options.no_limits and workloads is not catalogue.FILES
    figures = {"limits": limits.measure(options, pythons) if wanted else {}, "workloads": {}}
    for workload in chosen:
        print(workload.title, file=sys.stderr, flush=True)
        size = workload.sizes(options.size)
        sides = catalogue.sides(workload, options.frameworks, options.modes)
        found = turns.measure(workload.module, size, sides, pythons, options.pace, options.verbose)
        figures["workloads"][workload.name] = {
            "size": size, "sides": {"/".join(side): record for side, record in found.items()},
            "limit": limits.seconds(workload, size, figures["limits"])}
        _show(found)
    return figures


def _show(found):
    """A line for each side as soon as it is known."""
    for side, record in found.items():
        text = f"not available: {record['unavailable']}" if "unavailable" in record else timing(record)
        print(f"    {catalogue.label(side):<22}{text.splitlines()[0]}", file=sys.stderr, flush=True)


def fastest(sides, own, key=lambda record: record["median"]):
    """The least of proa's sides (`own`), or of the peers': (side, value), or None."""
    found = [(key(record), side) for side, record in sides.items()
             if side.startswith("proa/") == own and "unavailable" not in record]
    return min(found)[::-1] if found else None


def against_peers(sides, side, key=lambda record: record["median"]):
    """A side's figure divided by the best peer's, or None."""
    best = fastest(sides, False, key)
    record = sides.get(side)
    return key(record) / best[1] if best and record and "unavailable" not in record else None


def versions(figures):
    """Version of each framework that took part."""
    return {catalogue.LABELS[side.split("/")[0]]: record["version"]
            for found in figures["workloads"].values() for side, record in found["sides"].items()
            if "version" in record}


def columns(figures):
    """All sides that any workload has, in the catalogue's order."""
    present = {side for found in figures["workloads"].values() for side in found["sides"]}
    order = [f"{name}/{mode}" for name in catalogue.LABELS
             for mode in ("eager", "to_static", "compile", "frozen", "fused", "jit", "program")]
    return [side for side in order if side in present]


def head(sides):
    return [catalogue.label(side.split("/")) for side in sides]


def cell(record, text):
    return "" if record is None else "n/a" if "unavailable" in record else text(record)


def times_table(figures):
    """Medians and spread of every side."""
    sides = columns(figures)
    rows = [[catalogue.ALL[name].title, *(cell(found["sides"].get(side), timing) for side in sides)]
            for name, found in figures["workloads"].items()]
    return table(["a step", *head(sides)], rows)


def ratio_table(figures, with_asked=True):
    """proa's sides against the fastest peer, and everybody's distance to the limit."""
    rows = []
    for name, found in figures["workloads"].items():
        workload, sides, limit = catalogue.ALL[name], found["sides"], found["limit"]
        best, ours = fastest(sides, False), fastest(sides, True)
        row = [workload.title, catalogue.label(best[0].split("/")) if best else "–"]
        for mode, asked in zip(("eager", "to_static"), workload.asked):
            row += [ratio(against_peers(sides, f"proa/{mode}")), *([ratio(asked)] if with_asked else [])]
        row.append(seconds(limit) if limit else "–")
        row += [digits(side[1] / limit) if limit and side else "–" for side in (ours, best)]
        rows.append(row)
    asked = ["asked"] if with_asked else []
    return table(["proa ÷ fastest peer", "fastest peer", "eager", *asked, "`to_static`", *asked,
                  "limit", "proa ÷ limit", "peer ÷ limit"], rows, 2)


def peak(record):
    """The most bytes that the process occupied while it stepped."""
    return record["memory"]["steps"]


def growth(record):
    """Bytes that the steps occupy at most beyond what the import left."""
    return peak(record) - record["memory"]["after_import"]


def _memory(record):
    return f"{megabytes(peak(record))} (+{megabytes(growth(record))})"


def memory_table(figures):
    """Peaks of whole processes in steady steps, with the growth since the import, and ratios."""
    sides = columns(figures)
    rows = []
    for name, found in figures["workloads"].items():
        cells = [cell(found["sides"].get(side), _memory) for side in sides]
        ratios = [ratio(against_peers(found["sides"], f"proa/{mode}", peak)) for mode in ("eager", "to_static")]
        rows.append([catalogue.ALL[name].title, *cells, *ratios])
    return table(["peak MB (beyond the import)", *head(sides), "eager ÷ least peer (asked 0.60)",
                  "`to_static` (asked 0.60)"], rows)


def differing(figures):
    """Workloads whose sides do not agree on the first result: a line each."""
    lines = []
    for name, found in figures["workloads"].items():
        results = {side: r["result"] for side, r in found["sides"].items() if r.get("result") is not None}
        if results and max(results.values()) - min(results.values()) > 1e-3 * max(map(abs, results.values())):
            lines.append(f"- {catalogue.ALL[name].title}: the first results differ: {results}")
    return lines


def unavailable(figures):
    """A line for each side that could not run, with its reason."""
    return [f"- {catalogue.ALL[name].title}, {catalogue.label(side.split('/'))}: not available: "
            f"{record['unavailable'].strip().splitlines()[0]}"
            for name, found in figures["workloads"].items() for side, record in found["sides"].items()
            if "unavailable" in record]


def report(figures, options):
    """The section as Markdown."""
    parts = [machine.heading("workloads", versions(figures), options)]
    if figures["workloads"]:
        parts += [times_table(figures), limits.sentence(figures["limits"]), ratio_table(figures),
                  memory_table(figures)]
    parts.append("\n".join(differing(figures) + unavailable(figures)))
    return "\n\n".join(part for part in parts if part)


def draw(figures, folder):
    """Bars of the ratios; returns [(file, what it shows)]."""
    rows = [(catalogue.ALL[name].title,
             [against_peers(found["sides"], f"proa/{mode}") for mode in ("eager", "to_static")])
            for name, found in figures["workloads"].items()]
    return [pictures.bars(folder, "workloads.svg", rows, ("eager", "to_static"))]
