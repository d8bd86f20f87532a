"""Mutants of files, read and run in processes of their own, under limits of memory and time.

A case is made of its number: `--first N --count 1` does it again. What stops a process, hangs, or ends with an error
that tells nothing is listed with its number. With `--kept FILE` what came is kept there, and a search that was stopped
goes on behind what is done.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

from .cases import NUMBERS, make_corpus

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_PATIENCE = 300  # seconds in which a process must be ready
_EACH = 20_000  # cases that one process does


class Worker:
    """One process and the thread that reads it; `results()` restarts it behind a case that ended it."""

    def __init__(self, folder: str, options: argparse.Namespace, begin: int):
        self.folder, self.options, self.begin = folder, options, begin
        self.lines: queue.Queue[str | None] = queue.Queue()

    def results(self) -> Iterator[tuple[int, str, str]]:
        """The number, family and result of each case: the worker's word, or `killed by signal S`, or `hang`."""
        number, step = self.begin, self.options.processes
        end = self.options.first + self.options.count
        while number < end:
            count = min((end - number + step - 1) // step, _EACH)
            last = number + count * step
            process = self._started(number, count)
            is_ready = False
            while number < last:
                try:
                    line = self.lines.get(timeout=self.options.seconds if is_ready else _PATIENCE)
                except queue.Empty:
                    process.kill()
                    process.wait()
                    line = "hang"
                if line == "ready":
                    is_ready = True
                elif line is None or line == "hang":
                    status = process.wait()
                    yield number, "?", ("hang" if line else f"killed by signal {-status}" if status < 0
                                        else f"exit {status}")
                    number += step
                    break
                else:
                    family, result = line.split(" ", 2)[2].split(": ", 1)
                    yield number, family, result
                    number += step
            process.wait()

    def _started(self, first: int, count: int) -> subprocess.Popen[str]:
        self.lines = lines = queue.Queue()
        numbers = (first, count, self.options.processes, self.options.megabytes)
        command = [sys.executable, "-m", "tests.fuzzing.worker", self.folder, self.options.kind, *map(str, numbers)]
        process = subprocess.Popen(command, cwd=_ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                                        "FLAGS_keep_plans": "0"})

        def read() -> None:
            assert process.stdout is not None
            with process.stdout as output:
                for line in output:
                    lines.put(line.rstrip("\n"))
            lines.put(None)

        threading.Thread(target=read, daemon=True).start()
        return process


def is_fault(result: str) -> bool:
    """Whether a result is one that a file from a stranger must not have."""
    return result.split(" ")[0] in ("killed", "hang", "exit", "unexpected")


class Findings:
    """What came, by family; kept in a file, where one is given."""

    def __init__(self, path: str | None, options: argparse.Namespace):
        self._path, self._lock, self._written = path, threading.Lock(), time.monotonic()
        self.counts: collections.Counter[str] = collections.Counter()
        self.faults: list[tuple[int, str]] = []
        self.next = [options.first + offset for offset in range(options.processes)]
        self._search = [options.kind, options.first, options.processes]
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            if kept["search"] != self._search:
                raise SystemExit(f"{path} has another search: --kind, --first, --processes {kept['search']}.")
            self.counts.update(kept["counts"])
            self.faults, self.next = [(n, text) for n, text in kept["faults"]], kept["next"]

    def add(self, offset: int, step: int, number: int, family: str, result: str) -> None:
        """Takes down a result."""
        with self._lock:
            self.counts[f"{family}: {result.split(' ')[0] if is_fault(result) else result}"] += 1
            self.next[offset] = number + step
            if is_fault(result):
                self.faults.append((number, result))
                print(number, result, flush=True)
            if is_fault(result) or time.monotonic() - self._written > 5:
                self._write()

    def finish(self) -> None:
        """Writes the file once more."""
        with self._lock:
            self._write()

    def _write(self) -> None:
        self._written = time.monotonic()
        if self._path:
            with open(self._path + ".tmp", "w", encoding="utf-8") as file:
                json.dump({"search": self._search, "next": self.next, "counts": self.counts, "faults": self.faults},
                          file, indent=1)
            os.replace(self._path + ".tmp", self._path)

    def results(self) -> collections.Counter[str]:
        """How often each result came, whatever the family."""
        found: collections.Counter[str] = collections.Counter()
        for name, count in self.counts.items():
            found[name.split(": ")[1]] += count
        return found

    def families(self) -> str:
        """A line for each family: how many cases, and what came of them."""
        table: dict[str, collections.Counter[str]] = {}
        for name, count in self.counts.items():
            family, result = name.split(": ")
            table.setdefault(family, collections.Counter())[result] += count
        return "\n".join(f"{family}: {sum(found.values())}, " + ", ".join(f"{n} {c}" for n, c in found.most_common())
                         for family, found in sorted(table.items()))


def search(options: argparse.Namespace) -> Findings:
    """Does the cases."""
    findings = Findings(options.kept, options)
    with tempfile.TemporaryDirectory() as folder:
        make_corpus(folder, options.kind)

        def work(offset: int) -> None:
            for number, family, result in Worker(folder, options, findings.next[offset]).results():
                findings.add(offset, options.processes, number, family, result)

        threads = [threading.Thread(target=work, args=(offset,)) for offset in range(options.processes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    findings.faults.sort()
    findings.finish()
    return findings


def main(arguments: list[str] | None = None) -> int:
    """Parses the arguments, searches, and prints what came."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--kind", choices=list(NUMBERS), default="meaning")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case (%(default)s)")
    parser.add_argument("--count", type=int, default=1000, help="how many (%(default)s)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--megabytes", type=int, default=4096, help="address space of a process (%(default)s)")
    parser.add_argument("--seconds", type=float, default=20, help="after which a case hangs (%(default)s)")
    parser.add_argument("--kept", help="a file that keeps what came, and from which a search goes on")
    options = parser.parse_args(arguments)
    start = time.time()
    findings = search(options)
    counts = findings.results()
    print(findings.families())
    print(f"{sum(counts.values())} cases, {time.time() - start:.0f} s: "
          + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    print(f"{len(findings.faults)} faults")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
