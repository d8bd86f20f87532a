"""Whole scripts with workers: start methods, and that nothing is left behind however the parent ends."""

import os
import signal
import textwrap
import time

import pytest

pytestmark = pytest.mark.usefixtures("no_shared_files")

DATA = """
import os, signal, sys, time
import numpy as np
import proa.io as io

class Data(io.Dataset):
    def __getitem__(self, idx):
        return np.full(20_000, idx), os.getpid()
    def __len__(self):
        return 100

def init(worker_id):
    np.zeros(worker_id)

def failing(samples):
    raise KeyError("boo")
"""


def script(body):
    return DATA + "if __name__ == '__main__':\n" + textwrap.indent(textwrap.dedent(body), "    ")


def pids(line):
    return [int(word) for word in line.split()]


LOOP = """
found = []
loader = io.DataLoader(Data(), batch_size=2, num_workers=2)
for values, pid in loader:
    found += pid.tolist()
    if len(found) >= 8:
        print(*set(found), flush=True)
        {then}
"""


@pytest.mark.parametrize(
    ("then", "code", "stderr"),
    [
        ("break", 0, ""),
        ("sys.exit(3)", 3, ""),
        ("raise ValueError('mine')", 1, "ValueError: mine"),
        ("os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT, "KeyboardInterrupt"),
        ("os.killpg(0, signal.SIGINT)", -signal.SIGINT, "KeyboardInterrupt"),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
        ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL, ""),
        ("os._exit(4)", 4, ""),
    ],
)
def test_however_the_parent_ends_its_workers_end_and_nothing_is_printed(run_script, wait_gone, then, code, stderr):
    returncode, out, err = run_script(script(LOOP.format(then=then)))
    assert returncode == code, err
    assert len(pids(out)) == 2
    lines = err.strip().splitlines()
    assert (lines[-1].startswith(stderr) if stderr else not lines) and err.count("Traceback") == bool(stderr), err
    wait_gone(pids(out))


@pytest.mark.parametrize("persistent", [False, True])
def test_an_iterator_that_lives_until_exit(run_script, wait_gone, persistent):
    returncode, out, err = run_script(script(f"""
        loader = io.DataLoader(Data(), num_workers=2, persistent_workers={persistent})
        iterator = iter(loader)
        first, second = next(iterator), next(iterator)
        print(first[1].item(), second[1].item())
        """))
    assert returncode == 0 and not err, err
    wait_gone(pids(out))


def test_a_parent_killed_while_a_worker_reads(start_script, wait_gone):
    process = start_script(script("""
        class Slow(Data):
            def __getitem__(self, idx):
                print(os.getpid(), flush=True)
                time.sleep(60)
        next(iter(io.DataLoader(Slow(), num_workers=1)))
        """))
    worker = int(process.stdout.readline())
    process.kill()
    process.wait()
    wait_gone([worker])


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_start_methods(run_script, wait_gone, method):
    returncode, out, err = run_script(script(f"""
        import multiprocessing
        multiprocessing.set_start_method({method!r})
        loader = io.DataLoader(Data(), batch_size=5, num_workers=2, worker_init_fn=init, persistent_workers=True)
        batches = list(loader)
        print(*{{n for _, pid in batches for n in pid.tolist()}})
        assert [int(values.numpy()[0, 0]) for values, _ in batches] == list(range(0, 100, 5))
        assert all((values.numpy()[:, 0] == values.numpy()[:, -1]).all() for values, _ in batches)
        for batch in loader:
            break
        try:
            list(io.DataLoader(Data(), num_workers=1, collate_fn=failing))
        except KeyError as error:
            assert "failing" in str(error.__cause__)
        try:
            list(io.DataLoader(Data(), num_workers=1, collate_fn=lambda batch: batch))
        except TypeError as error:
            print(error)
        """))
    assert returncode == 0 and not err, err
    first, message = out.splitlines()
    assert f"start method '{method}'" in message and "top level of a module" in message
    wait_gone(pids(first))


def test_fork_is_the_way_without_a_choice_and_may_happen_beside_threads(run_script):
    returncode, out, err = run_script(script("""
        import multiprocessing, threading
        stop = threading.Event()
        threading.Thread(target=stop.wait).start()
        loader = io.DataLoader(Data(), num_workers=1, collate_fn=lambda samples: "local")
        print(next(iter(loader)), multiprocessing.get_start_method(allow_none=True))
        stop.set()
        """))
    assert (returncode, out, err) == (0, "local None\n", "")


def test_a_forked_copy_of_a_loader_leaves_the_workers_alone(run_script):
    returncode, out, err = run_script(script("""
        loader = io.DataLoader(Data(), batch_size=10, num_workers=1, persistent_workers=True)
        iterator = iter(loader)
        next(iterator)
        child = os.fork()
        if child == 0:
            del iterator
            pids = {pid for _, p in loader for pid in p.tolist()}
            print(len(pids), flush=True)
            os._exit(5)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        print(len(list(iterator)))
        """))
    assert returncode == 0 and not err, err
    assert out.split() == ["1", "5", "9"]


def test_ctrl_c_while_waiting_can_be_caught_and_the_loader_used_again(start_script, wait_gone):
    process = start_script(script("""
        class Slow(Data):
            def __getitem__(self, idx):
                time.sleep(100 if idx else 0)
                return os.getpid()
        loader = io.DataLoader(Slow(), batch_size=None, num_workers=1, persistent_workers=True)
        try:
            for pid in loader:
                print(pid, flush=True)
        except KeyboardInterrupt:
            print(next(iter(loader)))
        """))
    first = int(process.stdout.readline())
    time.sleep(0.1)  # by now it waits, most often; else it is interrupted a little earlier
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert int(out) != first
    wait_gone([first, int(out)])


def test_a_static_program_does_not_see_the_loaders_work(run_script):
    returncode, out, err = run_script(script("""
        from proa.ops.core.trace import Trace, set_default_trace
        set_default_trace(Trace())  # can do nothing, as far as a loader is concerned
        for num_workers in (0, 1):
            values, _ = next(iter(io.DataLoader(Data(), num_workers=num_workers)))
            print(values.shape)
        """))
    assert (returncode, out, err) == (0, "[1, 20000]\n[1, 20000]\n", "")
