"""A table of losses here and by PaddlePaddle: `python -m tests.seeded_runs --oracle PYTHON_WITH_PADDLE`.

With `--write` what PaddlePaddle gives becomes `answers.json`, which the tests compare with.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from . import RUNS

ANSWERS = Path(__file__).parent / "answers.json"


def trained(python, framework, name, steps):
    """The losses of a run in a process of its own."""
    command = [python, str(Path(__file__).parent / "train.py"), framework, name, str(steps)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.seeded_runs", description=__doc__)
    parser.add_argument("--oracle", help="a Python that has PaddlePaddle 2.6.2; without it the kept answers are used")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--write", action="store_true", help="keep PaddlePaddle's losses as the tests' answers")
    options = parser.parse_args()
    kept = json.loads(ANSWERS.read_text()) if ANSWERS.exists() else {}
    print("| run | first loss | last loss, Paddle | last loss, proa | largest difference |\n|---|--:|--:|--:|--:|")
    for name, title in RUNS.items():
        there = trained(options.oracle, "paddle", name, options.steps) if options.oracle else kept[name]
        here = trained(sys.executable, "proa", name, options.steps)
        largest = max(abs(a - b) / max(1.0, abs(a)) for a, b in zip(there, here, strict=True))
        print(f"| {title} | {there[0]:.5f} | {there[-1]:.5f} | {here[-1]:.5f} | {largest:.1e} |")
        kept[name] = there
    if options.write:
        lines = [f'  "{name}": {json.dumps(losses)}' for name, losses in kept.items()]
        ANSWERS.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
