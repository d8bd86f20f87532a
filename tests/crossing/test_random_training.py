"""Random Programs are trained alike by PaddlePaddle and here: losses, gradients, parameters, evaluation."""

import os
import subprocess
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
import random_training
from oracle import PYTHON, missing

FIRST, COUNT = 300, 30


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """What PaddlePaddle's Programs gave."""
    if missing():
        pytest.skip(missing())
    folder = tmp_path_factory.mktemp("random_training")
    asked = subprocess.run([PYTHON, "-B", random_training.__file__, str(folder), str(FIRST), str(COUNT)],
                           capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)})
    assert asked.returncode == 0, asked.stderr[-3000:]
    return dict(np.load(folder / "found.npz"))


@pytest.mark.oracle
@pytest.mark.parametrize("number", range(FIRST, FIRST + COUNT))
def test_trained_alike(theirs, number):
    expected = {key: array for key, array in theirs.items() if key.partition(" ")[0] == str(number)}
    found = random_training.answers(paddle, number, 1)
    assert set(found) == set(expected), [str(a) for key, a in {**found, **expected}.items() if key.endswith("error")]
    for key, array in expected.items():
        assert found[key].shape == array.shape, key
        np.testing.assert_allclose(found[key], array, rtol=1e-3, atol=1e-4, err_msg=key)
