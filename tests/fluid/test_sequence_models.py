"""Models over sequences against PaddlePaddle 1.8.5: the same Programs, names, losses over some steps, and results."""

import json

import numpy as np
import proa.fluid as fluid
import pytest
from fixture_cases import module_at
from fluid_calls import FOLDER

MODELS = module_at(FOLDER / "sequence_models.py")
WANTED = json.loads((FOLDER / "sequence_models.json").read_text())


def without_offsets(ops):
    """Operators without the offsets, which only proa's Programs hold."""
    def kept(slots):
        return {slot: names for slot, names in slots.items() if not any("@LOD" in n or "lod_" in n for n in names)}

    return [[type, *map(kept, both)] for type, *both in ops]


@pytest.fixture(scope="module", params=WANTED)
def trained(request):
    return MODELS.train(fluid, request.param), WANTED[request.param]


def test_losses(trained):
    found, wanted = trained
    np.testing.assert_allclose(found["losses"], wanted["losses"], rtol=1e-5, atol=1e-6)


def test_results(trained):
    found, wanted = trained
    assert found["lods"] == wanted["lods"]
    for a, b in zip(found["results"], wanted["results"], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_programs(trained):
    found, wanted = trained[0]["program"], trained[1]["program"]
    assert found["parameters"] == wanted["parameters"]
    assert without_offsets(found["ops"]) == wanted["ops"]
