"""The launcher of servers and workers: their variables, logs, failures, signals, and nothing left behind."""

import os
import signal
import subprocess
import sys

import pytest
from jobs import is_running, wait_for

SCRIPT = """
import os, sys, time
from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker
import paddle
role = PaddleCloudRoleMaker()
print(paddle.__version__, role, role.get_local_endpoint(), sys.argv[1:], flush=True)
open(f"{os.getpid()}.pid", "w").close()
{}
"""


def launch(tmp_path, text, *options, module="launch"):
    (tmp_path / "train.py").write_text(SCRIPT.replace("{}", text))
    return subprocess.Popen([sys.executable, "-m", f"proa.distributed.{module}", *options, "train.py", "--epochs", "3"],
                            cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "OMP_NUM_THREADS": "1"})


def logs(tmp_path, folder="log"):
    return {file.name: file.read_text() for file in sorted((tmp_path / folder).iterdir())}


def none_left(tmp_path):
    return wait_for(lambda: not any(is_running(int(file.stem)) for file in tmp_path.glob("*.pid")))


def test_each_process_has_its_part_and_a_log(tmp_path):
    done = launch(tmp_path, "", "--server_num", "2", "--worker_num", "2")
    out, error = done.communicate(timeout=120)
    assert done.returncode == 0, error
    found = logs(tmp_path)
    assert list(found) == ["serverlog.0", "serverlog.1", "workerlog.0", "workerlog.1"]
    for name, text in found.items():
        kind, number = name.split("log.")
        assert f"role: {2 if kind == 'server' else 1}, current_id: {number}, " in text
        assert text.startswith("2.6.2") and "['--epochs', '3']" in text
    assert found["workerlog.0"] in out and "role: 2" not in out


def test_the_launcher_of_1_x_has_scripts_find_1_8(tmp_path):
    servers = "127.0.0.1:28371,127.0.0.1:28372"
    text = """
import glob
if role.is_server() or role.worker_index() != 1:
    time.sleep(100)
while len(glob.glob("*.pid")) < 4:      # the launcher ends the others, and they are to have written their line by then
    time.sleep(0.01)
raise ValueError("no")
"""
    done = launch(tmp_path, text, "--endpoints", servers, "--worker_num", "2", module="launch_ps")
    _, error = done.communicate(timeout=120)
    assert done.returncode == 1 and "Worker 1 ended with exit code 1" in error and "ValueError: no" in error
    found = logs(tmp_path, "logs")
    assert all(text.startswith("1.8.5") for text in found.values())
    assert "127.0.0.1:28372 ['--epochs', '3']" in found["serverlog.1"]
    assert none_left(tmp_path)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_launcher_that_is_told_to_end_leaves_no_process(tmp_path, number):
    launcher = launch(tmp_path, "time.sleep(100)", "--run_mode", "ps")
    assert wait_for(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
    launcher.send_signal(number)
    launcher.communicate(timeout=60)
    assert launcher.returncode == (143 if number == signal.SIGTERM else -9)
    assert none_left(tmp_path)


@pytest.mark.slow
def test_servers_that_do_not_end_are_ended(tmp_path):
    done = launch(tmp_path, "if role.is_server(): time.sleep(100)", "--server_num", "1", "--worker_num", "1")
    done.communicate(timeout=120)
    assert done.returncode == 0 and none_left(tmp_path)


@pytest.mark.parametrize("options, said", [
    (["--servers", "127.0.0.1:1"], "needs --workers"),
    (["--workers", "127.0.0.1:1"], "needs --servers"),
    (["--servers", "127.0.0.1:1", "--workers", "127.0.0.1:1"], "one process's"),
    (["--servers", "127.0.0.1", "--worker_num", "1"], "host:port"),
    (["--servers", "a:1,b:1", "--server_num", "1", "--worker_num", "1"], "--server_num asks for 1"),
    (["--server_num", "1", "--worker_num", "-1"], "must be at least 1")])
def test_command_lines_that_make_no_sense(options, said, monkeypatch, capsys):
    from proa.distributed.launch import main

    monkeypatch.setattr(sys, "argv", ["launch", *options, "train.py"])
    with pytest.raises(SystemExit, match="2"):
        main.launch()
    assert said in capsys.readouterr().err
