"""`paddle.hapi.progressbar`: the bar of a Model's training, for loops of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from . import progress


class ProgressBar:
    """Shows the progress of `num` steps (None: nobody knows how many); `verbose` 1 is a bar that moves, 2 a line each.

    `width`, `file` and `name` are as in Paddle: it is written to the standard output, 30 letters wide.

    >>> import proa as paddle
    >>> bar = paddle.hapi.progressbar.ProgressBar(10, verbose=0)
    >>> bar.update(3, [["loss", 0.5]])
    """

    def __init__(self, num: int | None = None, width: int = 30, verbose: int = 1, start: bool = True,
                 file: TextIO | None = None, name: str = "step"):
        if isinstance(num, int) and num <= 0:
            raise TypeError(f"ProgressBar(num): must be None or above 0. Received {num}.")
        self._num, self._verbose = num, verbose
        self.start()

    def start(self) -> None:
        """Counts time from here on."""
        self._bar = progress.ProgressBar(self._num, self._verbose)

    def update(self, current_num: int, values: Sequence[Sequence[Any]] = ()) -> None:
        """Shows that so many steps are done, and values by name; the last one ends the line."""
        if self._verbose:
            self._bar.total = self._num
            step = int(current_num)
            last = self._num is not None and step >= self._num
            self._bar.report(step, [(name, value) for name, value in values], last)


__all__: list[str] = []
