"""flow.nn's functions for jobs against OneFlow 0.9's answers, gradients among them."""

import sys
from pathlib import Path

import numpy as np
import proa as paddle
import proa.oneflow as flow
import pytest

FIXTURES = Path(__file__).parent.parent / "fixtures" / "oneflow"
sys.path.insert(0, str(FIXTURES))

from job_function_cases import CASES  # noqa: E402 - it stands beside what makes the answers

ANSWERS = dict(np.load(FIXTURES / "job_functions.npz"))


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_oneflows(name):
    inputs, call, _ = CASES[name]
    values = [paddle.to_tensor(array, stop_gradient=array.dtype != np.float32) for array in inputs]
    out = call(flow, *values)
    np.testing.assert_allclose(out.numpy(), ANSWERS[name].reshape(out.shape), rtol=2e-4, atol=2e-5)
    gradients = {n for n in range(len(inputs)) if f"{name}.{n}" in ANSWERS}
    if gradients:
        (out * (paddle.arange(out.numel().item(), dtype="float32").reshape(out.shape) % 7 - 2)).sum().backward()
    for n in gradients:
        np.testing.assert_allclose(values[n].grad.numpy(), ANSWERS[f"{name}.{n}"], rtol=2e-4, atol=2e-5)
