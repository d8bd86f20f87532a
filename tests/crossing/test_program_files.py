"""Programs with their values, as `static.save` and the serializing functions write them, between here and Paddle."""

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


def ask(what, folder):
    """Has PaddlePaddle do it; what it found."""
    if missing():
        pytest.skip(missing())
    asked = subprocess.run([PYTHON, "-B", trained_programs.__file__, what, str(folder)], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
    assert asked.returncode == 0, asked.stderr[-3000:]
    return dict(np.load(folder / "found.npz"))


@pytest.mark.oracle
def test_paddle_reads_what_is_written_here(tmp_path):
    written = trained_programs.write(paddle, tmp_path)
    check(ask("read", tmp_path), written)


@pytest.mark.oracle
def test_paddle_runs_the_layers_of_static_nn(tmp_path):
    written = trained_programs.write_layers(paddle, tmp_path)
    found = ask("layers", tmp_path)
    assert set(found) == set(written)
    for name, array in written.items():
        np.testing.assert_allclose(found[name], array, rtol=2e-5, atol=2e-5, err_msg=name)


def test_training_of_normalized_layers_goes_on(tmp_path):
    written = trained_programs.write_training(paddle, tmp_path)
    for name, losses in trained_programs.training(paddle, tmp_path).items():
        np.testing.assert_allclose(losses, written[name], rtol=1e-4, err_msg=name)


@pytest.mark.oracle
def test_paddle_trains_normalized_layers_that_are_written_here(tmp_path):
    written = trained_programs.write_training(paddle, tmp_path)
    for name, losses in ask("training", tmp_path).items():
        np.testing.assert_allclose(losses, written[name], rtol=1e-3, err_msg=name)
