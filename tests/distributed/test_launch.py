"""The launcher of several processes: what each process is told, logs, failures, spawn."""

import subprocess
import sys

import proa as paddle
import pytest
from launching import PROGRAMS, run

SCRIPT = """
import os, sys, time
import paddle.distributed as dist
print("begins", dist.get_rank(), os.environ["PADDLE_TRAINER_ENDPOINTS"], os.environ["PADDLE_LOCAL_RANK"], flush=True)
{}
"""


def script(tmp_path, text):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT.format(text))
    return path


def test_each_process_has_numbers_and_a_log(tmp_path):
    done = run(tmp_path, script(tmp_path, "print(sys.argv[1:])"), "--epochs", "3", processes=3)
    assert "begins 0 127.0.0.1:6070,127.0.0.1:6071,127.0.0.1:6072 0" in done.stdout and "begins 1" not in done.stdout
    for rank in range(3):
        log = (tmp_path / "log" / f"workerlog.{rank}").read_text()
        assert f"begins {rank} " in log and "['--epochs', '3']" in log


CONNECTED = "dist.init_parallel_env()\n"


@pytest.mark.parametrize("connects, failure, code, said", [
    (CONNECTED, "raise ValueError('the batch is empty')", 1, "ValueError: the batch is empty"),
    ("", "sys.exit(7)", 7, ""),
    pytest.param("", "raise ValueError('the batch is empty')", 1, "the batch is empty", marks=pytest.mark.slow),
    pytest.param(CONNECTED, "sys.exit(7)", 7, "", marks=pytest.mark.slow),
    pytest.param(CONNECTED, "sys.exit('no data')", 1, "no data", marks=pytest.mark.slow)])
def test_a_process_that_fails_ends_all(tmp_path, connects, failure, code, said):
    text = f"{connects}if dist.get_rank() == 1: {failure}\ntime.sleep(100)"
    done = run(tmp_path, script(tmp_path, text), check=False)
    assert done.returncode == code, done.stderr
    assert f"Process 1 of 2 ended with exit code {code}" in done.stderr and said in done.stderr


@pytest.mark.parametrize("fails", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_function_is_spawned_in_several_processes(tmp_path, fails):
    pytest.importorskip("mpi4py")
    command = [sys.executable, "-m", "proa", "run", str(PROGRAMS / "spawning.py"), *["fail"][:fails]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, cwd=tmp_path)
    if fails:
        assert done.returncode == 1 and "this one fails" in done.stderr
        assert "of work ended with exit code 1" in done.stderr
    else:
        assert sorted(done.stdout.splitlines()) == [
            "all have ended", "process 0: [6.0, 6.0]", "process 1: [6.0, 6.0]"], done.stderr


def test_what_cannot_be_spawned_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="number of processes"):
        paddle.distributed.spawn(print, nprocs=0)
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    with pytest.raises(RuntimeError, match="one of several"):
        paddle.distributed.spawn(print, nprocs=2)
