"""Runs a range of programs in this process and prints a line of JSON for each: what `__main__.py` starts."""

from __future__ import annotations

import collections
import gc
import json
import os
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import replace

from . import oracle as oracles
from . import peer as peers
from . import recorded
from .derivatives import WITHOUT
from .generator import LEFT_OUT, program
from .shrinking import shrink
from .stages import Finding, Outcome, Way, run

SHRUNK_OF_A_KIND = 3
#: What PaddlePaddle says of a sum and of a product without elements, of positions from the end in lists, of putting
#: into a part without elements.
_REFUSED_THERE = ("Tensor need be reduced must not empty", "value of Input(index) must be no less than 0",
                  "The value (0) of the non-singleton dimension",
                  "The expanded size cannot be zero", "The meta data must be valid when call the mutable data")


class Worker:
    """Runs programs, with an oracle where there is one, and shrinks what differs."""

    def __init__(
        self,
        oracle: str = "",
        seconds: float = 20.0,
        without: frozenset[str] = LEFT_OUT,
        seen: dict | None = None,
        derivatives: bool = False,
        peer: bool = False,
    ):
        self.oracle = oracles.Oracle(oracle) if oracle else None
        self.seconds = seconds
        self.without = without | (WITHOUT if derivatives else frozenset()) | (peers.WITHOUT if peer else frozenset())
        self.only = "derivatives" if derivatives else "peer" if peer else ""
        self.seen: collections.Counter[str] = collections.Counter(seen or {})

    def run(self, seed: int, number: int) -> dict:
        """What came of a program: counts, and findings with shrunken sources."""
        source = program(seed, number, self.without)
        way = Way(stages=(self.only,)) if self.only else Way.of(number)
        try:
            outcome = self.outcome(source, way)
        except Exception as error:  # of the search itself; the others go on
            outcome = Outcome([Finding("search", type(error).__name__, traceback.format_exc())])
        counts = {
            "findings": len(outcome.findings),
            "refused": len(outcome.refused),
            "rounding": len(outcome.rounding),
            "invalid": int(bool(outcome.invalid)),
        }
        return {
            "counts": counts,
            "invalid": outcome.invalid,
            "findings": [self._finding(number, source, way, f) for f in outcome.findings],
        }

    def outcome(self, source: str, way: Way) -> Outcome:
        """Every stage of a program, the oracle's among them."""
        if "derivatives" in way.stages:
            return run(source, "program", way)
        if "peer" in way.stages:
            return self._beside(source)
        if self.oracle is None or "export" not in way.stages:
            return run(source, "program", way)
        folder = tempfile.mkdtemp(prefix="search")
        try:
            outcome = run(source, "program", replace(way, keep=folder))
            if not outcome.invalid:
                self._ask(source, way, folder, outcome)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return outcome

    def _beside(self, source: str) -> Outcome:
        """The program itself in PaddlePaddle; what differs in float32 is settled in float64."""
        assert self.oracle is not None, "--peer asks PaddlePaddle: give --oracle"
        found = peers.difference(self.oracle, source, "float32")
        if found is not None and found[0] == "value":
            found = peers.difference(self.oracle, source, "float64")
        return Outcome([Finding("peer", *found)] if found else [])

    def _ask(self, source: str, way: Way, folder: str, outcome: Outcome) -> None:
        assert self.oracle is not None
        if "auto_cast(" in source or "float16" in source:  # PaddlePaddle computes little in 16 bits without a GPU
            return
        if "[:0]" in source:  # nor does it reduce what has no elements
            return
        if not all(map(recorded.runs_there, recorded.numbers_in(source))):
            return
        found = oracles.differs(self.oracle, folder, way.dtype)
        if found is not None and any(text in found[1] for text in _REFUSED_THERE):
            return
        if found is not None and found[0] == "value" and way.dtype == "float32":
            exact = self.outcome(source, replace(way, dtype="float64", stages=("export",)))
            if not any(f.stage == "oracle" and f.kind == "value" for f in exact.findings):
                outcome.rounding.append(f"oracle: {found[1]}")
                return
        if found is not None:
            outcome.findings.append(Finding("oracle", *found))

    def close(self) -> None:
        """Ends the oracle's process."""
        if self.oracle is not None:
            self.oracle.close()

    def _finding(self, number: int, source: str, way: Way, finding: Finding) -> dict:
        signature = ", ".join(finding.signature)
        self.seen[signature] += 1
        if self.seen[signature] <= SHRUNK_OF_A_KIND and self.seconds and finding.stage != "search":
            source = self.shrunk(source, way, finding)
        return {
            "number": number,
            "signature": signature,
            "stage": finding.stage,
            "kind": finding.kind,
            "detail": finding.detail,
            "source": source,
        }

    def shrunk(self, source: str, way: Way, finding: Finding) -> str:
        """The smallest program that shows a finding of the same signature."""
        stages = ("train",) if finding.stage.startswith(("converted", "full_graph")) else ("export",)
        stages = (finding.stage,) if finding.stage in ("step", "by hand") else stages
        stages = (self.only,) if self.only else stages
        own = replace(way, stages=stages)
        only = self.outcome if finding.stage in ("oracle", "peer") else lambda text, way: run(text, "smaller", way)

        def fails(text: str) -> bool:
            try:
                return any(f.signature == finding.signature for f in only(text, own).findings)
            except Exception:  # what is left of the program is none
                return False

        return shrink(source, fails, self.seconds)


def main() -> None:
    asked = json.loads(sys.argv[1])
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    worker = Worker(
        asked["oracle"], asked["shrink"], frozenset(asked["without"].split(",")), asked["seen"], asked["derivatives"],
        asked["peer"],
    )
    said: Callable[[dict], None] = lambda line: print(json.dumps(line), flush=True)
    for number in range(asked["first"], asked["end"]):
        said({"begun": number})
        said(worker.run(asked["seed"], number))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
