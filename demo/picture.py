"""The picture that the demo leaves: loss curves, and a sheet of held-out digits with what was read."""

from __future__ import annotations

from typing import Any

import numpy as np

from .digits import Digits


def draw(path: str, curves: dict[str, list[float]], sheets: list[tuple[str, Digits, np.ndarray]]) -> None:
    """Writes a PNG: one loss curve a run, then a row of digits a sheet, wrong readings in red."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(12, 3.2 + 1.7 * len(sheets)), layout="constrained")
    rows = figure.add_gridspec(1 + len(sheets), 1, height_ratios=[3.2] + [1.7] * len(sheets))
    axis = figure.add_subplot(rows[0])
    for label, losses in curves.items():
        axis.plot(losses, alpha=0.25, color=f"C{list(curves).index(label)}")
        axis.plot(_smoothed(losses), label=label, color=f"C{list(curves).index(label)}")
    axis.set(xlabel="step", ylabel="loss", yscale="log", title="Training loss (smoothed over 15 steps)")
    axis.legend()
    for number, (title, digits, scores) in enumerate(sheets):
        _sheet(figure, rows[1 + number], title, digits, scores)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _smoothed(losses: list[float], width: int = 15) -> np.ndarray:
    padded = np.concatenate([np.full(width - 1, losses[0]), losses])
    return np.convolve(padded, np.ones(width) / width, mode="valid")


def _sheet(figure: Any, place: Any, title: str, digits: Digits, scores: np.ndarray, columns: int = 20) -> None:
    """Two rows of digits side by side as one image: some that were read right, then some that were not, in red."""
    wrong = np.flatnonzero(scores.argmax(1) != digits.labels)[:columns]
    right = np.setdiff1d(np.arange(len(digits)), wrong)[: 2 * columns - len(wrong)]
    shown = np.concatenate([right, wrong])
    axis = figure.add_subplot(place)
    axis.set_title(title, loc="left", fontsize=10, pad=14)
    axis.set_axis_off()
    height, width = 44, 32  # of a cell: the digit's 28 pixels, and room for what was read
    sheet = np.ones((2 * height, columns * width))
    for cell, index in enumerate(shown):
        top, left = cell // columns * height + 14, cell % columns * width + 2
        sheet[top:top + 28, left:left + 28] = digits.images[index, 0]
        read, label = int(scores[index].argmax()), int(digits.labels[index])
        axis.text(left + 14, top - 3, str(read) if read == label else f"{read}, not {label}", fontsize=8, ha="center",
                  color="black" if read == label else "crimson")
    axis.imshow(sheet, cmap="gray", vmin=0, vmax=1)
