"""The random section: processor time of random calls at two sizes, in proa by each engine and in Paddle.

Run by itself, `python benchmarks/drawing.py FRAMEWORK`, it measures the framework that this Python imports.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

ELEMENTS = (100, 1_000_000)
ROUNDS = 9
CALLS = {
    "rand": lambda p, n, x: p.rand([n]), "uniform": lambda p, n, x: p.uniform([n], min=-2, max=3),
    "randn": lambda p, n, x: p.randn([n]), "randn float64": lambda p, n, x: p.randn([n], "float64"),
    "randint": lambda p, n, x: p.randint(0, 100, [n]), "randperm": lambda p, n, x: p.randperm(n),
    "bernoulli": lambda p, n, x: p.bernoulli(x), "dropout": lambda p, n, x: p.nn.functional.dropout(x, 0.3),
    "exponential_": lambda p, n, x: x.clone().exponential_(), "poisson": lambda p, n, x: p.poisson(x),
}
SIDES = {"proa": "proa", "plain": "proa, NumPy alone", "paddle": "Paddle"}


def of_calls(framework, rounds=ROUNDS):
    """The least processor seconds of each call, by name and elements."""
    found = {}
    for name, call in CALLS.items():
        for elements in ELEMENTS:
            x = framework.full([elements], 0.5)
            repeats = 500 if elements < 1000 else 3
            for _ in range(150 if elements < 1000 else 1):  # until loops have taken over
                call(framework, elements, x)
            least = float("inf")
            for _ in range(rounds):
                begin = time.process_time()
                for _ in range(repeats):
                    call(framework, elements, x)
                least = min(least, (time.process_time() - begin) / repeats)
            found.setdefault(name, {})[str(elements)] = least
    return found


def _asked(python, framework, options, variables):
    from .process import environment

    command = [python, os.path.abspath(__file__), framework, str(options.rounds or ROUNDS)]
    with tempfile.TemporaryDirectory() as folder:
        asked = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True,
                               env={**environment(1), **variables})
    return json.loads(asked.stdout.splitlines()[-1])


def measure(options, pythons):
    """Figures by side: plain data."""
    found = {}
    if "proa" in pythons:
        found["proa"] = _asked(pythons["proa"], "proa", options, {})
        found["plain"] = _asked(pythons["proa"], "proa", options, {"FLAGS_cpu_engines": ""})
    if "paddle" in pythons:
        found["paddle"] = _asked(pythons["paddle"], "paddle", options, {})
    return {"sides": found}


def report(figures, options):
    """The section as Markdown."""
    from . import machine
    from .format import digits, table

    sides = figures["sides"]
    head = ["", *(f"{title}, {elements:,}" for elements in ELEMENTS for side, title in SIDES.items() if side in sides)]
    rows = [[f"`{name}`", *(digits(sides[side]["calls"][name][str(elements)] * 1e6)
                            for elements in ELEMENTS for side in SIDES if side in sides)] for name in CALLS]
    versions = {("Paddle" if side == "paddle" else "proa"): found["version"] for side, found in sides.items()}
    return "\n\n".join([machine.heading("random", versions, options), table(head, rows),
                        "Microseconds of the processor for a call by one thread, the least of several rounds, by "
                        "numbers drawn."])


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != here]
    if sys.argv[1] == "paddle":  # which breaks their later loading
        import bz2  # noqa: F401
        import gzip  # noqa: F401
        import lzma  # noqa: F401
        import zlib  # noqa: F401
    module = __import__(sys.argv[1])
    print(json.dumps({"version": module.__version__, "calls": of_calls(module, int(sys.argv[2]))}))
