"""A round of synchronous training: what each trainer has sent, and who has come to its end."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable

from .errors import WaitedTooLongError
from .values import Value


class Round:
    """The round that goes on, the `number`-th from 0 on."""

    def __init__(self, number: int = 0):
        self.number = number
        self.is_closing = False
        self.since: float | None = None
        self._values: dict[str, dict[int, Value]] = {}
        self._arrived: set[int] = set()

    def put(self, name: str, trainer: int, value: Value) -> None:
        """Keeps what a trainer sends, in place of what it sent before."""
        self._values.setdefault(name, {})[trainer] = value

    def arrive(self, trainer: int) -> None:
        """A trainer has sent all that it has to."""
        if self.since is None:
            self.since = time.monotonic()
        self._arrived.add(trainer)

    def forget(self, trainer: int) -> None:
        """Drops what a trainer has done in this round: another process begins again in its place."""
        self._arrived.discard(trainer)
        for values in self._values.values():
            values.pop(trainer, None)
        if not self._arrived:
            self.since = None

    def missing(self, expected: Iterable[int]) -> list[int]:
        """Which of these trainers are waited for."""
        return [trainer for trainer in expected if trainer not in self._arrived]

    def is_complete(self, expected: Collection[int]) -> bool:
        """Whether somebody has come, and nobody is waited for."""
        return bool(self._arrived) and not self.missing(expected)

    def waited(self) -> float:
        """For how many seconds the first that came has been waiting."""
        return 0.0 if self.since is None else time.monotonic() - self.since

    def values_of(self, name: str) -> dict[int, Value]:
        """What was sent of this name, by the trainers that came, in their order.

        Raises WaitedTooLongError where some sent it and others did not: their sum would be wrong.
        """
        values = self._values.get(name, {})
        given = {trainer: values[trainer] for trainer in sorted(values) if trainer in self._arrived}
        if given and len(given) < len(self._arrived):
            lacking = sorted(self._arrived - set(given))
            raise WaitedTooLongError(f"Round {self.number}: trainers {sorted(given)} sent {name!r}, and trainers "
                                     f"{lacking} ended the round without it. All trainers run the same Program.")
        return given

    def count_of(self, trainer: int) -> int:
        """How many values a trainer has sent."""
        return sum(trainer in values for values in self._values.values())

    def closed(self) -> Round:
        """What the round holds now, which nobody changes any more: what comes from now on is too late for it."""
        found = Round(self.number)
        found._values = {name: dict(values) for name, values in self._values.items()}
        found._arrived = set(self._arrived)
        return found
