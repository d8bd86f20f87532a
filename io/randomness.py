"""Where the randomness of this folder comes from: the only module here that asks for random numbers.

Samplers and the seeds of workers draw from NumPy's global state, as Paddle's do: `np.random.seed(n)` repeats an
epoch's order (the very order that Paddle has after the same call), `paddle.seed(n)` does not touch it.
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
    """The seed of one epoch, from which each worker's is derived."""
    return int(np.random.randint(0, 2**63 - 1, dtype=np.int64))


def worker_seed(base_seed: int, worker_id: int) -> int:
    """A seed that an int64 Tensor can hold, and that differs between the workers of an epoch, and between epochs."""
    return int(np.random.SeedSequence([base_seed, worker_id]).generate_state(1, np.uint64)[0] >> 1)


def seed_process(seed: int) -> None:
    """Seeds Python's, NumPy's and proa's generators of this process."""
    random.seed(seed)
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32, 1])  # without the 1 it would draw the same numbers as Python's
    core_random.seed(seed)
