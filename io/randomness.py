"""Where the randomness of this folder comes from: the only module here that asks for random numbers.

Samplers and the seeds of workers draw from NumPy's global state, as Paddle's do: `np.random.seed(n)` repeats an
epoch's order and what workers draw (the very order and numbers that Paddle has after the same call), `paddle.seed(n)`
does not touch them.
`random_split` and `SubsetRandomSampler` draw from the host's generator, so `paddle.seed(n)` repeats them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from ..backend.random import permutation as drawn_permutation
from ..core import random as core_random
from ..core.place import CPUPlace
from ..core.random import Generator


def permutation(count: int) -> list[int]:
    """The numbers 0 … count-1 in random order."""
    return np.random.permutation(count).tolist()


def integers(high: int, count: int) -> list[int]:
    """`count` numbers of 0 … high-1, each as likely as the others, and independent."""
    return np.random.choice(np.arange(high), count, replace=True).tolist() if count else []


def weighted(probabilities: np.ndarray, count: int, replacement: bool) -> list[int]:
    """`count` indices into `probabilities` (which sum to 1), drawn with these probabilities."""
    return np.random.choice(len(probabilities), count, replace=replacement, p=probabilities).tolist()


def epoch_permutation(items: Sequence[int], epoch: int) -> list[int]:
    """The items in an order that depends on `epoch` alone, so that every process finds the same one."""
    shuffled = list(items)
    np.random.RandomState(epoch).shuffle(shuffled)
    return shuffled


def split_permutation(count: int, generator: Generator | None) -> list[int]:
    """The numbers 0 … count-1 in the order that `generator` (by default the host's) draws."""
    chosen = generator or core_random.default_generator(CPUPlace())
    return drawn_permutation(chosen.engine, count).tolist()


def draw_base_seed() -> int:
    """What the seeds of a loader's workers are made of."""
    return int(np.random.randint(0, 2**63 - 1, dtype=np.int64))


def seed_worker(base_seed: int, worker_id: int) -> int:
    """Seeds Python's, NumPy's and proa's generators of a worker's process, each as Paddle does; gives its seed.

    Python's and proa's are given the sum, NumPy's what a SeedSequence makes of both, so that it draws other numbers.
    """
    seed = (base_seed + worker_id) % 2**63  # so that an int64 Tensor can hold it
    random.seed(seed)
    parts = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    np.random.seed(np.random.SeedSequence(parts).generate_state(4))
    core_random.seed(seed)
    return seed
