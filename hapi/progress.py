"""ProgBarLogger: what a Model prints while it works. A line a report, or a bar that moves.

Of several processes one prints.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.html import escaped, framed
from .callback import Callback
from .together import tells

_WIDTH = 30


class ProgressBar:
    """The progress of `total` steps (None: nobody knows how many) on the standard output."""

    def __init__(self, total: int | None, verbose: int):
        self.total, self.verbose = total, verbose
        self._begin = time.perf_counter()
        self._width = 0

    def report(self, step: int, values: Sequence[tuple[str, Any]], last: bool) -> None:
        """Prints where it stands: at the end of a line of its own, or over the bar that stands there."""
        seconds = (time.perf_counter() - self._begin) / max(step, 1)
        head = f"step {step}" if self.total is None else f"step {step:>{len(str(self.total))}d}/{self.total}"
        facts = [f"{name}: {_text(value)}" for name, value in values]
        if self.verbose != 1:
            print(" - ".join([head, *facts, _rate(seconds)]))
            sys.stdout.flush()
            return
        if self.total is not None:
            head += f" [{_bar(step, self.total)}]"
            if not last and step < self.total:
                facts.append(f"ETA: {_duration(seconds * (self.total - step))}")
        line = " - ".join([head, *facts, _rate(seconds)])
        sys.stdout.write("\r" + line.ljust(self._width) + ("\n" if last else ""))
        sys.stdout.flush()
        self._width = len(line)


class NotebookBar(ProgressBar):
    """The same as a bar of a notebook's page, whose place in the output is written anew."""

    def __init__(self, total: int | None, display: Any):
        super().__init__(total, verbose=1)
        self._display, self._shown, self._written = display, None, 0.0

    def report(self, step: int, values: Sequence[tuple[str, Any]], last: bool) -> None:
        """Shows where it stands, ten times a second at most."""
        now = time.perf_counter()
        if not last and self._shown is not None and now - self._written < 0.1:
            return
        self._written, seconds = now, (now - self._begin) / max(step, 1)
        facts = [f"{name}: {_text(value)}" for name, value in values]
        if self.total is not None and not last:
            facts.append(f"ETA: {_duration(seconds * (self.total - step))}")
        head = str(step) if self.total is None else f"{step}/{self.total}"
        line = escaped(" - ".join([head, *facts, _rate(seconds)]))
        size = "" if self.total is None else f' max="{self.total}" value="{step}"'
        shown = {"text/html": framed(f"<progress{size}></progress> {line}"), "text/plain": line}
        if self._shown is None:
            self._shown = self._display(shown, raw=True, display_id=True)
        else:
            self._shown.update(shown, raw=True)


def notebook_display() -> Any:
    """IPython's `display`, where a notebook's kernel runs this; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return ipython.display.display if ipython is not None and hasattr(shell, "kernel") else None


def _bar(step: int, total: int) -> str:
    done = min(_WIDTH, int(_WIDTH * step / total)) if total else _WIDTH
    if done >= _WIDTH:
        return "=" * _WIDTH
    return ("=" * (done - 1) + ">" if done else "").ljust(_WIDTH, ".")


def _text(value: Any) -> str:
    numbers = [float(v) for v in np.asarray(value).reshape(-1)]
    return " ".join(f"{v:.4f}" if abs(v) > 1e-3 else f"{v:.4e}" for v in numbers)


def _rate(seconds: float) -> str:
    if seconds >= 1 or seconds == 0:
        return f"{seconds:.0f}s/step"
    return f"{seconds * 1e3:.0f}ms/step" if seconds >= 1e-3 else f"{seconds * 1e6:.0f}us/step"


def _duration(seconds: float) -> str:
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    return f"{whole // 60}:{whole % 60:02d}" if whole >= 60 else f"{whole}s"


class ProgBarLogger(Callback):
    """Prints losses and metrics every `log_freq` steps: `verbose` 0 nothing, 1 a bar that moves, 2 a line each time.

    >>> import proa as paddle
    >>> bar = paddle.callbacks.ProgBarLogger(log_freq=10)
    """

    def __init__(self, log_freq: int = 1, verbose: int = 2):
        super().__init__()
        self.log_freq, self.verbose = log_freq, verbose
        self._bar: ProgressBar = ProgressBar(None, 0)
        self._samples = self._steps = 0
        self._names: list[str] = []

    def _start(self, total: int | None, names: Sequence[str]) -> None:
        display = notebook_display() if self.verbose == 1 else None
        self._bar = ProgressBar(total, self.verbose) if display is None else NotebookBar(total, display)
        self._names = list(names)
        self._samples = self._steps = 0

    def _report(self, logs: dict[str, Any] | None, last: bool) -> None:
        if self.verbose and tells():
            found = logs or {}
            self._bar.report(self._steps, [(name, found[name]) for name in self._names if name in found], last)

    def _batch(self, step: int, logs: dict[str, Any] | None) -> None:
        self._steps = step + 1
        self._samples += (logs or {}).get("batch_size", 0)
        if self._steps % self.log_freq == 0 and (self._bar.total is None or self._steps < self._bar.total):
            self._report(logs, False)

    def _say(self, text: str) -> None:
        if self.verbose and tells():
            print(text)

    def on_train_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Says what the numbers will mean."""
        self._say("The loss value printed in the log is the current step, and the metric is the average value of "
                  "previous steps.")

    def on_epoch_begin(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Says which epoch begins."""
        epochs = self.params.get("epochs")
        self._say(f"Epoch {epoch + 1}/{epochs}" if epochs else f"Epoch {epoch + 1}")
        self._start(self.params.get("steps"), self.params.get("metrics") or ())

    def on_train_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Reports, when it is time."""
        self._batch(step, logs)

    def on_epoch_end(self, epoch: int, logs: dict[str, Any] | None = None) -> None:
        """Reports on the epoch's last step."""
        self._report(logs, True)

    def on_eval_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Says that an evaluation begins."""
        logs = logs or {}
        self._say("Eval begin...")
        self._start(logs.get("steps"), logs.get("metrics") or ())

    def on_eval_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Reports, when it is time."""
        self._batch(step, logs)

    def on_eval_end(self, logs: dict[str, Any] | None = None) -> None:
        """Reports on the whole."""
        self._report(logs, True)
        self._say(f"Eval samples: {self._samples}")

    def on_predict_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Says that predictions begin."""
        self._say("Predict begin...")
        self._start((logs or {}).get("steps"), ())

    def on_predict_batch_end(self, step: int, logs: dict[str, Any] | None = None) -> None:
        """Reports, when it is time."""
        self._batch(step, logs)

    def on_predict_end(self, logs: dict[str, Any] | None = None) -> None:
        """Reports on the whole."""
        self._report({}, True)
        self._say(f"Predict samples: {self._samples}")
