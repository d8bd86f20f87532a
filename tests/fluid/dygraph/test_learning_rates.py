"""Learning rates of fluid.dygraph beside PaddlePaddle 1.8.5, and their states."""

import json
from pathlib import Path

import numpy as np
import proa.fluid as fluid
import pytest
from fixture_cases import module_at

HERE = Path(__file__).parent
CASES = module_at(HERE / "rate_cases.py")
ANSWERS = json.loads((HERE.parent.parent / "fixtures" / "fluid" / "dygraph_rates.json").read_text())


@pytest.mark.parametrize("name", CASES.CASES)
def test_as_in_paddle(name):
    rates, state = CASES.run(fluid, name)
    np.testing.assert_allclose(rates, ANSWERS[name][0], rtol=2e-6)
    assert state == pytest.approx(ANSWERS[name][1], rel=2e-6)


@pytest.mark.parametrize("name", ["noam", "step", "plateau"])
def test_a_state_goes_on_where_it_was(name):
    with fluid.dygraph.guard():
        first, second = (CASES.CASES[name](fluid.dygraph) for _ in range(2))
        for _ in range(3):
            first()
            if name == "step":
                first.epoch()
            if name == "plateau":
                first.step(fluid.dygraph.to_variable(np.ones(1, "float32")))
        second.set_dict(first.state_dict())
        assert first().numpy().tolist() == second().numpy().tolist()
        assert first.state_dict() == second.state_dict()


@pytest.mark.parametrize("name", ["noam", "cosine", "polynomial", "exponential", "inverse", "natural"])
def test_step_gives_a_value(name):
    """Programs print it by `optimizer._learning_rate.step().numpy()`."""
    d = fluid.dygraph
    with fluid.dygraph.guard():
        rate = {"noam": lambda: d.NoamDecay(64, 3), "cosine": lambda: d.CosineDecay(0.1, 2, 3),
                "polynomial": lambda: d.PolynomialDecay(0.1, 5), "exponential": lambda: d.ExponentialDecay(0.1, 2, 0.5),
                "inverse": lambda: d.InverseTimeDecay(0.1, 2, 0.5), "natural": lambda: d.NaturalExpDecay(0.1, 2, 0.5),
                }[name]()
        shown = rate.step().numpy()
        assert shown.shape == (1,) and shown.tolist() == rate().numpy().tolist()


def test_a_state_of_another_kind_is_refused():
    rate = fluid.dygraph.NoamDecay(4, 4)
    with pytest.raises(RuntimeError, match="lacks .*step_num"):
        rate.set_dict({"epoch_num": 1})
    with pytest.warns(UserWarning, match="epoch_num"):
        rate.set_dict({"epoch_num": 1, "step_num": 5})
    assert rate.step_num == 5


@pytest.mark.parametrize("make, message", [
    (lambda d: d.LinearLrWarmup("0.1", 5, 0.0, 0.1), "learning_rate"),
    (lambda d: d.LinearLrWarmup(1, 5, 1, 1), "end_lr"),
    (lambda d: d.ReduceLROnPlateau(0.1, "mid"), "mode"),
    (lambda d: d.ReduceLROnPlateau(0.1, decay_rate=1.0), "decay_rate"),
    (lambda d: d.StepDecay(-1.0, 2), "negative"), (lambda d: d.StepDecay(1.0, 2.0), "step_size"),
    (lambda d: d.MultiStepDecay(1.0, [2, 1]), "ascend"), (lambda d: d.LambdaDecay(1.0, 3), "function")])
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make(fluid.dygraph)


def test_a_step_counts_though_no_parameter_has_a_gradient():
    """As 1.8.5 does: the rates are those of three calls of minimize, the first two of which update nothing."""
    with fluid.dygraph.guard():
        line = fluid.dygraph.Linear(2, 1)
        rates = fluid.dygraph.PiecewiseDecay([1, 2], [0.5, 0.25, 0.125], 0)
        optimizer = fluid.optimizer.SGD(rates, parameter_list=line.parameters())
        loss = fluid.layers.mean(line(fluid.dygraph.to_variable(np.ones((3, 2), "float32"))))
        seen = []
        for step in range(3):
            if step == 2:
                loss.backward()
            optimizer.minimize(loss)
            seen.append(optimizer.current_step_lr())
    np.testing.assert_allclose(seen, [0.5, 0.25, 0.125])


def test_a_rate_is_printed_as_it_was_used():
    with fluid.dygraph.guard():
        line = fluid.dygraph.Linear(2, 1)
        rates = fluid.dygraph.PiecewiseDecay([1, 2], [0.1, 0.03, 0.01], 0)
        optimizer, seen = fluid.optimizer.SGD(rates, parameter_list=line.parameters()), []
        for _ in range(3):
            loss = fluid.layers.mean(line(fluid.dygraph.to_variable(np.ones((3, 2), "float32"))))
            loss.backward()
            optimizer.minimize(loss)
            seen.append(str(optimizer.current_step_lr()))
    assert seen == ["0.1", "0.03", "0.01"]  # as 1.8.5 prints them
