"""Scripts of 1.x that divide a Program themselves, started by the launcher as two servers and two trainers."""

import os
import subprocess
import sys

import numpy as np
import pytest
from launching import PROGRAMS, run

pytest.importorskip("grpc")
pytestmark = pytest.mark.slow


def losses(tmp_path, form):
    """The first loss, and the last ones' mean, of both trainers."""
    done = subprocess.run([sys.executable, "-m", "proa.distributed.launch", "--server_num", "2", "--worker_num", "2",
                           str(PROGRAMS / "transpiled_forms.py"), form], cwd=tmp_path, text=True, capture_output=True,
                          timeout=240, env={**os.environ, "OMP_NUM_THREADS": "1", "PROA_API": "1.8"})
    logs = [file.read_text() for file in sorted((tmp_path / "log").iterdir())]
    assert done.returncode == 0, done.stderr + "".join(logs)
    return np.array([[line.split()[1:] for line in text.splitlines() if line.startswith("losses")][0]
                     for text in logs[2:]], "float64")


@pytest.mark.parametrize("form", ["async_table", "unsliced"])
def test_trains(tmp_path, form):
    first, last = losses(tmp_path, form).T
    assert (last < 0.3 * first).all()


def test_servers_go_on_with_what_trainer_0_has_saved(tmp_path):
    before = losses(tmp_path, "saved")[:, 0]
    first, last = losses(tmp_path, "goes_on").T  # the last ones are noise about 1e-4: trained, in whatever order
    assert (first < 0.01 * before).all() and (last < 0.01 * before).all()


@pytest.mark.parametrize("options", [["--started_port", "6170"], ["--gpus", "0,1"], ["--selected_gpus", "0,1"]])
def test_the_launcher_s_options_of_several_releases(tmp_path, options):
    (tmp_path / "said.py").write_text("import os, sys, paddle\nprint('rank', os.environ['PADDLE_TRAINER_ID'], 'of', "
                                      "os.environ['PADDLE_TRAINERS_NUM'], sys.argv[1:])\n")
    done = run(tmp_path, tmp_path / "said.py", "--arg1", "3", options=options)
    assert "rank 0 of 2 ['--arg1', '3']" in done.stdout
    assert "rank 1 of 2" in (tmp_path / "log" / "workerlog.1").read_text()
