"""The spatial functions and layers give what PaddlePaddle gives (fixtures/nn/make_spatial.py), however they run."""

import json
import pathlib

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = pathlib.Path(__file__).parents[1] / "fixtures" / "nn"
cases = module_at(FIXTURES / "spatial_cases.py")
answers = dict(np.load(FIXTURES / "spatial.npz"))
shown = json.loads((FIXTURES / "spatial.json").read_text())

# Where the oracle is wrong; docs/differences.md tells how.
DIFFERENT = {"layer SpectralNorm/d0"}  # the gradient of weight / sigma, which is not taken element by element


def _same(found, prefix):
    expected = {key: value for key, value in answers.items() if key.startswith(prefix + "/") and key not in DIFFERENT}
    assert expected
    for key, value in expected.items():
        actual = found[key.removeprefix("layer ")]
        assert actual.dtype == value.dtype and actual.shape == value.shape, (key, actual.shape, value.shape)
        np.testing.assert_allclose(actual, value, rtol=2e-5, atol=2e-5, err_msg=key)


@pytest.mark.parametrize("name", cases.CASES)
def test_function(name):
    _same(cases.run(paddle, name), name)


@pytest.mark.parametrize("name", cases.LAYERS)
def test_layer(name):
    found, text = cases.run_layer(paddle, name)
    _same(found, f"layer {name}")
    wanted = {key for key in answers if key.startswith(f"layer {name}/state ")}
    assert wanted == {f"layer {key}" for key in found if "/state " in key}
    if name != "BatchNorm":  # which shows nothing there
        assert text == shown[name]


def _results(value):
    return [v.numpy() for v in (value if isinstance(value, (list, tuple)) else [value])]


@pytest.mark.parametrize("name", cases.LAYERS)
def test_layer_as_program(name, tmp_path):
    net, arrays = cases.made(paddle, name)
    net.eval()
    inputs = [paddle.to_tensor(a) for a in arrays]
    eager = _results(net(*inputs))
    specs = [paddle.static.InputSpec([None if n == 0 and "SpectralNorm" not in name else size
                                      for n, size in enumerate(a.shape)], str(a.dtype)) for a in arrays]
    static = paddle.jit.to_static(net, input_spec=specs)
    for found, value in zip(_results(static(*inputs)), eager, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-5)
    paddle.jit.save(static, str(tmp_path / "net"))
    loaded = paddle.jit.load(str(tmp_path / "net"))
    for found, value in zip(_results(loaded(*inputs)), eager, strict=True):
        np.testing.assert_allclose(found, value, rtol=1e-5, atol=1e-5)
