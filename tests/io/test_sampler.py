"""Samplers and batch samplers, some against what the oracle drew (oracle_samplers.json)."""

import itertools
import json
import pathlib

import numpy as np
import proa as paddle
import pytest
from proa import io

ORACLE = json.loads(pathlib.Path(__file__).with_name("oracle_samplers.json").read_text())


class Stream(io.IterableDataset):
    def __iter__(self):
        return iter(range(3))


def seeded(make):
    np.random.seed(3)
    return list(make())


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("random", lambda: io.RandomSampler(range(10))),
        ("replacement", lambda: io.RandomSampler(range(10), replacement=True, num_samples=7)),
        ("weighted", lambda: io.WeightedRandomSampler([0.1, 0.2, 0.5, 0.0], 9)),
        ("weighted_once", lambda: io.WeightedRandomSampler([0.1, 0.2, 0.5, 0.0], 3, replacement=False)),
    ],
)
def test_orders_under_numpys_seed_are_the_oracles(name, make):
    assert seeded(make) == ORACLE["orders"][name]
    assert len(make()) == len(ORACLE["orders"][name])


@pytest.mark.parametrize("case", ORACLE["distributed"], ids=lambda case: str(case["arguments"]))
def test_distributed_batches_are_the_oracles(case):
    size, batch_size, replicas, shuffle, drop_last = case["arguments"]
    for rank, expected in enumerate(case["ranks"]):
        sampler = io.DistributedBatchSampler(range(size), batch_size, replicas, rank, shuffle, drop_last)
        assert [list(sampler), list(sampler)] == expected["epochs"]
        assert len(sampler) == expected["len"]
        assert sampler.epoch == expected["epoch"]


def test_base_sampler_says_what_to_define():
    with pytest.raises(NotImplementedError, match=r"Sampler.__iter__\(\)"):
        list(io.Sampler([1]))


def test_sequence():
    assert list(io.SequenceSampler("abc")) == [0, 1, 2]
    assert len(io.SequenceSampler("abc")) == 3


def test_random_is_a_permutation_that_differs():
    sampler = io.RandomSampler(range(50))
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second


def test_random_from_a_generator():
    assert list(io.RandomSampler(range(10), generator=iter([4, 2]))) == [4, 2]
    sampler = io.RandomSampler(range(10), replacement=True, num_samples=2, generator=iter([1, 2, 3]))
    assert list(sampler) == [1, 2]


def test_random_of_nothing():
    assert list(io.RandomSampler([])) == list(io.RandomSampler([], replacement=True)) == []


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"replacement": "a"}, TypeError, "replacement must be True or False"),
        ({"num_samples": 3}, ValueError, "needs replacement=True"),
        ({"replacement": True, "num_samples": 0}, ValueError, "at least 1"),
    ],
)
def test_random_refuses(arguments, error, match):
    with pytest.raises(error, match=match):
        io.RandomSampler(range(5), **arguments)


def test_subset_random():
    sampler = io.SubsetRandomSampler([7, 3, 5])
    assert sorted(sampler) == [3, 5, 7]
    assert len(sampler) == 3
    with pytest.raises(ValueError, match="at least one index"):
        io.SubsetRandomSampler([])


def test_subset_random_has_the_order_of_paddle_after_the_same_seed():
    paddle.seed(1)
    assert [*io.SubsetRandomSampler([1, 3, 5])] == [5, 1, 3]
    paddle.seed(7)
    assert [*io.SubsetRandomSampler(range(6))] == [5, 2, 0, 3, 4, 1]


def test_weighted_takes_a_tensor():
    assert list(io.WeightedRandomSampler(paddle.to_tensor([0.0, 2.0]), 3)) == [1, 1, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        (([0.1, -0.1], 1), ValueError, "at least 0"),
        (([0.0, 0.0], 1), ValueError, "not all 0"),
        (([0.1, float("nan")], 1), ValueError, "finite"),
        (([[0.1], [0.2]], 1), ValueError, "one dimension"),
        (([0.1], 0), ValueError, "num_samples"),
        (([0.1], 1.5), TypeError, "num_samples"),
        (([0.1], 1, 3), TypeError, "replacement"),
        (([0.1, 0.0], 2, False), ValueError, "without replacement from 1 weights"),
    ],
)
def test_weighted_refuses(arguments, error, match):
    with pytest.raises(error, match=match):
        io.WeightedRandomSampler(*arguments)


def test_batches():
    assert list(io.BatchSampler("abcde", batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert list(io.BatchSampler("abcde", batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert [len(io.BatchSampler("abcde", batch_size=2, drop_last=drop)) for drop in (False, True)] == [3, 2]
    assert list(io.BatchSampler(sampler=io.SubsetRandomSampler([7]))) == [[7]]
    shuffled = io.BatchSampler("abcde", shuffle=True, batch_size=2)
    assert sorted(itertools.chain.from_iterable(shuffled)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({}, ValueError, "Received neither"),
        ({"dataset": "abc", "sampler": io.SequenceSampler("abc")}, ValueError, "Received both"),
        ({"dataset": Stream()}, TypeError, "IterableDataset"),
        ({"sampler": io.SequenceSampler("abc"), "shuffle": True}, ValueError, "shuffle must be False"),
        ({"sampler": 3}, TypeError, "must be a Sampler"),
        ({"dataset": "abc", "shuffle": 1}, TypeError, "shuffle"),
        ({"dataset": "abc", "batch_size": 0}, ValueError, "batch_size"),
        ({"dataset": "abc", "batch_size": 1.5}, TypeError, "batch_size"),
        ({"dataset": "abc", "drop_last": 1}, TypeError, "drop_last"),
    ],
)
def test_batches_refuse(arguments, error, match):
    with pytest.raises(error, match=match):
        io.BatchSampler(**arguments)


def test_distributed_reads_the_launchers_environment(monkeypatch):
    assert list(io.DistributedBatchSampler("abcd", 2)) == [[0, 1], [2, 3]]
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    monkeypatch.setenv("PADDLE_TRAINER_ID", "1")
    assert list(io.DistributedBatchSampler("abcd", 2)) == [[2, 3]]


def test_distributed_epoch_decides_the_order():
    sampler = io.DistributedBatchSampler(range(20), 4, num_replicas=2, rank=0, shuffle=True)
    sampler.set_epoch(7)
    first = list(sampler)
    assert sampler.epoch == 8
    sampler.set_epoch(7)
    assert list(sampler) == first


def test_distributed_of_nothing():
    assert list(io.DistributedBatchSampler([], 2, 3, 1)) == []


@pytest.mark.parametrize(
    ("arguments", "error", "match"),
    [
        ({"batch_size": 0}, ValueError, "batch_size"),
        ({"batch_size": 2, "shuffle": 2}, TypeError, "shuffle"),
        ({"batch_size": 2, "num_replicas": 0}, ValueError, "num_replicas"),
        ({"batch_size": 2, "num_replicas": 2, "rank": 2}, ValueError, "rank must be"),
        ({"batch_size": 2, "num_replicas": 2, "rank": -1}, ValueError, "rank must be"),
    ],
)
def test_distributed_refuses(arguments, error, match):
    with pytest.raises(error, match=match):
        io.DistributedBatchSampler("abcd", **arguments)
