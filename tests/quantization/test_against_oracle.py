"""Networks quantized in training and after it give what PaddlePaddle's give (`tests/fixtures/quantization/make.py`)."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = Path(__file__).parents[1] / "fixtures" / "quantization"
cases = module_at(FIXTURES / "cases.py")
ANSWERS = json.loads((FIXTURES / "answers.json").read_text())


def _compare(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name, wanted in theirs.items():
        if name in ("kinds", "converted kinds", "state"):
            assert ours[name] == wanted
        elif isinstance(wanted, dict):
            _compare(ours[name], wanted)
        else:
            np.testing.assert_allclose(ours[name], wanted, rtol=2e-5, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("name", ["all", "by type", "by layer", "leaves"])
def test_training(name):
    _compare(cases.trained(paddle, cases.configs(paddle)[name]), ANSWERS[f"trained {name}"])


def test_after_training():
    _compare(cases.observed(paddle), ANSWERS["observed"])


def test_rounding():
    _compare(cases.rounded(paddle), ANSWERS["rounded"])
