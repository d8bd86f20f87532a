"""Windows, mel scales, filter banks and features answer what PaddlePaddle's answer (`tests/fixtures/audio/make.py`)."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = Path(__file__).parents[1] / "fixtures" / "audio"
cases = module_at(FIXTURES / "cases.py")
ANSWERS = json.loads((FIXTURES / "answers.json").read_text())


@pytest.mark.parametrize("expression", cases.CASES)
def test_answers(expression):
    ours, theirs = cases.answer(paddle, expression), ANSWERS[expression]
    if "number" in theirs:
        assert ours["number"] == pytest.approx(theirs["number"], rel=1e-9)
        return
    assert (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"])
    exact = theirs["dtype"] == "float64" and "Spectrogram" not in expression and "mel" not in expression
    np.testing.assert_allclose(ours["values"], theirs["values"], *(2e-7, 2e-7) if exact else (2e-4, 2e-5))
