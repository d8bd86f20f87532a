"""A Predictor under load: clones in threads, inputs of changing shapes.

`python -m tests.inference.under_load --threads 8 --runs 100000` prints how much memory runs have left behind, and how
many results were not those of one thread. `--model PREFIX …`: with these models of pictures, instead of a small one.
"""

from __future__ import annotations

import argparse
import gc
import os
import tempfile
import threading
import time
from collections.abc import Sequence
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


def _predictor(prefix: str) -> paddle.inference.Predictor:
    return paddle.inference.create_predictor(paddle.inference.Config(prefix + ".pdmodel", prefix + ".pdiparams"))


def _small_predictor(folder: str) -> paddle.inference.Predictor:
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 8, 3, padding=1), paddle.nn.BatchNorm2D(8), paddle.nn.ReLU(),
                               paddle.nn.AdaptiveAvgPool2D(4), paddle.nn.Flatten(), paddle.nn.Linear(128, 16),
                               paddle.nn.Softmax())
    net.eval()
    prefix = os.path.join(folder, "net")
    paddle.jit.save(net, prefix, input_spec=[InputSpec([None, 3, None, None], "float32", "x")])
    return _predictor(prefix)


def _pictures(predictor: paddle.inference.Predictor, draw: np.random.Generator) -> list[np.ndarray]:
    """What a model is run on: pictures, and as many of them, as its file does not say."""
    declared = predictor._model.variables[predictor.get_input_names()[0]].shape
    chosen = [draw.integers(1, 3, 12), *[draw.choice([32, 64, 96], 12) for _ in declared[1:]]]
    shapes = [tuple(int(c) if n < 0 else n for n, c in zip(declared, sizes, strict=True))
              for sizes in zip(*chosen, strict=True)]
    return [draw.standard_normal(shape).astype("float32") for shape in shapes]


def load(threads: int, runs: int, models: Sequence[str] = ()) -> Found:
    """So many runs in so many threads, each with a clone; memory is measured from a tenth of them on."""
    draw = np.random.default_rng(0)
    if models:
        predictors = [_predictor(prefix) for prefix in models]
        inputs = [(which, x) for which, predictor in enumerate(predictors) for x in _pictures(predictor, draw)]
    else:
        with tempfile.TemporaryDirectory() as folder:
            predictors = [_small_predictor(folder)]
        inputs = [(0, draw.standard_normal([1 + n % 4, 3, 8 + n % 7, 8 + n % 5]).astype("float32")) for n in _ROWS]
    expected = [predictors[which].run([x])[0].numpy() for which, x in inputs]
    wrong = [0] * threads

    def work(number: int, count: int) -> None:
        clones = [predictor.clone() for predictor in predictors]
        own = np.random.default_rng(number)
        for place in own.integers(len(inputs), size=count):
            which, x = inputs[place]
            result = clones[which].run([x])[0].numpy()
            wrong[number] += not np.allclose(result, expected[place], 1e-4, 1e-5)

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
    parser.add_argument("--model", nargs="+", default=[], metavar="PREFIX", help="prefixes of .pdmodel files")
    options = parser.parse_args()
    found = load(options.threads, options.runs, options.model)
    print(f"{found.runs} runs in {options.threads} threads, {found.seconds:.0f} s: {found.wrong} wrong, resident "
          f"memory grew by {found.grown_megabytes:.1f} MB behind the first tenth")


if __name__ == "__main__":
    main()
