"""Pictures are drawn, and stay small."""

import os

import pytest

from benchmarks import pictures

pytest.importorskip("matplotlib")


def test_bars(tmp_path):
    rows = [("MLP", [0.5, None]), ("LSTM", [1.5, 0.7])]
    path, title = pictures.bars(str(tmp_path), "a.svg", rows, ("eager", "to_static"))
    assert title and 0 < os.path.getsize(path) < 60_000


def test_lines(tmp_path):
    sides = {f"{name} {mode}": [(n, n * 2.0, n * 3.0) for n in (1, 16, 256)]
             for name in pictures.COLOURS for mode in ("eager", "to_static")}
    path, _ = pictures.lines(str(tmp_path), "b.svg", [(f"net {n}", "batch", sides) for n in range(4)])
    assert os.path.getsize(path) < 120_000
