"""Things that happen between steps: where PaddlePaddle's training ends (fixtures/optimizer/make_events.py)."""

import pathlib
import runpy

import numpy as np
import proa as paddle
import pytest
from proa.optimizer.optimizer import Optimizer

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "optimizer"
CASES = runpy.run_path(str(FIXTURES / "event_cases.py"))
ANSWERS = np.load(FIXTURES / "events.npz")
NUMBERS = {rule: [n for n, case in enumerate(CASES["CASES"]) if case["rule"] == rule] for rule in CASES["RULES"]}


def check(number):
    case = CASES["CASES"][number]
    found, label = CASES["run"](paddle, case), CASES["label"](case)
    assert sorted(found) == ANSWERS[f"{number}/names"].tolist(), label
    assert {value.dtype.name for value in found.values()} == {case["dtype"]}, label
    values = np.concatenate([found[name].ravel() for name in sorted(found)])
    # several steps, whose roots and quotients enlarge what is rounded otherwise there
    np.testing.assert_allclose(values, ANSWERS[f"{number}/values"], rtol=1e-4, atol=5e-6, err_msg=label)


@pytest.mark.parametrize("rule", NUMBERS)
def test_where_it_ends(rule):
    for number in NUMBERS[rule]:
        check(number)


@pytest.mark.parametrize("rule", NUMBERS)
def test_where_it_ends_by_steps_in_python(rule, monkeypatch):
    monkeypatch.setattr(Optimizer, "_taken_together", lambda self: False)
    for number in NUMBERS[rule][::2]:
        check(number)
