"""Random generators: one for each place, seeded together, and the seeds that worker processes derive from them.

The host's gives the numbers that PaddlePaddle gives after the same seed. A generator's state can be read and put back,
so that a run can be repeated from the middle.
"""

from __future__ import annotations

import contextlib
import copy
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .forks import held_by_forks
from .mersenne_twister import Engine, words_of_seed, words_of_seed_sequence
from .place import Place, expected_place, parse_place


class Generator:
    """The random state of one place.

    `engine` is what the host's numbers are made of; `backend` draws for a CUDA device. `numpy`, NumPy's PCG64, serves
    what has no sequence to keep to: the seeds of other generators, and what Paddle draws from the system's entropy.
    """

    def __init__(self, place: Place, seed: int = 0):
        self.place = place
        self.engine = Engine(words_of_seed_sequence, seed)
        self.manual_seed(seed)

    def manual_seed(self, seed: int) -> Generator:
        """Starts the sequence that belongs to `seed` (an int; its low 64 bits count, for `engine` its low 32)."""
        self._seed = int(seed) & (2**64 - 1)
        self.engine.begin(words_of_seed_sequence, self._seed)
        self._numpy: np.random.Generator | None = None
        self.draws = 0
        return self

    @property
    def numpy(self) -> np.random.Generator:
        """NumPy's generator, started from the same seed."""
        if self._numpy is None:
            self._numpy = np.random.Generator(np.random.PCG64(self._seed))
        return self._numpy

    @property
    def locks(self) -> list[Any]:
        """What is held while numbers are drawn."""
        return [self.engine.lock, *([] if self._numpy is None else [self._numpy.bit_generator.lock])]

    def initial_seed(self) -> int:
        """The seed the sequence started from."""
        return self._seed

    def seed(self) -> int:
        """Starts the sequence of a seed that the system's entropy gives, and gives the seed."""
        return self.manual_seed(int.from_bytes(os.urandom(7), "little")).initial_seed()

    def random(self) -> int:
        """The next word of the sequence: 64 bits."""
        with self.engine.lock:
            return int(self.engine.words(1)[0])

    def next_seed(self) -> int:
        """A 63-bit seed for a generator that works elsewhere (a device's kernel, a worker process)."""
        self.draws += 1
        return int(self.numpy.integers(2**63))

    def get_state(self) -> dict[str, Any]:
        """The state, to be given to `set_state`."""
        numpy = None if self._numpy is None else copy.deepcopy(self._numpy.bit_generator.state)
        return {"seed": self._seed, "draws": self.draws, "engine": self.engine.get_state(), "numpy": numpy}

    def set_state(self, state: dict[str, Any]) -> None:
        """Puts a state from `get_state` back."""
        self._seed, self.draws, self._numpy = state["seed"], state["draws"], None
        self.engine.set_state(state["engine"])
        if state["numpy"] is not None:
            self.numpy.bit_generator.state = copy.deepcopy(state["numpy"])


_generators: dict[Place, Generator] = {}
_latest: list[tuple[Any, Any]] = [(None, None)]  # the place that was asked for last, to take no hash of it
_seed: list[int] = []
held_by_forks(lambda: [lock for generator in list(_generators.values()) for lock in generator.locks])


def _current_seed() -> int:
    """What `seed` was told, or else a number of this process's own."""
    if not _seed:
        _seed.append(int.from_bytes(os.urandom(8), "little"))
    return _seed[0]


class _Own(threading.local):
    """The generator that this thread draws from instead of the one that all share."""

    generator: Generator | None = None


_own = _Own()


@contextlib.contextmanager
def drawing_from(generator: Generator | None) -> Iterator[None]:
    """Within the block this thread draws from this generator; None leaves it the one of the place in use."""
    old, _own.generator = _own.generator, generator
    try:
        yield
    finally:
        _own.generator = old


_program_seed: list[Callable[[], int]] = [int]


def ask_for_program_seed(asked: Callable[[], int]) -> None:
    """Whoever has the default Programs says by this what `random_seed` the main one has."""
    _program_seed[0] = asked


def program_seed() -> int:
    """`random_seed` of the default main Program, 0 for none: it seeds dropouts and first values of eager code too."""
    return _program_seed[0]()


def drawing_first_values() -> contextlib.AbstractContextManager[None]:
    """Within the block this thread draws as an operator with the default main Program's seed, if it has one."""
    seed = program_seed()
    if not seed:
        return contextlib.nullcontext()
    generator = Generator(expected_place(), seed)
    generator.engine.begin(words_of_seed, seed)
    return drawing_from(generator)


def default_generator(place: Place | None = None) -> Generator:
    """The generator of `place` (by default of the place in use)."""
    if place is None and _own.generator is not None:
        return _own.generator
    place = place or expected_place()
    latest = _latest[0]
    if place is latest[0]:
        return latest[1]
    found = _generators.get(place)
    if found is None:
        found = _generators[place] = Generator(place, _current_seed())
    _latest[0] = place, found
    return found


def all_generators() -> list[Generator]:
    """The generators of all places that have drawn, or could have been asked to."""
    return list(_generators.values())


def seed(seed: int) -> Generator:
    """Seeds the generators of all places and returns that of the place in use; whatever `int` takes is a seed.

    >>> import proa as paddle
    >>> _ = paddle.seed(7); a = paddle.rand([2]).tolist()
    >>> _ = paddle.seed(7); a == paddle.rand([2]).tolist()
    True
    """
    try:
        _seed[:] = [int(seed)]
    except (TypeError, ValueError) as error:
        raise type(error)(f"seed(seed): must be an integer. Received {seed!r}.") from error
    for generator in _generators.values():
        generator.manual_seed(_seed[0])
    return default_generator()


def get_rng_state(device: str | None = None) -> list[dict[str, Any]]:
    """The state of the generator of a device, as a list of one, to be given to `set_rng_state`.

    >>> import proa as paddle
    >>> state = paddle.get_rng_state()
    >>> x = paddle.rand([2])
    >>> paddle.set_rng_state(state)
    >>> bool((paddle.rand([2]) == x).all())
    True
    """
    return [_generator_of(device).get_state()]


def set_rng_state(state_list: list[dict[str, Any]], device: str | None = None) -> None:
    """Puts states from `get_rng_state` back.

    >>> import proa as paddle
    >>> state = paddle.get_rng_state()
    >>> x = paddle.rand([2])
    >>> paddle.set_rng_state(state)
    >>> bool((paddle.rand([2]) == x).all())
    True
    """
    for state in state_list:
        _generator_of(device).set_state(state)


def _generator_of(device: str | None) -> Generator:
    return default_generator(None if device is None else parse_place(device))
