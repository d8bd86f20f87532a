"""Models with PyLayers that proa writes, PaddlePaddle 2.6.2 runs: it passes over the gradients that are in the file."""

import sys
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, check, missing

sys.path.insert(0, str(Path(__file__).parent.parent))

import py_layers

#: PaddlePaddle multiplies no matrices of bfloat16 on a CPU.
NOT_THERE = ("Cast",)
NAMES = {case.__name__: case for case in py_layers.CASES if case.__name__ not in NOT_THERE}
X = np.random.default_rng(5).normal(size=[3, 3]).astype("float32")

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    if missing():
        pytest.skip(missing())
    oracle, expected = Oracle(tmp_path_factory.mktemp("py_layers")), {}
    for name, case in NAMES.items():
        layer = case()
        for kind in ("model", "predictor"):
            paddle.jit.save(layer, oracle.add(kind, f"{kind}_{name}", [[X]]),
                            input_spec=[paddle.static.InputSpec([None, 3])])
        expected[name] = {"0.0": layer(paddle.to_tensor(X)).numpy()}
    oracle.ask()
    return oracle, expected


@pytest.mark.parametrize("kind", ["model", "predictor"])
@pytest.mark.parametrize("name", NAMES)
def test_gives_the_same(written, name, kind):
    oracle, expected = written
    check(oracle.found(f"{kind}_{name}"), expected[name], rtol=1e-5, atol=1e-5)
