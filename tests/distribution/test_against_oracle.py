"""Distributions and transforms answer what PaddlePaddle's do (fixtures/distribution/make.py)."""

import json
import pathlib
import runpy

import numpy as np
import proa as paddle
import pytest

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "distribution"
EXPECTED = json.loads((FIXTURES / "answers.json").read_text())


@pytest.fixture(scope="module")
def answers():
    return runpy.run_path(str(FIXTURES / "cases.py"))["answers"](paddle)


# Paddle's have one dimension too many, and too few: of a batch of divergences, and of the affine transform's factor.
OTHER_SHAPES = {"Categorical.kl", "Categorical of a vector.kl", "affine log det", "affine inverse log det"}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_answer(answers, name):
    expected = np.asarray(EXPECTED[name])
    if name in OTHER_SHAPES:
        expected = np.broadcast_to(np.squeeze(expected), np.shape(answers[name]))
    assert np.shape(answers[name]) == expected.shape
    np.testing.assert_allclose(answers[name], expected, rtol=2e-5, atol=2e-6)
