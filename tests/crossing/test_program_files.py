"""Programs with their values, as `static.save` and the serializing functions write them, between proa and PaddlePaddle."""

import os
import subprocess
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
import trained_programs
from oracle import PYTHON, missing

FIXTURES = Path(__file__).parent / "fixtures" / "programs"
#: What is read in each way, and what it must equal of what was written.
WAYS = {"load.out": "out", "load.velocity": "velocity", "state.out": "out", "state.velocity": "velocity",
        "bytes.out": "out"}


def check(found, written):
    assert set(found) == set(WAYS)
    for way, key in WAYS.items():
        np.testing.assert_allclose(found[way], written[key], rtol=1e-5, atol=1e-6, err_msg=way)


def test_paddles_files_are_read():
    check(trained_programs.read(paddle, FIXTURES), np.load(FIXTURES / "found.npz"))


def test_own_files_are_read(tmp_path):
    written = trained_programs.write(paddle, tmp_path)
    check(trained_programs.read(paddle, tmp_path), written)


@pytest.mark.oracle
def test_paddle_reads_what_is_written_here(tmp_path):
    if missing():
        pytest.skip(missing())
    written = trained_programs.write(paddle, tmp_path)
    asked = subprocess.run([PYTHON, "-B", trained_programs.__file__, "read", str(tmp_path)], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
    assert asked.returncode == 0, asked.stderr[-3000:]
    check(np.load(tmp_path / "found.npz"), written)
