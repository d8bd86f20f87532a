"""`flow.manual_seed`, `flow.Generator` and what else says which random numbers come."""

from __future__ import annotations

from typing import Any

from ..core import random
from ..core.place import expected_place
from .devices import place_of


class Generator(random.Generator):
    """A source of random numbers of its own, which functions such as `flow.randn` take.

    >>> import proa.oneflow as flow
    >>> a, b = flow.Generator().manual_seed(3), flow.Generator().manual_seed(3)
    >>> bool((flow.randn(2, generator=a) == flow.randn(2, generator=b)).all())
    True
    """

    def __init__(self, device: Any = "cpu"):
        super().__init__(place_of(device))  # type: ignore[arg-type]
        self.seed()


def manual_seed(seed: int) -> random.Generator:
    """Seeds every device's generator, and gives the default one. The numbers are proa's, and not OneFlow's."""
    return random.seed(seed)


def seed() -> int:
    """Seeds every device's generator from the system's entropy, and gives the seed."""
    return random.seed(random.Generator(expected_place()).seed()).initial_seed()


def initial_seed() -> int:
    """What the default generator was seeded with."""
    return random.default_generator().initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator, for `set_rng_state`."""
    return random.default_generator().get_state()


def set_rng_state(state: Any) -> None:
    """Puts a state of the default generator back."""
    random.default_generator().set_state(state)
