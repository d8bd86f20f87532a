"""Readers made of readers: what PaddlePaddle 2.6.2 gave stands in each case."""

import random
import threading
import time

import proa as paddle
import pytest
from proa import reader


def counting(n):
    return lambda: iter(range(n))


def failing():
    yield 1
    raise KeyError("broken sample")


def test_samples_side_by_side():
    pairs = lambda: iter([(0, 10), (1, 11), (2, 12)])
    assert list(reader.compose(counting(3), pairs)()) == [(0, 0, 10), (1, 1, 11), (2, 2, 12)]
    assert list(reader.compose(counting(3), counting(2), check_alignment=False)()) == [(0, 0), (1, 1)]


@pytest.mark.parametrize("sizes", [(3, 2), (2, 3)])
def test_readers_that_are_not_equally_long_cannot_be_composed(sizes):
    composed = reader.compose(*map(counting, sizes))
    samples = composed()
    assert [next(samples), next(samples)] == [(0, 0), (1, 1)]
    with pytest.raises(reader.ComposeNotAligned, match="fewer samples"):
        next(samples)


def test_chained_mapped_and_cut():
    assert list(reader.chain(counting(2), counting(3))()) == [0, 1, 0, 1, 2]
    assert list(reader.map_readers(lambda a, b: a + b, counting(3), counting(2))()) == [0, 2]
    assert list(reader.firstn(counting(5), 2)()) == [0, 1]
    assert list(reader.firstn(counting(1), 2)()) == [0]


def test_a_cached_reader_reads_once():
    calls = []

    def source():
        calls.append(1)
        yield 1

    kept = reader.cache(source)
    assert calls == [1]
    assert list(kept()) == list(kept()) == [1]
    assert calls == [1]


def test_shuffled_as_there():
    random.seed(3)
    shuffled = reader.shuffle(counting(10), 4)
    assert list(shuffled()) == [3, 0, 2, 1, 4, 5, 7, 6, 9, 8]
    assert sorted(shuffled()) == list(range(10))


def test_a_buffered_reader_reads_ahead_in_a_thread_and_again():
    names = []

    def source():
        names.append(threading.current_thread().name)
        yield from range(5)

    buffered = reader.buffered(source, 2)
    assert list(buffered()) == list(buffered()) == [0, 1, 2, 3, 4]
    assert threading.current_thread().name not in names


def test_what_a_buffered_reader_raises_comes_behind_the_samples_before_it():
    samples = reader.buffered(failing, 10)()
    assert next(samples) == 1
    with pytest.raises(KeyError, match="broken sample") as caught:
        next(samples)
    assert any(entry.name == "failing" for entry in caught.traceback)


def test_leaving_a_buffered_reader_ends_its_thread_and_closes_the_source():
    closed = []

    def endless():
        try:
            while True:
                yield 0
        finally:
            closed.append(True)

    before = threading.active_count()
    samples = reader.buffered(endless, 3)()
    assert next(samples) == 0
    assert threading.active_count() == before + 1
    samples.close()
    assert threading.active_count() == before
    assert closed == [True]


@pytest.mark.parametrize("order", [False, True])
def test_mapped_by_threads(order):
    found = list(reader.xmap_readers(lambda x: x * x, counting(10), 3, 4, order)())
    assert (found if order else sorted(found)) == [x * x for x in range(10)]


def test_results_come_as_they_are_ready():
    slow = threading.Event()

    def work(x):
        if x == 0:
            assert slow.wait(100)
        return x

    results = reader.xmap_readers(work, counting(3), 2, 2)()
    assert next(results) == 1
    assert next(results) == 2
    slow.set()
    assert next(results) == 0


@pytest.mark.parametrize("order", [False, True])
def test_what_a_mapper_raises_is_raised_where_results_are_taken(order):
    def mapper(x):
        if x == 2:
            raise ValueError("two")
        return x

    with pytest.raises(ValueError, match="two"):
        list(reader.xmap_readers(mapper, counting(5), 2, 2, order)())


@pytest.mark.parametrize("use_pipe", [True, False])
def test_read_by_processes(use_pipe):
    made = reader.multiprocess_reader([counting(3), counting(4)], use_pipe=use_pipe)
    assert sorted(made()) == sorted(made()) == [0, 0, 1, 1, 2, 2, 3]


def test_what_a_process_raises_has_its_traceback():
    with pytest.raises(KeyError, match="broken sample") as caught:
        list(reader.multiprocess_reader([failing])())
    assert "in failing" in str(caught.value.__cause__)
    with pytest.raises(ValueError, match="None as a sample"):
        list(reader.multiprocess_reader([lambda: iter([None])])())


def test_leaving_a_reader_ends_its_processes():
    def endless():
        while True:
            yield bytes(1000)

    samples = reader.multiprocess_reader([endless])()
    next(samples)
    begin = time.monotonic()
    samples.close()
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize("wrong", [[], None, counting(2)])
def test_readers_must_be_a_list(wrong):
    with pytest.raises(TypeError, match="list or tuple"):
        reader.multiprocess_reader(wrong)


def test_batches_of_a_reader():
    assert list(paddle.batch(reader.firstn(counting(9), 5), 2)()) == [[0, 1], [2, 3], [4]]
    assert paddle.reader.decorator.shuffle is reader.shuffle
