"""NCCL's engine on the stand-in: three ranks, threads of this process, whose streams work by themselves."""

import concurrent.futures
import gc
import time
import weakref

import numpy as np
import pytest
from cupy_stand_in import namespace
from cupy_stand_in.cuda import Nccl, Threads, cupy_with, get_current_stream
from proa.backend.comm import watch
from proa.backend.comm.communicator import AVG, MAX, MIN, PROD, SUM, CommunicationError, CommunicationTimeoutError
from proa.backend.comm.nccl import NCCLCommunicator
from proa.backend.numpy_1 import IS_OLD
from proa.core import flags

pytestmark = pytest.mark.skipif(IS_OLD, reason="CuPy 14 follows NumPy 2")
SIZE = 3


class Host:
    """What connects the ranks on the host."""

    def __init__(self, threads, rank):
        self.rank, self.ranks, self._all = rank, tuple(range(SIZE)), threads

    def do(self, what):
        return what()

    def all_gather_bytes(self, data):
        self._all.parts[self.rank] = data
        self._all.barrier.wait()
        found = list(self._all.parts)
        self._all.barrier.wait()
        return found

    def barrier(self):
        self._all.barrier.wait()


class Ranks:
    """Communicators of all ranks, and what ends with an error that nobody waits for."""

    def __init__(self):
        self.nccl = Nccl(Threads(SIZE).connect)
        self.ended, hosts = [], Threads(SIZE)
        cupy = cupy_with(self.nccl, namespace)
        self.pool = concurrent.futures.ThreadPoolExecutor(SIZE)
        self.all = self.each(lambda rank: NCCLCommunicator(cupy, self.nccl, Host(hosts, rank), 0, self.ended.append))

    def each(self, do):
        """What `do(rank)` gives for every rank, all at once."""
        return [one.result(100) for one in [self.pool.submit(do, rank) for rank in range(SIZE)]]

    def do(self, do):
        """What `do(communicator)` gives for every rank."""
        return self.each(lambda rank: do(self.all[rank]))


@pytest.fixture
def ranks():
    made = Ranks()
    yield made
    made.pool.shutdown()


def on_device(array):
    return namespace.asarray(array)


def rows(dtype="float32", shape=(2, 3)):
    drawn = np.random.default_rng(1).integers(-4, 5, (SIZE, *shape))
    return np.abs(drawn).astype(dtype) if np.dtype(dtype).kind in "bu" else drawn.astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "bool",
                                   "complex64", "complex128"])
def test_sums_and_means(ranks, dtype):
    values = rows(dtype)
    for operation, of in ((SUM, np.sum), (AVG, np.mean)):
        found = ranks.do(lambda c, op=operation: c.all_reduce(on_device(values[c.rank]), op).get())
        expected = of(values, 0)
        expected = (np.trunc(expected) if np.dtype(dtype).kind in "iub" else expected).astype(dtype)
        for one in found:
            assert one.dtype == dtype
            np.testing.assert_allclose(one, expected, rtol=1e-3)


@pytest.mark.parametrize(("operation", "of"), [(MAX, np.max), (MIN, np.min), (PROD, np.prod)])
@pytest.mark.parametrize("dtype", ["float32", "int16", "int64"])
def test_other_reductions(ranks, operation, of, dtype):
    values = rows(dtype)
    for one in ranks.do(lambda c: c.all_reduce(on_device(values[c.rank]), operation).get()):
        np.testing.assert_array_equal(one, of(values, 0).astype(dtype))


def test_what_nccl_does_not_compute_is_said(ranks):
    with pytest.raises(TypeError, match="NCCL adds up complex numbers and nothing else"):
        ranks.all[0].all_reduce(on_device(rows("complex64")[0]), MAX)
    assert ranks.do(lambda c: c.all_gather(on_device(rows("complex64")[c.rank])).shape) == [(3, 2, 3)] * 3


def test_in_place_and_into_another_dtype(ranks):
    values = rows()
    arrays = [on_device(row) for row in values]
    given = ranks.do(lambda c: c.all_reduce(arrays[c.rank], SUM, arrays[c.rank]))
    assert all(one is array and np.array_equal(one.get(), values.sum(0)) for one, array in zip(given, arrays))
    wide = [namespace.zeros((2, 3), "float64") for _ in arrays]
    given = ranks.do(lambda c: c.all_reduce(on_device(values[c.rank]), SUM, wide[c.rank]))
    assert all(one is array and np.array_equal(one.get(), values.sum(0)) for one, array in zip(given, wide))


def test_to_one_and_from_one(ranks):
    values = rows()
    found = ranks.do(lambda c: c.reduce(on_device(values[c.rank]), SUM, 1).get())
    for rank, one in enumerate(found):
        np.testing.assert_array_equal(one, values.sum(0) if rank == 1 else values[rank])
    for one in ranks.do(lambda c: c.broadcast(on_device(values[c.rank]), 2).get()):
        np.testing.assert_array_equal(one, values[2])
    assert [one.shape for one in ranks.do(lambda c: c.broadcast(on_device(np.array(1.0)), 0))] == [()] * 3
    found = ranks.do(lambda c: c.gather(on_device(values[c.rank]), 2))
    assert found[:2] == [None, None] and np.array_equal(found[2].get(), values)
    found = ranks.do(lambda c: c.scatter(on_device(values) if c.rank == 1 else None, on_device(values[0]), 1).get())
    np.testing.assert_array_equal(found, values)


