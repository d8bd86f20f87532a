"""Runs a program of tests/distributed/programs in several processes, by the launcher."""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAMS = pathlib.Path(__file__).parent / "programs"


def run(tmp_path, script, *arguments, processes=2, options=(), environment=None, check=True):
    """What the launcher gives for a script of ours, or a file; the logs are in tmp_path/log."""
    pytest.importorskip("mpi4py")
    path = PROGRAMS / script if isinstance(script, str) else script
    command = [sys.executable, "-m", "proa.distributed.launch", "--nproc_per_node", str(processes), "--log_dir",
               str(tmp_path / "log"), *options, str(path), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=tmp_path,
                          env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})})
    if check:
        assert done.returncode == 0, done.stdout + done.stderr + "".join(
            file.read_text() for file in sorted((tmp_path / "log").glob("workerlog.*")))
    return done
