"""An exception on its way from a worker to its parent, where it is raised again with the worker's traceback."""

from __future__ import annotations

import pickle
import traceback
from typing import Any


class WorkerTraceback(Exception):
    """The cause of an exception that a worker raised: the text of the traceback in the worker."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


def _pickled(error: BaseException) -> bytes | None:
    """The exception's pickle, or None where it would not come back the same."""
    try:
        data = pickle.dumps(error)
        return data if type(pickle.loads(data)) is type(error) else None
    except Exception:  # whatever an exception class does on its way through pickle: its text is sent instead
        return None


class Failure:
    """What a process, `where`, sends of an exception: itself where it survives pickling, and its traceback's text."""

    def __init__(self, where: str, error: BaseException):
        self._where = where
        self._name = type(error).__name__
        self._summary = str(error)
        self._text = "".join(traceback.format_exception(error))
        self._error = _pickled(error)

    def exception(self) -> BaseException:
        """The exception to raise in the parent: of the worker's type where that survives, otherwise a RuntimeError."""
        error: Any = pickle.loads(self._error) if self._error is not None else None
        if error is None or isinstance(error, StopIteration):  # which would end the parent's loop without a word
            error = RuntimeError(f"{self._where} raised {self._name}: {self._summary}")
        error.__cause__ = WorkerTraceback(f"In {self._where}:\n{self._text}")
        return error
