"""Measures, against what PaddlePaddle 1.8.5 gave for the same code; what is not right is said."""

import json
import sys
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from proa.fluid import metrics

FIXTURES = Path(__file__).parents[1] / "fixtures" / "fluid"
sys.path.insert(0, str(FIXTURES))

import metric_cases  # noqa: E402 - behind the path

THERE = json.loads((FIXTURES / "metrics.json").read_text())


def near(found, there):
    if isinstance(there, dict):
        return found.keys() == there.keys() and all(near(found[name], there[name]) for name in there)
    if isinstance(there, list):
        return len(found) == len(there) and all(map(near, found, there))
    return found == there if isinstance(there, str) else found == pytest.approx(there, rel=1e-6)


def test_gives_what_1_8_5_gives():
    with fluid.scope_guard(fluid.Scope()):
        found = json.loads(json.dumps(metric_cases.results(fluid)))
    assert [name for name in THERE if not near(found[name], THERE[name])] == []


@pytest.mark.parametrize("act, says", [
    (lambda: metrics.Precision().update([1.0], np.ones((1, 1))), "array"),
    (lambda: metrics.Recall().update(np.ones((1, 1)), [1]), "labels"),
    (lambda: metrics.Accuracy().update(0.5, -1), "negative"),
    (lambda: metrics.Accuracy().update("0.5", 1), "number"),
    (lambda: metrics.Accuracy().eval(), "no batch"),
    (lambda: metrics.EditDistance("d").eval(), "no batch"),
    (lambda: metrics.ChunkEvaluator().update(1, 2, None), "num_correct_chunks"),
    (lambda: metrics.Auc("auc").update(np.array([[0.0, 1.5]]), np.array([[1]])), "from 0 to 1"),
    (lambda: metrics.CompositeMetric().add_metric("auc"), "fluid.metrics"),
    (lambda: fluid.average.WeightedAverage().eval(), "nothing"),
])
def test_what_is_not_right_is_said(act, says):
    with pytest.raises(ValueError, match=says):
        act()


@pytest.mark.parametrize("act, says", [
    (lambda x, y: fluid.layers.detection.detection_map(y, y, 3), "detect_res"),
    (lambda x, y: fluid.layers.detection.detection_map(x, fluid.layers.data("w", [4], lod_level=1), 3),
     r"label.*\[-1, 4\]"),
    (lambda x, y: fluid.layers.detection.detection_map(x, y, 3, ap_version="mean"), "11point"),
    (lambda x, y: metrics.DetectionMAP(x, y, y), "class_num"),
])
def test_detections_that_cannot_be_measured(act, says):
    with fluid.program_guard(fluid.Program(), fluid.Program()), pytest.raises(ValueError, match=says):
        act(fluid.layers.data("x", [6], lod_level=1), fluid.layers.data("y", [5], lod_level=1))


def test_an_evaluator_stands_outside_of_branches():
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        main = fluid.default_main_program()
        main.create_block()
        with pytest.raises(ValueError, match="outside of loops and branches"):
            fluid.evaluator.Evaluator("mine")
        main.rollback()
        with pytest.raises(NotImplementedError, match="eval"):
            fluid.evaluator.Evaluator("mine").eval(fluid.Executor())


def test_what_a_subclass_does_not_say():
    with pytest.raises(NotImplementedError):
        metrics.MetricBase("mine").update(1, 2)
    with pytest.raises(NotImplementedError):
        metrics.MetricBase("mine").eval()
