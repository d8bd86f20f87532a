"""Random programs of views, changes in place and what stops gradients, as source, for proa and PaddlePaddle alike.

`PYTHONPATH=… python tests/aliasing/view_programs.py write` writes programs into the fixture, and the same with
`answer`, by a Python with PaddlePaddle 2.6.2, what they come to there. These are of kind "values" alone, without
gradients: those through what a view was given are among the differences.
"""

from __future__ import annotations

import bz2  # PaddlePaddle 2.6.2 wants these to have been imported before it  # noqa: F401
import gzip
import json
import linecache
import lzma  # noqa: F401
import random
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np

FIXTURE = Path(__file__).parents[1] / "fixtures" / "aliasing" / "view_programs.json.gz"

VIEWS = """
    x[0] x[1] x[-1] x[i] x[:,1] x[1:] x[::2] x[...,None] x[None] x[:] x[:,::-1] x[0,1:3] x[i,1:] x.reshape([-1])
    x.reshape([2,-1]) x.flatten() x.t() x.transpose([1,0]) x.unsqueeze(0) x.squeeze() x.unbind(0)[1] x.unbind(-1)[0]
    x.detach()""".split()
WRITES = """
    v.scale_(0.7) v.add_(y) v.subtract_(y) v.multiply_(y) v.tanh_() v.clip_(-0.8,0.9) v.fill_(0.4) v.zero_() v.exp_()
    v[0]=0.3 v[:,1]=0.6 v[1:]=0.2 v[i]=0.1 v[:]=y v[0]=y[1] v[...,0]=0.5""".split()
ONLY_HERE = """
    v[v>0.5]=0.1 v.set_value(y) v[0][1]=0.9 v[1]+=y[0] v.reshape([-1])[1:3].scale_(0.5) v.t()[0]=0.8 v.copy_(y,True)
    v.fill_diagonal_(0.25) paddle.increment(v[0,0:1])""".split()
RESULTS = """
    paddle.tanh(x) x*0.5+1.0 -x paddle.concat([x,x]) x.mean() x.sum(axis=0) x.clone() x+y x*y paddle.maximum(x,y)
    paddle.where(x>y,x,y) x.cumsum(0) paddle.assign(x) x.abs() paddle.stack([x,y]).mean(0)""".split()
STOPS = ["x.stop_gradient = True", "x.stop_gradient = False", "x.detach_()", "b.scale_(0.9)",
         "i.fill_(1)", "paddle.increment(i)", "i = i % 2"]
BLOCKS = ["with paddle.no_grad():", "if q.mean() > 0.2:", "if i > 0:", "for k in range(2):"]


class Writer:
    """Writes one program; a statement that does not run behind the ones before it is left out."""

    def __init__(self, paddle: Any, seed: int, values: bool):
        self.draw, self.values, self.count = random.Random(seed), values, 0
        self.lines: list[str] = []
        self.names = ["p", "q"]  # values
        self.views: list[str] = []  # which are written to, and read behind changes of what they are of
        for _ in range(self.draw.randint(4, 10)):
            lines, names, views = self._statement()
            if _is_tame(paddle, _source([*self.lines, *lines], [*self.names, *names, *self.views, *views])):
                self.lines += lines
                self.names += names
                self.views += views
        self.source = _source(self.lines, [*self.names, *self.views])

    def _statement(self) -> tuple[list[str], list[str], list[str]]:
        """Lines, and the names of new values and of new views."""
        kind = self.draw.random()
        if kind < 0.15:
            inner = [line for _ in range(self.draw.randint(1, 2)) for line in self._simple(False)[0]]
            block = self.draw.choice(BLOCKS)
            return [block, *("    " + line for line in inner)], [], []
        return self._simple(True)

    def _simple(self, may_name: bool) -> tuple[list[str], list[str], list[str]]:
        draw = self.draw
        x, y, kind = draw.choice([*self.names, *self.views[-2:]]), draw.choice([*self.names, "b"]), draw.random()
        changed = draw.choice([*self.names, *self.views])
        self.count += 1
        new = f"v{self.count}"
        if kind < 0.25 and may_name:
            return [f"{new} = {_named(draw.choice(RESULTS), x, y)}"], [new], []
        if kind < 0.35 and may_name and not self.values:
            return [_named(draw.choice(STOPS), x, y)], [], []
        write = draw.choice(WRITES if self.values else [*WRITES, *ONLY_HERE])
        if kind < 0.5:
            return [_named(write, "", y, changed)], [], []
        view = _named(draw.choice(VIEWS), changed, y)
        return [f"{new} = {view}", _named(write, new, y, new)], [], [new] if may_name else []