def test_between_all(ranks):
    values = rows(shape=(3, 2))
    for one in ranks.do(lambda c: c.all_gather(on_device(values[c.rank]).T).get()):  # not contiguous
        np.testing.assert_array_equal(one, values.transpose(0, 2, 1))
    found = ranks.do(lambda c: c.reduce_scatter(on_device(values[c.rank]), SUM).get())
    np.testing.assert_array_equal(found, values.sum(0))
    found = ranks.do(lambda c: c.all_to_all(on_device(values[c.rank])).get())
    np.testing.assert_array_equal(found, values.transpose(1, 0, 2))
    found = ranks.do(lambda c: c.all_gather_rows(on_device(values[c.rank][:c.rank + 1]), [1, 2, 3]).get())
    np.testing.assert_array_equal(found[1], np.concatenate([values[rank][:rank + 1] for rank in range(SIZE)]))
    counts = np.array([[0, 1, 2], [1, 1, 1], [3, 0, 0]])
    found = ranks.do(lambda c: c.all_to_all_rows(on_device(values[c.rank]), counts[c.rank], counts[:, c.rank]).get())
    ends = np.cumsum(np.pad(counts, ((0, 0), (1, 0))), 1)
    for rank, one in enumerate(found):
        np.testing.assert_array_equal(one, np.concatenate(
            [values[source, ends[source, rank]:ends[source, rank + 1]] for source in range(SIZE)]))


def test_messages(ranks):
    values = rows()
    found = ranks.do(lambda c: [c.send(on_device(values[0]), 2), None][1] if c.rank == 0 else
                     c.receive(on_device(values[1]), 0).get() if c.rank == 2 else None)
    np.testing.assert_array_equal(found[2], values[0])

    def in_a_ring(c):
        begun = c.begin_messages([(on_device(values[c.rank]), (c.rank + 1) % SIZE)],
                                 [(on_device(values[0]), (c.rank - 1) % SIZE)])
        return [one.wait() for one in begun][1].get()

    np.testing.assert_array_equal(ranks.do(in_a_ring), np.roll(values, 1, 0))


def test_computing_goes_on_until_a_result_is_taken(ranks):
    values = rows()

    def begun(c):
        before = get_current_stream().waits
        one = c.begin(lambda: c.all_reduce(on_device(values[c.rank]), AVG) + 1)  # it computes on the other stream, too
        assert get_current_stream().waits == before
        result = one.wait().get()
        assert get_current_stream().waits == before + 1
        return result

    np.testing.assert_allclose(ranks.do(begun), [values.mean(0) + 1] * 3, rtol=1e-6)


def test_what_the_device_reads_stays_in_memory(ranks, monkeypatch):
    queued = []
    monkeypatch.setattr(watch.watch, "add", queued.append)

    def gathered():
        array = on_device(rows()[0])
        ranks.do(lambda c: c.begin(lambda: c.all_gather(array)) if c.rank else c.all_gather(array))
        return weakref.ref(array)

    kept = gathered()
    gc.collect()
    assert kept() is not None
    until(lambda: all(one.is_over() for one in queued))
    queued.clear()
    gc.collect()
    assert kept() is None


def test_the_watch_lets_go_of_what_is_over(ranks):
    ranks.do(lambda c: c.all_gather(on_device(rows()[0])))
    until(watch.watch.is_idle)


def until(holds):
    for _ in range(2000):
        if holds():
            return
        time.sleep(0.005)
    raise AssertionError("never")


def test_who_does_not_come_is_said(ranks, monkeypatch):
    monkeypatch.setitem(flags.values, "FLAGS_communication_timeout", 0.1)
    array = on_device(rows()[0])
    waiting = ranks.pool.submit(lambda: ranks.all[0].all_reduce(array, SUM))
    until(lambda: ranks.ended)
    waiting.result(100)  # a device goes on, with what nobody should read
    assert isinstance(ranks.ended[0], CommunicationTimeoutError)
    assert "all_reduce: rank 0 of the group of [0, 1, 2] waited 0.1 s" in str(ranks.ended[0])
    for again in (lambda: ranks.all[0].all_reduce(array, SUM), lambda: ranks.all[0].begin(lambda: None)):
        with pytest.raises(CommunicationTimeoutError):
            again()


def test_what_nccl_says_is_passed_on(ranks):
    ranks.all[2]._comm.wrong = "NCCL_ERROR_REMOTE_ERROR"
    ranks.pool.submit(lambda: ranks.all[2].all_reduce(on_device(rows()[0]), SUM))
    until(lambda: ranks.ended)
    assert isinstance(ranks.ended[0], CommunicationError) and "NCCL_ERROR_REMOTE_ERROR" in str(ranks.ended[0])


def test_without_the_library_it_is_said():
    nccl = Nccl(Threads(1).connect)
    nccl.available = False
    with pytest.raises(RuntimeError, match="pip install nvidia-nccl-cu12"):
        NCCLCommunicator(cupy_with(nccl, namespace), nccl, Host(Threads(1), 0), 0, print)


def test_a_barrier_waits_for_the_device(ranks):
    ranks.do(lambda c: c.begin(lambda: c.all_reduce(on_device(rows()[0]), SUM)))
    assert ranks.do(lambda c: c.barrier()) == [None] * 3
    assert ranks.do(lambda c: c.all_gather_bytes(bytes(c.rank))) == [[b"", b"\0", b"\0\0"]] * 3
