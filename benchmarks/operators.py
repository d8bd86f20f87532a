"""The operators section: much used operators at three sizes, eager, with PyTorch, taking turns one by one."""

import contextlib
import math
import sys

from . import catalogue, machine, quiet, reasons
from .format import digits, ratio, table
from .process import Unavailable, Worker
from .turns import summarise
from .workloads.cases import CASES

ELEMENTS = (100, 10_000, 1_000_000)
THREADED = 100_000  # elements from which threads may be busy, and need a pause to fall asleep
WORSE = 1.2
PAIR = ("proa", "torch")


def measure(options, pythons):
    """Figures: {operator: {elements: {framework: record}}}, plain data."""
    names = [name for name in CASES if not options.only or name in options.only]
    figures = {"operators": {}, "versions": {}}
    with contextlib.ExitStack() as stack:
        workers = {name: stack.enter_context(Worker(pythons[name], options.pace.threads))
                   for name in PAIR if name in pythons}
        for name in names:
            figures["operators"][name] = {
                str(elements): _take_turns(workers, name, elements, options, figures["versions"])
                for elements in ELEMENTS}
            _show(name, figures["operators"][name])
    return figures


def _take_turns(workers, name, elements, options, versions):
    """Records of one operator at one size. Turns are short: a tenth of a workload's."""
    pace = options.pace
    found, times, ready = {}, {}, {}
    for framework, worker in workers.items():
        try:
            found[framework] = worker.ask("prepare", framework=framework, workload="operator", mode=name,
                                          size={"elements": elements}, threads=pace.threads, warm=0.01)
            ready[framework], times[framework] = worker, []
            versions[catalogue.NAMES[framework]] = found[framework]["version"]
        except Unavailable as reason:
            found[framework] = {"unavailable": str(reason)}
    for _ in range(pace.rounds):
        for framework, worker in ready.items():
            if elements >= THREADED or pace.patience:
                quiet.pause(pace.pause / 10, pace.patience)
            times[framework] += worker.ask("run", seconds=pace.seconds / 10, least=2)["times"]
    for framework, values in times.items():
        found[framework].update(summarise(values))
    return found


def _show(name, sizes):
    cells = [f"{ratio(against(found)):>8}" for found in sizes.values()]
    print(f"    {name:<24}" + "".join(cells), file=sys.stderr, flush=True)


def against(found):
    """proa's median over PyTorch's; None where one of them is missing."""
    medians = [found.get(name, {}).get("median") for name in PAIR]
    return medians[0] / medians[1] if all(medians) else None


def _row(name, sizes):
    cells = []
    for found in sizes.values():
        for framework in PAIR:
            median = found.get(framework, {}).get("median")
            cells.append(digits(median * 1e6) if median else "n/a")
        value = against(found)
        cells.append(f"**{ratio(value)}**" if value and value > WORSE else ratio(value))
    return [f"`{name}`", *cells]


def _means(figures):
    """The geometric means of the ratios, by size, in words."""
    parts = []
    for elements in ELEMENTS:
        values = [against(sizes[str(elements)]) for sizes in figures["operators"].values()]
        known = [math.log(value) for value in values if value]
        if known:
            parts.append(f"{ratio(math.exp(sum(known) / len(known)))} at {elements:,} elements")
    return f"Geometric means of the ratios: {', '.join(parts)}." if parts else ""


def _worse(figures):
    """The ratios above WORSE, largest first, by the reason for them."""
    found = {}
    for name, sizes in figures["operators"].items():
        for elements, records in sizes.items():
            value = against(records)
            if value and value > WORSE:
                where = found.setdefault(reasons.reason_for(name, int(elements)), [])
                where.append((value, f"`{name}` at {int(elements):,} ({ratio(value)})"))
    unexplained = found.pop(None, [])
    rows = [[reasons.REASONS[number - 1][0], _listed(where)] for number, where in sorted(found.items())]
    count = sum(map(len, found.values())) + len(unexplained)
    parts = [f"Above {WORSE}: {count} of {len(figures['operators']) * len(ELEMENTS)}."]
    if rows:
        parts.append(table(["why", f"above {WORSE}"], rows, left=2))
    if unexplained:
        parts.append(f"Without a known reason: {_listed(unexplained)}.")
    return "\n\n".join(parts)


def _listed(where):
    return ", ".join(text for _, text in sorted(where, reverse=True))


def _notes(figures):
    """Operators that are missing, or whose results differ: a line each."""
    lines = []
    for name, sizes in figures["operators"].items():
        for elements, found in sizes.items():
            lines += [f"- `{name}`, {catalogue.NAMES[side]}: not available: {record['unavailable'].splitlines()[0]}"
                      for side, record in found.items() if "unavailable" in record and elements == str(ELEMENTS[0])]
            results = [record.get("result") for record in found.values()]
            if len(results) == 2 and None not in results and CASES[name].same \
                    and abs(results[0] - results[1]) > 1e-3 * max(map(abs, results)):
                lines.append(f"- `{name}` at {int(elements):,}: results differ: {results}")
    return "\n".join(lines)


def report(figures, options):
    """The section as Markdown."""
    head = ["µs"] + [cell for elements in ELEMENTS for cell in (f"proa, {elements:,}", "PyTorch", "ratio")]
    rows = [_row(name, sizes) for name, sizes in figures["operators"].items()]
    parts = [machine.heading("operators", figures["versions"], options), _means(figures), _worse(figures),
             table(head, rows), _notes(figures)]
    return "\n\n".join(part for part in parts if part)
