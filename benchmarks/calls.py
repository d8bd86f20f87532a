"""Calls of Python that small eager work makes, and the processor time it takes.

    python -m benchmarks.calls                          # of the proa that Python imports
    python -m benchmarks.calls --beside OTHER/PARENT    # and of another checkout's, in turns: A B A B

Functions of Python count, and those of C that Python calls. Times are processor time, the least of several repetitions
of each round and the median of the rounds: another busy process does not change them much.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

CASES = {}


def case(make):
    """A case by its function's name: that prepares, and gives what is to be called."""
    CASES[make.__name__.replace("_", " ")] = make
    return make


def _values(paddle, trained):
    x, w = paddle.rand([8, 8]), paddle.rand([8, 8])
    w.stop_gradient = not trained
    return x, w


@case
def sum_of_two(paddle):
    x, w = _values(paddle, False)
    return lambda: x + w


@case
def sum_with_gradient(paddle):
    x, w = _values(paddle, True)
    return lambda: x + w


@case
def product_with_number(paddle):
    x, _ = _values(paddle, False)
    return lambda: x * 1.5


@case
def matmul(paddle):
    x, w = _values(paddle, True)
    return lambda: paddle.matmul(x, w)


@case
def reshape(paddle):
    x, _ = _values(paddle, False)
    return lambda: x.reshape([64])


@case
def exp(paddle):
    x, _ = _values(paddle, False)
    return lambda: paddle.exp(x)


@case
def chain_of_ten(paddle):
    x, w = _values(paddle, True)

    def chain():
        y = x
        for _ in range(5):
            y = y * w + x
        return y

    return chain


@case
def chain_of_ten_and_backward(paddle):
    chain, ones = chain_of_ten(paddle), paddle.ones([8, 8])
    return lambda: chain().backward(ones)


@case
def softmax_cross_entropy(paddle):
    logits, labels = paddle.rand([8, 10]), paddle.zeros([8], "int64")
    return lambda: paddle.nn.functional.cross_entropy(logits, labels)


def _training(paddle):
    nn = paddle.nn
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    adam = paddle.optimizer.Adam(1e-3, parameters=net.parameters())
    return net, adam, paddle.rand([8, 8]), paddle.rand([8, 4])


def _step_of(paddle, net, adam, x, y):
    def step():
        loss = paddle.nn.functional.mse_loss(net(x), y)
        loss.backward()
        adam.step()
        adam.clear_grad()

    return step


@case
def step_of_two_Linear(paddle):
    return _step_of(paddle, *_training(paddle))


@case
def converted_step_of_two_Linear(paddle):
    net, *others = _training(paddle)
    return _step_of(paddle, paddle.jit.to_static(net), *others)


@case
def step_of_Adam(paddle):
    net, adam, x, y = _training(paddle)
    paddle.nn.functional.mse_loss(net(x), y).backward()
    return adam.step


@case
def forward_of_two_Linear(paddle):
    net, _, x, _ = _training(paddle)
    return lambda: net(x)


def calls_of(function):
    """How many functions of Python and of C one call of it enters, without its own."""
    counts = {"call": 0, "c_call": 0}

    def count(frame, event, argument):
        if event in counts:
            counts[event] += 1

    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
    return counts["call"] - 1, counts["c_call"] - 1  # the end of counting is a call too


def microseconds(function, seconds):
    """Processor time of a call: the least of five repetitions."""
    repetitions, taken = 1, 0.0
    while taken < seconds / 20:
        repetitions, taken = repetitions * 2, _taken(function, repetitions * 2)
    count = max(1, int(repetitions * seconds / 5 / taken))
    return min(_taken(function, count) for _ in range(5)) / count * 1e6


def _taken(function, count):
    started = time.process_time()
    for _ in range(count):
        function()
    return time.process_time() - started


def measure(names, seconds):
    """By case: Python's calls, C's calls, microseconds."""
    import proa as paddle

    paddle.set_num_threads(1)
    found = {}
    for name in names:
        function = CASES[name](paddle)
        for _ in range(300):  # until kernels that are due after many calls compute
            function()
        found[name] = (*calls_of(function), microseconds(function, seconds))
    return found


def _in_process(parent, names, seconds):
    paths = os.pathsep.join([*([str(parent)] if parent else []), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, str(Path(__file__).resolve()), "--measure", str(seconds), *names]
    ended = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=True)
    return json.loads(ended.stdout)


def main():
    options = argparse.ArgumentParser(prog="python -m benchmarks.calls")
    options.add_argument("cases", nargs="*", default=list(CASES))
    options.add_argument("--beside", help="the folder that another checkout, called proa, lies in")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--seconds", type=float, default=0.2)
    options.add_argument("--measure", type=float, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        print(json.dumps(measure(given.cases, given.measure)))
        return
    sides = [None, *([given.beside] if given.beside else [])]
    rounds = [[_in_process(side, given.cases, given.seconds) for side in sides] for _ in range(given.rounds)]
    titles = ["calls", "C", "µs"] + (["calls, other", "C", "µs", "ratio"] if given.beside else [])
    print("| | " + " | ".join(titles) + " |\n|---|" + "--:|" * len(titles))
    for name in given.cases:
        cells, times = [], []
        for side in range(len(sides)):
            python, compiled, _ = rounds[0][side][name]
            times.append(statistics.median(one[side][name][2] for one in rounds))
            cells += [str(python), str(compiled), f"{times[-1]:.2f}"]
        cells += [f"{times[0] / times[1]:.2f}"] if given.beside else []
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
