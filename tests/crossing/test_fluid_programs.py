"""Whole programs of 1.x, loops and beam searches among them, cross in files to a live PaddlePaddle 1.8.5 and back.

Set PROA_FLUID_ORACLE_PYTHON to its Python.
"""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest

HERE = Path(__file__).parent
PATHS = [str(HERE.parent / "fluid"), str(HERE.parent / "fluid" / "programs")]
PYTHON = os.environ.get("PROA_FLUID_ORACLE_PYTHON")
pytestmark = pytest.mark.skipif(not PYTHON, reason="PROA_FLUID_ORACLE_PYTHON is not set")


def there(what, folder):
    """What 1.8.5 gives."""
    command = [PYTHON, str(HERE / "fluid_programs_there.py"), what, str(folder), *PATHS]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert not ended.returncode, ended.stderr[-3000:]
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def runs():
    sys.path[:0] = PATHS
    yield importlib.import_module("program_runs")
    del sys.path[:len(PATHS)]


def alike(got, expected):
    assert [(v["shape"], v["lod"]) for v in got] == [(v["shape"], v["lod"]) for v in expected]
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_allclose(one["values"], other["values"], rtol=1e-4, atol=2e-6)


def test_proa_infers_what_1_8_has_saved(runs, tmp_path):
    saved = there("save", tmp_path)
    for name in runs.NAMES:
        alike(runs.inferred(fluid, importlib.import_module(name), str(tmp_path / name)), saved[name]["inferred"])


def test_1_8_infers_what_proa_has_saved(runs, tmp_path):
    saved = {name: runs.trained(fluid, importlib.import_module(name), str(tmp_path / name)) for name in runs.NAMES}
    found = there("infer", tmp_path)
    for name in runs.NAMES:
        alike(found[name], saved[name]["inferred"])
