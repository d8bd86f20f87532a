"""What is done to a job, and what is left of it: no process, no folder, and an end that says what has happened."""

import os
import resource
import signal
import subprocess

import pytest
from jobs import Job, is_running, wait_for

BEGIN = """
import os, pathlib, signal, subprocess, sys, time
import paddle
import paddle.distributed as dist
"""
WROTE = """
pathlib.Path(f"{dist.get_rank()}.part").write_text(str(os.getpid()))
os.replace(f"{dist.get_rank()}.part", f"{dist.get_rank()}.pid")
"""
CONNECTED = f"{BEGIN}dist.init_parallel_env(){WROTE}"
TRAINS = f"{CONNECTED}while True: dist.all_reduce(paddle.ones([1000]))"
SLEEPS = f"{BEGIN}{WROTE}time.sleep(300)"
DEAF = f"{BEGIN}signal.signal(signal.SIGTERM, signal.SIG_IGN){WROTE}time.sleep(300)"
CHILDREN = f"""{BEGIN}
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(300)"
child = subprocess.Popen([sys.executable, "-c", deaf], start_new_session=True, stdout=subprocess.PIPE)
child.stdout.readline()
{WROTE}
if sys.argv[1:] != ["end"]: time.sleep(300)
"""
slow = pytest.mark.slow
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT, signal.SIGFPE)


@pytest.mark.parametrize("script", [TRAINS, pytest.param(SLEEPS, marks=slow)])
@pytest.mark.parametrize("number", [SIGNALS[0], *(pytest.param(one, marks=slow) for one in SIGNALS[1:])])
def test_a_process_that_a_signal_ends(tmp_path, script, number):
    job = Job(tmp_path, script)
    os.kill(job.pids()[1], number)
    code, _, said = job.end()
    assert code == 128 + number and f"Process 1 of 2 was ended by {number.name}" in said
    assert not job.folders()


@pytest.mark.parametrize("script", [TRAINS, pytest.param(SLEEPS, marks=slow), pytest.param(DEAF, marks=slow),
                                    pytest.param(CHILDREN, marks=slow)])
@pytest.mark.parametrize("number", [signal.SIGKILL, *(pytest.param(one, marks=slow) for one in (
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP))])
def test_a_launcher_that_a_signal_ends(tmp_path, script, number):
    job = Job(tmp_path, script)
    job.pids()
    job.launcher.send_signal(number)
    code, _, _ = job.end()
    assert code in (-9, 128 + number)
    assert wait_for(lambda: not job.folders())


@slow
@pytest.mark.parametrize("script", [TRAINS, SLEEPS, DEAF, CHILDREN])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("whom", ["prterun", "--mca|mpiexec", "supervisor.py", "launch.rank"])
def test_what_stands_between_is_killed(tmp_path, script, number, whom):
    job = Job(tmp_path, script)
    job.pids()
    found = [process for part in whom.split("|") for process in job.running() if part in job.running()[process]]
    if not found:
        pytest.skip(f"no {whom} runs")
    os.kill(min(found), number)
    code, _, _ = job.end()
    assert code != 0
    assert not job.folders()


@slow
def test_what_both_killed_leave_the_next_job_removes(tmp_path):
    job = Job(tmp_path, SLEEPS)
    job.pids()
    supervisor = job.find("supervisor.py")[0]
    os.kill(supervisor, signal.SIGSTOP)
    job.launcher.kill()
    os.kill(supervisor, signal.SIGKILL)
    job.end()
    left = job.folders()
    assert left
    for folder in left:
        os.utime(folder, (0, 0))
    assert Job(tmp_path, BEGIN).end()[0] == 0
    assert not job.folders()


@pytest.mark.parametrize("ends", [True, pytest.param(False, marks=slow)])
def test_children_of_a_script_end_with_it(tmp_path, ends):
    job = Job(tmp_path, CHILDREN, *["end"][:ends])
    job.pids()
    if not ends:
        os.kill(job.pids()[0], signal.SIGKILL)
    assert job.end()[0] == (0 if ends else 137)


@slow
def test_a_process_that_is_deaf_is_killed_in_time(tmp_path):
    job = Job(tmp_path, DEAF)
    pids = job.pids()
    job.launcher.terminate()
    assert job.end()[0] == 143 and not any(map(is_running, pids))


@slow
def test_who_saves_when_told_to_end_has_the_time(tmp_path):
    text = f"""{CONNECTED}
def save(*_):
    time.sleep(0.5 + dist.get_rank())
    pathlib.Path(f"{{dist.get_rank()}}.saved").touch()
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
time.sleep(300)"""
    job = Job(tmp_path, text, options=["--stop_timeout", "20"])
    job.pids()
    job.launcher.terminate()
    assert job.end()[0] == 0 and len([*tmp_path.glob("*.saved")]) == 2


@slow
def test_signals_of_a_scheduler_reach_the_script(tmp_path):
    text = f"{BEGIN}signal.signal(signal.SIGUSR1, lambda *_: sys.exit(0)){WROTE}time.sleep(300)"
    job = Job(tmp_path, text)
    job.pids()
    job.launcher.send_signal(signal.SIGUSR1)
    assert job.end()[0] == 0


