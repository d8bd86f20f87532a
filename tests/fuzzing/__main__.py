"""Mutants of files, read and run in processes of their own, under limits of memory and time.

A case is made of its number: `--first N --count 1` does it again. What stops a process, hangs, or ends with an error
that tells nothing is listed with its number.
"""

from __future__ import annotations

import argparse
import collections
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

from . import corpus


class Worker:
    """One process and the thread that reads it; `results()` restarts it behind a case that ended it."""

    def __init__(self, folder: str, options: argparse.Namespace, offset: int):
        self.folder, self.options, self.offset = folder, options, offset
        self.lines: queue.Queue[str | None] = queue.Queue()

    def results(self) -> Iterator[tuple[int, str]]:
        """The number and result of each case: the worker's word, or `killed by signal S`, or `hang`."""
        number, step = self.options.first + self.offset, self.options.processes
        end = self.options.first + self.options.count
        while number < end:
            process = self._started(number, (end - number + step - 1) // step)
            running = None
            while True:
                try:
                    line = self.lines.get(timeout=self.options.seconds if running is not None else 120)
                except queue.Empty:
                    process.kill()
                    line = "hang"
                word, *rest = (line or "gone").split(" ", 2)
                if word == "start":
                    running = int(rest[0])
                elif word == "end":
                    yield int(rest[0]), rest[1]
                    number, running = int(rest[0]) + step, None
                elif running is None and line is None and process.wait() == 0:
                    return  # all cases are done
                else:
                    status = process.wait()
                    yield running if running is not None else number, (
                        "hang" if word == "hang" else f"killed by signal {-status}" if status < 0 else f"exit {status}")
                    number = (running if running is not None else number) + step
                    break

    def _started(self, first: int, count: int) -> subprocess.Popen[str]:
        self.lines = lines = queue.Queue()
        numbers = (first, count, self.options.processes, self.options.megabytes)
        command = [sys.executable, "-m", "tests.fuzzing.worker", self.folder, self.options.kind, *map(str, numbers)]
        root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                   env={**os.environ, "OMP_NUM_THREADS": "1", "FLAGS_keep_plans": "0"})

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


def search(options: argparse.Namespace) -> tuple[collections.Counter[str], list[tuple[int, str]]]:
    """Does the cases; how often each result came, and the faults by their numbers."""
    counts: collections.Counter[str] = collections.Counter()
    faults: list[tuple[int, str]] = []
    with tempfile.TemporaryDirectory() as folder:
        corpus.make(folder)

        def work(offset: int) -> None:
            for number, result in Worker(folder, options, offset).results():
                counts[result if not is_fault(result) else result.split(" ")[0]] += 1
                if is_fault(result):
                    faults.append((number, result))
                    print(number, result, flush=True)

        threads = [threading.Thread(target=work, args=(offset,)) for offset in range(options.processes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return counts, sorted(faults)


def main(arguments: list[str] | None = None) -> int:
    """Parses the arguments, searches, and prints what came."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzzing", description=__doc__)
    parser.add_argument("--kind", choices=["bytes", "meaning"], default="meaning")
    parser.add_argument("--first", type=int, default=0, help="the number of the first case (%(default)s)")
    parser.add_argument("--count", type=int, default=1000, help="how many (%(default)s)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--megabytes", type=int, default=4096, help="address space of a process (%(default)s)")
    parser.add_argument("--seconds", type=float, default=20, help="after which a case hangs (%(default)s)")
    options = parser.parse_args(arguments)
    start = time.time()
    counts, faults = search(options)
    print(f"{sum(counts.values())} cases in {time.time() - start:.0f} s: "
          + ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
