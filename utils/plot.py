"""`paddle.utils.plot`: curves that grow while a program trains, as Paddle 1.x's book draws them."""

from __future__ import annotations

import os
from typing import Any

from ..core.lazy import listed

__all__ = ["PlotData", "Ploter"]
__dir__ = listed(__name__)


class PlotData:
    """One curve: steps and values, in the order they came."""

    def __init__(self) -> None:
        self.step: list[float] = []
        self.value: list[float] = []

    def append(self, step: float, value: float) -> None:
        """Adds a point."""
        self.step.append(step)
        self.value.append(value)

    def reset(self) -> None:
        """Forgets all points."""
        self.step, self.value = [], []


class Ploter:
    """Curves by their titles, drawn by matplotlib into a file, or into the notebook that runs this.

    With the environment variable DISABLE_PLOT=True nothing is drawn, and matplotlib is not needed; otherwise
    ImportError where it is not installed.

    >>> import os
    >>> os.environ["DISABLE_PLOT"] = "True"
    >>> from proa.utils.plot import Ploter
    >>> curves = Ploter("training", "test")
    >>> curves.append("training", 0, 0.5)
    >>> curves.plot()
    >>> del os.environ["DISABLE_PLOT"]
    """

    def __init__(self, *args: str):
        self._data = {title: PlotData() for title in args}
        self._disabled = os.environ.get("DISABLE_PLOT") == "True"
        if not self._disabled:
            import matplotlib.pyplot  # noqa: F401

    def append(self, title: str, step: float, value: float) -> None:
        """Adds a point to the curve of this title; ValueError for a title that was not given at first."""
        if title not in self._data:
            raise ValueError(f"Ploter.append(title): must be one of {list(self._data)}. Received {title!r}.")
        self._data[title].append(step, value)

    def plot(self, path: str | None = None) -> None:
        """Draws the curves that have points to a file, or without a path to the notebook, in place of what it shows."""
        if self._disabled:
            return
        import matplotlib.pyplot as plt

        drawn = {title: data for title, data in self._data.items() if data.step}
        for data in drawn.values():
            plt.plot(data.step, data.value)
        plt.legend(list(drawn), loc="upper left")
        if path is None:
            from IPython import display

            shown: Any = display
            shown.clear_output(wait=True)
            shown.display(plt.gcf())
        else:
            plt.savefig(path)
        plt.gcf().clear()

    def reset(self) -> None:
        """Forgets the points of all curves."""
        for data in self._data.values():
            data.reset()
