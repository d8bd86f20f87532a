"""Writes a Program that is built by hand as Python source: `f(record, way)`, which tells numbers by their names.

`written(seed, number)` gives the same text for the same numbers. `way(program)` is the Program that is run for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from . import values
from .training import Training

HEAD = '''import os
import shutil
import tempfile

import numpy as np
import proa as paddle
import proa.nn.functional as F
from proa import nn, static

INPUTS = []


def drawn(number, shape):
    """Numbers of a shape, the same each time."""
    return (np.cos(np.arange(int(np.prod(shape))) ** 2 * 0.7 + number * 1.3).reshape(shape) * 0.8).astype(D)


def held(number, shape, **options):
    """What a parameter begins as."""
    return paddle.ParamAttr(initializer=nn.initializer.Assign(drawn(number, shape)), **options)


def like(main, x):
    """A variable of the current block, for what a function of Python gives."""
    name = paddle.utils.unique_name.generate("own")
    return main.current_block().create_var(name=name, dtype=x.dtype, shape=list(x.shape))


def slopes(record, exe, main, feed, loss, pairs):
    """The loss along a direction for each parameter: by its gradient, and by differences of both sides, in float64."""
    for p, g in pairs if D == "float64" else []:
        tensor = static.global_scope().find_var(p.name).get_tensor()
        begun, towards, runs = np.array(tensor), drawn(p.shape[-1], p.shape), []
        gradient = exe.run(main, feed=feed, fetch_list=[g])[0]
        for step in (1e-5, 0.0, -1e-5):
            tensor.set(begun + towards * step, paddle.CPUPlace())
            runs.append(exe.run(main, feed=feed, fetch_list=[loss])[0])
        tensor.set(begun, paddle.CPUPlace())
        record("slope of " + p.name, (gradient * towards).sum())
        record("difference of " + p.name, [float((one - other).sum()) / 1e-5 for one, other in zip(runs, runs[1:])])


def f(record, way):
    global D
    D = paddle.get_default_dtype()
    folder = tempfile.mkdtemp(prefix="search")
    paddle.enable_static()
    try:
        with static.scope_guard(static.Scope()):
            told(record, way, os.path.join(folder, "model"))
    finally:
        paddle.disable_static()
        shutil.rmtree(folder, ignore_errors=True)


'''

SIZES = [2, 3, 4]


class Building:
    """The body of `told`: lines, and the names of values of shape [4 or unknown, n] in scope."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.lines: list[str] = []
        self.found: list[tuple[str, int]] = []
        self.indent = 1
        self.depth = 0
        self.count = 0
        self.parameters = 0

    def line(self, text: str, more: int = 0) -> None:
        for one in text.split("|"):
            self.lines.append("    " * (self.indent + more) + one)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def fresh(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def value(self, size: int | None = None) -> tuple[str, int]:
        """A value, a recent one more often."""
        own = [v for v in self.found if size in (None, v[1])]
        return self.rng.choices(own, [1 + 2 * k for k in range(len(own))])[0]

    def assign(self, text: str, size: int, prefix: str = "h") -> str:
        name = self.fresh(prefix)
        self.line(f"{name} = {text}")
        self.found.append((name, size))
        return name

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Lines behind a head; values of inside are not seen outside."""
        before, lines = list(self.found), len(self.lines)
        self.line(head)
        self.indent += 1
        self.depth += 1
        yield
        if len(self.lines) == lines + 1:
            self.line("pass")
        self.indent -= 1
        self.depth -= 1
        self.found = before


def written(seed: int, number: int) -> str:
    rng = Random(f"program:{seed}:{number}")
    body = Building(rng)
    data = [("x", rng.choice(SIZES)), ("y", rng.choice(SIZES))]
    rows = rng.choice(["None", "None", "4"])
    body.line("main, startup = static.Program(), static.Program()")
    body.line("with static.program_guard(main, startup):")
    body.indent += 1
    for name, size in data:
        body.line(f'{name} = static.data("{name}", [{rows}, {size}], D)')
        if body.chance(0.3):
            body.line(f"{name}.stop_gradient = False")
        body.found.append((name, size))
    body.line(f'ids = static.data("ids", [{rows}], "int64")')
    name, size = body.value()
    body.assign(values.layer(body, name, size, size), size)
    for _ in range(rng.randint(3, 9)):
        values.write(body)
        if body.chance(0.08):
            body.indent -= 1
            body.line("with static.program_guard(main, startup):")
            body.indent += 1
    last = body.found[-1][0]
    body.line(f"out = {last} * 0.5")
    body.line("every = paddle.mean(x) + paddle.mean(y) + paddle.sum(ids).astype(D)")
    text = "\n".join(body.lines)
    unread = [v for v, _ in body.found[2:] if len(re.findall(rf"\b{v}\b", text)) < 2]
    body.line("loss = paddle.mean(paddle.tanh(out))" + "".join(f" + paddle.mean({v}) * 0.3" for v in unread))
    Training(body, data).write()
    return HEAD + "def told(record, way, path):\n" + "\n".join(body.lines) + "\n"
