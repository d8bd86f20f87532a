"""Metrics against the oracle's answers; what they refuse."""

import json
from pathlib import Path

import numpy as np
import proa as paddle
import pytest
from fixture_cases import module_at

FIXTURES = Path(__file__).parents[1] / "fixtures/metric"
cases = module_at(FIXTURES / "cases.py")
EXPECTED = json.loads((FIXTURES / "answers.json").read_text())


@pytest.fixture(scope="module")
def found():
    return cases.answers(paddle)


@pytest.mark.parametrize("name", EXPECTED)
def test_as_the_oracle(found, name):
    np.testing.assert_allclose(found[name], EXPECTED[name], rtol=1e-6)


def test_names():
    assert paddle.metric.Accuracy().name() == ["acc"]
    assert paddle.metric.Accuracy((1, 5), "a").name() == ["a_top1", "a_top5"]
    assert [paddle.metric.Precision().name(), paddle.metric.Recall().name(), paddle.metric.Auc().name()] == [
        "precision", "recall", "auc"]


def test_counts_of_the_function_and_in_a_program():
    scores, labels = next(cases.batches(0))
    correct, total = paddle.zeros([1], "int32"), paddle.zeros([1], "int32")
    result = paddle.metric.accuracy(paddle.to_tensor(scores), paddle.to_tensor(labels), 2, correct, total)
    assert result.shape == [] and int(total) == len(labels) and float(result) == np.float32(int(correct) / len(labels))
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x, y = paddle.static.data("x", [-1, 6]), paddle.static.data("y", [-1, 1], "int64")
        out = paddle.metric.accuracy(x, y, 2)
    executor = paddle.static.Executor()
    assert executor.run(main, feed={"x": scores, "y": labels}, fetch_list=[out])[0] == result.numpy()


def test_more_guesses_than_classes_and_empty_batches():
    metric = paddle.metric.Accuracy(topk=(1, 5))
    correct = metric.compute(paddle.to_tensor([[0.1, 0.9]]), paddle.to_tensor([0]))
    assert metric.update(correct) == [0.0, 1.0]
    assert metric.update(np.zeros((0, 2))) == [0.0, 0.0]
    metric.reset()
    assert metric.accumulate() == [0.0, 0.0]


def test_a_metric_of_ones_own():
    class Mean(paddle.metric.Metric):
        def __init__(self):
            self.reset()

        def reset(self):
            self.values = []

        def update(self, x, y):
            self.values.append(float((x - y).mean()))

        def accumulate(self):
            return sum(self.values)

        def name(self):
            return "mean"

    metric = Mean()
    metric.update(*metric.compute(paddle.ones([2]), paddle.zeros([2])))
    assert metric.accumulate() == 1.0
    with pytest.raises(TypeError, match="abstract"):
        paddle.metric.Metric()


def test_what_is_refused():
    with pytest.raises(ValueError, match="preds"):
        paddle.metric.Precision().update([0.5], np.array([1]))
    with pytest.raises(ValueError, match="labels"):
        paddle.metric.Recall().update(np.array([0.5]), [1])
    with pytest.raises(ValueError, match="probabilities"):
        paddle.metric.Auc().update(np.array([[0.0, 2.0]]), np.array([1]))
    with pytest.raises(ValueError, match="ROC"):
        paddle.metric.Auc(curve="LIFT")


def test_the_area_under_precision_over_recall():
    metric = paddle.metric.Auc("PR", num_thresholds=10)
    assert metric.accumulate() == 0.0
    metric.update(np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([[0], [1]]))
    metric.update(np.array([[0.7, 0.3]]), np.array([[1]]))
    # recall and precision of all above 0.8, 0.5 and 0.3: (1/2, 1), (1/2, 1/2), (1, 2/3)
    np.testing.assert_allclose(metric.accumulate(), 0.5 + 0.5 * (1 / 2 + 2 / 3) / 2)
