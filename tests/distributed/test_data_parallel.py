"""Several processes with parts of a batch train as one with the whole: losses and parameters over 50 steps."""

import json
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS, run


def alone(tmp_path, kind):
    out = tmp_path / "alone.json"
    subprocess.run([sys.executable, "-m", "proa", "run", PROGRAMS / "data_parallel.py", kind, out], check=True)
    return json.loads(out.read_text())


@pytest.mark.parametrize("kind, processes", [
    ("plain", 2), ("uneven", 2), ("norm", 2), ("recomputed", 2),
    *(pytest.param(kind, count, marks=pytest.mark.slow) for kind, count in (
        ("plain", 4), ("accumulated", 2), ("embedding", 2), ("converted", 2), ("norm", 4)))])
def test_several_processes_train_as_one(tmp_path, kind, processes):
    run(tmp_path, "data_parallel.py", kind, tmp_path / "several.json", processes=processes)
    several, one = json.loads((tmp_path / "several.json").read_text()), alone(tmp_path, kind)
    np.testing.assert_allclose(several["losses"], one["losses"], rtol=2e-6, atol=2e-6)
    for name, value in one["state"].items():
        np.testing.assert_allclose(several["state"][name], value, rtol=2e-4, atol=2e-5, err_msg=name)


@pytest.mark.slow
def test_a_pass_that_an_error_ends_is_forgotten(tmp_path):
    assert "passed 0" in run(tmp_path, "interrupted.py").stdout
