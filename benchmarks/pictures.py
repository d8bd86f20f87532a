"""Pictures of the tables, as SVG with text left as text, so that they stay small. Needs matplotlib."""

import importlib
import os

COLOURS = {"proa": "#0b6e4f", "Paddle": "#3355cc", "PyTorch": "#dd5522"}
STYLES = {"eager": "-", "to_static": "--", "compile": "--", "frozen": ":", "fused": ":"}


def pyplot():
    """matplotlib's interface, set up; SystemExit without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        raise SystemExit("Pictures need matplotlib in the Python that runs this: pip install matplotlib") from None
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "proa", "font.size": 9})
    return importlib.import_module("matplotlib.pyplot")


def _save(figure, folder, name):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    pyplot().close(figure)
    return path


def bars(folder, name, rows, series):
    """Horizontal bars of ratios: rows of (title, a ratio or None for each of the series)."""
    figure, axes = pyplot().subplots(figsize=(7, 0.5 * len(rows) + 1))
    height = 0.8 / len(series)
    for number, title in enumerate(series):
        known = [(place + (number - (len(series) - 1) / 2) * height, ratios[number])
                 for place, (_, ratios) in enumerate(rows) if ratios[number] is not None]
        if known:
            axes.barh(*zip(*known), height=height, label=f"proa {title}", color=("#0b6e4f", "#7fc8a9")[number % 2])
    axes.axvline(1, color="black", linewidth=1)
    axes.set_yticks(range(len(rows)), [title.replace("`", "") for title, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlabel("time of a step, proa ÷ the fastest of PaddlePaddle and PyTorch; below 1 is faster")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False)
    return _save(figure, folder, name), "Ratios of proa's step times to the fastest peer's"


def lines(folder, name, rows):
    """For each of the rows (title, what grows, {side: [(point, ms, MB)]}) time and memory on logarithmic axes."""
    figure, grid = pyplot().subplots(len(rows), 2, figsize=(9, 2.8 * len(rows)), squeeze=False)
    for (title, what, sides), pair in zip(rows, grid):
        for label, points in sides.items():
            framework, mode = label.split()
            look = {"color": COLOURS[framework], "linestyle": STYLES[mode], "marker": ".", "label": label}
            for axes, column in zip(pair, (1, 2)):
                axes.plot([point[0] for point in points], [point[column] for point in points], **look)
        for axes, unit in zip(pair, ("ms a step", "MB beyond the import")):
            axes.set(xscale="log", yscale="log", xlabel=what, ylabel=unit, title=title)
            axes.title.set_fontsize(9)
            axes.minorticks_off()
    grid[0][0].legend(fontsize=8)
    figure.tight_layout()
    return _save(figure, folder, name), "Time and memory of a step against batch, depth and length"
