"""The programs section: first training steps of small converted programs, in new processes, and of a further shape."""

import statistics
import sys
import tempfile

from . import catalogue, machine, quiet
from .format import ratio, seconds, table
from .process import Unavailable, Worker
from .programs import PROGRAMS
from .startup import BYTECODE, compile_bytecode

SIDES = {"cold": "proa, nothing kept", "warm": "proa, again", "paddle": "Paddle"}
ASKED = {"cold": 1.0, "warm": 0.5}


def _steps(python, framework, program, options, variables):
    """What the first steps took in a new process."""
    quiet.pause(0.1, options.pace.patience)
    with Worker(python, options.pace.threads, {**BYTECODE, **variables}) as worker:
        return worker.ask("first_steps", framework=framework, program=program, threads=options.pace.threads)


def _round(program, options, pythons):
    """One turn of each side: proa with an empty cache, proa with the one that this left, Paddle."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for side in ("cold", "warm") if "proa" in pythons else ():
            found[side] = _steps(pythons["proa"], "proa", program, options, {"XDG_CACHE_HOME": folder})
    if "paddle" in pythons:
        try:
            found["paddle"] = _steps(pythons["paddle"], "paddle", program, options, {})
        except Unavailable as reason:
            found["paddle"] = {"unavailable": str(reason)}
    return found


def _summary(records):
    """Medians of wall and processor seconds: of the first step, and of the later ones."""
    if "unavailable" in records[-1]:
        return records[-1]
    steps = [record["steps"] for record in records]
    return {which: {clock: statistics.median(pick(each, clock) for each in steps) for clock in ("wall", "processor")}
            for which, pick in (("first", lambda s, c: s[0][c]),
                                ("further", lambda s, c: statistics.median(step[c] for step in s[1:])))}


def measure(options, pythons):
    """Figures by program and side: plain data."""
    if "proa" in pythons:
        compile_bytecode(pythons["proa"])
    found, versions = {}, {}
    for program in PROGRAMS:
        if options.only and program not in options.only:
            continue
        rounds = [_round(program, options, pythons) for _ in range(options.rounds or (3 if options.quick else 7))]
        found[program] = {side: _summary([each[side] for each in rounds]) for side in rounds[0]}
        for side, record in rounds[-1].items():
            if "version" in record:
                versions["paddle" if side == "paddle" else "proa"] = record["version"]
        print(f"    {program} {found[program]}", file=sys.stderr)
    return {"programs": found, "versions": versions}


def _cell(sides, side, which):
    record = sides.get(side, {}).get(which)
    return "n/a" if record is None else f"{seconds(record['wall'])} ({seconds(record['processor'])})"


def _against(sides, side, which="first"):
    """The ratio of processor times to Paddle's."""
    if which not in sides.get(side, {}) or which not in sides.get("paddle", {}):
        return None
    return sides[side][which]["processor"] / sides["paddle"][which]["processor"]


def report(figures, options):
    """The section as Markdown."""
    rows = [[PROGRAMS[name], *(_cell(sides, side, "first") for side in SIDES),
             *(ratio(_against(sides, side)) for side in ASKED), *(_cell(sides, side, "further") for side in SIDES)]
            for name, sides in figures["programs"].items()]
    middle = [statistics.geometric_mean(known) if (known := [r for sides in figures["programs"].values()
              if (r := _against(sides, side)) is not None]) else None for side in ASKED]
    rows.append(["geometric mean", "", "", "", *map(ratio, middle), "", "", ""])
    rows.append(["asked", "", "", "", *map(ratio, ASKED.values()), "", "", ""])
    head = ["first step", *SIDES.values(), "nothing kept ÷ Paddle", "again ÷ Paddle",
            *(f"further shape: {title}" for title in SIDES.values())]
    notes = ["Times by the clock, and in brackets of processors; ratios are of the latter, which other programs of "
             "the machine disturb less. A first step converts, traces, compiles and runs forward, backward and update "
             "(`cache`: a call without gradients); nothing is kept: an empty cache on the disk."]
    missing = [f"- {PROGRAMS[name]}, Paddle: not available: {sides['paddle']['unavailable'].splitlines()[0]}"
               for name, sides in figures["programs"].items() if "unavailable" in sides.get("paddle", {})]
    names = {catalogue.NAMES[name]: version for name, version in figures["versions"].items()}
    parts = [machine.heading("programs", names, options), table(head, rows), "\n".join(notes), "\n".join(missing)]
    return "\n\n".join(part for part in parts if part)
