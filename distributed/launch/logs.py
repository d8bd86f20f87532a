"""Logs: what each process writes, in `workerlog.RANK`, and what the first writes on the terminal as well."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

NAME = "workerlog"
_LAST_LINES = 40
_LOOKS_S = 0.1


def prepare(folder: pathlib.Path, count: int, overwrite: bool) -> None:
    """Makes the files; those that are there go on, or with `overwrite` begin again."""
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(count):
        with open(folder / f"{NAME}.{rank}", "wb" if overwrite else "ab"):
            pass


def set_aside(folder: pathlib.Path, count: int, life: int) -> None:
    """Keeps what was written in one life of a job, in `workerlog.RANK.lifeN`; what is written from here on is apart."""
    for rank in range(count):
        log, kept = folder / f"{NAME}.{rank}", folder / f"{NAME}.{rank}.life{life}"
        if not log.exists():  # of a machine that did not take part, or that keeps its logs itself
            continue
        if kept.exists():  # of a job before this one
            with log.open("rb") as file, kept.open("ab") as end:
                shutil.copyfileobj(file, end)
            log.unlink()
        else:
            os.replace(log, kept)
        log.touch()


def last_lines(log: pathlib.Path) -> str:
    """The end of a log."""
    size = log.stat().st_size
    with log.open("rb") as file:
        file.seek(max(0, size - 1_000_000))
        return "".join(file.read().decode(errors="replace").splitlines(keepends=True)[-_LAST_LINES:])


@contextmanager
def shown(log: pathlib.Path) -> Iterator[None]:
    """Within the block what is added to a file is shown. Where nobody reads it any more, nothing is shown."""
    over = threading.Event()
    begin = log.stat().st_size

    def follow() -> None:
        with log.open("rb") as file:
            file.seek(begin)
            while True:
                is_last = over.wait(_LOOKS_S)
                data = file.read()
                if data and not _show(data):
                    return
                if is_last:
                    return

    thread = threading.Thread(target=follow, name="proa-launch-log", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _show(data: bytes) -> bool:
    """Writes to the terminal; False where it is closed, which does not end training."""
    if sys.stdout is None:
        return False
    try:
        sys.stdout.write(data.decode(errors="replace"))
        sys.stdout.flush()
    except OSError:
        sys.stdout = None  # or the interpreter fails when it writes what is left at its end
        return False
    return True
