"""Worker processes: what they know, how they are seeded and kept, how they fail, and that they end."""

import json
import os
import pickle
import random
import signal
import time
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from proa import io

pytestmark = pytest.mark.usefixtures("nothing_left")


class Calls(io.Dataset):
    """Sample i is `call(i)`."""

    def __init__(self, count, call):
        self.count, self.call = count, call

    def __getitem__(self, idx):
        return self.call(idx)

    def __len__(self):
        return self.count


def pid_of(_):
    return os.getpid()


def raiser(error, at=2):
    def call(idx):
        if idx == at:
            raise error
        return idx

    return call


class OddError(Exception):
    """Does not come back from pickle: its initializer wants two arguments."""

    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


# What a worker knows


def test_workers_are_other_processes_that_share_the_work():
    loader = io.DataLoader(Calls(6, lambda i: (os.getpid(), io.get_worker_info().id)), batch_size=None, num_workers=2)
    found = list(loader)
    assert len({pid for pid, _ in found}) == 2 and os.getpid() not in {pid for pid, _ in found}
    assert [number for _, number in found] == [0, 1, 0, 1, 0, 1]


def test_worker_info():
    def ask(idx):
        info = io.get_worker_info()
        return info.id, info.num_workers, info.seed, info.dataset.count, str(info)[:11]

    found = list(io.DataLoader(Calls(2, ask), batch_size=None, num_workers=2))
    assert [f[:2] + f[3:] for f in found] == [[0, 2, 2, "WorkerInfo("], [1, 2, 2, "WorkerInfo("]]
    assert found[0][2] != found[1][2]


def test_worker_init_fn_is_called_once_in_each_worker():
    seen = []
    loader = io.DataLoader(Calls(6, lambda i: list(seen)), batch_size=None, num_workers=2, worker_init_fn=seen.append)
    assert list(loader) == [[0], [1]] * 3
    assert seen == []


def test_seeds_differ_by_worker_and_epoch_and_repeat():
    def draw(_):
        return random.random(), float(np.random.rand())

    def epoch(loader):
        return [tuple(pair) for pair in loader]

    for persistent in (False, True):
        epochs = []
        for _ in range(2):
            loader = io.DataLoader(Calls(4, draw), batch_size=None, num_workers=2, persistent_workers=persistent)
            np.random.seed(3)
            epochs.append(epoch(loader) + epoch(loader))
            del loader
        assert len({number for pair in epochs[0] for number in pair}) == 16 and epochs[0] == epochs[1]


@pytest.mark.parametrize("persistent", [False, True])
def test_what_workers_draw_is_what_paddles_draw(persistent):
    class Draws(io.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, index):
            drawn = random.randrange(10**6), np.random.randint(10**6), int(paddle.randint(0, 10**6, [1]))
            return np.array([index, io.get_worker_info().id, *drawn])

    np.random.seed(3)
    loader = io.DataLoader(Draws(), batch_size=2, num_workers=2, shuffle=True, persistent_workers=persistent)
    found = [[batch.tolist() for batch in loader] for _ in range(2)]
    assert found == json.loads(Path(__file__).with_name("oracle_samplers.json").read_text())["workers"][persistent]


def test_the_seed_that_a_worker_knows_can_be_collated_and_handed_on():
    """It is below 2**63: an int64 Tensor holds it."""
    loader = io.DataLoader(Calls(8, lambda _: io.get_worker_info().seed), num_workers=2)
    for _ in range(4):
        assert all(0 <= int(seed) < 2**63 for seed in loader)


# Keeping workers


def test_persistent_workers_are_kept_and_others_are_not():
    def pids(loader):
        return set(loader)

    kept = io.DataLoader(Calls(4, pid_of), batch_size=None, num_workers=2, persistent_workers=True)
    assert pids(kept) == pids(kept)
    renewed = io.DataLoader(Calls(4, pid_of), batch_size=None, num_workers=2)
    assert not pids(renewed) & pids(renewed)


def test_persistent_workers_after_an_early_break_begin_anew(wait_gone):
    loader = io.DataLoader(Calls(50, lambda i: (i, os.getpid())), batch_size=None, num_workers=2,
                           persistent_workers=True)
    for number, _ in loader:
        if number == 3:
            break
    first = list(loader)
    assert [number for number, _ in first] == list(range(50))
    assert {pid for _, pid in loader} == {pid for _, pid in first}
    del loader
    wait_gone({pid for _, pid in first})


def test_persistent_streams_start_again():
    class Stream(io.IterableDataset):
        def __iter__(self):
            return iter(range(3))

    loader = io.DataLoader(Stream(), batch_size=None, num_workers=1, persistent_workers=True)
    assert list(loader) == list(loader) == [0, 1, 2]


