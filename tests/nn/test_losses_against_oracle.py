"""Losses, graphs and segments give what PaddlePaddle gives (fixtures/nn/make_losses.py), however they run."""

import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "nn"
cases = module_at(FIXTURES / "loss_cases.py")
answers = dict(np.load(FIXTURES / "losses.npz"))


def _same(found, prefix):
    expected = {key: value for key, value in answers.items() if key.startswith(prefix + "/")}
    assert expected
    for key, value in expected.items():
        actual = found[key]
        assert actual.dtype == value.dtype and actual.shape == value.shape, (key, actual.shape, value.shape)
        np.testing.assert_allclose(actual, value, rtol=2e-5, atol=2e-5, err_msg=key)


@pytest.mark.parametrize("name", cases.CASES)
def test_function(name):
    _same(cases.run(paddle, name), name)


@pytest.mark.parametrize("name", cases.LAYERS)
def test_layer(name):
    _same(cases.run_layer(paddle, name), f"layer {name}")


@pytest.mark.parametrize("name", cases.LAYERS)
def test_layer_as_program(name, tmp_path):
    layer, arrays = cases.made(paddle, name)
    inputs = [paddle.to_tensor(a) for a in arrays]
    eager = layer(*inputs).numpy()
    specs = [paddle.static.InputSpec(a.shape, str(a.dtype)) for a in arrays]
    static = paddle.jit.to_static(layer, input_spec=specs)
    np.testing.assert_allclose(static(*inputs).numpy(), eager, rtol=1e-6)
    paddle.jit.save(static, str(tmp_path / "loss"))
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "loss"))(*inputs).numpy(), eager, rtol=1e-6)
