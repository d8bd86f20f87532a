"""The startup section: time of the import, first calls of a converted ResNet-50 and BERT-base, and installed size."""

import importlib
import os
import statistics
import subprocess
import sys
import tempfile

from . import catalogue, installed, machine, quiet
from .format import megabytes, ratio, seconds, table
from .process import Unavailable, Worker, environment

TIMER = """
import time
begin = time.perf_counter()
import {0}
imported = time.perf_counter()
{0}.ones([1])
print(imported - begin, time.perf_counter() - begin, {0}.__version__)
"""
FIRST_TENSOR = "import and a first tensor"
COMPILED = (("proa", "to_static"), ("paddle", "to_static"), ("torch", "compile"))
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}  # it is kept, as an installation keeps it
FIRST, AGAIN = "first call", "again, in a new process"
MODELS = {"ResNet-50": ("first_call", {"batch": 1, "side": 224}), "BERT-base": ("first_call_bert", {})}
CALLS = [f"{model}, {which}" for model in MODELS for which in (FIRST, AGAIN)]
ASKED = {"import": 0.15, FIRST_TENSOR: None, **{title: 0.5 if title.endswith(FIRST) else 0.2 for title in CALLS},
         "installed size": 0.6}


def compile_bytecode(python):
    """Does for proa's modules what an installation does for those of all packages."""
    with tempfile.TemporaryDirectory() as folder:
        code = "import compileall, os, proa; compileall.compile_dir(os.path.dirname(proa.__file__), quiet=2)"
        subprocess.run([python, "-c", code], cwd=folder, env=environment(1, BYTECODE), check=True)


def _import_once(python, module, threads):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([python, "-c", TIMER.format(module)], cwd=folder, capture_output=True, text=True,
                              env=environment(threads, BYTECODE), check=True)
    imported_s, tensor_s, version = done.stdout.split()[-3:]
    return {"import": float(imported_s), FIRST_TENSOR: float(tensor_s)}, version


def _imports(options, pythons):
    """Seconds of the import in fresh processes by framework, and of NumPy alone in proa's Python; and versions."""
    tasks = {name: (python, name) for name, python in pythons.items()}
    if "proa" in pythons:
        tasks["NumPy alone"] = (pythons["proa"], "numpy")
    times, versions = {name: [] for name in tasks}, {}
    for _ in range(options.pace.rounds + 1):
        for name, task in tasks.items():
            quiet.pause(0.1, options.pace.patience)
            time_s, versions[name] = _import_once(*task, options.pace.threads)
            times[name].append(time_s)
    found = {name: {what: statistics.median(each[what] for each in rounds[1:]) for what in ("import", FIRST_TENSOR)}
             for name, rounds in times.items()}  # the first import may have read from the disk
    return found, {name: version for name, version in versions.items() if name in pythons}


def _first_call(model, side, pythons, threads, patience):
    """Seconds of the first call with an empty cache, and again in a new process."""
    workload, size = MODELS[model]
    size = {**importlib.import_module(f".workloads.{workload}", __package__).SIZE, **size}
    with tempfile.TemporaryDirectory() as cache:
        variables = {"XDG_CACHE_HOME": cache, "TORCHINDUCTOR_CACHE_DIR": os.path.join(cache, "inductor"), **BYTECODE}
        found = []
        for _ in range(2):
            quiet.pause(0.1, patience)
            with Worker(pythons[side[0]], threads, variables) as worker:
                found.append(worker.ask("prepare", framework=side[0], workload=workload, mode=side[1], size=size,
                                        threads=threads, warm=0)["first_s"])
    return dict(zip((f"{model}, {FIRST}", f"{model}, {AGAIN}"), found))


def _rounds(model, side, options, pythons):
    """The median of a few rounds, or why there is none."""
    try:
        rounds = [_first_call(model, side, pythons, options.pace.threads, options.pace.patience)
                  for _ in range(1 if options.quick else 3)]
    except Unavailable as reason:
        return {f"{model} unavailable": str(reason)}
    return {key: statistics.median(r[key] for r in rounds) for key in rounds[0]}


def _first_calls(options, pythons):
    found = {}
    for side in COMPILED:
        if side[0] in pythons:
            found[side[0]] = {}
            for model in MODELS:
                found[side[0]].update(_rounds(model, side, options, pythons))
            print(f"    {catalogue.label(side)} {found[side[0]]}", file=sys.stderr)
    return found


def measure(options, pythons):
    """Figures by framework: plain data."""
    if "proa" in pythons:
        compile_bytecode(pythons["proa"])
    imports, versions = _imports(options, pythons)
    return {"import": imports, "versions": versions, "calls": _first_calls(options, pythons),
            "installed": {name: installed.size(name, python) for name, python in pythons.items()}}


def _row(title, values, text):
    peers = [value for name, value in values.items() if name in ("paddle", "torch")]
    against = values["proa"] / min(peers) if peers and "proa" in values else None
    cells = [text(values[name]) if name in values else "n/a" for name in catalogue.NAMES]
    return [title, *cells, ratio(against), ratio(ASKED[title])]


def _missing(record):
    """The models that a framework could not run, with the reason."""
    ends = " unavailable"
    return [(key.removesuffix(ends), value) for key, value in record.items() if key.endswith(ends)]


def report(figures, options):
    """The section as Markdown."""
    rows = [_row(title, {name: record[title] for name, record in figures["import"].items()}, seconds)
            for title in ("import", FIRST_TENSOR)]
    for title in CALLS:
        known = {name: record[title] for name, record in figures["calls"].items() if title in record}
        rows.append(_row(title, known, seconds))
    sizes = {name: sum(parts.values()) for name, parts in figures["installed"].items()}
    rows.append(_row("installed size", sizes, lambda value: f"{megabytes(value)} MB"))
    notes = ["First calls are of converted models, inference: ResNet-50 of 1×3×224×224, BERT-base of 1×128 words; with "
             "an empty cache on the disk, and again with the cache that this left. Python's own bytecode is there."]
    if "NumPy alone" in figures["import"]:
        notes.append(f"Importing NumPy alone takes {seconds(figures['import']['NumPy alone']['import'])}.")
    for name, parts in figures["installed"].items():
        largest = sorted(parts.items(), key=lambda item: -item[1])[:6]
        listed = ", ".join(f"{part} {megabytes(value)}" for part, value in largest)
        notes.append(f"Installed with {catalogue.NAMES[name]}, the largest parts in MB: {listed}.")
    missing = [f"- {title}, {catalogue.NAMES[name]}: not available: {reason.splitlines()[0]}"
               for name, record in figures["calls"].items() for title, reason in _missing(record)]
    names = {catalogue.NAMES[name]: version for name, version in figures["versions"].items()}
    head = ["", *catalogue.NAMES.values(), "proa ÷ least peer", "asked"]
    parts = [machine.heading("startup", names, options), table(head, rows), "\n".join(notes),
             "\n".join(missing)]
    return "\n\n".join(part for part in parts if part)