def test_persistent_workers_are_started_again_after_an_error():
    flag = []
    loader = io.DataLoader(Calls(4, lambda i: 1 // len(flag)), batch_size=None, num_workers=1, persistent_workers=True)
    with pytest.raises(ZeroDivisionError):
        list(loader)
    flag.append(1)
    assert list(loader) == [1] * 4


# Reading ahead


def test_prefetch_factor_bounds_what_is_read_ahead():
    class Ahead(io.Sampler):
        asked = 0

        def __iter__(self):
            for idx in range(20):
                self.asked += 1
                yield [idx]

        def __len__(self):
            return 20

    sampler = Ahead()
    iterator = iter(io.DataLoader(Calls(20, int), batch_sampler=sampler, num_workers=2, prefetch_factor=3))
    assert sampler.asked == 6
    next(iterator)
    assert sampler.asked == 7
    del iterator


def test_huge_batches_of_indices_and_no_shared_memory_do_not_lock_up():
    count = 200_000
    loader = io.DataLoader(Calls(2 * count, lambda i: i), batch_size=count, num_workers=1, use_shared_memory=False,
                           prefetch_factor=2)
    assert [int(batch.numpy()[-1]) for batch in loader] == [count - 1, 2 * count - 1]


# Failing


@pytest.mark.parametrize("error", [KeyError("boo"), ValueError("bad", 3), UnicodeDecodeError("utf8", b"x", 0, 1, "no")])
def test_an_error_keeps_its_type_and_arguments_and_shows_the_workers_traceback(error):
    loader = io.DataLoader(Calls(4, raiser(error)), batch_size=None, num_workers=2)
    received = []
    with pytest.raises(type(error)) as caught:
        received.extend(loader)
    assert caught.value.args == error.args
    assert "DataLoader worker 0" in str(caught.value.__cause__)
    assert "in call" in str(caught.value.__cause__) and "Traceback" in str(caught.value.__cause__)
    iterator = iter(loader)
    assert [next(iterator), next(iterator)] == [0, 1]  # what came before the error is given
    with pytest.raises(type(error)):
        next(iterator)
    assert list(iterator) == []
    del iterator


def test_an_error_that_does_not_pickle_becomes_a_runtime_error():
    with pytest.raises(RuntimeError, match="worker 0 raised OddError: 1 and 2") as caught:
        list(io.DataLoader(Calls(4, raiser(OddError(1, 2))), batch_size=None, num_workers=2))
    assert "OddError: 1 and 2" in str(caught.value.__cause__)


@pytest.mark.parametrize("num_workers", [0, 1])
def test_a_stray_stop_iteration_does_not_end_the_loop_in_silence(num_workers):
    with pytest.raises(RuntimeError, match="StopIteration"):
        list(io.DataLoader(Calls(4, raiser(StopIteration())), batch_size=None, num_workers=num_workers))


def test_errors_of_init_collate_stream_and_sampler():
    class Broken(io.IterableDataset):
        def __iter__(self):
            raise LookupError("stream")

    class BrokenSampler(io.Sampler):
        def __iter__(self):
            yield [0]
            raise ArithmeticError("sampler")

    def fail(argument):
        raise ArithmeticError(f"{argument}")

    with pytest.raises(ArithmeticError, match=r"^0$"):
        list(io.DataLoader(Calls(4, int), num_workers=1, worker_init_fn=fail))
    with pytest.raises(ArithmeticError, match=r"^\[0\]$"):
        list(io.DataLoader(Calls(4, int), num_workers=1, collate_fn=fail))
    with pytest.raises(LookupError, match="stream"):
        list(io.DataLoader(Broken(), num_workers=1))
    with pytest.raises(ArithmeticError, match="sampler"):
        list(io.DataLoader(Calls(4, int), num_workers=1, batch_sampler=BrokenSampler()))


def test_a_batch_that_does_not_pickle_is_an_error():
    with pytest.raises((AttributeError, TypeError, RuntimeError, pickle.PicklingError)) as caught:
        list(io.DataLoader(Calls(2, lambda i: lambda: i), batch_size=None, num_workers=1))
    assert "pickle" in str(caught.value)


@pytest.mark.parametrize(
    ("die", "match"),
    [
        (lambda: os.kill(os.getpid(), signal.SIGKILL), r"worker 1 .* exit code -9 \(killed by SIGKILL\)"),
        (lambda: os._exit(7), "worker 1 .* exit code 7"),
    ],
)
def test_a_worker_that_dies_is_an_error(die, match):
    def call(idx):
        return die() if idx == 3 else np.full(5000, idx)

    iterator = iter(io.DataLoader(Calls(8, call), batch_size=None, num_workers=2))
    assert [int(next(iterator).numpy()[0]) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(RuntimeError, match=match):
        next(iterator)
    del iterator


def test_a_worker_killed_from_outside_is_an_error():
    iterator = iter(io.DataLoader(Calls(50, pid_of), batch_size=None, num_workers=2))
    os.kill(next(iterator), signal.SIGKILL)
    with pytest.raises(RuntimeError, match="killed by SIGKILL"):
        list(iterator)
    del iterator


def test_timeout():
    with pytest.raises(TimeoutError, match=r"no batch within timeout=0\.2 seconds"):
        list(io.DataLoader(Calls(2, lambda i: time.sleep(0.7) or i), num_workers=1, timeout=0.2))
    assert len(list(io.DataLoader(Calls(4, int), num_workers=1, timeout=100))) == 4


# Ending


def test_a_loop_that_breaks_ends_the_workers_at_once(wait_gone):
    for pid in io.DataLoader(Calls(1000, pid_of), batch_size=None, num_workers=1):
        break
    wait_gone([pid], seconds=0)


def test_a_loop_that_raises_ends_the_workers(wait_gone):
    pids = []
    with pytest.raises(ValueError, match="mine"):
        for pid in io.DataLoader(Calls(1000, pid_of), batch_size=None, num_workers=1):
            pids.append(pid)
            raise ValueError("mine")
    wait_gone(pids, seconds=0)


def test_a_worker_with_a_full_pipe_ends_too(wait_gone):
    data = Calls(100, lambda i: (os.getpid(), np.zeros(1_000_000)))
    start = time.monotonic()
    for pid, _ in io.DataLoader(data, batch_size=None, num_workers=2, use_shared_memory=False):
        break
    wait_gone([pid], seconds=0)
    assert time.monotonic() - start < 40


def test_a_stopped_worker_does_not_read_what_was_asked_ahead():
    start = time.monotonic()
    for _ in io.DataLoader(Calls(100, lambda i: time.sleep(0.1)), batch_size=None, num_workers=1, prefetch_factor=900):
        break
    assert time.monotonic() - start < 40
