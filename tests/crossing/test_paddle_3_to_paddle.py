"""PaddlePaddle 3's models, converted here, give the same in PaddlePaddle 2.6.2: `PROA_ORACLE_PYTHON` names it."""

from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, missing

pytestmark = pytest.mark.oracle
FIXTURES = Path(__file__).parents[1] / "fixtures/static/pir"


def test_converted_models(tmp_path):
    if missing():
        pytest.skip(missing())
    oracle, expected = Oracle(tmp_path), {}
    for path in sorted(FIXTURES.glob("*.npz")):
        with np.load(path) as arrays:
            inputs = [arrays[f"in{n}"] for n in range(len(arrays)) if f"in{n}" in arrays]
            expected[path.stem] = [arrays[f"out{n}"] for n in range(len(arrays)) if f"out{n}" in arrays]
        paddle.jit.save(paddle.jit.load(str(path.with_suffix(""))), oracle.add("model", path.stem, [inputs], tune=0))
    oracle.ask()
    for name, arrays in expected.items():
        found = oracle.found(name)
        for n, array in enumerate(arrays):
            np.testing.assert_allclose(found[f"0.{n}"], array, 1e-5, 1e-5, err_msg=name)
