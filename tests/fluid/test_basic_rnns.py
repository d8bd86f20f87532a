"""basic_gru and basic_lstm of fluid.contrib against PaddlePaddle 1.8.5: parameters and results."""

import json

import numpy as np
import proa.fluid as fluid
import pytest
from fixture_cases import module_at
from fluid_calls import FOLDER

CASES = module_at(FOLDER / "basic_rnns.py")
WANTED = json.loads((FOLDER / "basic_rnns.json").read_text())


@pytest.mark.parametrize("case", WANTED)
def test_results(case):
    found = CASES.results(fluid, case)
    assert found["parameters"] == WANTED[case]["parameters"]
    for a, b in zip(found["values"], WANTED[case]["values"], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
