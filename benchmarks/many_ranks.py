"""The ranks section: what a step of several ranks costs, a model fitted to that, and the model carried to 1,000 ranks.

Each rank has as much to compute in every case (rows of its own), so that what ranks add is what exchanging costs. The
processor time of a rank is told beside the time: where ranks are more than cores, they wait for each other's turns.

The model: a rank's step is what it costs alone and, for each message, a latency and a time a byte. Both are fitted to
`all_reduce` alone. On networks a sum of n bytes over R ranks takes 2 log2 R latencies and 2 (R-1)/R n bytes.
"""

import math
import sys

import numpy as np

from . import machine
from .distributed import compare
from .format import digits, seconds, table, timing

RANKS = (1, 2, 4)
WIDTHS = (64, 512, 2048)
BYTES = (1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24)
FEWER = (1 << 10, 1 << 18, 1 << 22)
ROWS = 32  # of each rank
NETWORKS = {"10 Gbit/s Ethernet, TCP": (30e-6, 1 / 1.1e9), "100 Gbit/s, RDMA": (3e-6, 1 / 11e9)}
MODELS = {"ResNet-50, 25.6 M parameters": (25.6e6, 161, 0.35), "BERT-base, 110 M parameters": (110e6, 199, 0.9),
          "1 G parameters": (1e9, 300, 4.0)}  # parameters, tensors, seconds of a step alone: assumed, of a fast machine
FAR = (2, 8, 64, 1000)
OVERLAPPED = 0.5  # of what is computed: the backward pass, but for its end
JITTER = 0.02  # of a step: the standard deviation from rank to rank


def measure(options, pythons):
    """Figures of steps by width and ranks, with what each asks for, and of all_reduce by ranks and bytes."""
    figures = {"steps": {}, "sums": {}}
    for width in WIDTHS:
        for ranks in RANKS:
            print(f"MLP of width {width}, {ranks} ranks", file=sys.stderr, flush=True)
            size = {"batch": ROWS * ranks, "width": width, "depth": 2}
            found = compare("mlp", size, [("proa", "eager", ranks, 1)], pythons, options, counted=True)
            [record] = found.values()
            figures["steps"][f"{width}/{ranks}"] = record
    for ranks in RANKS[1:]:
        for count in FEWER if options.quick else BYTES:
            print(f"all_reduce of {count} bytes, {ranks} ranks", file=sys.stderr, flush=True)
            [record] = compare("collective", {"bytes": count}, [("proa", "eager", ranks, 1)], pythons, options).values()
            figures["sums"][f"{ranks}/{count}"] = record
    return figures


def parameters(width):
    return 784 * width + width * width + 10 * width + 2 * width + 10


def fitted(figures, ranks, what):
    """(seconds a message, seconds a byte) of all_reduce between so many ranks: least squares of relative errors."""
    points = [(int(key.split("/")[1]), record[what] / (ranks if what == "processor" else 1))
              for key, record in figures["sums"].items() if key.startswith(f"{ranks}/") and "unavailable" not in record]
    rows = np.array([[1 / cost, count / cost] for count, cost in points])
    found = np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0]
    return float(max(found[0], 0)), float(max(found[1], 0))


def _steps(figures):
    rows = []
    for key, record in figures["steps"].items():
        if "unavailable" in record:
            continue
        width, ranks = map(int, key.split("/"))
        alone, counts, model = figures["steps"][f"{width}/1"], record["counts"], "–"
        if ranks > 1:
            latency, byte = fitted(figures, ranks, "processor")
            model = seconds(alone["processor"] + counts["messages"] * latency + counts["bytes"] * byte)
        rows.append([f"{parameters(width) / 1e6:.2f} M", ranks, timing(record), seconds(record["processor"] / ranks),
                     model, f"{counts['bytes'] / 1e6:.2f}", digits(counts["messages"]), digits(counts["calls"])])
    return table(["parameters", "ranks", "a step", "processor, a rank", "of the model", "MB that a rank gives",
                  "messages", "Python calls"], rows)


def _fits(figures):
    rows = []
    for ranks in RANKS[1:]:
        (latency, byte), (cost, own) = fitted(figures, ranks, "median"), fitted(figures, ranks, "processor")
        rows.append([ranks, seconds(latency), f"{1e-9 / byte:.2f} GB/s" if byte else "–", seconds(cost),
                     f"{1e-9 / own:.2f} GB/s" if own else "–"])
    return table(["ranks", "latency", "rate", "processor, a message", "by the processor"], rows)


def predicted(nbytes, tensors, alone, ranks, network):
    """(seconds of a step, seconds of its exchanges) of ranks on a machine each."""
    latency, byte = network
    messages = max(1, min(tensors, nbytes / 4e6))
    rounds = 2 * math.ceil(math.log2(ranks))
    exchange = messages * rounds * latency + 2 * (ranks - 1) / ranks * nbytes * byte
    last = exchange / messages
    slowest = alone * (1 + JITTER * math.sqrt(2 * math.log(ranks)))
    return slowest + max(exchange - OVERLAPPED * alone, last), exchange


def _far():
    rows = []
    for title, (count, tensors, alone) in MODELS.items():
        for name, network in NETWORKS.items():
            cells = []
            for ranks in FAR:
                step, exchange = predicted(4 * count, tensors, alone, ranks, network)
                cells.append(f"{alone / step:.0%} ({seconds(exchange)})")
            rows.append([title, seconds(alone), name, *cells])
    return table(["a network", "a step alone", "between machines", *(f"{ranks} ranks" for ranks in FAR)], rows, 3)


def report(figures, options):
    """The section as Markdown."""
    versions = {"proa": next(record["version"] for record in figures["steps"].values() if "version" in record)}
    return "\n\n".join([
        machine.heading("ranks", versions, options),
        f"MLP 784-n-n-10 with Adam, {ROWS} rows a rank, one thread a rank:", _steps(figures),
        "`all_reduce` alone, fitted:", _fits(figures),
        "Carried to a rank on each of many machines: the share of the time that is not lost, and what the exchanges of "
        "a step take in all.", _far()])
