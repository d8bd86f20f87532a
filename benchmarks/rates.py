"""The files section: saving, loading and a DataLoader, as rates; more is better, ratios are of times as elsewhere."""

from . import catalogue, machine, steps
from .format import digits, ratio, table


def measure(options, pythons):
    """Figures of the workloads that are rates: plain data."""
    return steps.measure(options, pythons, catalogue.FILES)


def report(figures, options):
    """The section as Markdown."""
    sides = steps.columns(figures)
    rows = []
    for name, found in figures["workloads"].items():
        workload = catalogue.ALL[name]
        amount = workload.count("amount", found["size"])
        cells = [steps.cell(found["sides"].get(side), lambda r, a=amount: _rate(r, a)) for side in sides]
        against = steps.against_peers(found["sides"], "proa/eager")
        rows.append([workload.title, workload.unit, *cells, ratio(against), ratio(workload.asked[0])])
    parts = [machine.heading("files", steps.versions(figures), options),
             table(["", "", *steps.head(sides), "time, proa ÷ fastest peer", "asked"], rows, 2),
             "\n".join(steps.unavailable(figures))]
    return "\n\n".join(part for part in parts if part)


def _rate(record, amount):
    low, high = amount / record["high"], amount / record["low"]
    return f"{digits(amount / record['median'])} ± {digits((high - low) / 2)}"