@pytest.mark.parametrize("text, code, said", [
    (None, 2, "train.py: the script cannot be read: No such file"),
    ("if:", 1, "SyntaxError"),
    pytest.param(f"{CONNECTED}if dist.get_rank() == 1: sys.exit(3)\ndist.barrier()", 3, "ended with exit code 3",
                 marks=slow),
    pytest.param(f"{CONNECTED}if dist.get_rank() == 1: os._exit(5)\ndist.barrier()", 5, "ended with exit code 5",
                 marks=slow),
    pytest.param(f"{CONNECTED}if dist.get_rank() == 1:\n    import ctypes; ctypes.string_at(0)\ndist.barrier()", 139,
                 "Process 1 of 2 was ended by SIGSEGV", marks=slow),
    pytest.param(f"{CONNECTED}if dist.get_rank() == 1: os.kill(os.getpid(), signal.SIGSTOP)\n"
                 f"paddle.set_flags({{'FLAGS_communication_timeout': 3.0}})\n"
                 f"dist.all_reduce(paddle.ones([2]))", 1, "all_reduce: rank 0 of the group of [0, 1] waited 3 s",
                 marks=slow)])
def test_a_script_that_fails(tmp_path, text, code, said):
    job = Job(tmp_path, text)
    found, out, err = job.end()
    assert found == code and said in err + out, out + err
    assert not job.folders()


@slow
@pytest.mark.parametrize("text", ["os.kill(os.getpid(), signal.SIGSTOP)", "time.sleep(300)"])
def test_one_that_hangs_before_it_is_connected(tmp_path, text):
    job = Job(tmp_path, f"{BEGIN}if dist.get_rank() == 1: {text}\ndist.init_parallel_env()",
              environment={"FLAGS_communication_timeout": "3"})
    code, out, err = job.end()
    assert code == 134 and "has waited 3 s for the other processes of the job to begin" in out + err
    assert 'train.py", line' in out + err


@slow
def test_a_segmentation_fault_has_a_traceback(tmp_path):
    job = Job(tmp_path, f"{CONNECTED}if dist.get_rank() == 1:\n    import ctypes; ctypes.string_at(0)\ndist.barrier()")
    assert 'train.py", line' in job.end()[2]


@slow
def test_one_that_ends_early_does_not_keep_the_others_for_ever(tmp_path):
    """It is missed within seconds, whatever the limit of waiting is; who waits for nobody goes on."""
    job = Job(tmp_path, f"{CONNECTED}if dist.get_rank() == 1: sys.exit(0)\ntime.sleep(2)\nprint('went on')\n"
              "dist.all_reduce(paddle.ones([2]))")
    code, out, err = job.end(120)
    assert code == 1 and "went on" in out and "of the group of [0, 1] waits for process 1" in out + err


@slow
def test_training_goes_on_when_nobody_reads_what_is_shown(tmp_path):
    reader, writer = os.pipe()
    job = Job(tmp_path, f"{BEGIN}for i in range(20000): print('a line of many', i)\n{WROTE}", stdout=writer)
    os.close(writer)
    os.close(reader)
    assert job.end()[0] == 0 and len(job.pids()) == 2
    assert Job(tmp_path, BEGIN, stdout=None, preexec_fn=lambda: os.close(1)).end()[0] == 0


@slow
def test_a_disk_that_takes_no_more_ends_the_job_with_a_word(tmp_path):
    limit = 20_000
    job = Job(tmp_path, f"{BEGIN}print('x' * 100_000, flush=True)\ntime.sleep(300)",
              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    code, _, said = job.end()
    assert code == 1 and "File too large" in said
    assert not job.folders()


@slow
def test_a_spawned_function_whose_caller_is_killed(tmp_path):
    text = f"""{BEGIN}
def work():
    dist.init_parallel_env()
    {WROTE.strip().replace(chr(10), chr(10) + "    ")}
    while True: dist.all_reduce(paddle.ones([1000]))
if __name__ == "__main__": dist.spawn(work, nprocs=2)
"""
    job = Job(tmp_path, text, processes=1)
    job.pids()
    job.launcher.kill()
    job.end()
    assert wait_for(lambda: not job.folders())


@slow
def test_a_hang_up_that_is_ignored_ends_nothing(tmp_path):
    job = Job(tmp_path, SLEEPS, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    job.pids()
    job.launcher.send_signal(signal.SIGHUP)
    with pytest.raises(subprocess.TimeoutExpired):
        job.launcher.wait(2)
    job.launcher.terminate()
    assert job.end()[0] == 143


@slow
@pytest.mark.parametrize("script", [DEAF, CHILDREN])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("whom", ["launcher", "worker"])
def test_servers_and_workers_leave_nothing_behind(tmp_path, script, number, whom):
    text = script.replace("{dist.get_rank()}", "{os.environ['TRAINING_ROLE']}")
    job = Job(tmp_path, text, processes=1, options=["--server_num", "1", "--worker_num", "1"])
    pids = job.pids()
    os.kill(job.launcher.pid if whom == "launcher" else pids[1], number)
    if (script, number, whom) == (DEAF, signal.SIGTERM, "worker"):  # nobody has ended yet
        job.launcher.terminate()
    assert job.end(40)[0] != 0
