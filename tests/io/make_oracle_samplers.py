"""Writes oracle_samplers.json: index orders, and numbers in workers, as PaddlePaddle 2.6.2 draws them.

Run with the interpreter of an environment that holds it: python tests/io/make_oracle_samplers.py
"""

import json
import pathlib
import random

import numpy as np

np.random.seed(0)  # NumPy's generators must be in use before the import below, which breaks their later loading
np.random.choice(np.arange(3), 3)

import paddle  # noqa: E402


def distributed(size, batch_size, replicas, shuffle, drop_last):
    samplers = [
        paddle.io.DistributedBatchSampler(range(size), batch_size, replicas, rank, shuffle=shuffle, drop_last=drop_last)
        for rank in range(replicas)
    ]
    return [{"epochs": [list(s), list(s)], "len": len(s), "epoch": s.epoch} for s in samplers]


def seeded(make):
    np.random.seed(3)
    return [int(index) for index in make()]


def orders():
    data = range(10)
    weights = np.array([0.1, 0.2, 0.5, 0.0])
    return {
        "random": seeded(lambda: paddle.io.RandomSampler(data)),
        "replacement": seeded(lambda: paddle.io.RandomSampler(data, replacement=True, num_samples=7)),
        "weighted": seeded(lambda: paddle.io.WeightedRandomSampler(weights, 9)),
        "weighted_once": seeded(lambda: paddle.io.WeightedRandomSampler(weights, 3, replacement=False)),
    }


class Draws(paddle.io.Dataset):
    """Each sample: its index, and what Python, NumPy and Paddle draw where it is read."""

    def __len__(self):
        return 6

    def __getitem__(self, index):
        drawn = random.randrange(10**6), np.random.randint(10**6), int(paddle.randint(0, 10**6, [1]))
        return np.array([index, paddle.io.get_worker_info().id, *drawn])


def workers(persistent):
    np.random.seed(3)
    loader = paddle.io.DataLoader(Draws(), batch_size=2, num_workers=2, shuffle=True, persistent_workers=persistent)
    return [[batch.tolist() for batch in loader] for _ in range(2)]


def main():
    cases = [(size, 2, replicas) for size, replicas in ((5, 2), (11, 3), (2, 5), (10, 1))]
    found = [
        {"arguments": [*case, shuffle, drop_last], "ranks": distributed(*case, shuffle, drop_last)}
        for case in cases for shuffle in (False, True) for drop_last in (False, True)
    ]
    path = pathlib.Path(__file__).with_name("oracle_samplers.json")
    path.write_text(json.dumps(
        {"distributed": found, "orders": orders(), "workers": [workers(False), workers(True)]}))


if __name__ == "__main__":
    main()
