"""The inference section: saved models, opened from their files: first call, later calls, further shapes, memory.

The sides are proa's Predictor, PaddlePaddle's with oneDNN, and ONNX Runtime on files that paddle2onnx makes. They take
turns. Last, a page that rapidocr-paddle reads by proa and by PaddlePaddle.
"""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile

from . import environments, machine, turns
from .format import megabytes, ratio, seconds, table
from .process import Unavailable, Worker
from .saved_models import MODELS, packages_for
from .startup import BYTECODE, compile_bytecode

LABELS = {"proa": "proa", "paddle": "Paddle", "onnxruntime": "ONNX Runtime"}
PEERS = ("paddle", "onnxruntime")
PAGE = "page"
PAGE_SIDES = {"proa": "proa", "paddle": "Paddle", "paddle, oneDNN": "Paddle, oneDNN asked for"}
ASKED, ASKED_OF_PAGE = 1.0, 0.7


def _question(name, side, files, options, shapes):
    """What a worker is asked to open: the command and its arguments."""
    framework = side.partition(",")[0]
    common = {"framework": framework, "files": os.path.join(files, name), "threads": options.pace.threads}
    if name == PAGE:
        return "read_pages", {**common, "packages": options.packages, "with_onednn": side != framework}
    return "serve", {**common, "model": name, "shapes": shapes}


def _opened(name, side, files, options, pythons, cache):
    """The answer of a new process that opens a model and runs it once for each shape."""
    command, arguments = _question(name, side, files, options, len(MODELS[name].shapes) if name in MODELS else 1)
    with Worker(pythons[side.partition(",")[0]], options.pace.threads, {**BYTECODE, "XDG_CACHE_HOME": cache}) as worker:
        return worker.ask(command, **arguments)


def _first_calls(name, sides, files, options, pythons):
    """Answers of new processes, in rounds: `proa` with nothing kept, `again` with what that left, and the peers."""
    found = {}
    for _ in range(options.rounds or (2 if options.quick else 5)):
        for side in sides:
            with tempfile.TemporaryDirectory() as cache:
                for key in (side, "again") if side == "proa" else (side,):
                    turns.quiet.pause(options.pace.pause, options.pace.patience)
                    try:
                        found.setdefault(key, []).append(_opened(name, side, files, options, pythons, cache))
                    except Unavailable as reason:
                        found[key] = [{"unavailable": str(reason)}]
                        break
    return {key: _summary(answers) for key, answers in found.items()}


def _summary(answers):
    """Medians over new processes."""
    if "unavailable" in answers[-1]:
        return answers[-1]

    def middle(pick):
        return {clock: statistics.median(pick(answer, clock) for answer in answers) for clock in ("wall", "processor")}

    last = answers[-1]
    found = {"started": middle(lambda answer, clock: answer["started"][clock]),
             "first": middle(lambda answer, clock: answer["first"][clock]), "results": last["results"],
             "version": last["version"], "peak": statistics.median(answer["peak"] for answer in answers)}
    if last["further"]:
        found["further"] = middle(lambda answer, c: statistics.median(run[c] for run in answer["further"]))
    return found


def _warm(name, sides, files, options, pythons, shapes):
    """Times of steps, in turns, of sides that are there; a step runs each of so many shapes."""
    with contextlib.ExitStack() as stack:
        workers, found = {}, {}
        for side in sides:
            command, arguments = _question(name, side, files, options, shapes)
            worker = stack.enter_context(Worker(pythons[side.partition(",")[0]], options.pace.threads, BYTECODE))
            try:
                worker.ask(command, **arguments)
                worker.ask("run", seconds=options.pace.seconds, least=3)
                workers[side] = worker
            except Unavailable as reason:
                found[side] = {"unavailable": str(reason)}
        processor = {side: [] for side in workers}
        times, failed = turns.take_turns(workers, options.pace, processor)
        for side in workers:
            found[side] = {"unavailable": failed[side]} if side in failed else {
                **{key: value / shapes for key, value in turns.summarise(times[side]).items() if key != "steps"},
                "processor": statistics.median(processor[side]) / shapes}
        return found


def _measured(name, sides, files, options, pythons):
    found = {"opened": _first_calls(name, sides, files, options, pythons)}
    there = [side for side in sides if "unavailable" not in found["opened"][side]]
    found["warm"] = _warm(name, there, files, options, pythons, 1)
    if name in MODELS:
        found["mixed"] = _warm(name, there, files, options, pythons, len(MODELS[name].shapes))
    print(f"    {name} {found}", file=sys.stderr)
    return found


def measure(options, pythons):
    """Figures by model and side: plain data."""
    pythons = {name: python for name, python in pythons.items() if name in LABELS}
    if "onnxruntime" not in pythons:
        pythons["onnxruntime"] = environments.python_for("onnxruntime", options.onnxruntime, options.environments)
    compile_bytecode(pythons["proa"])
    packages = os.path.abspath(options.packages) if options.packages else packages_for(
        pythons["proa"], options.environments)
    options = argparse.Namespace(**{**vars(options), "packages": packages})
    names = [name for name in (*MODELS, PAGE) if not options.only or name in options.only]
    with tempfile.TemporaryDirectory() as files:
        with Worker(pythons["proa"], options.pace.threads) as worker:
            made = worker.ask("write_models", names=[n for n in names if n in MODELS], folder=files,
                              packages=packages, threads=options.pace.threads)
        found = {name: _measured(name, PAGE_SIDES if name == PAGE else LABELS, files, options, pythons)
                 for name in names}
    return {"models": found, "faults": made["faults"]}



