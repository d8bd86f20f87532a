"""Each layer against PaddlePaddle 1.8.5: operators, names, shapes, parameters, results and gradients of inputs."""

import json
import sys
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from proa.static.building import mode

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fluid"
sys.path.insert(0, str(FIXTURES))
import layer_cases  # noqa: E402

FACTS = json.loads((FIXTURES / "layers.json").read_text())
VALUES = np.load(FIXTURES / "layers.npz")


@pytest.fixture(autouse=True)
def as_version_1():
    mode.set_least_rank(1)
    yield
    mode.set_least_rank(0)


def _agrees(shape, wanted):
    """Whether sizes are those of 1.8.5, which knows fewer of them."""
    return len(shape) == len(wanted) and all(b in (a, -1, 0) for a, b in zip(shape, wanted, strict=True))


@pytest.mark.parametrize("name", sorted(layer_cases.CASES))
def test_layer(name):
    wanted, found = FACTS[name], layer_cases.run(fluid, name)
    if not name.startswith(layer_cases.VALUES_ONLY) and name not in layer_cases.IN_EVALUATION:
        # in evaluation 1.8.5 lists results that nobody computes
        assert found["ops"] == wanted["ops"]
    assert found["parameters"] == wanted["parameters"]
    assert sorted(found["startup"]) == sorted(wanted["startup"])  # 1.8.5 puts each before those that are there
    assert all(map(_agrees, found["shapes"], wanted["shapes"]))
    assert found["gradients"] == wanted["gradients"]
    for n, value in enumerate(found["values"]):
        expected = VALUES[f"{name}/{n}"]
        assert (value.shape, value.dtype) == (expected.shape, expected.dtype), n
        np.testing.assert_allclose(value, expected, 2e-5, 2e-6, err_msg=str(n))
