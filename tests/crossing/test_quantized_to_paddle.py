"""Quantized networks that proa writes give the same numbers in PaddlePaddle 2.6.2: `PROA_ORACLE_PYTHON` names it."""

import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, missing
from proa import nn
from proa.quantization import PTQ, QAT, QuantConfig
from proa.quantization.observers import AbsmaxObserver
from proa.quantization.quanters import FakeQuanterWithAbsMaxObserver

pytestmark = pytest.mark.oracle


def _networks(x):
    """Trained with quanters, that one converted, and one that was measured and converted."""
    paddle.seed(0)
    network = nn.Sequential(nn.Conv2D(1, 2, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3), nn.quant.Stub())
    fake = FakeQuanterWithAbsMaxObserver()
    training = QAT(QuantConfig(activation=fake, weight=fake))
    trained = training.quantize(network)
    for _ in range(3):
        trained(x)
    trained.eval()
    network.eval()
    measuring = PTQ(QuantConfig(activation=AbsmaxObserver(), weight=AbsmaxObserver()))
    measured = measuring.quantize(network)
    measured(x)
    return {"trained": trained, "converted": training.convert(trained), "measured": measuring.convert(measured)}


def test_quantized_networks(tmp_path):
    if missing():
        pytest.skip(missing())
    oracle = Oracle(tmp_path)
    x = np.random.default_rng(0).uniform(-1, 1, (2, 1, 4, 4)).astype("float32")
    networks = _networks(paddle.to_tensor(x))
    for name, network in networks.items():
        prefix = oracle.add("model", name, [[x]], tune=0)
        paddle.jit.save(network, prefix, [paddle.static.InputSpec([None, 1, 4, 4], "float32", "x")])
    oracle.ask()
    for name, network in networks.items():
        [found] = oracle.found(name).values()
        np.testing.assert_allclose(found, network(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=1e-6, err_msg=name)
