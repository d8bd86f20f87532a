"""Training that is saved by PaddlePaddle 1.8.5 goes on here with the same losses, and back."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from fluid_training import CASES, begin, go_on, parallel

PYTHON = os.environ.get("PROA_FLUID_ORACLE_PYTHON")
HERE = Path(__file__).parent
needs_oracle = pytest.mark.skipif(not PYTHON, reason="PROA_FLUID_ORACLE_PYTHON is not set")


def there(command, folder):
    done = subprocess.run([PYTHON, str(HERE / "fluid_training.py"), command, str(folder), *CASES], capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]


def check(folder, case, tolerance):
    (losses, names), (found, others) = (json.loads((folder / case / file).read_text())
                                        for file in ("begun.json", "gone_on.json"))
    assert others == names
    for way in found:
        np.testing.assert_allclose(way, losses, rtol=tolerance)
    assert losses[2] < losses[0]


@pytest.mark.parametrize("case", CASES)
def test_here(tmp_path, case):
    begin(fluid, str(tmp_path), case)
    go_on(fluid, str(tmp_path), case)
    check(tmp_path, case, 1e-6)


@needs_oracle
def test_from_1_8(tmp_path):
    there("begin", tmp_path)
    for case in CASES:
        go_on(fluid, str(tmp_path), case)
        check(tmp_path, case, 2e-5)


@needs_oracle
def test_to_1_8(tmp_path):
    for case in CASES:
        begin(fluid, str(tmp_path), case)
    there("go_on", tmp_path)
    for case in CASES:
        check(tmp_path, case, 2e-5)


@needs_oracle
def test_on_two_devices(tmp_path, monkeypatch):
    monkeypatch.setenv("CPU_NUM", "2")
    for case in CASES:
        begin(fluid, str(tmp_path), case)
        parallel(fluid, str(tmp_path), case)
    there("parallel", tmp_path)
    for case in CASES:
        (here, ours), (elsewhere, theirs) = (
            json.loads((tmp_path / case / f"parallel.{name}.json").read_text())
            for name in (fluid.__name__, "paddle.fluid"))
        np.testing.assert_allclose(here, elsewhere, rtol=2e-5, err_msg=case)
        assert ours.keys() == theirs.keys()
        np.testing.assert_allclose([*ours.values()], [*theirs.values()], rtol=5e-4, err_msg=case)  # Adam: g / sqrt(g²)
