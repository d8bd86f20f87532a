"""A script of 1.x in the mode nccl2, by the launcher, by mpiexec as it is, and under another name of the API."""

import os
import subprocess
import sys

import numpy as np
import proa.fluid as fluid
import pytest
from launching import PROGRAMS, run


def parameters(folder):
    return [np.array(fluid.io.load_program_state(str(folder / rank))["fc_0.w_0"]) for rank in ("0", "1")]


def test_by_the_launcher(tmp_path):
    run(tmp_path, "static/seed_nccl2.py", tmp_path)
    first, second = parameters(tmp_path)
    np.testing.assert_array_equal(first, second)


@pytest.mark.slow
def test_by_mpiexec(tmp_path):
    pytest.importorskip("mpi4py")
    mpiexec = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    command = [mpiexec, "-n", "2", "--oversubscribe", "--allow-run-as-root", sys.executable, "-m", "proa", "run",
               "--api", "1.8", str(PROGRAMS / "static" / "seed_nccl2.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0 and "trained 1" in done.stdout, done.stdout + done.stderr
    first, second = parameters(tmp_path)
    np.testing.assert_array_equal(first, second)
