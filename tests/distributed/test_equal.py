"""Several processes with parts of a batch give what one process gives with the whole, to the last bits of float64."""

import json
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS, run

KINDS = ["lenet", "transformer", "lstm", "wide", "sparse_transformer", "converted", "converted_lenet", "clipped",
         "clipped_wide", "scheduled", "plateau", "look_ahead", "twice", "averaged", "mixed"]
LEAST = {"mixed": 5e-2}  # half of the digits of bfloat16


@pytest.mark.parametrize(("processes", "steps"), [
    (2, 12), *(pytest.param(count, 50, marks=pytest.mark.slow) for count in (2, 4))])
def test_networks_of_all_kinds(tmp_path, processes, steps):
    one, several = tmp_path / "one.json", tmp_path / "several.json"
    alone = subprocess.Popen([sys.executable, "-m", "proa", "run", PROGRAMS / "equal.py", one, str(steps), *KINDS])
    run(tmp_path, "equal.py", several, steps, *KINDS, processes=processes)
    assert alone.wait(200) == 0
    one, several = (json.loads(path.read_text()) for path in (one, several))
    for kind in KINDS:
        least = LEAST.get(kind, 1e-9)
        np.testing.assert_allclose(several[kind]["losses"], one[kind]["losses"], atol=least, err_msg=kind)
        for name, value in one[kind]["state"].items():
            np.testing.assert_allclose(several[kind]["state"][name], value, atol=least, err_msg=f"{kind} {name}")


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.slow)])
def test_a_model_fits_in_several_processes_as_in_one(tmp_path, workers):
    told = run(tmp_path, "fitting.py", workers).stdout
    assert "passed 0" in told and told.count("Epoch 1/2") == told.count("save checkpoint") // 3 == 1
    assert told.count("Eval samples: 26") == 2
    other = (tmp_path / "log" / "workerlog.1").read_text()
    assert "passed 1" in other and "Epoch" not in other and "checkpoint" not in other
    run(tmp_path, "fitting.py", workers, processes=1)
    several, one = np.load(tmp_path / "fitted2.npz"), np.load(tmp_path / "fitted1.npz")
    for name in set(one) - {"losses"}:  # the last batch's loss is the mean of what processes have of it
        np.testing.assert_allclose(several[name], one[name], rtol=1e-4, atol=1e-5, err_msg=name)