def _against(record, peer, clock, side="proa"):
    """The ratio of a side's time to a peer's."""
    own, other = record.get(side, {}), record.get(peer, {})
    if "unavailable" in own or "unavailable" in other or not own or not other:
        return None
    return own[clock] / other[clock]


def _time(figures, clock="median"):
    if not figures or "unavailable" in figures:
        return "n/a"
    return f"{seconds(figures[clock])} ({seconds(figures['processor'])})"


def _warm_rows(models, what):
    for name, model in MODELS.items():
        if name in models:
            record = models[name][what]
            yield [model.title, *(_time(record.get(side)) for side in LABELS),
                   *(ratio(_against(record, peer, "median")) for peer in PEERS),
                   *(ratio(_against(record, peer, "processor")) for peer in PEERS)]


def _opened_rows(models, what):
    """Rows of what new processes took: `started` and `first`, with the import and without, `further` shapes."""
    for name, model in MODELS.items():
        if name not in models:
            continue
        record = {side: figures.get(what, figures) for side, figures in models[name]["opened"].items()}
        yield [model.title, *(_time(record.get(side), "wall") for side in ("proa", "again", *PEERS)),
               *(ratio(_against(record, peer, "processor", side)) for side in ("proa", "again") for peer in PEERS)]


def _memory_rows(models):
    for name, model in MODELS.items():
        if name in models:
            found = {side: record["peak"] for side, record in models[name]["opened"].items() if "peak" in record}
            peers = [found[peer] for peer in PEERS if peer in found]
            yield [model.title, *(megabytes(found[side]) if side in found else "n/a" for side in LABELS),
                   ratio(found["proa"] / min(peers) if peers and "proa" in found else None)]


def _page_table(record):
    warm, opened = record["warm"], record["opened"]
    rows = [[title, _time(opened.get(side, {}).get("first"), "wall"), _time(warm.get(side)),
             *(ratio(_against(warm, side, clock)) for clock in ("median", "processor"))]
            for side, title in PAGE_SIDES.items()]
    rows.insert(1, ["proa, first call again", _time(opened.get("again", {}).get("first"), "wall"), "", "", ""])
    return table(["a page of 24 lines", "first", "later", "proa ÷ this", "processors"], rows)


def differing(models):
    """Sentences about results that are not those of the other sides."""
    found = []
    for name, record in models.items():
        opened = {side: r["results"] for side, r in record["opened"].items() if "results" in r}
        own = opened.pop("proa", None)
        for side, results in opened.items():
            if own is None or side == "again":
                continue
            if name == PAGE:
                is_equal = own == results
            else:
                is_equal = all(abs(a - b) <= 1e-4 * max(abs(b), 1e-3) for a, b in zip(own, results, strict=True))
            if not is_equal:
                found.append(f"- {MODELS[name].title if name in MODELS else 'The page'}: results of proa and of "
                             f"{LABELS.get(side, side)} differ: {own} and {results}")
    return found


def _missing(figures):
    for name, record in figures["models"].items():
        for part in record.values():
            for side, answer in part.items():
                if "unavailable" in answer:
                    reason = figures["faults"].get(name) if side == "onnxruntime" else None
                    yield f"- {name}, {LABELS.get(side, side)}: not available: " \
                          f"{(reason or answer['unavailable']).splitlines()[0]}"


def report(figures, options):
    """The section as Markdown."""
    models = figures["models"]
    versions = {LABELS[side]: record["version"] for found in models.values()
                for side, record in found["opened"].items() if side in LABELS and "version" in record}
    sides, ratios = list(LABELS.values()), [f"÷ {LABELS[peer]}" for peer in PEERS]
    of_processors = [f"{head}, processors" for head in ratios]
    firsts = [f"{which} {head}" for which in ("first", "again") for head in ratios]
    opened = ["proa, nothing kept", "proa, again", *sides[1:], *firsts]
    tables = []
    if set(models) & set(MODELS):
        tables = [
            table(["a later call", *sides, *ratios, *of_processors],
                  [*_warm_rows(models, "warm"), ["asked", *[""] * 3, *[ratio(ASKED)] * 4]]),
            table(["a call, shapes in turn", *sides, *ratios, *of_processors], _warm_rows(models, "mixed")),
            table(["first call", *opened], _opened_rows(models, "first")),
            table(["import and first call", *opened], _opened_rows(models, "started")),
            table(["a further shape", *opened], _opened_rows(models, "further")),
            table(["peak memory, MB", *sides, "÷ least"], _memory_rows(models))]
    if PAGE in models:
        tables.append(_page_table(models[PAGE]))
    notes = ("Times by the clock, and in brackets of processors. A first call opens the file and runs it once, in a "
             "new process that has imported the framework and, where it has any, made a tensor, which the table below "
             "counts too; ratios of first calls and further shapes are of processor times. Memory is the peak beyond "
             "the import, over all shapes. The page is read by rapidocr-paddle as it comes; "
             f"it asks Paddle for no oneDNN, the last row does. Asked of the page: {ratio(ASKED_OF_PAGE)}.")
    parts = [machine.heading("inference", versions, options), *tables, notes,
             "\n".join(dict.fromkeys([*differing(models), *_missing(figures)]))]
    return "\n\n".join(part for part in parts if part)
