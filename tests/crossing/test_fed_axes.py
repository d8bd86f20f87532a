"""Models whose axes are fed, between here and a live Paddle."""

import os
import subprocess
from pathlib import Path

import fed_axes
import numpy as np
import proa as paddle
import pytest
from oracle import PYTHON, missing


def ask(what, folder):
    if missing():
        pytest.skip(missing())
    asked = subprocess.run([PYTHON, "-B", fed_axes.__file__, what, str(folder)], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
    assert asked.returncode == 0, asked.stderr[-3000:]


def check(folder):
    written, run = np.load(folder / "written.npz"), np.load(folder / "run.npz")
    assert written.files == run.files
    for name in written.files:
        assert written[name].shape == run[name].shape
        np.testing.assert_allclose(written[name], run[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_ours_is_run_there(tmp_path):
    fed_axes.write(paddle, tmp_path)
    ask("run", tmp_path)
    check(tmp_path)


def test_theirs_is_run_here(tmp_path):
    ask("write", tmp_path)
    fed_axes.run(paddle, tmp_path)
    check(tmp_path)
