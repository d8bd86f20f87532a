"""Fleets of servers and workers, 1.x's and 2.x's, by scripts as they were published, started by the launcher."""

import os
import subprocess
import sys

import click_logs
import numpy as np
import pytest
from launching import PROGRAMS

pytest.importorskip("grpc")


def run(tmp_path, *command, **environment):
    click_logs.write(tmp_path)
    return subprocess.run([sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, timeout=240,
                          env={**os.environ, "OMP_NUM_THREADS": "1", **environment})


def losses_in(text):
    return np.array([line.split()[1:] for line in text.splitlines() if line.startswith("losses")][0], "float64")


def trained(tmp_path, script, mode, *more, api="2.6"):
    done = run(tmp_path, "-m", "proa", "run", "--api", api, "-m", "paddle.distributed.launch", "--server_num", "2",
               "--worker_num", "2", str(PROGRAMS / script), mode, str(tmp_path), *more)
    logs = {file.name: file.read_text() for file in sorted((tmp_path / "log").iterdir())}
    assert done.returncode == 0, done.stderr + "".join(logs.values())
    assert all("workers 3" in logs[f"workerlog.{number}"] for number in range(2))  # 1 + 2: they have met
    return [losses_in(logs[f"workerlog.{number}"]) for number in range(2)]


def fallen(workers):
    """What is left of the loss: of the worker that began first in its first epoch, of the one that ended last at last.

    They need not go in step: a worker may begin, or end, when the other is half through.
    """
    epochs = np.array(workers).reshape(2, 6, -1).mean(2)
    return epochs[:, -1].min() / epochs[:, 0].max()


@pytest.mark.parametrize("script, api", [
    ("wide_deep_fluid.py", "1.8"), pytest.param("wide_deep_fleet.py", "2.6", marks=pytest.mark.slow)])
def test_rounds_are_training_with_the_whole_batch(tmp_path, script, api):
    """Two workers with half the batch each have the losses of one process, on average; models are written."""
    workers = trained(tmp_path, script, "sync", api=api)
    alone = run(tmp_path, "-m", "proa", "run", "--api", api, str(PROGRAMS / script), "alone", str(tmp_path))
    assert alone.returncode == 0, alone.stderr
    np.testing.assert_allclose(np.mean(workers, axis=0), losses_in(alone.stdout), atol=1e-6)
    saved = sorted(os.listdir(tmp_path / "persistables"))
    assert "fc_0.w_0" in saved and "__model__" in os.listdir(tmp_path / "model")


@pytest.mark.slow
@pytest.mark.parametrize("script, mode, more", [
    ("wide_deep_fluid.py", "sync", ("distributed",)), ("wide_deep_fluid.py", "async", ()),
    ("wide_deep_fluid.py", "async", ("distributed",)), ("wide_deep_fluid.py", "half_async", ()),
    ("wide_deep_fluid.py", "half_async", ("distributed",)), ("wide_deep_fluid.py", "geo", ()),
    ("wide_deep_fleet.py", "geo", ())])
def test_other_ways_converge(tmp_path, script, mode, more):
    share = fallen(trained(tmp_path, script, mode, *more))
    assert share < (0.95 if mode in ("sync", "geo") else 0.5)


def test_schedules_entries_and_rows_that_rest(tmp_path):
    done = run(tmp_path, "-m", "proa.distributed.launch", "--server_num", "2", "--worker_num", "2",
               str(PROGRAMS / "served_schedule.py"))
    assert done.returncode == 0 and "as one process" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_one_that_fails_is_started_again(tmp_path):
    command = ["-m", "proa.distributed.launch", "--server_num", "2", "--worker_num", "2", "--max_restart", "3",
               str(PROGRAMS / "served_again.py")]
    done = run(tmp_path, *command, FLAGS_ps_checkpoint_folder=str(tmp_path / "checkpoints"))
    text = done.stdout + done.stderr + (tmp_path / "log" / "serverlog.0").read_text()
    assert done.returncode == 0 and "as one process that nothing harms" in done.stdout, text
    assert "Worker 1 ended with exit code 1 and is started again" in done.stderr
    assert "Server 0 ended with exit code 137 and is started again in 1 s; 1 more starts are left" in done.stderr
    assert "Say in the environment variable FLAGS_ps_checkpoint_folder" in run(tmp_path, *command).stderr


def test_servers_of_2_train_as_gradients_come(tmp_path):
    assert fallen(trained(tmp_path, "wide_deep_fleet.py", "async")) < 0.3
