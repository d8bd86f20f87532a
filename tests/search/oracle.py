"""Asks PaddlePaddle 2.6.2, in a process of its own that is started again when a model brings it down."""

from __future__ import annotations

import json
import os
import re
import select
import subprocess
from pathlib import Path
from typing import Any

import numpy as np

from . import comparing

SCRIPT = Path(__file__).with_name("oracle_answers.py")
PATIENCE, UNTIL_STARTED = 60, 600  # seconds: for a model, and for PaddlePaddle itself on a machine that is busy


class OracleError(Exception):
    """PaddlePaddle could not run the model."""


class Oracle:
    """The process; `python` is an interpreter that has PaddlePaddle 2.6.2."""

    def __init__(self, python: str):
        self.python = python
        self._process: subprocess.Popen | None = None

    def _started(self) -> subprocess.Popen:
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
            self._process = subprocess.Popen(
                [self.python, "-B", str(SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env={**environment, "OMP_NUM_THREADS": "1"},
            )
            self._line(self._process, UNTIL_STARTED)
        return self._process

    def _line(self, process: subprocess.Popen, patience: float = PATIENCE) -> str:
        assert process.stdout is not None
        if not select.select([process.stdout], [], [], patience)[0]:
            self.close()
            raise OracleError(f"no answer within {patience} s")
        return process.stdout.readline()

    def ask(self, folder: str) -> dict[str, np.ndarray]:
        """What the model in a folder gives. Raises OracleError."""
        process = self._started()
        assert process.stdin is not None
        process.stdin.write(folder + "\n")
        process.stdin.flush()
        line = self._line(process)
        if not line:
            self.close()
            raise OracleError("crashed")
        said = json.loads(line)
        if said:
            raise OracleError(said)
        with np.load(Path(folder) / "found.npz") as held:
            return dict(held)

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            with self._process:  # closes its streams, and waits
                pass
            self._process = None


def differs(oracle: Oracle, folder: str, dtype: str) -> tuple[str, str] | None:
    """The kind of a difference and its text; None where there is none, or the model is for proa alone."""
    if not (Path(folder) / "arrays.npz").exists():
        return None
    with np.load(Path(folder) / "arrays.npz") as held:
        if held["own"]:
            return None
        expected = {key.removeprefix("expected "): held[key] for key in held.files if key.startswith("expected ")}
    try:
        found = oracle.ask(folder)
    except OracleError as error:
        return "error " + _kind(str(error)), str(error)
    text = comparing.difference(_as_vectors(found, expected), expected, dtype)
    return ("value", text) if text else None


def _kind(text: str) -> str:
    """The error's type and the operator that it came from."""
    operators = re.findall(r"operator < (\w+) > error", text)
    return text.split(":")[0][:40] + (f" in {operators[0]}" if operators else "")


def _as_vectors(found: dict[str, Any], expected: dict[str, np.ndarray]) -> dict[str, Any]:
    """Numbers as what is expected has them: PaddlePaddle gives a shape of [1] here and there."""
    return {
        key: array.reshape(()) if array.shape == (1,) and key in expected and expected[key].shape == () else array
        for key, array in found.items()
    }
