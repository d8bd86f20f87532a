"""Models whose forward asks for gradients, between the packages: PaddlePaddle writes an operator for each gradient."""

import derivatives
import numpy as np
import proa as paddle
import pytest
from proa import static

CASES = [(name, dtype) for name in derivatives.networks(paddle) for dtype in ("float32", "float64")]
CLOSE = {"float32": {"rtol": 1e-4, "atol": 1e-5}, "float64": {"rtol": 1e-10, "atol": 1e-12}}


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_what_paddle_wrote_is_run(name, dtype):
    wanted = np.load(derivatives.FIXTURES / "outputs.npz")
    model = paddle.jit.load(str(derivatives.FIXTURES / f"{name}_{dtype}"))
    shape = derivatives.networks(paddle)[name].shape
    found = model(paddle.to_tensor(derivatives.example(name, dtype, shape)))
    for n, each in enumerate(found):
        np.testing.assert_allclose(each.numpy(), wanted[f"{name}_{dtype}.{n}"], **CLOSE[dtype])


@pytest.mark.parametrize("name", derivatives.networks(paddle))
def test_by_an_executor_too(name):
    wanted = np.load(derivatives.FIXTURES / "outputs.npz")
    with static.scope_guard(static.Scope()):
        executor = static.Executor()
        program, feeds, fetches = static.load_inference_model(str(derivatives.FIXTURES / f"{name}_float32"), executor)
        x = derivatives.example(name, "float32", derivatives.networks(paddle)[name].shape)
        found = executor.run(program, {feeds[0]: x}, fetches)
    for n, each in enumerate(found):
        np.testing.assert_allclose(each, wanted[f"{name}_float32.{n}"], **CLOSE["float32"])