def _named(text: str, x: str, y: str, v: str = "v") -> str:
    return "".join({"x": x, "y": y, "v": v}.get(part, part) for part in _words(text))


def _words(text: str) -> list[str]:
    parts, word = [], ""
    for sign in text + " ":
        if sign.isalnum() or sign == "_":
            word += sign
        else:
            parts += [word, sign]
            word = ""
    return parts[:-1]


def _source(lines: list[str], names: list[str]) -> str:
    body = ["p = a * 1.0", "q = b * 1.0", *lines, f"return [{', '.join(names)}]"]
    return "def program(a, b, i):\n" + "".join(f"    {line}\n" for line in body)


def _is_tame(paddle: Any, source: str) -> bool:
    """Whether a program runs, and its values stay so small that rounding does not show."""
    try:
        found = run(paddle, source)
    except Exception:
        return False
    return all(np.isfinite(array).all() and np.abs(array).max(initial=0) < 100 for array in found)


def compiled(paddle: Any, source: str) -> Any:
    """The function of a program's source, which conversion can read."""
    name = f"<program {zlib.crc32(source.encode())}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    held: dict[str, Any] = {"paddle": paddle, "__name__": "program"}
    exec(compile(source, name, "exec"), held)
    return held["program"]


def given(paddle: Any) -> tuple[Any, Any, Any]:
    """What programs take: one tensor that gets a gradient, one that does not, and an index."""
    draw = np.random.RandomState(0)
    a, b = (paddle.to_tensor(draw.rand(3, 4) * 2 - 0.7) for _ in range(2))
    a.stop_gradient = False
    return a, b, paddle.to_tensor(1)


def run(paddle: Any, source: str, function: Any = None, values: bool = False) -> list[np.ndarray]:
    """Results and what the arguments are then; without `values`, the gradient of a as well."""
    a, b, i = given(paddle)
    if values:
        with paddle.no_grad():
            outs = (function or compiled(paddle, source))(a, b, i)
    else:
        outs = (function or compiled(paddle, source))(a, b, i)
    found = [np.array(each.numpy(), dtype="float64") for each in (*outs, b, i)]
    if values:
        return found
    flowing = [(k + 1) * paddle.tanh(out).sum() for k, out in enumerate(outs) if not out.stop_gradient]
    if flowing:
        sum(flowing).backward()
    return [*found, np.zeros([3, 4]) if a.grad is None else a.grad.numpy()]


def _write() -> None:
    import proa

    FIXTURE.parent.mkdir(exist_ok=True)
    sources = [[Writer(proa, k, True).source] for k in range(300, 400)]
    FIXTURE.write_bytes(gzip.compress(json.dumps(sources).encode(), mtime=0))


def _answer() -> None:
    import paddle

    programs = read()
    for program in programs:
        program[1:] = [[np.round(x, 9).tolist() for x in run(paddle, program[0], None, True)]]
    FIXTURE.write_bytes(gzip.compress(json.dumps(programs).encode(), mtime=0))


def read() -> list[list[Any]]:
    """The fixture: programs, each with what it comes to in PaddlePaddle."""
    return json.loads(gzip.decompress(FIXTURE.read_bytes()))


if __name__ == "__main__":
    {"write": _write, "answer": _answer}[sys.argv[1]]()
