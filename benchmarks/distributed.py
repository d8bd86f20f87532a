"""The distributed section: steps of several ranks with a thread each, of one process with as many threads, and of DDP.

Every side of a workload takes its turn in one run. A step of several ranks takes as long as that of the slowest; its
processor time is that of all ranks together, which a busy machine changes less.
"""

import contextlib
import statistics
import sys

from . import catalogue, machine, quiet, steps, turns
from .crew import Crew
from .format import ratio, seconds, table, timing
from .process import Unavailable

BYTES = tuple(1 << power for power in (10, 12, 14, 16, 18, 20, 22, 24, 26))
FEWER = (1 << 10, 1 << 16, 1 << 20, 1 << 24)
PEERS = ("proa", "torch")


def sides_of(workload, frameworks, modes):
    """(framework, mode, ranks) of a workload's sides: alone with all threads, and as ranks of one thread each."""
    return [(*side, alone) for side in catalogue.sides(workload, [f for f in PEERS if f in frameworks], modes)
            for alone in (True, False) if side[1] != "sharded" or not alone]


def turn_of(answers, pace):
    """How many steps take about as long as a turn."""
    return max(pace.least, 1, int(pace.seconds / max(statistics.median(answer["times"]) for answer in answers)))


def run_in_turns(crews, pace):
    """{side: the figures of a step}: every crew steps once a round, in an order that turns."""
    counts, times, processor, failed = {}, {}, {}, {}
    for number in range(-1, pace.rounds):  # the first round only finds out how many steps a turn has
        keys = [key for key in crews if key not in failed]
        shift = max(number, 0) % max(1, len(keys))
        for key in keys[shift:] + keys[:shift]:
            quiet.pause(pace.pause, pace.patience)
            try:
                answers = crews[key].ask("run_steps", count=counts.get(key, 3))
            except Unavailable as reason:
                failed[key] = str(reason)
                continue
            if number < 0:
                counts[key], times[key], processor[key] = turn_of(answers, pace), [], []
            else:
                times[key] += [max(step) for step in zip(*(answer["times"] for answer in answers))]
                processor[key].append(sum(answer["processor"] for answer in answers))
    return {key: {"unavailable": failed[key]} if key in failed else
            {**turns.summarise(times[key]), "processor": statistics.median(processor[key])} for key in crews}


def compare(workload, size, sides, pythons, options, counted=False):
    """The figures of a workload's sides, which are ready all the time and step in turns.

    `counted`: with what a step asks for, see `worker.Side.counts`.
    """
    with contextlib.ExitStack() as stack:
        crews, found = {}, {}
        for side in sides:
            framework, mode, ranks, threads = side
            crew = stack.enter_context(Crew(framework, pythons[framework], ranks, threads))
            crew.send("prepare", framework=framework, mode=mode, threads=threads, workload=workload, size=size, warm=0)
            try:
                answers = crew.receive()
                found[side] = {"version": answers[0]["version"], "result": _together(answers)}
                crew.ask("run_steps", count=20)
                if counted:
                    found[side]["counts"] = crew.ask("counts")[0]
                crews[side] = crew
            except Unavailable as reason:
                found[side] = {"unavailable": str(reason)}
                if options.verbose:
                    print(crew.log())
        for side, record in run_in_turns(crews, options.pace).items():
            found[side].update(record)
    return {"/".join(map(str, side)): record for side, record in found.items()}


def _together(answers):
    """The first step's loss of the whole batch: the mean of those of the parts."""
    results = [answer["result"] for answer in answers]
    return None if None in results else statistics.mean(results)


def measure(options, pythons):
    """Figures of the workloads by side, `framework/mode/ranks/threads`, and of collectives by bytes: plain data."""
    total, figures = options.threads, {"workloads": {}, "collectives": {}, "ranks": options.threads}
    for workload in catalogue.DISTRIBUTED:
        if options.only and workload.name not in options.only:
            continue
        print(workload.title, file=sys.stderr, flush=True)
        sides = [(framework, mode, *((1, total) if alone else (total, 1)))
                 for framework, mode, alone in sides_of(workload, options.frameworks, options.modes)]
        size = workload.sizes(options.size)
        found = compare(workload.module, size, sides, pythons, options)
        figures["workloads"][workload.name] = {"size": size, "sides": found}
        _show(found)
    if not options.only or "collectives" in options.only:
        for count in FEWER if options.quick else BYTES:
            print(f"all_reduce of {count} bytes", file=sys.stderr, flush=True)
            sides = [(name, "eager", total, 1) for name in PEERS if name in options.frameworks]
            found = compare("collective", {"bytes": count}, sides, pythons, options)
            figures["collectives"][str(count)] = found
            _show(found)
    return figures


