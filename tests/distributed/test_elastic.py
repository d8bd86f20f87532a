"""A job that fails is started again from its last checkpoint, and gives what it gives undisturbed."""

import io
import logging
import os
import signal
import subprocess
import sys
import time

import numpy as np
import proa as paddle
import pytest
from jobs import Job
from launching import PROGRAMS, run
from proa.distributed.launch import elastic
from proa.distributed.launch.options import Processes, parser
from soak import Soak

slow = pytest.mark.slow


def train(folder, *arguments, options=("--elastic",), check=True, processes=2):
    folder.mkdir(exist_ok=True)
    return run(folder, "restarted.py", folder / "checkpoint", *arguments, options=options, check=check,
               processes=processes)


def losses(folder):
    return paddle.load(str(folder / "checkpoint"))["losses"]


@pytest.mark.parametrize("fails", [["0:7:SIGKILL"], pytest.param(
    ["0:1:raise", "1:4:exit", "2:8:SIGSEGV"], marks=slow)])
def test_a_job_that_fails_goes_on_from_its_checkpoint(tmp_path, fails):
    done = train(tmp_path / "harmed", "--fail", *fails)
    train(tmp_path / "whole", options=())
    np.testing.assert_array_equal(losses(tmp_path / "harmed"), losses(tmp_path / "whole"))
    lives = len(fails)
    assert f"life {lives} has ended" in done.stdout
    assert "started again in 1 s, for the 1st of 3 times" in done.stderr
    for life in range(lives):
        assert (tmp_path / "harmed" / "log" / f"workerlog.1.life{life}").exists()


@slow
def test_one_process_is_started_again_without_mpi(tmp_path):
    done = train(tmp_path, "--fail", "0:7:SIGKILL", processes=1)
    assert "life 1 goes on at step 6" in done.stdout and len(losses(tmp_path)) == 20


@slow
def test_the_last_failure_is_told_when_no_start_is_left(tmp_path):
    done = train(tmp_path, "--fail", "0:1:exit", "1:4:raise", options=["--max_restart", "1"], check=False)
    assert done.returncode == 1
    assert "ended with exit code 3" in done.stderr and "ValueError: life 1 ends at step 4" in done.stderr
    assert "not started again: it has been started again 1 times" in done.stderr


@pytest.mark.parametrize("text, code, why", [
    ("import argparse; argparse.ArgumentParser().parse_args(['--lr'])", 2, "wrong arguments"),
    pytest.param("import no_such_module", 1, "ModuleNotFoundError is an error of the program", marks=slow)])
def test_what_would_fail_again_is_not_started_again(tmp_path, text, code, why):
    found, _, said = Job(tmp_path, text, options=["--elastic"]).end()
    assert found == code and f"The job is not started again: {why}" in said.replace("exit code 2 says that the script "
                                                                                    "was called with ", "")


@slow
def test_who_tells_the_launcher_to_end_means_it(tmp_path):
    job = Job(tmp_path, (PROGRAMS / "restarted.py").read_text(), str(tmp_path / "checkpoint"), "--pause", "1",
              options=["--elastic"])
    job.pids()
    job.launcher.terminate()
    assert job.end()[0] == 143
    job = Job(tmp_path, "raise ValueError", options=["--elastic", "--restart_pause", "60"])
    while "started again in" not in job.launcher.stderr.readline():
        pass
    job.launcher.terminate()
    begun = time.monotonic()
    assert job.end()[0] == 143 and time.monotonic() - begun < 40


def test_a_signal_that_comes_while_a_message_is_written_is_not_lost(monkeypatch, tmp_path):
    class Stream(io.StringIO):
        def flush(self):
            os.kill(os.getpid(), signal.SIGTERM)

    handler = logging.StreamHandler(Stream())
    monkeypatch.setattr(elastic, "_live", lambda *_: (elastic.reports.Failure(0, 1), 0))
    monkeypatch.setattr(elastic, "_tell", lambda *_: None)
    monkeypatch.setattr(elastic, "_pause", lambda _: pytest.fail("the signal was lost"))
    elastic.log.addHandler(handler)
    try:
        options = parser().parse_args(["--max_restart", "7", "--log_dir", str(tmp_path), "train.py"])
        assert elastic.run(Processes(("127.0.0.1",), 2), options, lambda _: []) == 128 + signal.SIGTERM
    finally:
        elastic.log.removeHandler(handler)


@slow
def test_pauses_grow_and_are_bounded(monkeypatch, tmp_path):
    pauses, failures = [], [elastic.reports.Failure(0, 1)] * 8
    monkeypatch.setattr(elastic, "_pause", lambda seconds: pauses.append(seconds) or 0)
    monkeypatch.setattr(elastic, "_live", lambda *_: (failures.pop(), 0))
    monkeypatch.setattr(elastic, "_tell", lambda *_: None)
    monkeypatch.setattr(elastic.logs, "set_aside", lambda *_: None)
    options = parser().parse_args(["--max_restart", "7", "--log_dir", str(tmp_path), "train.py"])
    assert elastic.run(Processes(("127.0.0.1",), 2), options, lambda _: []) == 1
    assert pauses == [1, 2, 4, 8, 16, 30, 30]


@slow
def test_logs_of_former_jobs_are_kept(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("print('once')")
    command = [sys.executable, "-m", "proa.distributed.launch", "--nproc_per_node", "2"]
    for options, count in (((), 1), ((), 2), (("--log_overwrite", "true"), 1)):
        done = subprocess.run([*command, *options, path], cwd=tmp_path, capture_output=True, text=True)
        assert done.stdout == "once\n", done
        assert (tmp_path / "log" / "workerlog.1").read_text() == "once\n" * count


@slow
def test_random_harm(tmp_path):
    assert len(Soak(tmp_path, seed=3, steps=200).run(4).recoveries) == 4
