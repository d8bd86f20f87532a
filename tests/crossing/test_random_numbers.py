"""PaddlePaddle and proa draw the same numbers after seeds that no fixture has."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
import sequences
from oracle import PYTHON, missing

SEEDS = (424242, 2**31 - 1)
ASKED = """
import bz2, gzip, json, lzma, sys, zlib
import paddle
import sequences
exact = [[sequences.drawn(paddle, name, int(seed)) for name in sequences.SEQUENCES] for seed in sys.argv[2:]]
close = [[[a.tolist() for a in sequences.arrays_of(paddle, name, int(seed))] for name in sequences.CLOSE]
         for seed in sys.argv[2:]]
json.dump([exact, close], open(sys.argv[1], "w"))
"""


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """What PaddlePaddle drew."""
    if missing():
        pytest.skip(missing())
    path = tmp_path_factory.mktemp("numbers") / "found.json"
    folder = str(Path(sequences.__file__).parent)
    asked = subprocess.run([PYTHON, "-B", "-c", ASKED, str(path), *map(str, SEEDS)], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": folder})
    assert asked.returncode == 0, asked.stderr[-3000:]
    return json.loads(path.read_text())


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(len(SEEDS)), ids=SEEDS)
@pytest.mark.parametrize("name", sequences.SEQUENCES)
def test_the_same_bits(theirs, name, seed):
    wanted = theirs[0][seed][list(sequences.SEQUENCES).index(name)]
    assert sequences.drawn(paddle, name, SEEDS[seed]) == wanted


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(len(SEEDS)), ids=SEEDS)
@pytest.mark.parametrize("name", sequences.CLOSE)
def test_the_same_but_for_rounding(theirs, name, seed):
    wanted = theirs[1][seed][list(sequences.CLOSE).index(name)]
    for own, their in zip(sequences.arrays_of(paddle, name, SEEDS[seed]), wanted, strict=True):
        np.testing.assert_allclose(own, their, 1e-4, 1e-5)
