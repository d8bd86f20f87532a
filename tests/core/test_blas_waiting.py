"""OpenBLAS's threads wait shortly where proa is imported before NumPy; the environment stays as it was."""

import os
import subprocess
import sys

import pytest

NAME = "OPENBLAS_THREAD_TIMEOUT"


def said(code, **given):
    environment = {name: value for name, value in os.environ.items() if name != NAME} | given
    ended = subprocess.run([sys.executable, "-c", f"import os; said = lambda: os.environ.get({NAME!r})\n{code}"],
                           env=environment, capture_output=True, text=True, check=True)
    return ended.stdout.split()


@pytest.mark.parametrize(("code", "found"), [
    ("import proa; print(said()); proa.ones([1]); print(said())", ["22", "None"]),
    ("import numpy, proa; print(said()); proa.ones([1]); print(said())", ["None", "None"]),
    ("import proa, numpy; proa.ones([1]); print(said())", ["None"])])
def test_the_environment_is_as_it_was(code, found):
    assert said(code) == found


def test_what_the_user_says_stays():
    assert said("import proa; print(said()); proa.ones([1]); print(said())", **{NAME: "26"}) == ["26", "26"]
