"""Asks PaddlePaddle, in a process of its own, about files that a test has written."""

import functools
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

PYTHON = os.environ.get("PROA_ORACLE_PYTHON")
HERE = Path(__file__).parent


@functools.cache
def missing():
    """Why there is no oracle to ask; empty when there is one."""
    if not PYTHON:
        return "PROA_ORACLE_PYTHON does not name a Python that has PaddlePaddle 2.6.2"
    asked = subprocess.run([PYTHON, "-c", "import paddle; print(paddle.__version__)"], capture_output=True, text=True)
    version = asked.stdout.strip().rpartition("\n")[2]
    return "" if version.startswith("2.6") else f"{PYTHON} has no PaddlePaddle 2.6: {version or asked.stderr[-200:]}"


class Oracle:
    """Tasks in a folder, and what was found. Everything is written first, then asked in one process."""

    def __init__(self, folder):
        self.folder, self.tasks, self.results = Path(folder), [], {}

    def add(self, kind, key, arrays=None, **task):
        """Adds a task of oracle_read.py; gives the prefix of its files."""
        prefix = str(self.folder / key / "saved")
        os.makedirs(self.folder / key, exist_ok=True)
        if arrays is not None:
            task["arrays"] = str(self.folder / key / "arrays.npz")
            np.savez(task["arrays"], **{f"{n}.{k}": a for n, held in enumerate(arrays) for k, a in enumerate(held)})
        self.tasks.append({"kind": kind, "key": key, "prefix": prefix, **task})
        return prefix

    def ask(self):
        """Runs the tasks."""
        (self.folder / "tasks.json").write_text(json.dumps(self.tasks))
        asked = subprocess.run([PYTHON, "-B", str(HERE / "oracle_read.py"), str(self.folder)], capture_output=True,
                               text=True, env={**os.environ, "PYTHONPATH": str(HERE)})
        if asked.returncode:
            said = asked.stdout[-2000:] + asked.stderr[-4000:]
            pytest.fail(f"oracle_read.py ended with {asked.returncode}:\n{said}")
        self.results = dict(np.load(self.folder / "results.npz"))

    def found(self, key):
        """What a task found, by name; the test fails with the oracle's error when it found none."""
        held = {k[len(key) + 1:]: v for k, v in self.results.items() if k.startswith(key + ".")}
        if "error" in held:
            pytest.fail(f"PaddlePaddle, asked for {key}:\n{held['error']}", pytrace=False)
        assert held, key
        return held


def check(found, expected, **tolerances):
    """Compares arrays by name."""
    assert set(found) == set(expected)
    for key, array in expected.items():
        assert np.shape(found[key]) == np.shape(array), key
        np.testing.assert_allclose(found[key], array, **tolerances, err_msg=key)
