"""Dynamic mode of Paddle 1.x both ways with a live PaddlePaddle 1.8.5: set PROA_FLUID_ORACLE_PYTHON to its Python."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from fixture_cases import module_at

PYTHON = os.environ.get("PROA_FLUID_ORACLE_PYTHON")
HERE = Path(__file__).parent
RUNS = module_at(HERE.parent / "fluid" / "dygraph" / "training_runs.py")

needs_oracle = pytest.mark.skipif(not PYTHON, reason="PROA_FLUID_ORACLE_PYTHON is not set")


def there(command, folder):
    done = subprocess.run([PYTHON, str(HERE / "fluid_dygraph_there.py"), command, str(folder)], capture_output=True,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads((folder / f"{command}.json").read_text())


@needs_oracle
def test_proa_goes_on_with_what_1_8_wrote(tmp_path):
    told = there("write", tmp_path)
    for name in RUNS.CASES:
        np.testing.assert_allclose(RUNS.go_on(fluid, name, str(tmp_path / name), 6), told[name], rtol=1e-4)
    np.testing.assert_allclose(RUNS.run_traced(fluid, str(tmp_path / "traced")), told["traced"], rtol=1e-4, atol=1e-6)


@needs_oracle
def test_1_8_goes_on_with_what_proa_wrote(tmp_path):
    further = {}
    for name in RUNS.CASES:
        RUNS.run(fluid, name, 6, str(tmp_path / name))
        further[name] = RUNS.go_on(fluid, name, str(tmp_path / name), 6)
    out = RUNS.traced(fluid, str(tmp_path / "traced"))
    told = there("read", tmp_path)
    for name in RUNS.CASES:
        np.testing.assert_allclose(told[name], further[name], rtol=1e-4)
    np.testing.assert_allclose(told["traced"], out, rtol=1e-4, atol=1e-6)
