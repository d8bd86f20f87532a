"""A Predictor under load: clones in threads, inputs of changing shapes.

`python -m tests.inference.under_load --threads 8 --runs 100000` prints how much memory runs have left behind, and how
many results were not those of one thread.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import threading
import time
from typing import NamedTuple

import numpy as np
import proa as paddle
from proa.static import InputSpec

_ROWS = range(1, 33)


class Found(NamedTuple):
    """What a search found."""

    runs: int
    wrong: int
    grown_megabytes: float
    seconds: float


def _resident_megabytes() -> float:
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _predictor(folder: str) -> paddle.inference.Predictor:
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 8, 3, padding=1), paddle.nn.BatchNorm2D(8), paddle.nn.ReLU(),
                               paddle.nn.AdaptiveAvgPool2D(4), paddle.nn.Flatten(), paddle.nn.Linear(128, 16),
                               paddle.nn.Softmax())
    net.eval()
    prefix = os.path.join(folder, "net")
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 3, None, None], "float32", "x")])
    config = paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    return paddle.inference.create_predictor(config)


def load(threads: int, runs: int) -> Found:
    """So many runs in so many threads, each with a clone; memory is measured from a tenth of them on."""
    draw = np.random.default_rng(0)
    inputs = [draw.standard_normal([1 + n % 4, 3, 8 + n % 7, 8 + n % 5]).astype("float32") for n in _ROWS]
    with tempfile.TemporaryDirectory() as folder:
        predictor = _predictor(folder)
    expected = [predictor.run([x])[0].numpy() for x in inputs]
    wrong = [0] * threads

    def work(number: int, count: int) -> None:
        clone = predictor.clone()
        own = np.random.default_rng(number)
        for place in own.integers(len(inputs), size=count):
            result = clone.run([inputs[place]])[0].numpy()
            wrong[number] += not np.allclose(result, expected[place], 1e-5, 1e-6)

    def all_threads(count: int) -> None:
        started = [threading.Thread(target=work, args=(number, count // threads)) for number in range(threads)]
        for thread in started:
            thread.start()
        for thread in started:
            thread.join()

    start = time.perf_counter()
    all_threads(runs // 10)
    before = _resident_megabytes()
    all_threads(runs - runs // 10)
    return Found(runs, sum(wrong), _resident_megabytes() - before, time.perf_counter() - start)


def main() -> None:
    """Parses the arguments and prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--runs", type=int, default=100_000)
    options = parser.parse_args()
    found = load(options.threads, options.runs)
    print(f"{found.runs} runs in {options.threads} threads, {found.seconds:.0f} s: {found.wrong} wrong, resident "
          f"memory grew by {found.grown_megabytes:.1f} MB behind the first tenth")


if __name__ == "__main__":
    main()
