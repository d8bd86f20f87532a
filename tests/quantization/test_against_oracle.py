"""Networks quantized in training and after it give what PaddlePaddle's give (`tests/fixtures/quantization/make.py`)."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = Path(__file__).parents[1] / "fixtures" / "quantization"
cases = module_at(FIXTURES / "cases.py")
ANSWERS = json.loads((FIXTURES / "answers.json").read_text())


def _compare(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name, wanted in theirs.items():
        if name in ("kinds", "converted kinds", "state"):
            assert ours[name] == wanted
        elif isinstance(wanted, dict):
            _compare(ours[name], wanted)
        else:
            np.testing.assert_allclose(ours[name], wanted, rtol=2e-5, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("name", ["all", "by type", "by layer", "leaves"])
def test_training(name):
    _compare(cases.trained(paddle, cases.configs(paddle)[name]), ANSWERS[f"trained {name}"])


def test_after_training():
    _compare(cases.observed(paddle), ANSWERS["observed"])


def test_rounding():
    _compare(cases.rounded(paddle), ANSWERS["rounded"])


@pytest.mark.parametrize("kind", cases.OLDER_KINDS)
def test_training_the_older_way(kind):
    _compare(cases.trained_older(paddle, kind), ANSWERS[f"older, {kind}"])


@pytest.mark.parametrize("name", list(cases.older_quantizers(paddle)))
def test_measuring_the_older_way(name, tmp_path):
    answer = cases.observed_older(paddle, name, str(tmp_path / "model"))
    _compare(answer, ANSWERS[f"older, {name}"])
    loaded = paddle.jit.load(str(tmp_path / "model"))
    np.testing.assert_allclose(loaded(paddle.to_tensor(cases.batches()[0])).numpy(), answer["eval"], atol=1e-6)
    operators = loaded.program().global_block().ops
    assert "moving_average_abs_max_scale" not in {op.type for op in operators}
    [conv] = [op for op in operators if op.type == "conv2d"]
    scales = answer["scales"]
    np.testing.assert_allclose(conv.attr("Input0_threshold"), scales["conv_fake_quant_input"], rtol=1e-6)
    np.testing.assert_allclose(conv.attr("Filter0_threshold"), np.squeeze(scales["conv_fake_quant_weight"]), rtol=1e-6)
    [softmax] = [op for op in operators if op.type == "softmax"]
    assert 0 < softmax.attr("out_threshold") == softmax.attr("Out0_threshold") <= 1
