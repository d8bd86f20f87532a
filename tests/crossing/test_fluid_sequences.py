"""Models of layers on sequences cross to a live PaddlePaddle 1.8.5 and back, by PROA_FLUID_ORACLE_PYTHON."""

import json
import os
import subprocess
from pathlib import Path

import fluid_sequences
import numpy as np
import proa.fluid as fluid
import pytest

HERE = Path(__file__).parent

PYTHON = os.environ.get("PROA_FLUID_ORACLE_PYTHON")
TOLD = json.loads((HERE.parent / "fixtures" / "fluid" / "sequence_layers.json").read_text())
NAMES = list(TOLD["program"]["shapes"])

pytestmark = pytest.mark.skipif(not PYTHON, reason="PROA_FLUID_ORACLE_PYTHON is not set")


def there(what, folder):
    done = subprocess.run([PYTHON, str(HERE / "fluid_sequences.py"), what, str(folder)], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def check(found):
    """Each result is one of the fixture's, and all of these are there."""
    expected = {name: (TOLD["results"][name], TOLD["lods"][name]) for name in NAMES}
    rest = list(expected)
    for values, lod in found:
        same = [name for name in rest if np.shape(values) == np.shape(expected[name][0]) and lod == expected[name][1]
                and np.allclose(values, expected[name][0], 1e-4, 1e-5)]
        assert same, f"a result of shape {np.shape(values)} and LoD {lod} is none of {rest}"
        rest.remove(same[0])
    assert not rest


def test_a_model_of_1_8_5_runs_here(tmp_path):
    there("save", tmp_path)
    check(fluid_sequences.run(fluid, str(tmp_path)))


def test_a_model_from_here_runs_there(tmp_path):
    fluid_sequences.save(fluid, str(tmp_path))
    check(json.loads(there("run", tmp_path).partition("ANSWER")[2]))
