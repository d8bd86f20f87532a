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


def test_a_convolution_remembers_what_it_was_made_with():
    """What classes that extend it read in their own `forward`."""
    with fluid.dygraph.guard():
        made = [fluid.dygraph.Conv2D(3, 4, 3, padding=1), fluid.dygraph.Conv3D(3, 4, 3),
                fluid.dygraph.Conv2DTranspose(3, 4, 3), fluid.dygraph.Conv3DTranspose(3, 4, 3)]
        for layer in made:
            assert (layer._num_channels, layer._num_filters, layer._filter_size, layer._act) == (3, 4, 3, None)
            assert layer._use_cudnn and layer._param_attr is None and layer._bias_attr is None
