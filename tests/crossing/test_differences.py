"""Rows of docs/differences.md, as programs: what proa is said to do it does, and PaddlePaddle 2.6.2 does otherwise."""

import json
import os
import re
import subprocess
import warnings

import numpy as np
import oracle
import proa as paddle
import pytest

from tests.crossing.differences.rows import ROWS

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, os.pardir, os.pardir, "docs", "differences.md")


@pytest.fixture(scope="module")
def page():
    with open(PAGE, encoding="utf-8") as file:
        return file.read()


@pytest.mark.parametrize(("start", "code", "finds"), ROWS, ids=[start.strip("| `")[:40] for start, _, _ in ROWS])
def test_a_row_says_what_happens(start, code, finds, page):
    assert page.count("\n" + start) == 1, "no row begins so, or several do"
    here = {"paddle": paddle, "np": np, "F": paddle.nn.functional, "nn": paddle.nn, "__name__": "row"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(re.sub(r"\bfrom paddle\.", "from proa.", code), "<row>", "exec"), here)
    assert repr(here["got"]) == repr(finds)


@pytest.mark.oracle
def test_there_it_is_otherwise():
    if oracle.missing():
        pytest.skip(oracle.missing())
    ran = subprocess.run([oracle.PYTHON, "-B", os.path.join(HERE, "differences", "ask.py")], stdout=subprocess.PIPE,
                         text=True)
    found = dict(json.loads(line) for line in ran.stdout.splitlines() if line.startswith('["'))
    assert ran.returncode == 0 and found.keys() == {start for start, _, _ in ROWS}
    assert not [start for start, _, finds in ROWS if found[start] == repr(finds)], "rows that are no longer true"
