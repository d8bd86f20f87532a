"""Random states by name: so that dropout is the same, or is not, in processes that share a layer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .....core.random import get_rng_state, seed, set_rng_state
from .....nn import functional as F

__all__ = ["RNGStatesTracker", "dropout", "get_rng_state_tracker", "model_parallel_random_seed"]

MODEL_PARALLEL_RNG = "model_parallel_rng"


class RNGStatesTracker:
    """Random states by name, each with a seed of its own.

    >>> import proa as paddle
    >>> from proa.distributed.fleet.meta_parallel import RNGStatesTracker
    >>> tracker = RNGStatesTracker()
    >>> tracker.add("local", 7)
    >>> with tracker.rng_state("local"):
    ...     drawn = paddle.rand([2])
    >>> _ = paddle.seed(7); paddle.rand([2]).tolist() == drawn.tolist()
    True
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forgets all states."""
        self.states_: dict[str, Any] = {}
        self.seeds_: set[int] = set()

    def add(self, name: str, seed: int) -> None:
        """Begins a state from a seed. Raises ValueError where the name or the seed is taken."""
        if seed in self.seeds_:
            raise ValueError(f"add(seed): must be another one for each state. Received {seed}, which is taken.")
        if name in self.states_:
            raise ValueError(f"add(name): must be another one for each state. Received {name!r}, which is taken.")
        before = get_rng_state()
        self.seeds_.add(seed)
        self.states_[name] = _state_of(seed)
        set_rng_state(before)

    def get_states_tracker(self) -> dict[str, Any]:
        """All states by their names."""
        return dict(self.states_)

    def set_states_tracker(self, states: dict[str, Any]) -> None:
        """Puts states from `get_states_tracker` back."""
        self.states_ = states

    @contextmanager
    def rng_state(self, name: str = MODEL_PARALLEL_RNG) -> Iterator[None]:
        """Random numbers within the block are those of a state; ValueError for a name that was not added."""
        if name not in self.states_:
            raise ValueError(f"rng_state(name): must be one of {sorted(self.states_)}. Received {name!r}. "
                             f"Call add({name!r}, seed) first.")
        before = get_rng_state()
        set_rng_state(self.states_[name])
        try:
            yield
        finally:
            self.states_[name] = get_rng_state()
            set_rng_state(before)


_TRACKER = RNGStatesTracker()


def get_rng_state_tracker() -> RNGStatesTracker:
    """The tracker of this process."""
    return _TRACKER


def model_parallel_random_seed(seed: int | None = None) -> None:
    """Seeds the random numbers of this process, and those of its part of divided layers with another seed.

    >>> from proa.distributed.fleet.meta_parallel import get_rng_state_tracker, model_parallel_random_seed
    >>> model_parallel_random_seed(3)
    >>> sorted(get_rng_state_tracker().get_states_tracker())
    ['model_parallel_rng']
    """
    chosen = seed or int(np.random.randint(0, 10000))
    _TRACKER.reset()
    _TRACKER.add(MODEL_PARALLEL_RNG, chosen + 1)
    _state_of(chosen)


def dropout(x: Any, p: float = 0.5, axis: Any = None, rng_name: str | None = None, training: bool = True,
            mode: str = "upscale_in_train", name: str | None = None) -> Any:
    """`paddle.nn.functional.dropout`, with the random state that has `rng_name`."""
    if rng_name is None:
        return F.dropout(x, p, axis, training, mode)
    with _TRACKER.rng_state(rng_name):
        return F.dropout(x, p, axis, training, mode)


def _state_of(number: int) -> Any:
    """Seeds all generators, and returns their states."""
    seed(number)
    return get_rng_state()
