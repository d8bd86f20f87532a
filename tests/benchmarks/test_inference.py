"""The section of saved models: what is opened, and what is told of it."""

import sys

import numpy as np
import proa as paddle

from benchmarks import inference, options, saved_models
from benchmarks.process import Worker


def clocks(seconds):
    return {"wall": seconds, "processor": 2 * seconds}


def opened(seconds, results=(0.5,), version="1"):
    return {"started": clocks(seconds + 1), "first": clocks(seconds), "further": clocks(seconds / 10),
            "results": list(results), "peak": 2e8 * seconds, "version": version}


def later(seconds):
    return {"median": seconds, "low": seconds, "high": seconds, "least": seconds, "processor": 2 * seconds}


WARM = {"proa": later(2e-3), "paddle": later(4e-3), "onnxruntime": later(1e-3)}
FIGURES = {"faults": {}, "models": {
    "mobilenet": {"opened": {"proa": opened(0.3), "again": opened(0.2), "paddle": opened(0.4, (0.6,)),
                             "onnxruntime": opened(0.1)}, "warm": WARM, "mixed": WARM},
    "page": {"opened": {"proa": opened(3.0, ["a"]), "again": opened(2.0, ["a"]), "paddle": opened(4.0, ["a"]),
                        "paddle, oneDNN": {"unavailable": "no oneDNN\nat all"}},
             "warm": {"proa": later(1.0), "paddle": later(2.0)}}}}


def test_report_has_ratios_to_both_peers_and_what_differs():
    text = inference.report(FIGURES, options.parse(["inference", "--only", "mobilenet", "page"]))
    assert "| MobileNetV3 | 2.00 ms (4.00 ms) | 4.00 ms (8.00 ms) | 1.00 ms (2.00 ms) | 0.50 | 2.00 | 0.50 |" in text
    assert "| MobileNetV3 | 300 ms (600 ms) | 200 ms (400 ms) | 400 ms (800 ms) | 100 ms (200 ms) | 0.75 |" in text
    assert "| MobileNetV3 | 1.30 s (2.60 s) | 1.20 s (2.40 s) | 1.40 s (2.80 s) | 1.10 s (2.20 s) | 0.93 |" in text
    assert "| MobileNetV3 | 60 | 80 | 20 | 3.00 |" in text
    assert "| Paddle | 4.00 s (8.00 s) | 2.00 s (4.00 s) | 0.50 | 0.50 |" in text
    assert "MobileNetV3: results of proa and of Paddle differ" in text and "of ONNX Runtime differ" not in text
    assert "oneDNN: not available: no oneDNN" in text and "at all" not in text


def test_a_model_is_opened_run_for_each_shape_and_timed(tmp_path):
    net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 2, 3), paddle.nn.ReLU())
    paddle.jit.save(net, str(tmp_path / "mobilenet"), input_spec=[paddle.static.InputSpec([None, 3, None, None])])
    with Worker(sys.executable, 1) as worker:
        answer = worker.ask("serve", framework="proa", model="mobilenet", files=str(tmp_path / "mobilenet"), threads=1,
                            shapes=2)
        assert len(answer["results"]) == 2 and len(answer["further"]) == 1
        assert answer["started"]["wall"] > answer["first"]["wall"] > 0 and answer["peak"] > 0
        assert worker.ask("run", seconds=0.0, least=2)["processor"] > 0
    net.eval()
    inputs = [saved_models.MODELS["mobilenet"].inputs(number) for number in range(2)]
    expected = [float(np.abs(net(paddle.to_tensor(x)).numpy()).mean()) for x, in inputs]
    np.testing.assert_allclose(answer["results"], expected, rtol=1e-5)


def test_models_of_the_section_are_layers_with_names_for_their_inputs():
    for name, model in saved_models.MODELS.items():
        assert len(model.shapes) == len(set(model.shapes)) > 3
        assert [x.shape for x in model.inputs(1)][0] == model.shapes[1]
        assert (name == "bert") == bool(model.words)


def test_a_page_is_drawn(tmp_path):
    saved_models.page(str(tmp_path / "page.npy"), lines=3)
    picture = np.load(tmp_path / "page.npy")
    assert picture.shape == (192, 960, 3) and picture.dtype == np.uint8 and picture.min() < 50 < picture.max()
