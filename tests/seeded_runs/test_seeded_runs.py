"""From one seed, the losses that PaddlePaddle 2.6.2 had: `python -m tests.seeded_runs` prints them side by side."""

import json
from pathlib import Path

import proa as paddle
import pytest

from . import RUNS
from .train import losses

ANSWERS = json.loads((Path(__file__).parent / "answers.json").read_text())


@pytest.mark.parametrize("name", RUNS)
def test_losses_are_the_same_from_the_same_seed(name):
    found = losses(paddle, name, 50)
    assert found == pytest.approx(ANSWERS[name], rel=1e-4, abs=1e-4)