def _show(found):
    for side, record in found.items():
        text = record.get("unavailable") or f"{timing(record)}, processor {seconds(record['processor'])}"
        print(f"    {side:<26}{text.splitlines()[0]}", file=sys.stderr, flush=True)


def over(found, side, other, what="median"):
    """A side's figure divided by another's, or None."""
    records = [found.get(name) for name in (side, other)]
    return None if any(not r or "unavailable" in r for r in records) else records[0][what] / records[1][what]


def label(side):
    """How tables call a side."""
    framework, mode, ranks, threads = side.split("/")
    name = "DDP" if framework == "torch" and ranks != "1" else catalogue.label((framework, mode)).replace(" eager", "")
    return f"{name}, {ranks} × {threads}"


def _cell(record, text):
    return "" if record is None else "n/a" if "unavailable" in record else text(record)


def _steps(figures):
    """Times of a step on every side."""
    total = figures["ranks"]
    sides = [f"{framework}/{mode}/{shape}" for shape in (f"1/{total}", f"{total}/1") for framework in PEERS
             for mode in catalogue.ALL_RANKS[framework]
             if any(f"{framework}/{mode}/{shape}" in found["sides"] for found in figures["workloads"].values())]
    rows = [[catalogue.ALL[name].title, *(_cell(found["sides"].get(side), timing) for side in sides)]
            for name, found in figures["workloads"].items()]
    return table(["a step; ranks × threads", *map(label, sides)], rows)


def _ratios(figures):
    """proa's ranks to DDP's, in time and processor time, and what each gains by ranks: a row a workload and mode."""
    total = figures["ranks"]
    together, alone = f"{total}/1", f"1/{total}"
    rows = []
    for name, found in figures["workloads"].items():
        sides, ddp = found["sides"], f"torch/eager/{together}"
        gained = over(sides, f"torch/eager/{alone}", ddp)
        for mode in catalogue.ALL_RANKS["proa"]:
            own = f"proa/{mode}/{together}"
            if own in sides:
                by_one = f"proa/{'eager' if mode == 'sharded' else mode}/{alone}"
                rows.append([catalogue.ALL[name].title, _mode(mode), ratio(over(sides, own, ddp)),
                             ratio(over(sides, own, ddp, "processor")), ratio(over(sides, by_one, own)), ratio(gained)])
    return table(["ranks of proa ÷ DDP (asked 1.00)", "", "time", "processor", "efficiency", "efficiency of DDP"],
                 rows, 2)


def _mode(mode):
    return f"`{mode}`" if mode == "to_static" else mode


def _collectives(figures):
    total, rows = figures["ranks"], []
    for count, found in figures["collectives"].items():
        own, peer = f"proa/eager/{total}/1", f"torch/eager/{total}/1"
        rows.append([_bytes(int(count)), *(_cell(found.get(side), timing) for side in (own, peer)),
                     ratio(over(found, own, peer)), *(_cell(found.get(side), lambda r: seconds(r["processor"]))
                                                      for side in (own, peer))])
    return table([f"`all_reduce` of {total} ranks", "proa", "gloo", "proa ÷ gloo", "processor, proa",
                  "processor, gloo"], rows) if rows else ""


def _bytes(count):
    return f"{count >> 20} MB" if count >= 1 << 20 else f"{count >> 10} KB"


def unavailable(figures):
    """A line for each side that could not run."""
    named = [(catalogue.ALL[name].title, found["sides"]) for name, found in figures["workloads"].items()]
    named += [(f"all_reduce of {_bytes(int(count))}", found) for count, found in figures["collectives"].items()]
    return "\n".join(f"- {title}, {label(side)}: not available: {record['unavailable'].splitlines()[0]}"
                     for title, sides in named for side, record in sides.items() if "unavailable" in record)


def versions(figures):
    """Version of each framework that took part."""
    found = [record["sides"] for record in figures["workloads"].values()] + list(figures["collectives"].values())
    return {catalogue.LABELS[side.split("/")[0]]: record["version"]
            for sides in found for side, record in sides.items() if "version" in record}


def report(figures, options):
    """The section as Markdown."""
    parts = [machine.heading("distributed", versions(figures), options)]
    if figures["workloads"]:
        parts += [_steps(figures), _ratios(figures),
                  "Efficiency is the time of one process with all threads over that of ranks with one thread each. "
                  "Program: trained by `fleet` and the Executor; sharded: `group_sharded_parallel`, level `os_g`."]
    parts += [_collectives(figures), "\n".join(steps.differing(figures)), unavailable(figures)]
    return "\n\n".join(part for part in parts if part)
