"""`python -m tests.search --seed 0 --count 20000 --jobs 1`: runs generated programs and reports what differs.

With `--oracle PYTHON`, an interpreter with PaddlePaddle 2.6.2, exported files are run there as well. What differs is
shrunk and printed, and written to the folder `--out`.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from .generator import LEFT_OUT

ROOT = Path(__file__).parents[2]
CHUNK = 100


def main() -> int:
    options = _options()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    starts = range(options.start, options.start + options.count, CHUNK)
    totals: collections.Counter[str] = collections.Counter()
    options.seen = collections.Counter()
    with (
        concurrent.futures.ThreadPoolExecutor(options.jobs) as pool,
        (out / "findings.jsonl").open("a") as log,
        (out / "invalid.txt").open("a") as invalid,
    ):
        chunks = [
            pool.submit(_chunk, first, min(first + CHUNK, options.start + options.count), options) for first in starts
        ]
        for chunk in concurrent.futures.as_completed(chunks):
            for record in chunk.result():
                totals["programs"] += 1
                totals.update(record["counts"])
                if record.get("invalid"):
                    invalid.write(record["invalid"].replace("\n", " ") + "\n")
                for finding in record["findings"]:
                    options.seen[finding["signature"]] += 1
                    log.write(json.dumps(finding) + "\n")
                    log.flush()
                    _show(finding)
            print(f"{time.monotonic() - began:.0f} s: {dict(totals)}", flush=True)
    return 1 if totals["findings"] else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.search", description=__doc__.split("\n\n")[1])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="the number of the first program")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--without", default=",".join(sorted(LEFT_OUT)), help="features to leave out, by commas")
    parser.add_argument("--oracle", default=os.environ.get("PROA_ORACLE_PYTHON", ""))
    parser.add_argument("--shrink", type=float, default=20.0, help="seconds for each finding")
    parser.add_argument(
        "--engines", type=int, default=8, help="every so many hundreds use the fast engines; 0 for none"
    )
    parser.add_argument(
        "--derivatives", action="store_true", help="judge eager gradients by differences, and do nothing else"
    )
    parser.add_argument(
        "--peer", action="store_true", help="run the programs themselves in PaddlePaddle, and do nothing else"
    )
    parser.add_argument("--out", default="/tmp/search", help="a folder for what differs")
    return parser.parse_args()


def _chunk(first: int, end: int, options: argparse.Namespace) -> list[dict]:
    """Runs programs in a process of their own; one that brings it down is a finding."""
    records: list[dict] = []
    engines = "onednn,loops" if options.engines and (first // CHUNK) % options.engines == options.engines - 1 else ""
    environment = {
        **os.environ,
        "FLAGS_cpu_engines": engines,
        "OMP_NUM_THREADS": "1",
        "FLAGS_kernel_cache_dir": str(Path(options.out).absolute() / f"kernels{first // CHUNK % options.jobs}")
        if engines
        else "",
        "FLAGS_kernel_cache_megabytes": "64" if engines else "0",
    }
    while first < end:
        process = subprocess.run(
            [sys.executable, "-m", "tests.search.working", json.dumps({"first": first, "end": end, **vars(options)})],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        lines = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
        records += [line for line in lines if "findings" in line]
        if process.returncode == 0:
            break
        begun = [line["begun"] for line in lines if "begun" in line]
        first = (begun[-1] if begun else first) + 1
        records.append(
            {
                "counts": {"crashed": 1, "findings": 1},
                "findings": [
                    {
                        "number": first - 1,
                        "signature": f"process, {process.returncode}",
                        "stage": "process",
                        "kind": f"ended with {process.returncode}",
                        "detail": "",
                        "source": "",
                    }
                ],
            }
        )
    return records


def _show(finding: dict) -> None:
    print(
        "\n=== {number}: {stage}, {kind}\n{0}\n{source}".format(finding["detail"][:600], **finding),
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
