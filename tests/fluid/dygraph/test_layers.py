"""Layers of fluid.dygraph beside PaddlePaddle 1.8.5: values, gradients and names of parameters."""

import json
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from fixture_cases import module_at

HERE = Path(__file__).parent
CASES = module_at(HERE / "layer_cases.py")
ANSWERS = np.load(HERE.parent.parent / "fixtures" / "fluid" / "dygraph_layers.npz")
NAMES = json.loads(str(ANSWERS["names"]))

OTHERWISE = {("spectral_norm", "d_x"), ("group_norm_plain", "d_x"), ("tree_conv", "d_nodes")}
"""Where 1.8.5 gives something else than the derivative; later versions do not."""


@pytest.mark.parametrize("name", CASES.CASES)
def test_as_in_paddle(name):
    found, names = CASES.run(fluid, name)
    assert names == NAMES[name]
    wanted = {key.partition("/")[2]: ANSWERS[key] for key in ANSWERS.files if key.startswith(name + "/")}
    assert set(found) >= set(wanted)
    wanted = {key: array for key, array in wanted.items() if (name, key) not in OTHERWISE}
    for key, array in wanted.items():
        assert found[key].shape == array.shape, key
        np.testing.assert_allclose(found[key], array, rtol=2e-4, atol=2e-5, err_msg=key)
